"""The archive: all games that one may see, and the record of each that is over."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, abort, render_template, request, stream_with_context

from engine import registry
from pbem.games import catalogue, export
from pbem.models import GameState
from pbem.web import current, forms
from pbem.web.lobby import visible

blueprint = Blueprint("archive", __name__)
LONGEST_NAME = 40


@blueprint.get("/archive")
def games() -> Any:
    """The list, narrowed by the address."""
    wanted = wanted_games()
    found = catalogue.find(current.reading(), wanted, current.person())
    return render_template("archive/games.html", wanted=wanted, found=found,
                           states=catalogue.STATES, results=catalogue.RESULTS)


def wanted_games() -> catalogue.Wanted:
    """The filters; what is no filter of ours narrows nothing."""
    arguments = request.args
    game = arguments.get("game", "")
    state, result = arguments.get("state", ""), arguments.get("result", "")
    return catalogue.Wanted(
        player=" ".join(arguments.get("player", "").split())[:LONGEST_NAME],
        game=game if game in registry.GAMES else "",
        state=state if state in catalogue.STATES else "",
        result=result if result in catalogue.RESULTS else "",
        before=forms.whole_number(arguments.get("before"), least=1, most=10**9),
    )


@blueprint.get("/games/<int:game_id>/record")
def record(game_id: int) -> Response:
    """The game record as JSON Lines, once the game is over or called off; `verify` checks it."""
    row = visible(game_id)
    if row.state == GameState.RUNNING or row.last_entry == 0:
        abort(404)
    lines = stream_with_context(export.record_lines(current.reading(), row))
    answer = Response(lines, mimetype="application/jsonl")
    answer.headers["Content-Disposition"] = f'attachment; filename="game-{row.id}.jsonl"'
    answer.headers["Cache-Control"] = "private, no-cache"
    return answer
