"""Lists a player's own letters with their states, and repeats some on request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, or_
from sqlmodel import Session, col, func, select

from pbem.mail import queue
from pbem.mail.letter import DueLetter
from pbem.mail.letters.kinds import KINDS
from pbem.models import Game, LetterState, Outbox, Person
from pbem.tables import solo
from pbem.tables.lobby import addresses_of

A_PAGE = 30
A_DAY = 5  # repeated letters, and test letters


class NotAgain(Exception):
    """Raised if a letter is not repeated: "too_many", "not_true" or "not_there"."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


@dataclass(frozen=True)
class Page:
    """A page of letters, newest first. `before` leads to older ones; None if there are none."""

    rows: Sequence[Outbox]
    before: int | None


def page(
    session: Session, person: Person, *, before: int | None = None, game_id: int | None = None
) -> Page:
    """Return a person's letters, including those to their addresses from before the sign-in."""
    theirs = or_(col(Outbox.person_id) == person.id,
                 col(Outbox.address).in_(addresses_of(person)))
    found = select(Outbox).where(theirs, ~never_meant(person))
    if before is not None:
        found = found.where(col(Outbox.id) < before)
    if game_id is not None:
        found = found.where(Outbox.game_id == game_id)
    rows = session.exec(found.order_by(col(Outbox.id).desc()).limit(A_PAGE + 1)).all()
    return Page(rows[:A_PAGE], rows[A_PAGE - 1].id if len(rows) > A_PAGE else None)


def never_meant(person: Person) -> ColumnElement[bool]:
    """Select rows that only store a question of a solo game.

    They are kept in case their reader turns on its letters later.
    """
    alone = select(Game.id).where(
        Game.host_id == person.id, col(Game.private).is_(True), solo.alone())
    return and_(col(Outbox.state) == LetterState.UNWANTED, col(Outbox.game_id).in_(alone))


def can_repeat(row: Outbox) -> bool:
    """Return whether a letter may be repeated if it is still true."""
    return KINDS[row.kind].can_repeat and row.settled is not None and row.person_id is not None


def again(session: Session, person: Person, row_id: int, now: datetime) -> int | None:
    """Queue a letter again, whatever the reader's preferences. Raises NotAgain."""
    row = session.get(Outbox, row_id)
    if row is None or row.person_id != person.id or not can_repeat(row):
        raise NotAgain("not_there")
    if not KINDS[row.kind].is_true(DueLetter(session, row, now)):
        raise NotAgain("not_true")
    if lately(session, person, now, repeats=True) >= A_DAY:
        raise NotAgain("too_many")
    return queue.again(session, row, now)


def test(session: Session, person: Person, now: datetime) -> int | None:
    """Queue a test letter. Raises NotAgain after five a day."""
    if lately(session, person, now, repeats=False) >= A_DAY:
        raise NotAgain("too_many")
    sent = session.exec(
        select(func.count()).select_from(Outbox)
        .where(Outbox.person_id == person.id, Outbox.kind == "test")
    ).one()
    return queue.due(session, person_id=person.id, kind="test", part=sent + 1, now=now)


def lately(session: Session, person: Person, now: datetime, *, repeats: bool) -> int:
    """Return how many letters somebody has asked for in the last 24 hours: repeats, or tests."""
    about = Outbox.kind != "test" if repeats else Outbox.kind == "test"
    found = select(func.count()).select_from(Outbox).where(
        Outbox.person_id == person.id, about,
        col(Outbox.created) > now - timedelta(days=1),
    )  # fmt: skip
    if repeats:
        found = found.where(col(Outbox.repeat_of).is_not(None))
    return session.exec(found).one()
