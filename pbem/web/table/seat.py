"""Serves what a player does at a table apart from orders: undo, resign, talk, notes."""

from __future__ import annotations

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response

from pbem.models import Game, GameState
from pbem.play import undo as undo_orders
from pbem.play.refusals import TableRefused
from pbem.tables import chat as table_chat
from pbem.tables import notes, seats
from pbem.tables.lobby import stored_id
from pbem.web import context
from pbem.web.access import own_seat, visible
from pbem.web.enqueue import enqueue_letters
from pbem.web.filters import _
from pbem.web.responses import me, private, to_sign_in
from pbem.web.table import forms
from pbem.web.table.consent import used_ahead_said

blueprint = Blueprint("seat", __name__)


@blueprint.post("/games/<int:game_id>/undo")
def undo(game_id: int) -> Response:
    """Undo the player's last orders; `entry` makes a double click undo once.

    Raises 400 without a valid `entry`.
    """
    person, row = context.person(), visible(game_id)
    if person is None:
        return to_sign_in()
    entry = forms.whole_number(request.form.get("entry"), least=1, most=row.last_entry)
    if entry is None:
        abort(400)
    service = context.service()
    try:
        done = undo_orders.undo(
            context.writing(), game_id, stored_id(person), service.clock.now(), entry=entry,
            letter_delay=context.usual_delay())
    except TableRefused as refused:
        return back(game_id, refused.said(context.language()), "refused")
    enqueue_letters()
    if done.used_ahead:
        flash(used_ahead_said(done.used_ahead))
    if not done.orders:
        return back(game_id, _("These orders are taken back."))
    return back(game_id, _("Taken back: %(orders)s", orders="; ".join(done.orders)))


@blueprint.get("/games/<int:game_id>/resign")
def resign_page(game_id: int) -> Response:
    """Show what resigning means, and the button."""
    seated = own_seat(game_id)
    if seated is None or seated[0].state != GameState.RUNNING:
        return redirect(url_for("lobby.game", game_id=game_id), 303)
    return private(render_template("table/resign.html", game=seated[0]))


@blueprint.post("/games/<int:game_id>/resign")
def resign(game_id: int) -> Response:
    """Resign: the mildest moves are played for the seat from now on."""
    person = context.person()
    visible(game_id)
    if person is None:
        return to_sign_in()
    service = context.service()
    try:
        seats.resign(context.writing(), game_id, stored_id(person), service.clock.now(),
                         letter_delay=context.usual_delay())
    except TableRefused as refused:
        return back(game_id, refused.said(context.language()), "refused")
    enqueue_letters()
    return back(game_id, _("You have resigned: your seat is played for."))


@blueprint.post("/games/<int:game_id>/chat")
def chat(game_id: int) -> ResponseReturnValue:
    """Say something at the table."""
    person, row = context.person(), visible(game_id)
    if person is None:
        return to_sign_in()
    writing = context.writing()
    try:
        table_chat.post(writing, stored_id(row), person, request.form.get("text", ""),
                 context.service().clock.now())
    except TableRefused as refused:
        writing.rollback()
        return back(game_id, refused.said(context.language()), "refused")
    writing.commit()
    return redirect(url_for("lobby.game", game_id=game_id, _anchor="chat"), 303)


def back(game_id: int, said: str, category: str = "message") -> Response:
    """Redirect to the table with a message."""
    flash(said, category)
    return redirect(url_for("lobby.game", game_id=game_id), 303)


# ---- private notes ------------------------------------------------------------------------------


@blueprint.get("/games/<int:game_id>/notes")
def notes_page(game_id: int) -> ResponseReturnValue:
    """Show all of the reader's notes in a game, in full."""
    row, person = visible(game_id), context.person()
    if person is None:
        return to_sign_in()
    found = notes.own(context.reading(), row, person)
    return private(render_template("table/all_notes.html", game=row, notes=found))


@blueprint.post("/games/<int:game_id>/notes")
def write_note(game_id: int) -> ResponseReturnValue:
    """Keep a note at the entry that the reader sees; raises 400 for a bad entry."""
    row = visible(game_id)
    if context.person() is None:
        return to_sign_in()
    entry = forms.whole_number(request.form.get("entry"), least=1, most=row.last_entry)
    if entry is None:
        abort(400)
    writing = context.writing()
    try:
        notes.write(writing, row, me(writing), entry=entry, text=request.form.get("text", ""),
                    now=context.service().clock.now())
    except TableRefused as refused:
        flash(refused.said(context.language()), "refused")
    writing.commit()
    return back_to_entry(row)


@blueprint.post("/games/<int:game_id>/notes/<int:number>")
def change_note(game_id: int, number: int) -> ResponseReturnValue:
    """Change or delete one of the reader's notes; raises 404 for a note of somebody else."""
    row = visible(game_id)
    if context.person() is None:
        return to_sign_in()
    writing = context.writing()
    note = notes.one(writing, row, me(writing), number)
    if note is None:
        abort(404)
    text = "" if "delete" in request.form else request.form.get("text", "")
    try:
        notes.change(writing, note, text=text, now=context.service().clock.now())
    except TableRefused as refused:
        flash(refused.said(context.language()), "refused")
    writing.commit()
    return back_to_entry(row)


def back_to_entry(row: Game) -> Response:
    """Redirect to the entry that the reader was on."""
    number = forms.whole_number(request.form.get("at"), least=1, most=row.last_entry)
    entry = url_for("table.at_entry", game_id=row.id, number=number or row.last_entry)
    return redirect(f"{entry}#notes", 303)
