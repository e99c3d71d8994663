"""The same table once more: the button for a rematch, and the page of a series."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Flask, abort, flash, redirect, render_template
from flask import url_for as url
from sqlmodel import Session
from werkzeug.wrappers import Response

from pbem.models import Game, GameState, SeatRow, Series
from pbem.tables import lobby, series
from pbem.tables.lobby import LobbyRefused, stored_id
from pbem.web import context as current
from pbem.web.access import visible
from pbem.web.account import blocks
from pbem.web.enqueue import enqueue_letters
from pbem.web.filters import _
from pbem.web.refusals import why
from pbem.web.responses import private, to_sign_in

blueprint = Blueprint("again", __name__)


@blueprint.post("/games/<int:game_id>/rematch")
def rematch(game_id: int) -> Response:
    """Open the game's rematch, or sit down in it."""
    person = current.person()
    if person is None:
        return to_sign_in()
    visible(game_id)
    writing, service = current.writing(), current.service()
    try:
        game = series.open_rematch(
            writing, game_id=game_id, person=person, now=service.clock.now(),
            open_days=service.settings.open_game_days,
            a_day=service.settings.invitations_per_host, beside=blocks.told(),
            letter_delay=current.usual_delay())
    except LobbyRefused as refused:
        writing.rollback()
        flash(why(refused), "refused")
        return redirect(url("lobby.game", game_id=game_id), 303)
    writing.commit()
    enqueue_letters()
    flash(_("The rematch waits for the others. They are told by letter.")
          if game.state == GameState.OPEN else _("The rematch has begun."))
    return redirect(url("lobby.game", game_id=game.id), 303)


@blueprint.get("/series/<int:series_id>")
def standings(series_id: int) -> Response:
    """How a series stands, as far as the reader may see its games."""
    reading, person = current.reading(), current.person()
    row = reading.get(Series, series_id)
    games = [game for game in series.games_of(reading, series_id)
             if lobby.may_see(reading, game, person)]
    if row is None or not games:
        abort(404)
    return private(render_template(
        "lobby/series.html", series=row, games=games, rows=series.standings(reading, games)))


# ---- what the pages of games say ----------------------------------------------------------------


def context(session: Session, row: Game, own: SeatRow | None) -> dict[str, Any]:
    """What stands on a game's page about the next one."""
    return {
        "may_have_rematch": (
            series.may_have_rematch(row, own) and not series.has_next_game(session, row)),
        "rematch": rematch_seen(session, row),
        "series": series_of(row),
    }


def rematch_seen(session: Session, row: Game) -> Game | None:
    """The rematch of a finished game, for who may know of it."""
    if row.state != GameState.FINISHED or current.person() is None:
        return None
    game = series.rematch_of(session, stored_id(row))
    if game is None or not lobby.may_see(session, game, current.person()):
        return None
    return game


def series_of(row: Game) -> Series | None:
    """The series in which a game stands."""
    return None if row.series_id is None else current.reading().get(Series, row.series_id)


@blueprint.record_once
def register(state: Any) -> None:
    """Give templates what they use."""
    app: Flask = state.app
    app.jinja_env.globals.update(series_of=series_of)
