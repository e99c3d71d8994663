"""Starts, stops and computes the clocks of a game's seats.

A seat's row stores the time that its clock had left, and since when it runs. `due` and `remind_at`
follow from these and from the player's calendar; every change computes them again.

Call `update_clocks` after the awaited seats changed, `change_calendar` to change a person's
calendar, and `pause`, `resume` and `reset_clock`. What happens at zero is in pbem.timeouts.expiry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

from sqlmodel import Session, col, select

from pbem.clock import whole_milliseconds
from pbem.clocks import rules
from pbem.clocks.rules import Calendar, Running, TimeControl
from pbem.models import Entry, Game, GameState, Person, SeatRow, Vacation, stored_id
from pbem.models.causes import BACK, CHOSEN
from pbem.play import outages, positions
from pbem.play.log import Writer
from pbem.play.refusals import TableRefused

MOST_MOVES = 4  # of an open deadline, by changes to the player's hours or zone
MILLISECOND = timedelta(milliseconds=1)
NOTHING = timedelta(0)
LEAST = timedelta(minutes=15)  # between question, reminder and deadline
LOOKED_BACK = 100  # entries that are searched for the player's own undos
ENDS_GOING_BACK = frozenset({"start", "agreed", "overtime", "seated"})
Changed = TypeVar("Changed")
Calendars = Mapping[int, Calendar]
"""Calendars by the id of the seat's row."""


@dataclass(frozen=True)
class TimedGame:
    """A game, its time control, and the instant for which its clocks are computed."""

    session: Session
    row: Game
    clock: TimeControl
    now: datetime


# ---- what others call ---------------------------------------------------------------------------


def update_clocks(
    session: Session, row: Game, seats: Sequence[SeatRow], people: Mapping[int, Person],
    now: datetime,
) -> None:
    """Start and stop seat clocks after the awaited seats changed. Call it in the same transaction.

    A newly asked seat gets its time; a seat that is no longer asked keeps what it has left.
    Idempotent; no commit.
    """
    clock = rules.read(row.clock)
    if clock.kind == "none":
        return
    it = TimedGame(session, row, clock, now)
    calendars = calendars_of(it, seats, people)
    for seat in seats:
        _update_clock(it, seat, people.get(seat.person_id), calendars[stored_id(seat)])


def change_calendar(
    session: Session, person: Person, now: datetime, change: Callable[[], Changed], *,
    most_moves: int | None = None,
) -> Changed:
    """Change a person's calendar: time used so far counts by the old one, the rest by the new one.

    Returns what `change` returns, and locks the person's games until the caller commits. Raises
    TableRefused if this would put off a deadline that has moved `most_moves` times already.
    """
    held = list(_running_of(session, person, now))
    for it, seat in held:
        _charge(seat, calendar_of(it, seat, person), now)
    changed = change()
    session.flush()
    for it, seat in held:
        before, moves = seat.due, seat.due_moves
        _compute_due(it, seat, calendar_of(it, seat, person))
        is_later = before is not None and seat.due is not None and seat.due > before
        if most_moves is not None and is_later and moves >= most_moves:
            raise TableRefused("hours_again", game=it.row.id)
    session.flush()
    return changed


def pause(writer: Writer, people: Mapping[int, Person], seat: int | None) -> int:
    """Stop all clocks of a game, because of one seat's player or (None) the whole table.

    Returns the number of the `pause` entry.
    """
    number = writer.note(seat, cause="pause")
    writer.row.paused = writer.now
    writer.flush()
    update_clocks(writer.session, writer.row, writer.seats, people, writer.now)
    return number


def resume(writer: Writer, people: Mapping[int, Person], seat: int | None) -> int | None:
    """Start them again; the number of the `resume` entry, None if they were not paused."""
    if writer.row.paused is None:
        return None
    number = writer.note(seat, cause="resume")
    writer.row.paused = None
    writer.flush()
    update_clocks(writer.session, writer.row, writer.seats, people, writer.now)
    return number


def reset_clock(seat: SeatRow) -> None:
    """Reset a seat's clock: the next question gets the time of a player who has just sat down."""
    seat.clock_left = seat.clock_from = seat.clock_for = seat.clock_all = None
    seat.due = seat.due_set = seat.remind_at = None
    seat.reminded = seat.due_moves = 0


