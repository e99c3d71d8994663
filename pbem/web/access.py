"""The game that an address names, and the reader's seat in it: for who may know of it."""

from __future__ import annotations

from flask import abort

from pbem.models import Game, SeatRow
from pbem.play import positions
from pbem.tables import lobby, players
from pbem.web import context


def visible(game_id: int) -> Game:
    """The game, if the reader may know of it; else 404, as if there were none."""
    game = positions.game(context.reading(), game_id)
    if game is None or not lobby.may_see(context.reading(), game, context.person()):
        abort(404)
    return game


def own_seat(game_id: int) -> tuple[Game, SeatRow] | None:
    """The game and the reader's seat; None if he looks on, 404 if he may not know of the game."""
    found = players.own_seat(context.reading(), game_id, context.person())
    if found is None:
        visible(game_id)
    return found
