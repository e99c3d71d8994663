"""Finds work that a lost task left behind, and stores the heartbeats of periodic work."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, col, exists, or_, select

from pbem.models import PENDING, Game, GameState, Heartbeat, Outbox, SeatRow, Submission
from pbem.play import stuck

LEFT_BEHIND = timedelta(seconds=15)  # a letter not judged by then has lost its task
# Younger orders have a task on its way; a clock that was set back hides no older ones.
ENQUEUED_FOR = timedelta(seconds=5)
BETWEEN_TIDYINGS = timedelta(hours=1)


def games_to_advance(session: Session, now: datetime) -> list[int]:
    """Running games with pending orders, or in which nobody is asked, that may be tried now.

    Orders of the last seconds have a task on its way and are left to it.
    """
    pending = exists().where(
        col(Submission.game_id) == Game.id, col(Submission.state) == PENDING,
        ~col(Submission.created).between(now - ENQUEUED_FOR, now),
    )
    asked = exists().where(
        col(SeatRow.game_id) == Game.id, col(SeatRow.asked_since).is_not(None)
    )
    found = session.exec(
        select(Game.id).where(
            Game.state == GameState.RUNNING, or_(pending, ~asked), stuck.may_try(now))
    )
    return [game_id for game_id in found if game_id is not None]


def due_now(session: Session, letters: Collection[int], now: datetime) -> list[int]:
    """Those of these letters whose time has come; the sweep sends the others."""
    due = select(Outbox.id).where(col(Outbox.id).in_(letters), Outbox.not_before <= now)
    return [number for number in session.exec(due.order_by(col(Outbox.id))) if number is not None]


def last_heartbeat(session: Session, name: str) -> datetime | None:
    """When the heartbeat of this name was last stored; None if never."""
    seen = session.get(Heartbeat, name)
    return None if seen is None else seen.at


def is_time_for_cleanup(session: Session, now: datetime) -> bool:
    """Whether the last cleanup was over an hour ago; if so, store that one starts now."""
    last = last_heartbeat(session, "tidy")
    if last is not None and now - last < BETWEEN_TIDYINGS:
        return False
    store_heartbeat(session, "tidy", now)
    return True


def store_heartbeat(session: Session, name: str, now: datetime) -> None:
    """Store a heartbeat; the caller commits."""
    on_sqlite = session.get_bind().dialect.name == "sqlite"
    insert: Any = sqlite.insert if on_sqlite else postgresql.insert
    row = insert(Heartbeat).values(name=name, at=now)
    session.connection().execute(
        row.on_conflict_do_update(index_elements=["name"], set_={"at": row.excluded.at})
    )
