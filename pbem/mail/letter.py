"""What a letter is made of, as values, and what delivery asks of whoever makes letters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from sqlmodel import Session

from pbem.config import Settings
from pbem.models import Outbox


@dataclass(frozen=True)
class Image:
    """A picture that comes with a letter; its HTML shows it by `src="cid:..."`."""

    cid: str  # without angle brackets, like "table.42.17@carreira.example"
    png: bytes
    alt: str


@dataclass(frozen=True)
class Letter:
    """A letter ready to leave.

    `shown` is the entry that it shows, by the row of each game in it: an answer to the letter of
    that row answers what was asked then.
    """

    raw: bytes
    shown: Mapping[int, int]


@dataclass(frozen=True)
class Reader:
    """The one person a letter is for. `name` is empty for somebody we do not know."""

    address: str
    name: str
    language: str
    zone: str
    person_id: int | None = None
    suppressed: str | None = None  # why nothing but proofs goes to this address


@dataclass(frozen=True)
class Look:
    """What a look into the database says of a due letter; `reader` None: it is not true."""

    reader: Reader | None
    is_wanted: bool = True
    looking_until: datetime | None = None  # its reader has just seen what it tells


class Letters(Protocol):
    """What delivery asks of the kinds of letters: `pbem.mail.letters.build`."""

    def is_proof(self, row: Outbox) -> bool:
        """Whether it proves an address: suppressed ones get it, and building it writes."""

    def look(self, session: Session, row: Outbox, now: datetime, usual: timedelta) -> Look:
        """Who reads it, and whether it is true, wanted and needed yet."""

    def companions(
        self, session: Session, row: Outbox, now: datetime, usual: timedelta
    ) -> list[Outbox]:
        """The letters that this one tells as well."""

    def build(
        self, session: Session, row: Outbox, settings: Settings, now: datetime, *,
        reader: Reader | None = None, others: Sequence[Outbox] = (),
    ) -> Letter | None:
        """The letter as it is true now; None if it is not."""
