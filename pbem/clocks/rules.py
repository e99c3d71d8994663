"""Time control as pure functions: which time counts, how much is used, when it runs out.

Real time counts while the owner's own local clock shows one of their hours. An hour that their zone
skips is no time; one that it repeats counts twice; a day that it left out (Apia, 30 December 2011)
has no time. Hours may span midnight: "22-6" on Fridays lasts until Saturday at six, as a window
belongs to the day on which it begins; so do holidays. With "0-24" whole days count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import pairwise
from typing import Protocol

from pbem.i18n.instants import zone_or_utc

HOUR, DAY, NOTHING = timedelta(hours=1), timedelta(days=1), timedelta(0)
LONGEST = 60 * 24  # hours: of a decision, and of what a bank may hold
LEAST_A_WEEK = 10  # counted hours
HOLIDAYS = 60  # dates per person
MOST_REMINDERS = 5
AT_ZERO = ("default", "bot", "vote")
MISSES = 3  # missed deadlines in a row that cost a player the seat
# Computations end here: a vacation of centuries must not loop for ever.
HORIZON = timedelta(days=100 * 366)
STRETCH = 28  # days that one step looks at

Interval = tuple[datetime, datetime]


class BadClock(ValueError):
    """Impossible terms, hours or reminders; `key` says why, `numbers` has the values it names."""

    def __init__(self, key: str, **numbers: int | str) -> None:
        super().__init__(f"{key} {numbers}" if numbers else key)
        self.key = key
        self.numbers = numbers


# ---- the clock of a game ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TimeControl:
    """A game's time control. `hours`: of each decision ("each"), or in the bank at the start.

    A bank gains `increment` hours with each later decision and never holds more than `cap`.
    """

    kind: str = "none"  # none, each, bank
    hours: int = 0
    increment: int = 0
    cap: int = 0
    counts: str = "always"  # or "awake": each player's own hours

    @property
    def stored(self) -> str:
        """The stored form: "none", "each 72", "bank 240 12 240 awake"."""
        figures = {"none": (), "each": (self.hours,),
                   "bank": (self.hours, self.increment, self.cap)}[self.kind]
        awake = ("awake",) if self.counts == "awake" and self.kind != "none" else ()
        return " ".join((self.kind, *map(str, figures), *awake))

    def asked(self, left: timedelta | None) -> timedelta:
        """The time for a new decision; `left`: what the previous one left, None for the first."""
        if self.kind == "each" or left is None:
            return self.hours * HOUR
        cap = self.cap * HOUR
        # An outage may have given back more than the cap: that is kept.
        return max(left, min(left + self.increment * HOUR, cap), NOTHING)


NO_CLOCK = TimeControl()


def read(stored: str) -> TimeControl:
    """Parse the stored form. Raises BadClock."""
    kind, *rest = stored.split() or [""]
    counts = "awake" if rest[-1:] == ["awake"] else "always"
    figures = [_whole(each) for each in (rest[:-1] if counts == "awake" else rest)]
    if len(figures) != {"none": 0, "each": 1, "bank": 3}.get(kind, -1):
        raise BadClock("no_clock", said=stored)
    if kind == "none":
        return NO_CLOCK
    hours, increment, cap = (*figures, 0, 0)[:3]
    clock = TimeControl(kind, hours, increment, cap, counts)
    _within(clock.hours, most=LONGEST)
    if kind == "bank":
        _within(clock.cap, most=LONGEST)
        # Without an increment a used-up bank would lose the seat.
        _within(clock.increment, most=clock.cap)
        if clock.hours > clock.cap:
            raise BadClock("bank_above_cap", hours=clock.hours, cap=clock.cap)
    return clock


def _whole(said: str) -> int:
    if not (said.isascii() and said.isdecimal() and len(said) <= 6):
        raise BadClock("no_number", said=said)
    return int(said)


def _within(hours: int, *, most: int) -> None:
    if not 1 <= hours <= most:
        raise BadClock("hours_out_of_range", low=1, high=most)


def read_reminders(stored: str) -> tuple[int, ...]:
    """Parse reminders: per cent of the time left, falling. Raises BadClock."""
    parts = tuple(_whole(each) for each in stored.split())
    if len(parts) > MOST_REMINDERS or not all(1 <= part <= 99 for part in parts):
        raise BadClock("bad_reminders", most=MOST_REMINDERS)
    return tuple(sorted(set(parts), reverse=True))


# ---- when somebody's time counts ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WakingHours:
    """The hours of the day that count for a person, in their own zone; weekday 1 is Monday."""

    zone: tzinfo
    first: int  # 0 to 23
    last: int  # 1 to 24; not after `first`: on the next day
    weekdays: frozenset[int]
    holidays: frozenset[date] = frozenset()

    def window(self, day: date) -> Interval | None:
        """The counted hours of a day in local time; None if the day does not count."""
        if day.isoweekday() not in self.weekdays or day in self.holidays:
            return None
        midnight = datetime.combine(day, datetime.min.time())
        length = self.last - self.first if self.last > self.first else self.last + 24 - self.first
        begin = midnight + self.first * HOUR
        return begin, begin + length * HOUR


class HasWakingHours(Protocol):
    """The columns of a person that say when their time counts."""

    zone: str
    awake: str | None
    holidays: str | None


def read_awake(person: HasWakingHours) -> WakingHours | None:
    """The hours that count for a person; None if all do. Raises BadClock."""
    holidays = read_holidays(person.holidays or "")
    if person.awake is None and not holidays:
        return None
    first, last, weekdays = read_hours(person.awake or "0-24 1234567")
    return WakingHours(zone_or_utc(person.zone), first, last, weekdays, holidays)


def read_hours(stored: str) -> tuple[int, int, frozenset[int]]:
    """Parse "8-22 12345" (8 to 22 h, Monday to Friday). Raises BadClock."""
    hours, _, days = stored.strip().partition(" ")
    begin, dash, end = hours.partition("-")
    first, last = _whole(begin), _whole(end)
    if not dash or not (0 <= first <= 23 and 1 <= last <= 24):
        raise BadClock("hours_of_no_day")
    if first == last:
        raise BadClock("no_hours")
    if not days or not set(days) <= set("1234567"):
        raise BadClock("no_weekdays")
    return first, last, frozenset(map(int, days))


def check_enough(first: int, last: int, weekdays: Iterable[int]) -> None:
    """Raise BadClock for too few hours a week."""
    if (last - first) % 24 * len(set(weekdays)) < LEAST_A_WEEK and (first, last) != (0, 24):
        raise BadClock("too_few_hours", least=LEAST_A_WEEK)


def stored_hours(first: int, last: int, weekdays: Iterable[int]) -> str:
    """The hours in stored form."""
    return f"{first}-{last} {''.join(map(str, sorted(set(weekdays))))}"


def read_holidays(stored: str) -> frozenset[date]:
    """Parse dates in ISO 8601, separated by spaces. Raises BadClock."""
    found = set()
    for said in stored.split():
        try:
            found.add(datetime.strptime(said, "%Y-%m-%d").date())  # noqa: DTZ007  (a day, no instant)
        except ValueError as wrong:
            raise BadClock("no_date", said=said[:20]) from wrong
    if len(found) > HOLIDAYS:
        raise BadClock("too_many_holidays", most=HOLIDAYS)
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class Calendar:
    """When a person's time counts: in their hours (None: always), and not while they are away."""

    awake: WakingHours | None = None
    away: tuple[Interval, ...] = ()


