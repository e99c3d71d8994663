"""Column types that all tables share: instants and row ids."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, Column, Integer
from sqlalchemy.types import TypeDecorator
from sqlmodel import Field

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)


class Instant(TypeDecorator[datetime]):
    """A UTC instant, stored as whole milliseconds since 1970. Naive datetimes raise ValueError."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Any) -> int | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("an instant needs a time zone")
        return int((value - EPOCH) // MILLISECOND)

    def result_processor(self, dialect: Any, coltype: Any) -> Callable[[Any], datetime | None]:
        """Convert a stored number; a function instead of a method, as pages read many instants."""
        return _read


def _read(stored: int | None) -> datetime | None:
    return None if stored is None else EPOCH + MILLISECOND * stored


def instant(*, nullable: bool = False, index: bool = False) -> Any:
    """A column for an instant."""
    return Field(default=None, sa_column=Column(Instant, nullable=nullable, index=index))


def serial() -> Any:
    """A row id; SQLite numbers only INTEGER keys by itself."""
    kind = BigInteger().with_variant(Integer, "sqlite")
    return Field(default=None, sa_column=Column(kind, primary_key=True, autoincrement=True))


def stored_id(row: Any) -> int:
    """The id of a stored row. Raises ValueError if the row is not stored yet."""
    if row.id is None:
        raise ValueError(f"{type(row).__name__} is not stored yet")
    return int(row.id)
