"""Private notes: written, changed and deleted from the page of an entry."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, abort, flash, redirect, render_template, request
from flask import url_for as url
from werkzeug.wrappers import Response

from pbem.models import Game
from pbem.play.refusals import TableRefused
from pbem.tables import notes
from pbem.web import context
from pbem.web.access import visible
from pbem.web.responses import me, private, to_sign_in
from pbem.web.table import forms

blueprint = Blueprint("notes", __name__)


@blueprint.get("/games/<int:game_id>/notes")
def show(game_id: int) -> Any:
    """All of the reader's notes in a game, in full."""
    row, person = visible(game_id), context.person()
    if person is None:
        return to_sign_in()
    found = notes.own(context.reading(), row, person)
    return private(render_template("table/all_notes.html", game=row, notes=found))


@blueprint.post("/games/<int:game_id>/notes")
def write(game_id: int) -> Any:
    """Keep a note at the entry that the reader has before him."""
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
    return back(row)


@blueprint.post("/games/<int:game_id>/notes/<int:number>")
def change(game_id: int, number: int) -> Any:
    """Put other words into one's own note, or delete it; another's is not found."""
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
    return back(row)


def back(row: Game) -> Response:
    """To the entry that was read."""
    number = forms.whole_number(request.form.get("at"), least=1, most=row.last_entry)
    entry = url("table.at_entry", game_id=row.id, number=number or row.last_entry)
    return redirect(f"{entry}#notes", 303)
