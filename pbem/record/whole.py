"""Every game of a database against its own rules: after a restore, or whenever one asks."""

from __future__ import annotations

from collections.abc import Iterator

from sqlmodel import Session, col, select

from pbem.models import Game
from pbem.record import nightly
from pbem.service import Service


def faults(service: Service) -> Iterator[str]:
    """What does not fit, a line a game; nothing where all is well."""
    with service.reading() as session:
        games = session.exec(
            select(Game.id).where(Game.last_entry > 0).order_by(col(Game.id))).all()
    for game_id in games:
        with service.reading() as session:
            reason = fault_of(session, session.get_one(Game, game_id))
        if reason is not None:
            yield f"Game {game_id} does not fit: {reason}"


def fault_of(session: Session, row: Game) -> str | None:
    """Why a stored game does not fit, running or over."""
    fault = nightly.fault_of(session, row)
    return fault and (fault.reason if fault.entry is None
                      else f"entry {fault.entry}: {fault.reason}")
