"""Shows the clocks of a table: deadlines, and the time that is left.

A time is never below zero, and never guessed: a stopped clock has no deadline.
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
    """One seat's clock. `left`: the time it has left; a bank shows it while the seat waits, too."""

    state: State = "none"
    due: datetime | None = None
    left: timedelta | None = None
    is_bank: bool = False


UNTIMED = Dial()


def of(
    session: Session, row: Game, seats: Sequence[SeatRow], people: Mapping[int, Person],
    now: datetime,
) -> dict[int, Dial]:
    """The clocks of seats that are asked or have a bank, by seat number."""
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
        kept = clock.asked(None)  # at the start of the next decision
    if seat.asked_since is not None:
        return Dial("stands", None, kept, is_bank)
    return Dial("waits", None, kept if is_bank else None, is_bank)


def seen_by(
    dials: Mapping[int, Dial], viewer: Viewer
) -> dict[int, Dial]:
    """The clocks as a player or a spectator may see them."""
    return {seat: dial if seat == viewer else rounded(dial) for seat, dial in dials.items()}


def rounded(dial: Dial) -> Dial:
    """Another player's clock, rounded to hours: minutes would reveal when others moved."""
    left = None if dial.left is None else dial.left // HOUR * HOUR
    return replace(dial, left=left, due=None if dial.due is None else next_hour(dial.due))


def next_hour(due: datetime) -> datetime:
    """The next full hour after a deadline."""
    whole = due.replace(minute=0, second=0, microsecond=0)
    return due if due == whole else whole + HOUR


def deadline_for_list(
    row: Game, due: datetime | None, now: datetime, zone: str, language: str
) -> str:
    """The deadline of a game for a line of a list; "" if there is none."""
    if row.clock == rules.NO_CLOCK.stored or row.state != GameState.RUNNING:
        return ""
    state: State = "stands" if due is None else "runs" if due > now else "over"
    return in_words(Dial(state, due), now, zone, language)


def deadline_in_words(row: Game, due: datetime | None, zone: str, language: str) -> str:
    """The deadline in words that stay true later: without the time that is left."""
    if row.clock == rules.NO_CLOCK.stored:
        return gettext(NONE, language)
    if due is None:
        return gettext(STANDS, language)
    return gettext(UNTIL, language, when=say_instant(due, zone, language))


def in_words(dial: Dial, now: datetime, zone: str, language: str) -> str:
    """A clock in words: "Deadline: ..."."""
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
    """A duration in words, also one below a minute."""
    return how_long(span, language) or ngettext("%(num)s minute", "%(num)s minutes", 0, language)
