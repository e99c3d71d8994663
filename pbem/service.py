"""The service: settings, database and clock, as every entry point uses them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

from sqlalchemy import Engine
from sqlmodel import Session

from pbem.clock import Clock, SystemClock
from pbem.config import Settings
from pbem.db import make_engine, reading_engine
from pbem.mail.dkim import key_in


@dataclass(frozen=True)
class Service:
    """A running service; tests make one with a fixed clock."""

    settings: Settings
    engine: Engine
    clock: Clock

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Service:
        """The service that the CARREIRA_* variables describe. Raises BadSetting."""
        settings = Settings.from_environment(environ)
        if settings.dkim_key is not None:
            key_in(settings.dkim_key)  # fail at start, not with each letter
        return cls(settings, make_engine(settings.database_url), SystemClock())

    def writing_session(self) -> Session:
        """A session that may write; the caller commits and closes."""
        return Session(self.engine, expire_on_commit=False)

    def reading_session(self) -> Session:
        """A session that only reads, so that pages do not queue behind writers."""
        return Session(self._reading, expire_on_commit=False, autoflush=False)

    @cached_property
    def _reading(self) -> Engine:
        return reading_engine(self.engine)

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A session that may write; it rolls back what was not committed."""
        with self.writing_session() as session:
            yield session

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session that only reads."""
        with self.reading_session() as session:
            yield session
