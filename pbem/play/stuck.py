"""Games that cannot be advanced: remembered, tried again ever more seldom, forgotten once they can.

Only what kind of thing went wrong is kept, by its class: its text could tell what a game hides.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, func, or_, update
from sqlmodel import Session, col, select

from pbem.db import is_away
from pbem.models import Game, GameState
from pbem.service import Service

FIRST_WAIT = timedelta(seconds=30)
LONGEST_WAIT = timedelta(hours=1)


def note(session: Session, game_id: int, failure: str, now: datetime) -> None:
    """Remember that this game could not be advanced; commits, as what was tried is undone.

    Each failure that a sweep finds doubles its wait; what players do in between is tried at once.
    """
    session.rollback()
    before = session.exec(
        select(Game.failed, Game.retry).where(Game.id == game_id).with_for_update()).first()
    if before is not None:
        session.connection().execute(update(Game).where(col(Game.id) == game_id).values(
            failed=now, failure=failure[:60], retry=next_try(before[0], before[1], now)))
    session.commit()


def note_fault(service: Service, game_id: int, problem: Exception) -> None:
    """The same of a fault, unless it is the database's: that is no game's."""
    if is_away(problem):
        return
    with service.writing() as session:
        note(session, game_id, type(problem).__name__, service.clock.now())


def next_try(failed: datetime | None, retry: datetime | None, now: datetime) -> datetime:
    """When the sweeps try a game again that has failed before, or not (None), and fails now."""
    if failed is None or retry is None:
        return now + FIRST_WAIT
    if now < retry:
        return retry
    return now + min(LONGEST_WAIT, max(FIRST_WAIT, 2 * (retry - failed)))


def forget(row: Game) -> None:
    """It could be advanced; the caller commits."""
    if row.failed is not None:
        row.failed = row.failure = row.retry = None


def may_try(now: datetime) -> ColumnElement[bool]:
    """Which games a sweep takes up."""
    return or_(col(Game.retry).is_(None), col(Game.retry) <= now)


def resting(session: Session, now: datetime) -> set[int]:
    """The games that sweeps leave alone for now."""
    failed = col(Game.failed).is_not(None)  # for the index
    found = session.exec(select(Game.id).where(failed, col(Game.retry) > now))
    return {game_id for game_id in found if game_id is not None}


def is_failing() -> tuple[Any, ...]:
    """Running games that could not be advanced when that was tried last."""
    return col(Game.failed).is_not(None), Game.state == GameState.RUNNING


def failing(session: Session) -> int:
    """How many they are."""
    return session.exec(select(func.count()).select_from(Game).where(*is_failing())).one()
