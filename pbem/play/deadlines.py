"""The clocks of a game's seats: started with a question, standing once it is answered.

A row keeps what a clock had and since when it runs; `due` and `remind_at` follow from that and from
its player's calendar, so they are computed anew at every change and never counted down.

Others call `follow` (who is asked has changed), `rebase` (somebody's calendar changes), `pause`,
`resume` and `anew`. What happens at zero is in pbem.timeouts.expiry.
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

MOST_MOVES = 4  # of a deadline, by its player's changes to his hours or zone, while he is asked
MILLISECOND = timedelta(milliseconds=1)
NOTHING = timedelta(0)
LEAST = timedelta(minutes=15)  # between question, reminder and zero; below it nobody is reminded
LOOKED_BACK = 100  # entries, for one's own takings back
ENDS_GOING_BACK = frozenset({"start", "agreed", "overtime", "seated"})
Changed = TypeVar("Changed")
Calendars = Mapping[int, Calendar]
"""Each seat's, by its row's id."""


@dataclass(frozen=True)
class TimedGame:
    """A game whose clocks are looked at, and when."""

    session: Session
    row: Game
    clock: TimeControl
    now: datetime


# ---- what others call ---------------------------------------------------------------------------


def follow(
    session: Session, row: Game, seats: Sequence[SeatRow], people: Mapping[int, Person],
    now: datetime,
) -> None:
    """Have the clocks follow who is asked; behind every change of that, in its transaction.

    A seat that is newly asked gets its time, one that is not asked any more keeps what it has
    left. Called twice it changes nothing. No commit.
    """
    clock = rules.read(row.clock)
    if clock.kind == "none":
        return
    it = TimedGame(session, row, clock, now)
    calendars = calendars_of(it, seats, people)
    for seat in seats:
        _follow(it, seat, people.get(seat.person_id), calendars[stored_id(seat)])


def rebase(
    session: Session, person: Person, now: datetime, change: Callable[[], Changed], *,
    most_moves: int | None = None,
) -> Changed:
    """Change somebody's calendar: what he has used counts by the old one, the rest by the new.

    Locks his games until the caller commits. What `change` returns. Raises TableRefused where a
    deadline that has moved `most_moves` times would be put off once more.
    """
    held = list(_running_of(session, person, now))
    for it, seat in held:
        _count(seat, calendar_of(it, seat, person), now)
    changed = change()
    session.flush()
    for it, seat in held:
        before, moves = seat.due, seat.due_moves
        _reckon(it, seat, calendar_of(it, seat, person))
        is_later = before is not None and seat.due is not None and seat.due > before
        if most_moves is not None and is_later and moves >= most_moves:
            raise TableRefused("hours_again", game=it.row.id)
    session.flush()
    return changed


def pause(writer: Writer, people: Mapping[int, Person], seat: int | None) -> int:
    """Let all clocks stand, because of a seat's player or the whole table; the entry's number."""
    number = writer.note(seat, cause="pause")
    writer.row.paused = writer.now
    writer.flush()
    follow(writer.session, writer.row, writer.seats, people, writer.now)
    return number


def resume(writer: Writer, people: Mapping[int, Person], seat: int | None) -> int | None:
    """Let them run again; the entry's number, None if they did."""
    if writer.row.paused is None:
        return None
    number = writer.note(seat, cause="resume")
    writer.row.paused = None
    writer.flush()
    follow(writer.session, writer.row, writer.seats, people, writer.now)
    return number


def anew(seat: SeatRow) -> None:
    """Forget a seat's clock: it is asked as somebody who sits down is, with all his time."""
    seat.clock_left = seat.clock_from = seat.clock_for = seat.clock_all = None
    seat.due = seat.due_set = seat.remind_at = None
    seat.reminded = seat.due_moves = 0


def stand_for_good(writer: Writer, seat: SeatRow, person: Person) -> None:
    """The clock of who leaves: what is left in his bank waits for him, should he come back."""
    clock = rules.read(writer.row.clock)
    if clock.kind != "none":
        it = TimedGame(writer.session, writer.row, clock, writer.now)
        _stand(seat, calendar_of(it, seat, person), writer.now)
    left = seat.clock_left
    anew(seat)
    seat.clock_left = left


# ---- one seat's clock ---------------------------------------------------------------------------