ALWAYS = Calendar()


# ---- how much is used, and when it is used up ---------------------------------------------------


def spent(calendar: Calendar, since: datetime, until: datetime) -> timedelta:
    """The counted time between two instants."""
    used = NOTHING
    for begin, end in counted(calendar, since):
        if begin >= until:
            break
        used += min(end, until) - begin
    return used


def spent_at(calendar: Calendar, since: datetime, amount: timedelta) -> datetime:
    """The first instant at which so much counted time has passed."""
    if amount <= NOTHING:
        return since
    last = since
    for begin, last in counted(calendar, since):
        if last - begin >= amount:
            return begin + amount
        amount -= last - begin
    return last


def counted(calendar: Calendar, since: datetime) -> Iterator[Interval]:
    """The counted intervals from an instant on, in order, up to the horizon."""
    away = merged(calendar.away)
    hours = _always(since) if calendar.awake is None else _awake(calendar.awake, since)
    for begin, end in hours:
        yield from _without(begin, end, away)


def _always(since: datetime) -> Iterator[Interval]:
    yield since, since + HORIZON


def _awake(awake: WakingHours, since: datetime) -> Iterator[Interval]:
    for begin, end, offset in _stretches(awake.zone, since):
        # Within a stretch the offset is constant: plain arithmetic on local times.
        here, there = _bare(begin) + offset, _bare(end) + offset
        day = here.date() - DAY  # whose hours may span midnight
        while day <= there.date():
            window = awake.window(day)
            day += DAY
            if window is not None and window[0] < there and window[1] > here:
                yield _utc(max(window[0], here) - offset), _utc(min(window[1], there) - offset)


