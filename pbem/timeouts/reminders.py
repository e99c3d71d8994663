"""Reminders: a letter at set parts of a decision's time, by the channels that its player wishes."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session, col, select

from pbem.accounts import web_hooks as hook_rows
from pbem.mail import preferences, queue
from pbem.models import Entry, Person, SeatRow
from pbem.play import deadlines, submit
from pbem.play.log import Writer

KIND = "reminder"


def due(session: Session, now: datetime) -> list[int]:
    """Games in which somebody is to be reminded, by an index."""
    found = select(SeatRow.game_id).where(col(SeatRow.remind_at) <= now)
    return list(dict.fromkeys(session.exec(found.order_by(col(SeatRow.remind_at)))))


def remind(writer: Writer, people: dict[int, Person]) -> set[int]:
    """Make the reminders due whose instant has come; the letters. No commit.

    Of several that a late sweep finds only the last one leaves. Who has sent orders that no worker
    has played yet is not reminded.
    """
    letters: set[int] = set()
    for seat in writer.seats:
        if seat.remind_at is None or seat.remind_at > writer.now:
            continue
        part = None
        while seat.remind_at is not None and seat.remind_at <= writer.now:
            part = deadlines.reminders_of(writer.row, seat)[seat.reminded]
            seat.reminded += 1
            deadlines.update_clocks(writer.session, writer.row, [seat], people, writer.now)
        is_late = seat.due is None or seat.due <= writer.now
        if part is None or is_late or submit.pending_of(writer.session, seat):
            continue
        letter = made_due(writer, people[seat.person_id], seat, part)
        letters |= set() if letter is None else {letter}
    return letters


def made_due(writer: Writer, person: Person, seat: SeatRow, part: int) -> int | None:
    """One reminder, once: the letter as wished, and a call to his web hooks."""
    when = leaves_at(person, seat, writer.now)
    which = f"{part}{rounds(writer, seat)}"
    letter = queue.due(
        writer.session, person_id=person.id, kind=KIND, game_id=writer.game_id,
        entry=seat.asked_since, part=which, now=writer.now, not_before=when,
        unwanted=when is None,
    )
    hook_rows.due(writer.session, writer.game_id, f"{seat.asked_since}-{which}",
                  [seat.person_id], writer.now)
    return letter if when is not None else None


def rounds(writer: Writer, seat: SeatRow) -> str:
    """Tells reminders of one question apart where the others gave its player all his time again."""
    over = writer.session.exec(
        select(Entry.number).where(
            Entry.game_id == writer.game_id, Entry.cause == "overtime", Entry.seat == seat.number,
            Entry.number > (seat.asked_since or 0))).all()
    return f"-{len(over)}" if over else ""


def leaves_at(person: Person, seat: SeatRow, now: datetime) -> datetime | None:
    """At once; at the hour of who wants letters once a day, if that is in time. None: unwanted."""
    wish = preferences.wish_of(person, seat)
    if not preferences.is_wanted(KIND, wish):
        return None
    if wish.how != "digest":
        return now
    hour = preferences.next_hour(now, wish.number, person.zone)
    is_in_time = seat.due is None or hour < seat.due - deadlines.LEAST
    return hour if is_in_time else now
