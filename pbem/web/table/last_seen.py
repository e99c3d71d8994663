"""Notes when a player has seen his table, so that no letter tells him what he has just read."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from flask import request
from sqlalchemy import or_, update
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import col
from werkzeug.wrappers import Response

from pbem.models import Game, GameState, SeatRow
from pbem.service import Service
from pbem.web import context

log = logging.getLogger("carreira.web")

EVERY = timedelta(minutes=1)  # at most one write so often


def note(page: Response, game: Game, own: SeatRow | None) -> Response:
    """The page; when it is out, that its player has seen the table is written."""
    if own is None or request.method != "GET" or game.state != GameState.RUNNING:
        return page
    service = context.service()
    now = service.clock.now()
    if own.looked_at is None or own.looked_at < now - EVERY:
        page.call_on_close(lambda: write(service, own.id, now))
    return page


def write(service: Service, seat_id: int | None, now: datetime) -> None:
    """Note the look; one that cannot be written costs a letter that says what is known."""
    is_old = or_(col(SeatRow.looked_at).is_(None), col(SeatRow.looked_at) < now - EVERY)
    looked = update(SeatRow).where(col(SeatRow.id) == seat_id, is_old).values(looked_at=now)
    try:
        with service.writing() as session:
            session.exec(looked)
            session.commit()
    except SQLAlchemyError as problem:
        log.warning("a look at the table is not noted: %s", problem)
