"""Defines a letter's values, and the protocol between delivery and the kinds of letters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from sqlmodel import Session

from pbem.config import Settings
from pbem.models import Outbox

Values = dict[str, Any]  # of a template


@dataclass(frozen=True)
class Image:
    """A picture that comes with a letter. Its HTML shows it by `src="cid:..."`."""

    cid: str  # without angle brackets, like "table.42.17@carreira.example"
    png: bytes
    alt: str


@dataclass(frozen=True)
class Letter:
    """A letter that is ready to be sent.

    `shown` maps the outbox id of each game's row to the newest entry that the letter shows of it.
    An answer to the letter of that row answers the question that was open then.
    """

    raw: bytes
    shown: Mapping[int, int]


@dataclass(frozen=True)
class Reader:
    """The one person a letter is for. `name` is empty if they are not a player."""

    address: str
    name: str
    language: str
    zone: str
    person_id: int | None = None
    suppressed: str | None = None  # why nothing but proofs goes to this address


@dataclass(frozen=True)
class Look:
    """What the database says about a due letter.

    `reader` None means that the letter is no longer true.
    """

    reader: Reader | None
    is_wanted: bool = True
    looking_until: datetime | None = None  # its reader has just seen what it says


@dataclass(frozen=True)
class Occasion:
    """Everything that a letter is built from."""

    session: Session
    row: Outbox
    reader: Reader
    settings: Settings
    now: datetime
    others: Sequence[Outbox] = ()  # turn letters of other games that are merged into this one


class Letters(Protocol):
    """The functions that delivery calls to make letters. `pbem.mail.letters.build` has them."""

    def is_proof(self, row: Outbox) -> bool:
        """Return whether it proves an address.

        Suppressed addresses get proofs too, and building one writes.
        """

    def look(self, session: Session, row: Outbox, now: datetime, usual: timedelta) -> Look:
        """Return its reader, and whether it is still true, wanted and needed."""

    def companions(
        self, session: Session, row: Outbox, now: datetime, usual: timedelta
    ) -> list[Outbox]:
        """Return the letters that can be merged into this one."""

    def build(
        self, session: Session, row: Outbox, settings: Settings, now: datetime, *,
        reader: Reader | None = None, others: Sequence[Outbox] = (),
    ) -> Letter | None:
        """Build the letter from the current state. Returns None if it is no longer true."""
