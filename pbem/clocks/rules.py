"""Clocks of games, as pure functions: what counts for somebody, how much of it is used, and when
it will be used up.

Time that counts is real time that passes while its owner's own clock shows an hour of his. An hour
that his zone skips is no time; one that it repeats passes twice and counts twice; a day that his
zone left out (Apia, 30 December 2011) has nothing to count. Hours may span midnight: "22-6" on
Fridays goes on until Saturday at six, since a window belongs to the day on which it begins; so do
holidays. With "0-24" whole days count.
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
LEAST_A_WEEK = 10  # hours that have to count
HOLIDAYS = 60  # dates that a person may keep
MOST_REMINDERS = 5
AT_ZERO = ("default", "bot", "vote")
MISSES = 3  # decisions in a row that the clock answers before it drops the seat
# Beyond this nobody plays; it keeps what never ends (a vacation of centuries) from looping.
HORIZON = timedelta(days=100 * 366)
STRETCH = 28  # days of one offset that are looked at together

Interval = tuple[datetime, datetime]


class BadClock(ValueError):
    """A clock, hours or reminders that cannot be; `key` says why, `numbers` what decides it."""

    def __init__(self, key: str, **numbers: int | str) -> None:
        super().__init__(f"{key} {numbers}" if numbers else key)
        self.key = key
        self.numbers = numbers


# ---- the clock of a game ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TimeControl:
    """A game's clock. `hours` are a decision's ("each") or the bank's at the start.

    A bank gets `increment` hours with each later decision, and never holds more than `cap`.
    """

    kind: str = "none"  # none, each, bank
    hours: int = 0
    increment: int = 0
    cap: int = 0
    counts: str = "always"  # or "awake": each player's own hours

    @property
    def stored(self) -> str:
        """The clock as its game's row keeps it: "none", "each 72", "bank 240 12 240 awake"."""
        figures = {"none": (), "each": (self.hours,),
                   "bank": (self.hours, self.increment, self.cap)}[self.kind]
        awake = ("awake",) if self.counts == "awake" and self.kind != "none" else ()
        return " ".join((self.kind, *map(str, figures), *awake))

    def asked(self, left: timedelta | None) -> timedelta:
        """What a seat has for a new decision; `left` of the one before, None for its first."""
        if self.kind == "each" or left is None:
            return self.hours * HOUR
        cap = self.cap * HOUR
        # What an outage gave back may stand above the cap: it is not taken away again.
        return max(left, min(left + self.increment * HOUR, cap), NOTHING)


NO_CLOCK = TimeControl()


def read(stored: str) -> TimeControl:
    """The clock that a row keeps; BadClock if it cannot be."""
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
        _within(clock.increment, most=clock.cap)  # without one, a used-up bank is a lost seat
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
    """At which parts of a decision's time its player is reminded: per cent left, falling."""
    parts = tuple(_whole(each) for each in stored.split())
    if len(parts) > MOST_REMINDERS or not all(1 <= part <= 99 for part in parts):
        raise BadClock("bad_reminders", most=MOST_REMINDERS)
    return tuple(sorted(set(parts), reverse=True))


# ---- when somebody's time counts ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Awake:
    """The hours in which somebody's time counts, on his own clock; `weekdays` 1 is Monday."""

    zone: tzinfo
    first: int  # 0 to 23
    last: int  # 1 to 24; not after `first`: on the next day
    weekdays: frozenset[int]
    holidays: frozenset[date] = frozenset()

    def window(self, day: date) -> Interval | None:
        """From when to when on his clock a day counts (without zones), None if it does not."""
        if day.isoweekday() not in self.weekdays or day in self.holidays:
            return None
        midnight = datetime.combine(day, datetime.min.time())
        length = self.last - self.first if self.last > self.first else self.last + 24 - self.first
        begin = midnight + self.first * HOUR
        return begin, begin + length * HOUR


class Sleeper(Protocol):
    """The columns of a person that say when his time counts."""

    zone: str
    awake: str | None
    holidays: str | None


def read_awake(person: Sleeper) -> Awake | None:
    """When a person's time counts; None: always. BadClock for what would never count."""
    holidays = read_holidays(person.holidays or "")
    if person.awake is None and not holidays:
        return None
    first, last, weekdays = read_hours(person.awake or "0-24 1234567")
    return Awake(zone_or_utc(person.zone), first, last, weekdays, holidays)


