"""Vacations: days on which a person's clocks stand, announced, and limited by a budget."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from pbem.mail import queue
from pbem.mail.states import becomes
from pbem.models import LetterState, Outbox, Person, SeatRow, Vacation, stored_id
from pbem.play import deadlines
from pbem.play.refusals import TableRefused

BUDGET = 30  # days in any 365; the operator can set another number
YEAR = timedelta(days=365)
NOTHING = timedelta(0)


# ---- announcing and ending ----------------------------------------------------------------------


def announce(
    session: Session,
    person: Person,
    days: int,
    now: datetime,
    *,
    begins: datetime | None = None,
    budget: int = BUDGET,
) -> datetime | None:
    """Announce a vacation of so many days, from now or later; return its end. The caller commits.

    From now on it replaces the rest of a present one; 0 days end that. Clocks of running games
    follow. Raises TableRefused.
    """
    if not (0 if begins is None else 1) <= days <= budget:
        raise TableRefused("vacation_days", most=budget)
    if begins is not None and not now < begins <= now + YEAR:
        raise TableRefused("vacation_begins")
    lock(session, person)
    new = None
    if days:
        start = begins or now
        new = Vacation(person_id=stored_id(person), begins=start,
                       ends=start + timedelta(days=days), announced=now)
        check(session, new, budget, is_present=begins is None)
    return deadlines.change_calendar(
        session, person, now, lambda: _store(session, person, new, now))


def check(session: Session, new: Vacation, budget: int, *, is_present: bool) -> None:
    """Raise TableRefused if a vacation overlaps others or exceeds the budget.

    `is_present`: it replaces one that has begun.
    """
    others = of_person(session, new.person_id, new.begins - YEAR)
    if is_present:
        others = [ended(each, new.begins) for each in others]
    if any(overlap(each, new.begins, new.ends) for each in others):
        raise TableRefused("vacation_overlaps")
    if not fits_budget([*others, new], budget):
        raise TableRefused("vacation_budget", left=left_of(others, new.begins, budget),
                           most=budget)


def ended(one: Vacation, now: datetime) -> Vacation:
    """The vacation as it would be if it ended now."""
    if not one.begins <= now < one.ends:
        return one
    return Vacation(person_id=one.person_id, begins=one.begins, ends=now, announced=one.announced)


def _store(
    session: Session, person: Person, new: Vacation | None, now: datetime
) -> datetime | None:
    if new is None or new.begins == now:
        end_present(session, person, now)
    if new is None:
        return None
    session.add(new)
    session.flush()
    # Whether the vacation still ends then is checked when the letter is sent.
    queue.due(session, person_id=new.person_id, kind="vacation_over", about_id=new.id, now=now,
              not_before=new.ends)
    return new.ends


def end_present(session: Session, person: Person, now: datetime) -> None:
    """End the present vacation; its unused days return to the budget."""
    for each in not_ended(session, [stored_id(person)], now):
        if each.begins <= now:
            each.ends = now
            session.add(each)
            cancel_end_letter(session, each, now)
    session.flush()


def call_off(session: Session, person: Person, number: int, now: datetime) -> None:
    """End or delete one of the person's vacations; the caller commits."""
    lock(session, person)

    def change() -> None:
        found = session.get(Vacation, number)
        if found is None or found.person_id != person.id or found.ends <= now:
            return
        cancel_end_letter(session, found, now)
        if found.begins > now:
            session.delete(found)
        else:
            found.ends = now
            session.add(found)
        session.flush()

    deadlines.change_calendar(session, person, now, change)


def cancel_end_letter(session: Session, one: Vacation, now: datetime) -> None:
    """Cancel the letter about a vacation's end."""
    session.execute(
        becomes(LetterState.SUPERSEDED, col(Outbox.person_id) == one.person_id,
                col(Outbox.kind) == "vacation_over", col(Outbox.about_id) == one.id,
                col(Outbox.settled).is_(None)).values(settled=now))


def lock(session: Session, person: Person) -> None:
    """Lock a person's vacations: two announced at once could exceed the budget."""
    session.exec(select(Person.id).where(Person.id == person.id)
                 .with_for_update(key_share=True)).first()


# ---- the budget ---------------------------------------------------------------------------------


def fits_budget(vacations: Sequence[Vacation], budget: int) -> bool:
    """Whether no 365 days contain more vacation days than the budget."""
    return all(
        sum((overlap(one, last.ends - YEAR, last.ends) for one in vacations), NOTHING)
        <= timedelta(days=budget) for last in vacations
    )


def overlap(one: Vacation, begins: datetime, ends: datetime) -> timedelta:
    """The part of a vacation between two instants."""
    return max(NOTHING, min(one.ends, ends) - max(one.begins, begins))


def left_of(others: Sequence[Vacation], start: datetime, budget: int) -> int:
    """The most days that a vacation from `start` could have beside the others."""
    for days in range(budget, 0, -1):
        new = Vacation(person_id=0, begins=start, ends=start + timedelta(days=days),
                       announced=start)
        if fits_budget([*others, new], budget):
            return days
    return 0


def days_left(session: Session, person: Person, now: datetime, budget: int = BUDGET) -> int:
    """The days that a person could be away from now on; a present vacation counts in full."""
    return left_of(of_person(session, stored_id(person), now - YEAR), now, budget)


def of_person(session: Session, person_id: int, since: datetime) -> list[Vacation]:
    """A person's vacations that end after an instant, in order."""
    found = select(Vacation).where(
        Vacation.person_id == person_id, col(Vacation.ends) > since).order_by(col(Vacation.begins))
    return [each for each in session.exec(found) if each.ends > each.begins]


# ---- who is away --------------------------------------------------------------------------------


def not_ended(session: Session, people: Collection[int], now: datetime) -> Sequence[Vacation]:
    """The vacations of these people that have not ended, in order of their begin."""
    return session.exec(
        select(Vacation)
        .where(col(Vacation.person_id).in_(people), col(Vacation.ends) > now)
        .order_by(col(Vacation.begins))
    ).all()


def away_until(session: Session, person: Person, now: datetime) -> datetime | None:
    """The end of a person's present vacation; None if they are not away."""
    return until_by_person(session, [stored_id(person)], now).get(stored_id(person))


def until_by_person(
    session: Session, people: Collection[int], now: datetime
) -> dict[int, datetime]:
    """The ends of present vacations by person id."""
    found = not_ended(session, people, now)
    return {each.person_id: each.ends for each in found if each.begins <= now}


def away(session: Session, seats: Sequence[SeatRow], now: datetime) -> dict[int, datetime]:
    """The ends of present vacations by seat number."""
    until = until_by_person(session, [seat.person_id for seat in held_seats(seats)], now)
    found = {seat.number: until.get(seat.person_id) for seat in held_seats(seats)}
    return {seat: day for seat, day in found.items() if seat is not None and day is not None}


def coming(
    session: Session, seats: Sequence[SeatRow], now: datetime
) -> list[tuple[int, datetime, datetime]]:
    """Announced vacations that have not begun: seat, begin, end."""
    numbers = {seat.person_id: seat.number for seat in held_seats(seats)}
    return [
        (number, each.begins, each.ends)
        for each in not_ended(session, list(numbers), now)
        if each.begins > now and (number := numbers[each.person_id]) is not None
    ]


def held_seats(seats: Iterable[SeatRow]) -> list[SeatRow]:
    """The seats that have players."""
    return [seat for seat in seats if seat.resigned is None]
