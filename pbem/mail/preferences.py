"""Decides when somebody gets letters: at once, after some minutes, once a day, or not. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, cast

from pbem.i18n.instants import zone_or_utc
from pbem.models import Person, SeatRow

How = Literal["usual", "at_once", "after", "digest", "none"]

MOST_MINUTES = 24 * 60
# Time to undo a slip before anybody reads about it. A shorter usual delay shortens it.
GRACE = timedelta(seconds=60)
STORED = re.compile(r"(at_once|none|usual)|(after|digest) ([0-9]{1,4})")


@dataclass(frozen=True)
class Wish:
    """How somebody wants letters. `number` is the minutes of "after", or the hour of "digest"."""

    how: How = "usual"
    number: int = 0

    @property
    def stored(self) -> str:
        """Return the form stored in a person's or a seat's row."""
        return f"{self.how} {self.number}" if self.how in ("after", "digest") else self.how


USUAL, NONE = Wish(), Wish("none")


def read(stored: str | None) -> Wish | None:
    """Parse a stored wish. Returns None if it is not valid."""
    if stored is None:
        return USUAL
    found = STORED.fullmatch(stored)
    if found is None:
        return None
    alone, numbered, number = found.groups()
    if alone:
        return Wish(cast("How", alone))
    wish = Wish(cast("How", numbered), int(number))
    return wish if wish.number <= (MOST_MINUTES if wish.how == "after" else 23) else None


def wish_of(person: Person, seat: SeatRow | None) -> Wish:
    """Return the wish for a game: its own, else the person's."""
    own = None if seat is None else seat.letters
    return read(person.letters if own is None else own) or USUAL


def when_due(wish: Wish, created: datetime, zone: str, usual: timedelta) -> datetime | None:
    """Return when a turn letter created at `created` may leave, or None if it is not wanted."""
    if wish.how == "none":
        return None
    if wish.how == "digest":
        return next_hour(created, wish.number, zone)
    waits = {"at_once": timedelta(0), "after": timedelta(minutes=wish.number)}
    return created + max(waits.get(wish.how, usual), grace(usual))


def news_due(wish: Wish, created: datetime, usual: timedelta) -> datetime | None:
    """Return when another letter of a game may leave, or None if it is not wanted.

    What can be undone waits for the grace time of the usual delay; the rest has none.
    """
    return None if wish == NONE else created + grace(usual)


def grace(usual: timedelta) -> timedelta:
    """Return the least wait of a letter about events at a table."""
    return min(usual, GRACE)


def next_hour(after: datetime, hour: int, zone: str) -> datetime:
    """Return the next time that clocks in the zone show the full hour, once a day.

    If the hour occurs twice, the first one counts. If it is skipped, the result is later by the
    length of the gap.
    """
    there = zone_or_utc(zone)
    today = after.astimezone(there).date()
    for days in range(-1, 4):
        day = today + timedelta(days=days)
        then = datetime(day.year, day.month, day.day, hour, tzinfo=there).astimezone(UTC)
        if then >= after:
            return then
    raise AssertionError("three days hold every hour of a day")
