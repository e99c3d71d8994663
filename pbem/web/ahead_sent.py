"""What is sent from the section for orders ahead: some to keep or to try, one to withdraw."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, abort, flash, redirect, request
from flask import url_for as url
from werkzeug.wrappers import Response

from engine.errors import MoveRefused
from pbem import words
from pbem.games import refusals, standing, submit
from pbem.games.lobby import stored_id
from pbem.games.refusals import TableRefused
from pbem.models import GameState
from pbem.web import current, forms, logged, table
from pbem.web.ahead import LONGEST, Draft, said
from pbem.web.answers import to_sign_in
from pbem.web.filters import _
from pbem.web.lobby import visible
from pbem.web.poke import poke

blueprint = Blueprint("ahead", __name__)


@blueprint.post("/games/<int:game_id>/ahead")
def add(game_id: int) -> Any:
    """Keep what the field holds, or only try it; nothing is asked of the seat for that."""
    desk, own = table.own_desk(game_id)
    seen = forms.whole_number(request.form.get("seen"), least=1, most=desk.row.last_entry)
    token, typed = request.form.get("token", ""), request.form.get("lines", "")[:LONGEST]
    if seen is None or not 1 <= len(token) <= forms.LONGEST_TOKEN:
        abort(400)
    letter = standing.as_letter(typed, desk.row.game, current.language())
    try:
        if "try" in request.form:
            shown = submit.preview(current.reading(), own, letter, seen=seen)
            desk.extra["ahead"] = Draft(
                typed, [(each.line, said(desk, each)) for each in shown.later])
            return table.answer(table.render(desk))
        logged.orders(submit.record(
            current.writing(), own, letter, seen=seen, source="page", key=token,
            now=current.service().clock.now(), poke=poke, reading=current.reading()))
    except MoveRefused as refused:
        return refuse(desk, typed, refused)
    return redirect(url("lobby.game", game_id=game_id, _anchor="ahead"), 303)


def refuse(desk: table.Desk, typed: str, refused: MoveRefused) -> Any:
    """The page with the reason in the section, and what was typed kept."""
    why = refusals.as_stored(refused, desk.table.rules)
    text = words.refusal(desk.row.game, why.key, why.rule, why.numbers, desk.reader.language,
                         names=desk.reader.names)
    if desk.row.state != GameState.RUNNING:
        flash(text, "refused")
        return redirect(url("lobby.game", game_id=desk.row.id), 303)
    rule = "" if why.rule == "orders" else why.rule
    desk.extra["ahead"] = Draft(typed, why=text, rule=rule, line=why.line or "",
                                choices=tuple(why.choices))
    return table.answer(table.render(desk), 422)


@blueprint.post("/games/<int:game_id>/ahead/<int:number>/withdraw")
def withdraw(game_id: int, number: int) -> Response:
    """Take one back."""
    person = current.person()
    visible(game_id)
    if person is None:
        return to_sign_in()
    writing = current.writing()
    try:
        lines = standing.withdraw(writing, game_id, stored_id(person), number,
                                  current.service().clock.now())
        writing.commit()
    except TableRefused as refused:
        writing.rollback()
        flash(refused.said(current.language()), "refused")
    else:
        flash(_("Withdrawn: %(line)s", line=lines[0]) if lines
              else _("That order ahead stands no more."))
    return redirect(url("lobby.game", game_id=game_id, _anchor="ahead"), 303)