def stop_for_good(writer: Writer, seat: SeatRow, person: Person) -> None:
    """Stop the clock of a player who leaves; their bank keeps what is left for their return."""
    clock = rules.read(writer.row.clock)
    if clock.kind != "none":
        it = TimedGame(writer.session, writer.row, clock, writer.now)
        _stop(seat, calendar_of(it, seat, person), writer.now)
    left = seat.clock_left
    reset_clock(seat)
    seat.clock_left = left


# ---- one seat's clock ---------------------------------------------------------------------------


def _update_clock(it: TimedGame, seat: SeatRow, person: Person | None, calendar: Calendar) -> None:
    if not has_clock(it.row, seat, person):
        if seat.resigned is None and (seat.clock_left is not None or seat.due is not None):
            reset_clock(seat)
        return
    if seat.asked_since is None or seat.asked_since != seat.clock_for:
        _stop(seat, calendar, it.now)
    if seat.asked_since is None:
        return
    if seat.asked_since != seat.clock_for:
        _start_decision(it, seat, calendar)
    if it.row.paused is not None:
        _stop(seat, calendar, it.now)
    elif seat.clock_from is None:
        seat.clock_from = it.now
    _compute_due(it, seat, calendar)


def has_clock(row: Game, seat: SeatRow, person: Person | None) -> bool:
    """Whether this seat's decisions are timed: those of bots and vacated seats are not."""
    if row.state != GameState.RUNNING or seat.number is None:
        return False
    return seat.resigned is None and person is not None and person.bot is None


def _start_decision(it: TimedGame, seat: SeatRow, calendar: Calendar) -> None:
    """Give a new question its time."""
    left = None if seat.clock_left is None else seat.clock_left * MILLISECOND
    given = it.clock.asked(left) if left is None else _time_for_decision(it, seat, calendar, left)
    seat.clock_left = seat.clock_all = given // MILLISECOND
    seat.clock_from, seat.clock_for = None, seat.asked_since
    seat.reminded = seat.due_moves = 0
    seat.due = seat.due_set = seat.remind_at = None


def _time_for_decision(
    it: TimedGame, seat: SeatRow, calendar: Calendar, left: timedelta
) -> timedelta:
    """The time for a later decision, so that nobody gains time by undoing moves.

    A question that the player's own undo asked again has the time that was left. Questions after
    that, until another player acts, have no more than if the first undone answer had stood.
    """
    put = it.session.exec(select(Entry.cause, Entry.seat).where(
        Entry.game_id == it.row.id, Entry.number == seat.asked_since)).first()
    if put is not None and put[0] in BACK:
        if put[0] == "undo" and put[1] == seat.number:
            return left
        return max(left, it.clock.asked(NOTHING))  # without an increment
    since = _first_undone_answer(it, seat)
    if since is None:
        return it.clock.asked(left)
    return max(left, it.clock.asked(NOTHING) - rules.spent(calendar, since, it.now))


def _first_undone_answer(it: TimedGame, seat: SeatRow) -> datetime | None:
    """When the player gave the first answer that they have undone since others last acted."""
    newest = it.session.exec(
        select(Entry.number, Entry.cause, Entry.seat, Entry.base).where(
            Entry.game_id == it.row.id, Entry.number <= (seat.asked_since or 0))
        .order_by(col(Entry.number).desc()).limit(LOOKED_BACK))
    bases = []
    for _, cause, mover, base in newest:
        if cause in ENDS_GOING_BACK or (cause in CHOSEN and mover != seat.number):
            break
        if cause == "undo" and mover == seat.number:
            bases.append(base)
    if not bases:
        return None
    first = select(Entry.at).where(Entry.game_id == it.row.id, Entry.number == min(bases) + 1)
    return it.session.exec(first).one()


def _stop(seat: SeatRow, calendar: Calendar, now: datetime) -> None:
    """Stop the clock with the time that it has left."""
    _charge(seat, calendar, now)
    seat.clock_from = seat.due = seat.remind_at = None


