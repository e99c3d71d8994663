"""Finds the game in an address and the reader's seat in it."""

from __future__ import annotations

from flask import abort
from sqlmodel import col, select

from pbem.models import Game, SeatRow
from pbem.play import positions
from pbem.tables import lobby
from pbem.web import context


def visible(game_id: int) -> Game:
    """Return the game; raises 404 if there is none or the reader may not see it."""
    game = positions.game(context.reading(), game_id)
    if game is None or not lobby.may_see(context.reading(), game, context.person()):
        abort(404)
    return game


def own_seat(game_id: int) -> tuple[Game, SeatRow] | None:
    """Return the game and the reader's seat, None for spectators. Raises 404 like `visible`."""
    person = context.person()
    if person is not None:
        found = context.reading().exec(select(Game, SeatRow).where(
            Game.id == game_id, SeatRow.game_id == Game.id, SeatRow.person_id == person.id,
            col(SeatRow.number).is_not(None), col(SeatRow.resigned).is_(None))).first()
        if found is not None:
            return found
    visible(game_id)
    return None
