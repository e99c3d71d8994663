"""Operators' pages: games that stand still, and having them advanced or verified."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, render_template
from werkzeug.wrappers import Response

from pbem.operators import stuck
from pbem.web import context
from pbem.web.enqueue import enqueue
from pbem.web.filters import _
from pbem.web.operator.overview import current_operator, reason
from pbem.web.responses import private

blueprint = Blueprint("operator_games", __name__)


@blueprint.get("/operator/games")
def games() -> Response:
    """Games that stand still: which, since when, and by what kind of fault; nothing of the game."""
    reading, now = context.reading(), context.service().clock.now()
    return private(render_template(
        "operator/games.html", failing=stuck.failing(reading),
        unplayed=stuck.unplayed(reading, now), asks_nobody=stuck.waiting_for_nobody(reading, now),
        late=stuck.at_zero(reading, now), broken=stuck.broken(reading)))


@blueprint.post("/operator/games/<int:game_id>/advance")
def advance(game_id: int) -> Response:
    """Have a worker try a game now."""
    writing, now = context.writing(), context.service().clock.now()
    operator, why = current_operator(), reason(required=False)
    if stuck.have_advanced(writing, operator, game_id, why, now=now):
        writing.commit()
        enqueue(game_id)
        flash(_("A worker tries game %(number)s now. Load the page again in a moment.",
                number=game_id))
    else:
        flash(_("There is no such game that runs."), "refused")
    return back()


@blueprint.post("/operator/games/<int:game_id>/verify")
def verify(game_id: int) -> Response:
    """Re-run a game as it is stored."""
    writing, service = context.writing(), context.service()
    operator, why = current_operator(), reason(required=False)
    found = stuck.verify(service, writing, operator, game_id, why)
    if found is None:
        flash(_("There is no such game that has begun."), "refused")
        return back()
    writing.commit()
    if found.fault is None:
        flash(_("Game %(number)s fits its record.", number=game_id))
    else:
        flash(_("Game %(number)s does not fit its record.", number=game_id), "refused")
    return back()


def back() -> Response:
    """To the list again."""
    return redirect("/operator/games", 303)
