"""The watchdog: finds running games that wait for nobody, or for somebody without a deadline.

In each running game a clock runs for an asked seat, or the game has no clock, is paused, or has
pending orders.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import groupby

from sqlalchemy import exists
from sqlmodel import Session, col, select

from pbem.clocks import rules
from pbem.models import PENDING, Game, GameState, Person, SeatRow, Submission
from pbem.play import deadlines, upkeep

log = logging.getLogger("carreira.clocks")

BETWEEN_LOOKS = timedelta(minutes=10)
SLACK = timedelta(minutes=2)  # within which a sweep handles a timeout
NAME = "standstill"


def is_time(session: Session, now: datetime) -> bool:
    """Whether a look is due; if so, store that one starts. The caller commits."""
    last = upkeep.last_heartbeat(session, NAME)
    if last is not None and now - last < BETWEEN_LOOKS:
        return False
    upkeep.store_heartbeat(session, NAME, now)
    return True


def report(session: Session, now: datetime) -> dict[int, str]:
    """The games that stand still, with the fault; each is logged as an error."""
    found = dict(games_standing_still(session, now))
    for game_id, wrong in found.items():
        log.error("Game %s stands still: %s.", game_id, wrong)
    return found


def games_standing_still(session: Session, now: datetime) -> Iterator[tuple[int, str]]:
    """The games that stand still, with the fault."""
    pending = exists().where(
        col(Submission.game_id) == Game.id, col(Submission.state) == PENDING)
    rows = session.exec(
        select(Game, SeatRow, Person)
        .where(Game.state == GameState.RUNNING, SeatRow.game_id == Game.id,
               SeatRow.person_id == Person.id, ~pending)
        .order_by(col(Game.id), col(SeatRow.number))
    )
    for _, group in groupby(rows, key=lambda found: found[0].id):
        table = list(group)
        row = table[0][0]
        wrong = fault_of(row, [(seat, person) for _, seat, person in table], now)
        if wrong is not None:
            yield row.id or 0, wrong


def fault_of(row: Game, table: Sequence[tuple[SeatRow, Person]], now: datetime) -> str | None:
    """The fault of a game; None if there is none, or it is known."""
    if any(seat.clock_left is not None and seat.clock_left < 0 for seat, _ in table):
        return "a clock is below zero"
    asked = [(seat, person) for seat, person in table if seat.asked_since is not None]
    if not asked:
        return "nobody is asked"
    people = [seat for seat, person in asked if deadlines.has_clock(row, seat, person)]
    if not people:
        return "nobody but bots is asked"
    return None if row.clock == rules.NO_CLOCK.stored else clock_fault(row, people, now)


def clock_fault(row: Game, asked: Sequence[SeatRow], now: datetime) -> str | None:
    """The fault of an asked seat's clock, if there is one."""
    for seat in asked:
        if row.paused is not None and seat.due is not None:
            return f"seat {seat.number}'s clock runs in a pause"
        if row.paused is None and (seat.due is None or seat.clock_from is None):
            return f"seat {seat.number}'s clock does not run"
        if seat.due is not None and seat.due < now - SLACK:
            return f"seat {seat.number}'s clock has been at zero since {seat.due:%Y-%m-%d %H:%M}"
    return None