def _follow(it: TimedGame, seat: SeatRow, person: Person | None, calendar: Calendar) -> None:
    if not has_clock(it.row, seat, person):
        if seat.resigned is None and (seat.clock_left is not None or seat.due is not None):
            anew(seat)
        return
    if seat.asked_since is None or seat.asked_since != seat.clock_for:
        _stand(seat, calendar, it.now)
    if seat.asked_since is None:
        return
    if seat.asked_since != seat.clock_for:
        _begin(it, seat, calendar)
    if it.row.paused is not None:
        _stand(seat, calendar, it.now)
    elif seat.clock_from is None:
        seat.clock_from = it.now
    _reckon(it, seat, calendar)


def has_clock(row: Game, seat: SeatRow, person: Person | None) -> bool:
    """Whether a seat's decisions are timed: not a bot's, nor those of a seat that is played for."""
    if row.state != GameState.RUNNING or seat.number is None:
        return False
    return seat.resigned is None and person is not None and person.bot is None


def _begin(it: TimedGame, seat: SeatRow, calendar: Calendar) -> None:
    """A new question: what its decision has."""
    left = None if seat.clock_left is None else seat.clock_left * MILLISECOND
    given = it.clock.asked(left) if left is None else _given(it, seat, calendar, left)
    seat.clock_left = seat.clock_all = given // MILLISECOND
    seat.clock_from, seat.clock_for = None, seat.asked_since
    seat.reminded = seat.due_moves = 0
    seat.due = seat.due_set = seat.remind_at = None


def _given(it: TimedGame, seat: SeatRow, calendar: Calendar, left: timedelta) -> timedelta:
    """What a later decision has: nobody gains by going back and forth.

    Put anew by one's own taking back it has what was left; what comes then, until somebody else has
    acted, has no more than if the first answer that was taken back had stood.
    """
    put = it.session.exec(select(Entry.cause, Entry.seat).where(
        Entry.game_id == it.row.id, Entry.number == seat.asked_since)).first()
    if put is not None and put[0] in BACK:
        if put[0] == "undo" and put[1] == seat.number:
            return left
        return max(left, it.clock.asked(NOTHING))  # without an increment
    since = _gone_back_since(it, seat)
    if since is None:
        return it.clock.asked(left)
    return max(left, it.clock.asked(NOTHING) - rules.spent(calendar, since, it.now))


def _gone_back_since(it: TimedGame, seat: SeatRow) -> datetime | None:
    """When the first answer was given that a seat has taken back since others have acted."""
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


def _stand(seat: SeatRow, calendar: Calendar, now: datetime) -> None:
    """The clock stands with what it has left."""
    _count(seat, calendar, now)
    seat.clock_from = seat.due = seat.remind_at = None


def _count(seat: SeatRow, calendar: Calendar, now: datetime) -> None:
    """Take what counted since the clock was looked at off it; it runs on from now."""
    running = running_clock(seat)
    if running is not None:
        seat.clock_left = rules.pause(running, calendar, now).left // MILLISECOND
        seat.clock_from = max(now, running.since)


def running_clock(seat: SeatRow) -> Running | None:
    """A seat's clock as its row keeps it; None if it stands."""
    if seat.clock_from is None or seat.clock_left is None:
        return None
    return Running(seat.clock_left * MILLISECOND, seat.clock_from)


def _reckon(it: TimedGame, seat: SeatRow, calendar: Calendar) -> None:
    """When a seat's clock will be at zero, and when its player is reminded."""
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
    """At which per cent of its time a seat is reminded: not where it would be of no use."""
    whole = (seat.clock_all or 0) * MILLISECOND
    return [
        part for part in rules.read_reminders(row.reminders)
        if whole * part / 100 >= LEAST and whole * (100 - part) / 100 >= LEAST
    ]


# ---- calendars ----------------------------------------------------------------------------------


def calendars_of(
    it: TimedGame, seats: Sequence[SeatRow], people: Mapping[int, Person]
) -> Calendars:
    """When each seat's time counts, from when its clock was last looked at on."""
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
    """When one seat's time counts."""
    return calendars_of(it, [seat], {seat.person_id: person})[stored_id(seat)]


def _vacations(
    session: Session, people: Sequence[int], since: datetime
) -> dict[int, list[rules.Interval]]:
    """The times, from an instant on, in which these people are away."""
    found: dict[int, list[rules.Interval]] = {}
    ends_later = select(Vacation).where(
        col(Vacation.person_id).in_(people), col(Vacation.ends) > since)
    for each in session.exec(ends_later):
        found.setdefault(each.person_id, []).append((each.begins, each.ends))
    return found


def _running_of(
    session: Session, person: Person, now: datetime
) -> Iterator[tuple[TimedGame, SeatRow]]:
    """Somebody's clocks that run, their games locked in the order of their numbers."""
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
