"""Being away for some days: told to the others at the table, ends by itself."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from pbem.games.refusals import TableRefused
from pbem.models import Person, SeatRow, Vacation, stored_id

LONGEST = 60  # days


def announce(session: Session, person: Person, days: int, now: datetime) -> datetime | None:
    """Be away from now on for 1 to 60 days, 0: be back; until when. The caller commits."""
    if not 0 <= days <= LONGEST:
        raise TableRefused("vacation_days", most=LONGEST)
    present = of(session, [stored_id(person)], now)
    for earlier in present:
        earlier.ends = now
        session.add(earlier)
    until = now + timedelta(days=days) if days else None
    if until is not None:
        session.add(Vacation(person_id=stored_id(person), begins=now, ends=until, announced=now))
    session.flush()
    return until


def of(session: Session, people: Collection[int], now: datetime) -> Sequence[Vacation]:
    """The vacations of these people that have not ended, the first to begin first."""
    found = select(Vacation).where(col(Vacation.person_id).in_(people), col(Vacation.ends) > now)
    return session.exec(found.order_by(col(Vacation.begins))).all()


def away_until(session: Session, person: Person, now: datetime) -> datetime | None:
    """Until when somebody is away; None if he is not."""
    return until_by_person(session, [stored_id(person)], now).get(stored_id(person))


def until_by_person(
    session: Session, people: Collection[int], now: datetime
) -> dict[int, datetime]:
    """Until when those of these people are away who are."""
    found = of(session, people, now)
    return {each.person_id: each.ends for each in found if each.begins <= now}


def away(session: Session, seats: Sequence[SeatRow], now: datetime) -> dict[int, datetime]:
    """By seat, until when its player is away, of those at a table who are."""
    until = until_by_person(session, [seat.person_id for seat in seats], now)
    found = {seat.number: until.get(seat.person_id) for seat in seats}
    return {seat: day for seat, day in found.items() if seat is not None and day is not None}
