"""Defines what a letter is: its kind, its reader, its values, and what delivery asks about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from sqlmodel import Session

from pbem.config import Settings
from pbem.models import Outbox, Person

Values = dict[str, Any]  # of a template


class Overtaken(Exception):
    """Raised while a letter is built, if what it says is no longer true."""


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

    @classmethod
    def of(cls, person: Person, address: str) -> Reader:
        """Return a person who reads at one of their addresses. Only the first can be suppressed."""
        suppressed = person.suppressed if address == person.address else None
        return cls(address, person.name, person.language, person.zone, person.id, suppressed)


@dataclass(frozen=True)
class DueLetter:
    """A due letter at the time when it is looked at."""

    session: Session
    row: Outbox
    now: datetime


@dataclass(frozen=True)
class LetterContext(DueLetter):
    """Everything that a letter is built from."""

    reader: Reader
    settings: Settings
    others: Sequence[Outbox] = ()  # turn letters of other games that are merged into this one


def player(_session: Session, row: Outbox) -> Reader | None:
    """Return the person that a letter names, or None if there is nobody: a bot."""
    person = row.person
    return None if person is None or person.bot else Reader.of(person, person.address)


def always_true(_it: DueLetter) -> bool:
    """Return True: it reports what has happened."""
    return True


@dataclass(frozen=True)
class LetterKind:
    """A kind of letter: all that distinguishes it from the others.

    Rows of the outbox store its name. Its templates are in `templates/letters/<name>/`.
    """

    name: str
    title: str  # a msgid; the head of its line in lists of letters
    is_true: Callable[[DueLetter], bool]  # asked before every attempt: no outdated letter leaves
    values: Callable[[LetterContext], Values]  # of its templates; may raise Overtaken
    reader: Callable[[Session, Outbox], Reader | None] = player  # None: there is nobody
    is_proof: bool = False  # it proves an address: it also goes to suppressed ones, takes no answer
    is_answer: bool = False  # it was written because a letter came in
    is_on_request: bool = False  # its reader has just asked for it on a page
    takes_orders: bool = False  # orders can be sent as an answer to it
    can_repeat: bool = False  # its reader can have it sent again
    asks: bool = False  # it asks something new: it waits while its reader looks at the table
    merges: timedelta | None = None  # turn letters due within that time leave in it

    @property
    def is_always_sent(self) -> bool:
        """Whether it goes to people who want none: security, and answers to their requests."""
        return self.is_proof or self.is_answer or self.is_on_request


@dataclass(frozen=True)
class Look:
    """What the database says about a due letter.

    `reader` None means that the letter is no longer true.
    """

    reader: Reader | None
    is_wanted: bool = True
    looking_until: datetime | None = None  # its reader has just seen what it says


class Letters(Protocol):
    """The functions that delivery calls to make letters. `pbem.mail.letters.build` has them."""

    def kind_of(self, row: Outbox) -> LetterKind:
        """Return its kind. Building a proof writes to the database."""

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
