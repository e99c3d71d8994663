"""Serves short ways into a game: against bots, with friends, a tutorial, a rematch; series."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from flask import (
    Blueprint,
    Flask,
    abort,
    flash,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)
from sqlmodel import Session
from werkzeug.wrappers import Response

from engine import registry
from engine.errors import BadComponents
from pbem.accounts import auth, guests
from pbem.models import Game, GameState, Person, Series
from pbem.names import BadText
from pbem.privacy.guests import KEPT
from pbem.tables import lobby, series, solo
from pbem.tables.lobby import LobbyRefused, stored_id
from pbem.web import context, games
from pbem.web.access import visible
from pbem.web.account import blocks
from pbem.web.enqueue import enqueue_letters
from pbem.web.filters import _
from pbem.web.refusals import why
from pbem.web.responses import private, set_cookie, to_sign_in
from pbem.web.table import forms

blueprint = Blueprint("quick_start", __name__)

Begin = Callable[[Session, Person], Game]


def game_key() -> str:
    """Return the game in the form or query, by default the first; raises 404 if unknown."""
    key = request.values.get("game") or next(iter(registry.GAMES))
    return key if key in registry.GAMES else abort(404)


def begun(begin: Begin, again: Callable[[str], str], said: str = "") -> Response:
    """Begin a game and go there; a refusal is shown above the form that `again` renders."""
    person = context.person()
    if person is None:
        return to_sign_in()
    writing = context.writing()
    try:
        game = begin(writing, person)
        writing.commit()
    except (LobbyRefused, BadText, BadComponents) as refused:
        writing.rollback()
        return make_response(again(why(refused)), 400)
    enqueue_letters()
    if said:
        flash(said)
    return redirect(url_for("lobby.game", game_id=stored_id(game)), 303)


# ---- against bots -------------------------------------------------------------------------------


@blueprint.get("/solo")
def solo_form() -> Response:
    """Show the form for a game against bots."""
    return private(solo_page())


def solo_page(wrong: str = "") -> str:
    key = game_key()
    most = registry.game(key).seats[-1] - 1
    fewest = registry.game(key).seats[0] - 1
    return render_template("lobby/solo.html", key=key, fewest=fewest, most=most, wrong=wrong)


@blueprint.post("/solo")
def begin_solo() -> Response:
    """Begin a game against bots; raises 400 for a malformed number of bots."""
    key = game_key()
    bots = forms.whole_number(request.form.get("bots"), least=1, most=9) or abort(400)
    now = context.service().clock.now()
    return begun(lambda session, person: solo.start(
        session, person=person, game_key=key, bots=bots, kind=request.form.get("kind", ""),
        letters=request.form.get("letters") == "yes", now=now), solo_page)


# ---- with friends -------------------------------------------------------------------------------


@blueprint.get("/friends")
def friends_form() -> Response:
    """Show the form for a game among friends."""
    return private(friends_page())


def friends_page(wrong: str = "") -> str:
    key = game_key()
    return render_template("lobby/friends.html", key=key, seats=registry.game(key).seats,
                           wrong=wrong)


@blueprint.post("/friends")
def begin_with_friends() -> Response:
    """Open a private game and show its link; raises 400 for a malformed number of seats."""
    key, service = game_key(), context.service()
    seats = forms.whole_number(request.form.get("seats"), least=1, most=9) or abort(400)
    return begun(
        lambda session, person: lobby.open_game(
            session, host=person, game_key=key, title=request.form.get("title", ""), seats=seats,
            chosen_order=False, private=True, components=None, phrase="",
            options=games.read_options(key, {}), open_days=service.settings.open_game_days,
            now=service.clock.now()),
        friends_page, _("The game is open. Send the link to your friends."))


# ---- with a teacher -----------------------------------------------------------------------------


@blueprint.get("/learn")
def learn() -> Response:
    """Show the lessons and the reader's progress."""
    person, reading = context.person(), context.reading()
    lessons = {key: None if person is None else solo.running_tutorial(reading, person, key)
               for key in registry.GAMES}
    return private(render_template("lobby/learn.html", lessons=lessons, wrong="",
                                   guests=guests_may_come()))


@blueprint.post("/learn")
def begin_to_learn() -> Response:
    """Begin a tutorial game, or continue it; who has no account becomes a guest."""
    key, now = game_key(), context.service().clock.now()
    cookie = become_guest(now) if context.person() is None and guests_may_come() else None
    answer = begun(lambda session, person: solo.start_tutorial(
        session, person=person, game_key=key, now=now), refused_above_lessons)
    if cookie is not None and answer.location is not None:
        set_cookie(answer, context.COOKIE, cookie, KEPT)
    return answer


def guests_may_come() -> bool:
    """Tell whether visitors may play lessons: where everybody may register."""
    return context.service().settings.registration == "open"


def become_guest(now: datetime) -> str:
    """Make the visitor a guest; return the cookie of their browser. The caller commits."""
    writing = context.writing()
    guest = guests.new_guest(writing, context.language(), now)
    agent = request.headers.get("User-Agent", "")
    cookie = auth.open_session(writing, stored_id(guest), agent=agent, now=now)
    context.asks(guest)
    return cookie


def refused_above_lessons(wrong: str) -> str:
    return render_template("lobby/learn.html", lessons=dict.fromkeys(registry.GAMES), wrong=wrong,
                           guests=guests_may_come())


@blueprint.post("/games/<int:game_id>/anew")
def anew(game_id: int) -> Response:
    """End a tutorial game and begin it again."""
    now = context.service().clock.now()
    return begun(lambda session, person: solo.restart_tutorial(
        session, game_id=game_id, person=person, now=now), refused_above_lessons)


# ---- rematches and series -----------------------------------------------------------------------


@blueprint.post("/games/<int:game_id>/rematch")
def open_rematch(game_id: int) -> Response:
    """Open the game's rematch, or take a seat in it."""
    person = context.person()
    if person is None:
        return to_sign_in()
    visible(game_id)
    writing, service = context.writing(), context.service()
    try:
        game = series.open_rematch(
            writing, game_id=game_id, person=person, now=service.clock.now(),
            open_days=service.settings.open_game_days,
            a_day=service.settings.invitations_per_host, beside=blocks.told(),
            letter_delay=context.usual_delay())
    except LobbyRefused as refused:
        writing.rollback()
        flash(why(refused), "refused")
        return redirect(url_for("lobby.game", game_id=game_id), 303)
    writing.commit()
    enqueue_letters()
    flash(_("The rematch waits for the others. They are told by letter.")
          if game.state == GameState.OPEN else _("The rematch has begun."))
    return redirect(url_for("lobby.game", game_id=game.id), 303)


@blueprint.get("/series/<int:series_id>")
def series_standings(series_id: int) -> Response:
    """Show a series' standings from the games that the reader may see; raises 404 for none."""
    reading, person = context.reading(), context.person()
    row = reading.get(Series, series_id)
    games = [game for game in series.games_of(reading, series_id)
             if lobby.may_see(reading, game, person)]
    if row is None or not games:
        abort(404)
    return private(render_template(
        "lobby/series.html", series=row, games=games, rows=series.standings(reading, games)))


def series_of(row: Game) -> Series | None:
    """Return the series of a game, or None."""
    return None if row.series_id is None else context.reading().get(Series, row.series_id)


@blueprint.record_once
def register(state: Any) -> None:
    """Add the function that templates use."""
    app: Flask = state.app
    app.jinja_env.globals.update(series_of=series_of)
