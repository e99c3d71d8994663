"""What the sweep looks for: games that a lost task left behind, and letters that are due."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, col, exists, or_, select

from pbem.models import PENDING, Game, GameState, Heartbeat, Outbox, SeatRow, Submission
from pbem.play import stuck

LEFT_BEHIND = timedelta(seconds=15)  # a letter that is not judged by then was not enqueued for
# Orders that came in since then have a task on its way; a clock that was put back hides none.
POKED_FOR = timedelta(seconds=5)
BETWEEN_TIDYINGS = timedelta(hours=1)


def left_behind(session: Session, now: datetime) -> list[int]:
    """Running games with a submission that waits, or in which nobody is asked, but for those that
    failed and are left alone for a while.

    What has just come in is enqueued for: where much comes in, working it off twice helps nobody.
    """
    pending = exists().where(
        col(Submission.game_id) == Game.id, col(Submission.state) == PENDING,
        ~col(Submission.created).between(now - POKED_FOR, now),
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
    """Those of these letters that may leave now; the others wait for the sweep."""
    due = select(Outbox.id).where(col(Outbox.id).in_(letters), Outbox.not_before <= now)
    return [number for number in session.exec(due.order_by(col(Outbox.id))) if number is not None]


def last_sign(session: Session, name: str) -> datetime | None:
    """When something periodic was last here."""
    seen = session.get(Heartbeat, name)
    return None if seen is None else seen.at


def is_time_to_tidy(session: Session, now: datetime) -> bool:
    """Whether nobody has looked for old contents within the hour; notes that it is done now."""
    last = last_sign(session, "tidy")
    if last is not None and now - last < BETWEEN_TIDYINGS:
        return False
    sign_of_life(session, "tidy", now)
    return True


def sign_of_life(session: Session, name: str, now: datetime) -> None:
    """Note that something periodic was here; the caller commits."""
    on_sqlite = session.get_bind().dialect.name == "sqlite"
    insert: Any = sqlite.insert if on_sqlite else postgresql.insert
    row = insert(Heartbeat).values(name=name, at=now)
    session.connection().execute(
        row.on_conflict_do_update(index_elements=["name"], set_={"at": row.excluded.at})
    )
