"""Games that cannot be advanced: noted, retried with a growing wait, cleared once they advance.

Only the class of the failure is stored: its text could reveal what a game hides.
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
    """Roll back, note that this game could not be advanced, and commit.

    Each failure doubles the wait before the next sweep retries it; what players do is tried at
    once.
    """
    session.rollback()
    before = session.exec(
        select(Game.failed, Game.retry).where(Game.id == game_id).with_for_update()).first()
    if before is not None:
        session.connection().execute(update(Game).where(col(Game.id) == game_id).values(
            failed=now, failure=failure[:60], retry=next_try(before[0], before[1], now)))
    session.commit()


def note_fault(service: Service, game_id: int, problem: Exception) -> None:
    """The same for an exception, unless the database was unreachable."""
    if is_away(problem):
        return
    with service.writing() as session:
        note(session, game_id, type(problem).__name__, service.clock.now())


def next_try(failed: datetime | None, retry: datetime | None, now: datetime) -> datetime:
    """When the sweep retries a game that fails now, given when it failed before."""
    if failed is None or retry is None:
        return now + FIRST_WAIT
    if now < retry:
        return retry
    return now + min(LONGEST_WAIT, max(FIRST_WAIT, 2 * (retry - failed)))


def forget(row: Game) -> None:
    """Clear the note of a game that advanced; the caller commits."""
    row.failed = row.failure = row.retry = None


def may_try(now: datetime) -> ColumnElement[bool]:
    """The condition for games that the sweep may try."""
    return or_(col(Game.retry).is_(None), col(Game.retry) <= now)


def resting(session: Session, now: datetime) -> set[int]:
    """The games that the sweep leaves alone for now."""
    failed = col(Game.failed).is_not(None)  # so that the index is used
    found = session.exec(select(Game.id).where(failed, col(Game.retry) > now))
    return {game_id for game_id in found if game_id is not None}


def is_failing() -> tuple[Any, ...]:
    """The conditions for running games whose last advance failed."""
    return col(Game.failed).is_not(None), Game.state == GameState.RUNNING


def failing(session: Session) -> int:
    """The number of such games."""
    return session.exec(select(func.count()).select_from(Game).where(*is_failing())).one()