def _charge(seat: SeatRow, calendar: Calendar, now: datetime) -> None:
    """Charge the time used since the clock was last computed; the clock runs on from `now`."""
    running = running_clock(seat)
    if running is not None:
        seat.clock_left = rules.pause(running, calendar, now).left // MILLISECOND
        seat.clock_from = max(now, running.since)


def running_clock(seat: SeatRow) -> Running | None:
    """A seat's running clock; None if it is stopped."""
    if seat.clock_from is None or seat.clock_left is None:
        return None
    return Running(seat.clock_left * MILLISECOND, seat.clock_from)


def _compute_due(it: TimedGame, seat: SeatRow, calendar: Calendar) -> None:
    """Compute when the clock runs out, and when the player is reminded."""
    running = running_clock(seat)
    if running is None:
        seat.due = seat.remind_at = None
        return
    due = whole_milliseconds(rules.due(running, calendar))
    if due != seat.due:
        seat.due_moves += seat.due_set is not None
        seat.due, seat.due_set = due, it.now
    seat.remind_at = _next_reminder(it.row, seat, running, calendar)


def _next_reminder(
    row: Game, seat: SeatRow, running: Running, calendar: Calendar
) -> datetime | None:
    parts = reminders_of(row, seat)
    if seat.reminded >= len(parts):
        return None
    whole = (seat.clock_all or 0) * MILLISECOND
    return whole_milliseconds(rules.remind_at(running, calendar, whole, parts[seat.reminded]))


def reminders_of(row: Game, seat: SeatRow) -> list[int]:
    """The reminders of a decision, in per cent of its time left.

    Those that would come within 15 minutes of the question or of the deadline are left out.
    """
    whole = (seat.clock_all or 0) * MILLISECOND
    return [
        part for part in rules.read_reminders(row.reminders)
        if whole * part / 100 >= LEAST and whole * (100 - part) / 100 >= LEAST
    ]


# ---- calendars ----------------------------------------------------------------------------------


def calendars_of(
    it: TimedGame, seats: Sequence[SeatRow], people: Mapping[int, Person]
) -> Calendars:
    """Each seat's calendar, from the instant at which its clock was last computed."""
    since = min([it.now, *(seat.clock_from for seat in seats if seat.clock_from is not None)])
    away = _vacations(it.session, [seat.person_id for seat in seats], since)
    out = outages.of(it.session, it.row, seats, since, it.now)
    found = {}
    for seat in seats:
        person = people.get(seat.person_id)
        awake = rules.read_awake(person) if person and it.clock.counts == "awake" else None
        gaps = (*away.get(seat.person_id, ()), *out[stored_id(seat)])
        found[stored_id(seat)] = Calendar(awake, gaps)
    return found


def calendar_of(it: TimedGame, seat: SeatRow, person: Person) -> Calendar:
    """One seat's calendar."""
    return calendars_of(it, [seat], {seat.person_id: person})[stored_id(seat)]


def _vacations(
    session: Session, people: Sequence[int], since: datetime
) -> dict[int, list[rules.Interval]]:
    """The vacations of these people that end after `since`."""
    found: dict[int, list[rules.Interval]] = {}
    ends_later = select(Vacation).where(
        col(Vacation.person_id).in_(people), col(Vacation.ends) > since)
    for each in session.exec(ends_later):
        found.setdefault(each.person_id, []).append((each.begins, each.ends))
    return found


def _running_of(
    session: Session, person: Person, now: datetime
) -> Iterator[tuple[TimedGame, SeatRow]]:
    """A person's running clocks, with their games locked in the order of their ids."""
    own = (
        select(Game.id).join(SeatRow, col(SeatRow.game_id) == col(Game.id))
        .where(SeatRow.person_id == person.id, Game.state == GameState.RUNNING,
               Game.clock != rules.NO_CLOCK.stored)
        .order_by(col(Game.id))
    )
    for number in session.exec(own).all():
        row = positions.locked(session, number or 0)
        seat = session.exec(
            select(SeatRow).where(SeatRow.game_id == number, SeatRow.person_id == person.id),
            execution_options={"populate_existing": True},
        ).one()
        if row is not None and row.state == GameState.RUNNING and seat.clock_from is not None:
            yield TimedGame(session, row, rules.read(row.clock), now), seat
