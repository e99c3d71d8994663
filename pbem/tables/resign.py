"""Leaving a game that runs: the seat stays at the table and is played for until it is taken."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlmodel import Session

from pbem.models import Person
from pbem.play import advance
from pbem.play.log import Writer
from pbem.play.refusals import TableRefused
from pbem.tables import consent, seats, votes


def resign(
    session: Session,
    game_id: int,
    person_id: int,
    now: datetime,
    *,
    letter_delay: timedelta = timedelta(0),
) -> set[int]:
    """Give a player's seat up, and commit; the letters that became due.

    His orders that wait are played first. Doing it twice changes nothing. Raises TableRefused.
    """
    return _leave(session, game_id, person_id, now, cause="resign", delay=letter_delay)


def hand_over(
    session: Session,
    game_id: int,
    person_id: int,
    now: datetime,
    *,
    letter_delay: timedelta = timedelta(0),
) -> set[int]:
    """Leave a player's seat to whoever takes it, and commit; the letters that became due.

    His orders that wait are played no more. Doing it twice changes nothing. Raises TableRefused.
    """
    return _leave(session, game_id, person_id, now, cause="handover", delay=letter_delay)


def _leave(
    session: Session, game_id: int, person_id: int, now: datetime, *, cause: str, delay: timedelta
) -> set[int]:
    try:
        letters = leave(session, game_id, person_id, now, cause=cause, letter_delay=delay)
    except TableRefused:
        session.rollback()
        raise
    session.commit()
    return letters


def leave(
    session: Session,
    game_id: int,
    person_id: int,
    now: datetime,
    *,
    cause: str,
    letter_delay: timedelta = timedelta(0),
) -> set[int]:
    """The same within the caller's transaction; who has left already changes nothing."""
    writer = Writer.locked(session, game_id, now)
    seat = advance.seat_in(writer, person_id)
    assert writer is not None  # noqa: S101  (`seat_in` refuses)
    if seat.resigned is not None:
        return set()
    people = advance.people_of(session, writer.seats)
    letters = advance.catch_up(writer, people) if cause == "resign" else set()
    if not writer.is_over:
        letters |= seats.vacate(writer, seat.number or 0, cause, seats.played_by(writer.row))
        if cause == "resign":
            letters |= tell_others(writer, people, letter_delay)
        letters |= consent.count(writer, people)
    letters |= advance.settle(writer, people, letter_delay)
    return letters | votes.count(writer, letter_delay)  # the others may be all who were waited for


def tell_others(writer: Writer, people: dict[int, Person], delay: timedelta) -> set[int]:
    """A letter about the note just written to everybody who still plays."""
    playing = [people[each.person_id] for each in writer.seats if each.resigned is None]
    due = {advance.due_letter(writer, each, "dropped", writer.number, usual=delay)
           for each in playing}
    return {letter for letter in due if letter is not None}