def _stretches(zone: tzinfo, since: datetime) -> Iterator[tuple[datetime, datetime, timedelta]]:
    """Time from an instant on, cut where the zone's offset changes; with each part's offset."""
    until = since + HORIZON
    begin = since.astimezone(UTC)
    while begin < until:
        offset, end = _offset(zone, begin), begin
        for _ in range(STRETCH):
            if _offset(zone, end + DAY) != offset:
                end = _change(zone, end, end + DAY)
                break
            end += DAY
        yield begin, end, offset
        begin = end


def _change(zone: tzinfo, before: datetime, after: datetime) -> datetime:
    """The second at which the zone's offset changes between two instants."""
    low, high = int(before.timestamp()), int(after.timestamp())
    old = _offset(zone, before)
    while high - low > 1:
        middle = (low + high) // 2
        same = _offset(zone, datetime.fromtimestamp(middle, UTC)) == old
        low, high = (middle, high) if same else (low, middle)
    return datetime.fromtimestamp(high, UTC)


def _offset(zone: tzinfo, instant: datetime) -> timedelta:
    return instant.astimezone(zone).utcoffset() or NOTHING


def _bare(instant: datetime) -> datetime:
    return instant.astimezone(UTC).replace(tzinfo=None)


def _utc(bare: datetime) -> datetime:
    return bare.replace(tzinfo=UTC)


def merged(intervals: Iterable[Interval]) -> list[Interval]:
    """Overlapping intervals joined, in order."""
    merged: list[Interval] = []
    for begin, end in sorted(each for each in intervals if each[0] < each[1]):
        if merged and begin <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((begin, end))
    return merged


def _without(begin: datetime, end: datetime, away: Sequence[Interval]) -> Iterator[Interval]:
    """The parts of an interval outside these others."""
    cuts = [each for each in away if each[0] < end and each[1] > begin]
    edges = [(begin, begin), *cuts, (end, end)]
    for (_, free), (taken, _) in pairwise(edges):
        if free < taken:
            yield free, taken


# ---- a seat's clock -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Paused:
    """A stopped clock and the time it has left."""

    left: timedelta


@dataclass(frozen=True, slots=True)
class Running:
    """A running clock: the time it had left at `since`."""

    left: timedelta
    since: datetime


def pause(clock: Running, calendar: Calendar, at: datetime) -> Paused:
    """The clock, stopped; it has never less than nothing left."""
    return Paused(max(NOTHING, clock.left - spent(calendar, clock.since, at)))


def due(clock: Running, calendar: Calendar) -> datetime:
    """When a running clock runs out."""
    return spent_at(calendar, clock.since, clock.left)


def remind_at(clock: Running, calendar: Calendar, whole: timedelta, part: int) -> datetime:
    """When `part` per cent of the decision's whole time will be left."""
    return spent_at(calendar, clock.since, clock.left - whole * part / 100)
