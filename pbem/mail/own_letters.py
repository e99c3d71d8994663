"""A player's own letters: all that were due and what became of them, and some once more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, String, and_, cast
from sqlmodel import Session, col, func, select

from pbem.mail import queue
from pbem.mail.letters import truth
from pbem.models import Game, LetterState, Outbox, Person
from pbem.tables import solo
from pbem.tables.lobby import addresses_of

A_PAGE = 30
A_DAY = 5  # letters once more, and tests
AGAIN = frozenset({"turn", "started", "finished", "refused", "cancelled", "expired", "receipt"})


class NotAgain(Exception):
    """A letter that is not sent once more: "too_many", "not_true" or "not_there"."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


@dataclass(frozen=True)
class Page:
    """Some letters, newest first; `before` leads to older ones, None if there are none."""

    rows: Sequence[Outbox]
    before: int | None


def page(
    session: Session, person: Person, *, before: int | None = None, game_id: int | None = None
) -> Page:
    """A person's letters, those to the addresses of before the sign-in too."""
    recipients = [f"p{person.id}", *(f"a:{address}" for address in addresses_of(person))]
    found = select(Outbox).where(col(Outbox.recipient).in_(recipients), ~never_meant(person))
    if before is not None:
        found = found.where(col(Outbox.id) < before)
    if game_id is not None:
        found = found.where(Outbox.subject == f"g{game_id}")
    rows = session.exec(found.order_by(col(Outbox.id).desc()).limit(A_PAGE + 1)).all()
    return Page(rows[:A_PAGE], rows[A_PAGE - 1].id if len(rows) > A_PAGE else None)


def never_meant(person: Person) -> ColumnElement[bool]:
    """That a row only keeps a question, should its reader want letters of a game alone later."""
    alone = select("g" + cast(Game.id, String)).where(
        Game.host_id == person.id, col(Game.private).is_(True), solo.alone())
    return and_(col(Outbox.state) == LetterState.UNWANTED, col(Outbox.subject).in_(alone))


def can_repeat(row: Outbox) -> bool:
    """Whether a letter is one that could be sent once more, if it still is true."""
    return row.kind in AGAIN and row.settled is not None and row.recipient.startswith("p")


def again(session: Session, person: Person, row_id: int, now: datetime) -> int | None:
    """Make a letter due once more, whatever is wished; NotAgain if it may not be."""
    row = session.get(Outbox, row_id)
    if row is None or row.recipient != f"p{person.id}" or not can_repeat(row):
        raise NotAgain("not_there")
    if row.kind not in truth.ALWAYS_TRUE and not truth.stands(session, row):
        raise NotAgain("not_true")
    if lately(session, person, now, repeats=True) >= A_DAY:
        raise NotAgain("too_many")
    return repeat(session, row, str(truth.entry_of(row.occasion)), now)


def repeat(session: Session, row: Outbox, occasion: str, now: datetime) -> int | None:
    """Make a further letter of the same occasion due; its id."""
    sent = session.exec(
        select(func.count()).select_from(Outbox).where(
            Outbox.recipient == row.recipient, Outbox.kind == row.kind,
            Outbox.subject == row.subject,
            col(Outbox.occasion).startswith(f"{occasion}/"),
        )
    ).one()  # fmt: skip
    return queue.due(
        session, recipient=row.recipient, kind=row.kind, subject=row.subject,
        occasion=f"{occasion}/{sent + 2}", now=now,
    )  # fmt: skip


def test(session: Session, person: Person, now: datetime) -> int | None:
    """Make a letter due that says nothing but that it came; NotAgain after five a day."""
    if lately(session, person, now, repeats=False) >= A_DAY:
        raise NotAgain("too_many")
    subject = f"p{person.id}"
    sent = session.exec(
        select(func.count()).select_from(Outbox)
        .where(Outbox.recipient == subject, Outbox.kind == "test")
    ).one()
    return queue.due(session, recipient=subject, kind="test", subject=subject,
                      occasion=str(sent + 1), now=now)  # fmt: skip


def lately(session: Session, person: Person, now: datetime, *, repeats: bool) -> int:
    """How many letters somebody has asked for since this time yesterday: repeats, or tests."""
    about = Outbox.kind != "test" if repeats else Outbox.kind == "test"
    found = select(func.count()).select_from(Outbox).where(
        Outbox.recipient == f"p{person.id}", about,
        col(Outbox.created) > now - timedelta(days=1),
    )  # fmt: skip
    if repeats:
        found = found.where(col(Outbox.occasion).contains("/"))
    return session.exec(found).one()
