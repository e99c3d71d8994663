"""Being away for some days: told to the others at the table, ends by itself."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from pbem.games.refusals import TableRefused
from pbem.models import Person, SeatRow

LONGEST = 60  # days


def announce(session: Session, person: Person, days: int, now: datetime) -> datetime | None:
    """Be away from now on for 1 to 60 days, 0: be back; until when. The caller commits."""
    if not 0 <= days <= LONGEST:
        raise TableRefused("vacation_days", most=LONGEST)
    until = now + timedelta(days=days) if days else None
    person.vacation_from, person.vacation_until = (now if until else None), until
    session.add(person)
    session.flush()
    return until


def away_until(person: Person, now: datetime) -> datetime | None:
    """Until when somebody is away; None if he is not."""
    until = person.vacation_until
    if until is None or until <= now or (person.vacation_from or now) > now:
        return None
    return until


def away(session: Session, seats: Sequence[SeatRow], now: datetime) -> dict[int, datetime]:
    """By seat, until when its player is away, of those at a table who are."""
    gone = select(Person).where(
        col(Person.id).in_([seat.person_id for seat in seats]), col(Person.vacation_until) > now
    )
    until = {person.id: away_until(person, now) for person in session.exec(gone)}
    found = {seat.number: until.get(seat.person_id) for seat in seats}
    return {seat: day for seat, day in found.items() if seat is not None and day is not None}