def read_hours(stored: str) -> tuple[int, int, frozenset[int]]:
    """"8-22 12345": from eight to twenty-two, Monday to Friday."""
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
    """BadClock for hours so few that a game would hardly ever go on."""
    if (last - first) % 24 * len(set(weekdays)) < LEAST_A_WEEK and (first, last) != (0, 24):
        raise BadClock("too_few_hours", least=LEAST_A_WEEK)


def said_hours(first: int, last: int, weekdays: Iterable[int]) -> str:
    """The hours as a row keeps them."""
    return f"{first}-{last} {''.join(map(str, sorted(set(weekdays))))}"


def read_holidays(stored: str) -> frozenset[date]:
    """Dates as 2026-12-24, one after the other."""
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
    """When time counts: in somebody's hours (None: always), and not while he is away."""

    awake: Awake | None = None
    away: tuple[Interval, ...] = ()


ALWAYS = Calendar()


# ---- how much is used, and when it is used up ---------------------------------------------------


def spent(calendar: Calendar, since: datetime, until: datetime) -> timedelta:
    """How much time that counts passes from one instant to another."""
    used = NOTHING
    for begin, end in counted(calendar, since):
        if begin >= until:
            break
        used += min(end, until) - begin
    return used


def when_spent(calendar: Calendar, since: datetime, amount: timedelta) -> datetime:
    """The first instant by which so much time that counts has passed."""
    if amount <= NOTHING:
        return since
    last = since
    for begin, last in counted(calendar, since):
        if last - begin >= amount:
            return begin + amount
        amount -= last - begin
    return last


def counted(calendar: Calendar, since: datetime) -> Iterator[Interval]:
    """The stretches of time that count, one after the other, up to the horizon."""
    away = merged(calendar.away)
    hours = _always(since) if calendar.awake is None else _awake(calendar.awake, since)
    for begin, end in hours:
        yield from _without(begin, end, away)


def _always(since: datetime) -> Iterator[Interval]:
    yield since, since + HORIZON


def _awake(awake: Awake, since: datetime) -> Iterator[Interval]:
    for begin, end, offset in _stretches(awake.zone, since):
        # Within a stretch his clock runs like any other: plain arithmetic, without zones.
        here, there = _bare(begin) + offset, _bare(end) + offset
        day = here.date() - DAY  # whose hours may span midnight
        while day <= there.date():
            window = awake.window(day)
            day += DAY
            if window is not None and window[0] < there and window[1] > here:
                yield _utc(max(window[0], here) - offset), _utc(min(window[1], there) - offset)


def _stretches(zone: tzinfo, since: datetime) -> Iterator[tuple[datetime, datetime, timedelta]]:
    """Time from an instant on, cut where a zone's offset changes; its offset with each piece."""
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
    """The second at which a zone's offset has changed between two instants."""
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
    """Intervals that may overlap, as ones that do not, in their order."""
    merged: list[Interval] = []
    for begin, end in sorted(each for each in intervals if each[0] < each[1]):
        if merged and begin <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((begin, end))
    return merged


def _without(begin: datetime, end: datetime, away: Sequence[Interval]) -> Iterator[Interval]:
    """What is left of a stretch without the intervals in which somebody is away."""
    cuts = [each for each in away if each[0] < end and each[1] > begin]
    edges = [(begin, begin), *cuts, (end, end)]
    for (_, free), (taken, _) in pairwise(edges):
        if free < taken:
            yield free, taken


# ---- a seat's clock -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Paused:
    """A clock that stands, with what it has left."""

    left: timedelta


@dataclass(frozen=True, slots=True)
class Running:
    """A clock that runs: what it had left at `since`."""

    left: timedelta
    since: datetime


def resume(clock: Paused, at: datetime) -> Running:
    """The clock runs from an instant on."""
    return Running(clock.left, at)


def pause(clock: Running, calendar: Calendar, at: datetime) -> Paused:
    """The clock stands; what counted since it ran is used, never more than there was."""
    return Paused(max(NOTHING, clock.left - spent(calendar, clock.since, at)))


def due(clock: Running, calendar: Calendar) -> datetime:
    """When a running clock will be at zero, by a calendar."""
    return when_spent(calendar, clock.since, clock.left)


def give_back(clock: Running, calendar: Calendar, begin: datetime, end: datetime) -> Running:
    """The clock as if what counted between two instants had not been used (an outage)."""
    return Running(clock.left + spent(calendar, max(begin, clock.since), end), clock.since)


def remind_at(clock: Running, calendar: Calendar, whole: timedelta, part: int) -> datetime:
    """When no more than a part (per cent) of what a decision had at first will be left."""
    return when_spent(calendar, clock.since, clock.left - whole * part / 100)
