"""What a player does at a table beside playing: take orders back, resign, talk."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, abort, flash, redirect, render_template, request
from flask import url_for as url
from werkzeug.wrappers import Response

from pbem.games import chat as talk
from pbem.games import resign as resigning
from pbem.games import undo as taking_back
from pbem.games.lobby import stored_id
from pbem.games.refusals import TableRefused
from pbem.models import GameState
from pbem.web import current, forms
from pbem.web.answers import private, to_sign_in
from pbem.web.consent import standing_said
from pbem.web.filters import _
from pbem.web.lobby import own_seat, visible
from pbem.web.poke import poke_letters

blueprint = Blueprint("seat", __name__)


@blueprint.post("/games/<int:game_id>/undo")
def undo(game_id: int) -> Response:
    """Take one's own last orders back; `entry` tells a second click from a second wish."""
    person, row = current.person(), visible(game_id)
    if person is None:
        return to_sign_in()
    entry = forms.whole_number(request.form.get("entry"), least=1, most=row.last_entry)
    if entry is None:
        abort(400)
    service = current.service()
    try:
        done = taking_back.undo(
            current.writing(), game_id, stored_id(person), service.clock.now(), entry=entry,
            letter_delay=current.usual_delay())
    except TableRefused as refused:
        return back(game_id, refused.said(current.language()), "refused")
    poke_letters()
    if done.standing:
        flash(standing_said(done.standing))
    if not done.orders:
        return back(game_id, _("These orders are taken back."))
    return back(game_id, _("Taken back: %(orders)s", orders="; ".join(done.orders)))


@blueprint.get("/games/<int:game_id>/resign")
def resign_page(game_id: int) -> Response:
    """What resigning means, and the button."""
    seated = own_seat(game_id)
    if seated is None or seated[0].state != GameState.RUNNING:
        return redirect(url("lobby.game", game_id=game_id), 303)
    return private(render_template("table/resign.html", game=seated[0]))


@blueprint.post("/games/<int:game_id>/resign")
def resign(game_id: int) -> Response:
    """Have the seat played by the mildest moves from now on."""
    person = current.person()
    visible(game_id)
    if person is None:
        return to_sign_in()
    service = current.service()
    try:
        resigning.resign(current.writing(), game_id, stored_id(person), service.clock.now(),
                         letter_delay=current.usual_delay())
    except TableRefused as refused:
        return back(game_id, refused.said(current.language()), "refused")
    poke_letters()
    return back(game_id, _("You have resigned: your seat is played for."))


@blueprint.post("/games/<int:game_id>/chat")
def chat(game_id: int) -> Any:
    """Say something at the table."""
    person, row = current.person(), visible(game_id)
    if person is None:
        return to_sign_in()
    writing = current.writing()
    try:
        talk.say(writing, stored_id(row), person, request.form.get("text", ""),
                 current.service().clock.now())
    except TableRefused as refused:
        writing.rollback()
        return back(game_id, refused.said(current.language()), "refused")
    writing.commit()
    return redirect(url("lobby.game", game_id=game_id, _anchor="chat"), 303)


def back(game_id: int, said: str, category: str = "message") -> Response:
    """To the table, with a word on what became of it."""
    flash(said, category)
    return redirect(url("lobby.game", game_id=game_id), 303)
