"""The clocks of a table as they are shown: by when somebody has to answer, and what is left.

Never below zero, and never guessed: a clock that stands has no deadline, and says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from sqlmodel import Session

from engine.api import Viewer
from pbem.clocks import rules
from pbem.clocks.rules import ALWAYS
from pbem.i18n.instants import by_when, how_long, say_instant
from pbem.i18n.words import gettext, msgid, ngettext
from pbem.models import Game, GameState, Person, SeatRow, stored_id
from pbem.play import deadlines

HOUR = timedelta(hours=1)
State = Literal["none", "waits", "runs", "stands", "over"]

NONE = msgid("No deadline.")
UNTIL = msgid("Deadline: %(when)s.")
STANDS = msgid("The clock stands.")
OVER = msgid("The time is over.")
LEFT = msgid("Left in the bank: %(left)s.")


@dataclass(frozen=True, slots=True)
class Dial:
    """One seat's clock. `left`: what still counts for it; of a bank also while it is not asked."""

    state: State = "none"
    due: datetime | None = None
    left: timedelta | None = None
    is_bank: bool = False


UNTIMED = Dial()


def of(
    session: Session, row: Game, seats: Sequence[SeatRow], people: Mapping[int, Person],
    now: datetime,
) -> dict[int, Dial]:
    """The clock of each seat that is asked, or has a bank; by the seat's number."""
    if row.state != GameState.RUNNING:
        return {}
    clock = rules.read(row.clock)
    asked = {seat.number: seat for seat in seats if seat.asked_since is not None}
    if clock.kind == "none":
        return {number: UNTIMED for number in asked if number is not None}
    timed = [seat for seat in seats if deadlines.has_clock(row, seat, people.get(seat.person_id))]
    it = deadlines.TimedGame(session, row, clock, now)
    calendars = deadlines.calendars_of(it, timed, people) if timed else {}
    return {
        seat.number: _dial(seat, calendars.get(stored_id(seat), ALWAYS), clock, now)
        for seat in timed if seat.number is not None
    }


def _dial(
    seat: SeatRow, calendar: rules.Calendar, clock: rules.TimeControl, now: datetime
) -> Dial:
    is_bank = clock.kind == "bank"
    running = deadlines.running_clock(seat)
    if running is not None:
        left = rules.pause(running, calendar, now).left
        due = rules.due(running, calendar)
        return Dial("runs" if due > now else "over", due, left, is_bank)
    kept = None if seat.clock_left is None else seat.clock_left * deadlines.MILLISECOND
    if kept is None and is_bank:
        kept = clock.asked(None)  # what it will begin with
    if seat.asked_since is not None:
        return Dial("stands", None, kept, is_bank)
    return Dial("waits", None, kept if is_bank else None, is_bank)


def seen_by(
    dials: Mapping[int, Dial], viewer: Viewer
) -> dict[int, Dial]:
    """The clocks as somebody at the table, or a spectator, may see them."""
    return {seat: dial if seat == viewer else blurred(dial) for seat, dial in dials.items()}


def blurred(dial: Dial) -> Dial:
    """Another's clock, in whole hours: to the minute it would tell when, so how, others moved."""
    left = None if dial.left is None else dial.left // HOUR * HOUR
    return replace(dial, left=left, due=None if dial.due is None else next_hour(dial.due))


def next_hour(due: datetime) -> datetime:
    """The full hour by which a deadline has passed."""
    whole = due.replace(minute=0, second=0, microsecond=0)
    return due if due == whole else whole + HOUR


def in_list(row: Game, due: datetime | None, now: datetime, zone: str, language: str) -> str:
    """By when a game waits for somebody, for a line of a list; "" where it waits without end."""
    if row.clock == rules.NO_CLOCK.stored or row.state != GameState.RUNNING:
        return ""
    state: State = "stands" if due is None else "runs" if due > now else "over"
    return said(Dial(state, due), now, zone, language)


def lasting(row: Game, due: datetime | None, zone: str, language: str) -> str:
    """By when somebody has to answer, in words that stay true: without how long that is."""
    if row.clock == rules.NO_CLOCK.stored:
        return gettext(NONE, language)
    if due is None:
        return gettext(STANDS, language)
    return gettext(UNTIL, language, when=say_instant(due, zone, language))


def said(dial: Dial, now: datetime, zone: str, language: str) -> str:
    """A clock in words: "Deadline: ...", for its own player and the others alike."""
    parts = {
        "none": [gettext(NONE, language)],
        "stands": [gettext(STANDS, language)],
        "over": [gettext(OVER, language)],
    }.get(dial.state, [])
    if dial.state == "runs" and dial.due is not None:
        parts = [gettext(UNTIL, language, when=by_when(dial.due, now, zone, language))]
    if dial.is_bank and dial.left is not None and dial.state != "over":
        parts.append(gettext(LEFT, language, left=length(dial.left, language)))
    return " ".join(parts)


def length(span: timedelta, language: str) -> str:
    """How long, also where it is less than a minute."""
    return how_long(span, language) or ngettext("%(num)s minute", "%(num)s minutes", 0, language)
