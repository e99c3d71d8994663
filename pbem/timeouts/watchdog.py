"""Running games that wait for nobody, or for somebody without end: there are none, or it is said.

Each running game asks a seat whose clock runs, or says why it does not: it has no clock, its clocks
stand, or nothing but a worker is missing.
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
SLACK = timedelta(minutes=2)  # in which a sweep should have seen to a clock at zero
NAME = "standstill"


def is_time(session: Session, now: datetime) -> bool:
    """Whether nobody has looked lately; notes that it is done now. The caller commits."""
    last = upkeep.last_heartbeat(session, NAME)
    if last is not None and now - last < BETWEEN_LOOKS:
        return False
    upkeep.store_heartbeat(session, NAME, now)
    return True


def report(session: Session, now: datetime) -> dict[int, str]:
    """The games that stand still without a reason, each with what is wrong; logged as errors."""
    found = dict(standing(session, now))
    for game_id, wrong in found.items():
        log.error("Game %s stands still: %s.", game_id, wrong)
    return found


def standing(session: Session, now: datetime) -> Iterator[tuple[int, str]]:
    """The games that stand still, with why."""
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
        wrong = wrong_with(row, [(seat, person) for _, seat, person in table], now)
        if wrong is not None:
            yield row.id or 0, wrong


def wrong_with(row: Game, table: Sequence[tuple[SeatRow, Person]], now: datetime) -> str | None:
    """Why a game stands still; None if it does not, or is known to."""
    if any(seat.clock_left is not None and seat.clock_left < 0 for seat, _ in table):
        return "a clock is below zero"
    asked = [(seat, person) for seat, person in table if seat.asked_since is not None]
    if not asked:
        return "nobody is asked"
    people = [seat for seat, person in asked if deadlines.has_clock(row, seat, person)]
    if not people:
        return "nobody but bots is asked"
    return None if row.clock == rules.NO_CLOCK.stored else wrong_clock(row, people, now)


def wrong_clock(row: Game, asked: Sequence[SeatRow], now: datetime) -> str | None:
    """What is wrong with the clock of one of those who are asked."""
    for seat in asked:
        if row.paused is not None and seat.due is not None:
            return f"seat {seat.number}'s clock runs in a pause"
        if row.paused is None and (seat.due is None or seat.clock_from is None):
            return f"seat {seat.number}'s clock does not run"
        if seat.due is not None and seat.due < now - SLACK:
            return f"seat {seat.number}'s clock has been at zero since {seat.due:%Y-%m-%d %H:%M}"
    return None
