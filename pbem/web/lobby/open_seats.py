"""Seats that wait for somebody, on a page of their own, by game."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, abort, render_template, request
from werkzeug.wrappers import Response

from engine import registry
from pbem.archive import open_seats
from pbem.i18n import words
from pbem.models import Game
from pbem.web import context
from pbem.web.responses import private

blueprint = Blueprint("open_seats", __name__)


@blueprint.get("/seats")
def seats() -> Response:
    """All seats that the reader could take; those of one game if `game` says so."""
    key = request.args.get("game") or None
    if key is not None and key not in registry.GAMES:
        abort(404)
    offers = open_seats.offers(context.reading(), context.person(), key)
    return private(render_template("lobby/seats.html", offers=offers, chosen=key))


def days_taken(game: Game) -> float | None:
    """How long such games took, in days; None if none is finished."""
    return open_seats.days(context.reading(), game.game, game.clock)


def round_of(game_key: str, number: int) -> str:
    """What a running game's round is called; before the first one the set-up."""
    if not number:
        return words.term(game_key, "phase_0", context.language())
    return words.chapter(registry.game(game_key), number, context.language())


@blueprint.record_once
def register(state: Any) -> None:
    """Give templates what they use."""
    state.app.jinja_env.globals.update(days_taken=days_taken, round_of=round_of)
