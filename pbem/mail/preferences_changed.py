"""Changes letter preferences, and reschedules due letters that are not built yet."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from pbem.mail import preferences
from pbem.mail.delivery.rows import finish, is_free, revive, wait
from pbem.mail.delivery.sending import NOT_WANTED
from pbem.mail.preferences import Wish
from pbem.models import Game, GameState, LetterState, Outbox, Person, SeatRow, stored_id


def change(
    session: Session,
    person: Person,
    wish: Wish | None,
    *,
    seat: SeatRow | None = None,
    usual: timedelta,
    now: datetime,
) -> None:
    """Set the wish for one game or in general.

    None lets the game follow the general one. The caller commits.
    """
    whose = person if seat is None else seat
    whose.letters = None if wish is None else wish.stored
    session.add(whose)
    session.flush()
    reschedule(session, person, usual=usual, now=now)


def reschedule(session: Session, person: Person, *, usual: timedelta, now: datetime) -> None:
    """Reschedule the letters about questions that wait for somebody, by their current wish.

    A letter that was not wanted when the question was asked becomes due if it is wanted now.
    """
    for seat, _game in seats_of(session, person):
        row = turn_of(session, person, seat)
        if row is None or row.raw is not None or row.attempts > 0:
            continue
        due = preferences.when_due(
            preferences.wish_of(person, seat), row.created, person.zone, usual
        )
        if due is None and is_free(row, now):
            finish(session, stored_id(row), LetterState.UNWANTED, now=now, code=None,
                   text=NOT_WANTED)  # fmt: skip
        elif due is not None and row.state == LetterState.UNWANTED:
            revive(session, row, max(now, due))
        elif due is not None and is_free(row, now):
            wait(session, row, max(now, due), why=None)
    session.flush()


def turn_of(session: Session, person: Person, seat: SeatRow) -> Outbox | None:
    """Return the letter about the question now open to a seat, locked."""
    found = select(Outbox).where(
        Outbox.game_id == seat.game_id,
        Outbox.kind == "turn",
        Outbox.entry == seat.asked_since,
        Outbox.person_id == person.id,
        col(Outbox.repeat_of).is_(None),
    )
    return session.exec(found.with_for_update()).first()


def seats_of(session: Session, person: Person) -> list[tuple[SeatRow, Game]]:
    """Return the person's seats in open and running games, newest game first."""
    found = (
        select(SeatRow, Game)
        .join(Game, col(Game.id) == col(SeatRow.game_id))
        .where(
            SeatRow.person_id == person.id,
            col(SeatRow.resigned).is_(None),
            col(Game.state).in_((GameState.OPEN, GameState.RUNNING)),
        )
    )
    return list(session.exec(found.order_by(col(Game.id).desc())).all())
