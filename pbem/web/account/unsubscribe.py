"""The page behind each letter's "unsubscribe": looking changes nothing, one POST stops letters."""

from __future__ import annotations

from flask import Blueprint, abort, render_template, request
from flask.blueprints import BlueprintSetupState
from werkzeug.wrappers import Response

from pbem.i18n.words import term
from pbem.mail import unsubscribe
from pbem.mail.unsubscribe import letter_by
from pbem.models import Outbox
from pbem.web import context
from pbem.web.responses import private

blueprint = Blueprint("unsubscribe", __name__)

ONE_CLICK = "One-Click"  # what a mail program posts, by RFC 8058


@blueprint.record_once
def needs_no_form_token(state: BlueprintSetupState) -> None:
    """Mail programs post without having seen a form; the token in the address is the proof."""
    state.app.extensions["csrf"].exempt("pbem.web.account.unsubscribe.stop")


@blueprint.get("/u/<token>")
def page(token: str) -> Response:
    """What would be stopped, and the buttons."""
    return said(known(token), done="")


@blueprint.post("/u/<token>")
def stop(token: str) -> Response:
    """Stop this game's letters, or all games'; as often as asked."""
    known(token)
    all_games = request.form.get("stop") == "all"
    is_asked = request.form.get("List-Unsubscribe") == ONE_CLICK
    if not (is_asked or all_games or request.form.get("stop") == "game"):
        abort(400)
    writing = context.writing()
    letter = letter_by(writing, context.service().settings.keys, token)
    if letter is not None:
        (unsubscribe.stop_all if all_games else unsubscribe.stop)(writing, letter)
    writing.commit()
    return said(known(token), done="all" if all_games else "game")


def known(token: str) -> Outbox:
    """The letter that carries this token, or 404."""
    letter = letter_by(context.reading(), context.service().settings.keys, token)
    if letter is None:
        abort(404)
    return letter


def said(letter: Outbox, *, done: str) -> Response:
    """The page, seen by nobody's cache, search engine or next page."""
    language = context.language()
    games = [
        {"id": game.id, "title": game.title or term(game.game, "game_name", language)}
        for game in unsubscribe.games_of(context.reading(), letter)
    ]
    answer = private(render_template("account/stop_letters.html", games=games, done=done))
    answer.headers["Referrer-Policy"] = "no-referrer"
    return answer
