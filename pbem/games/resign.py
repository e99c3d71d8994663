"""Giving a game up: the seat stays at the table, the mildest moves are played for it."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlmodel import Session

from pbem.games import advance
from pbem.games.refusals import TableRefused
from pbem.games.writer import Writer


def resign(
    session: Session,
    game_id: int,
    person_id: int,
    now: datetime,
    *,
    letter_delay: timedelta = timedelta(0),
) -> set[int]:
    """Have a player's seat played for him from now on, and commit; the letters that became due.

    His orders that wait are played first. Doing it twice changes nothing. Raises TableRefused.
    """
    writer = Writer.locked(session, game_id, now)
    try:
        seat = advance.seat_in(writer, person_id)
    except TableRefused:
        session.rollback()
        raise
    assert writer is not None  # noqa: S101  (`seat_in` refuses)
    if seat.resigned is not None:
        session.rollback()
        return set()
    people = advance.people_of(session, writer.seats)
    letters = advance.play_pending(writer, people)
    if not writer.is_over:
        seat.resigned, seat.ahead = now, None
        writer.note(seat.number or 0, cause="resign")
    letters |= advance.settle(writer, people, letter_delay)
    session.commit()
    return letters
