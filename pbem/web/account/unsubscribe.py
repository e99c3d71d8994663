"""The page behind each letter's "unsubscribe": looking changes nothing, one POST stops letters."""

from __future__ import annotations

from flask import Blueprint, abort, render_template, request
from flask.blueprints import BlueprintSetupState
from werkzeug.wrappers import Response

from pbem.i18n.words import term
from pbem.mail import unsubscribe
from pbem.mail.tokens import is_ours
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
    letter = known(token)
    return lost() if letter is None else said(letter, done="")


@blueprint.post("/u/<token>")
def stop(token: str) -> Response:
    """Stop this game's letters, or all games'; as often as asked."""
    if known(token) is None:
        return lost()
    all_games = request.form.get("stop") == "all"
    is_asked = request.form.get("List-Unsubscribe") == ONE_CLICK
    if not (is_asked or all_games or request.form.get("stop") == "game"):
        abort(400)
    writing = context.writing()
    letter = letter_by(writing, context.service().settings.keys, token)
    if letter is None:
        return lost()
    (unsubscribe.stop_all if all_games else unsubscribe.stop)(writing, letter)
    writing.commit()
    return said(letter, done="all" if all_games else "game")


def known(token: str) -> Outbox | None:
    """The letter that carries this token; None if it is lost, 404 if we never wrote it."""
    keys = context.service().settings.keys
    if not is_ours(keys, "unsub", token):
        abort(404)
    return letter_by(context.reading(), keys, token)


def lost() -> Response:
    """Of a letter that a restored backup does not know, or of a release before: nothing is done."""
    answer = private(render_template("account/letter_lost.html"), 410)
    answer.headers["Referrer-Policy"] = "no-referrer"
    return answer


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
