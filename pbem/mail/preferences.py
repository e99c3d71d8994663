"""When somebody wants letters: at once, after some minutes, once a day, or not. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, cast

from pbem.i18n.instants import zone_or_utc
from pbem.models import Person, SeatRow

How = Literal["usual", "at_once", "after", "digest", "none"]

# To an account that gets another address: to both addresses, whoever reads there.
RECOVERIES = ("recover", "recovery", "recovered")
# They prove an address, so they go to one that is not proven, or that refused letters before.
PROOFS = frozenset({"sign_in", "second_address", "confirm", *RECOVERIES})
# The only letters that come to who wants none: security, and what they have just asked for.
ALWAYS = PROOFS | {"receipt", "held", "test"}
# Others of a game tell what cannot be mended, and leave at once.
AFTER_GRACE = frozenset({"started", "finished", "overtime", "proposal"})
MOST_MINUTES = 24 * 60
# A slip is mended before anybody reads of it; who sets a shorter usual delay waits no longer.
GRACE = timedelta(seconds=60)
STORED = re.compile(r"(at_once|none|usual)|(after|digest) ([0-9]{1,4})")


@dataclass(frozen=True)
class Wish:
    """How somebody wants letters; `number`: minutes of "after", the hour of "digest"."""

    how: How = "usual"
    number: int = 0

    @property
    def stored(self) -> str:
        """As a person's or a seat's row keeps it."""
        return f"{self.how} {self.number}" if self.how in ("after", "digest") else self.how


USUAL, NONE = Wish(), Wish("none")


def read(stored: str | None) -> Wish | None:
    """The wish that a row keeps; None if that is nothing that anybody could wish."""
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
    """The wish for a game: its own, else the person's."""
    own = None if seat is None else seat.letters
    return read(person.letters if own is None else own) or USUAL


def when_due(wish: Wish, created: datetime, zone: str, usual: timedelta) -> datetime | None:
    """When a turn's letter may leave that was made due at `created`; None: it is not wanted."""
    if wish.how == "none":
        return None
    if wish.how == "digest":
        return next_hour(created, wish.number, zone)
    waits = {"at_once": timedelta(0), "after": timedelta(minutes=wish.number)}
    return created + max(waits.get(wish.how, usual), grace(usual))


def grace(usual: timedelta) -> timedelta:
    """How long a letter about what happened at a table waits at least."""
    return min(usual, GRACE)


def is_wanted(kind: str, wish: Wish) -> bool:
    """Whether a letter of this kind may leave to somebody who wishes so; decided here alone."""
    return kind in ALWAYS or wish != NONE


def not_before(
    kind: str, wish: Wish, created: datetime, zone: str, usual: timedelta
) -> datetime | None:
    """When a letter of a game may leave: a turn's as wished, news once a slip could be mended."""
    if not is_wanted(kind, wish):
        return None
    if kind == "turn":
        return when_due(wish, created, zone, usual)
    return created + grace(usual) if kind in AFTER_GRACE else created


def next_hour(after: datetime, hour: int, zone: str) -> datetime:
    """The next time that clocks of the zone show the full hour, once a day.

    An hour that occurs twice is the first of the two; one that is left out comes as much later as
    the clocks are put forward.
    """
    there = zone_or_utc(zone)
    today = after.astimezone(there).date()
    for days in range(-1, 4):
        day = today + timedelta(days=days)
        then = datetime(day.year, day.month, day.day, hour, tzinfo=there).astimezone(UTC)
        if then >= after:
            return then
    raise AssertionError("three days hold every hour of a day")
