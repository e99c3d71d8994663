"""What is sent from the section for orders ahead: some to keep or to try, one to withdraw."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, abort, flash, redirect, request
from flask import url_for as url
from werkzeug.wrappers import Response

from engine.errors import MoveRefused
from pbem.i18n import words
from pbem.models import GameState
from pbem.play import orders_ahead, refusals, submit
from pbem.play.refusals import TableRefused
from pbem.tables.lobby import stored_id
from pbem.web import context, request_log
from pbem.web.access import visible
from pbem.web.enqueue import enqueue
from pbem.web.filters import _
from pbem.web.responses import to_sign_in
from pbem.web.table import desk, forms, page
from pbem.web.table.orders_ahead import LONGEST, Draft, said

blueprint = Blueprint("ahead", __name__)


@blueprint.post("/games/<int:game_id>/ahead")
def add(game_id: int) -> Any:
    """Keep what the field holds, or only try it; nothing is asked of the seat for that."""
    desk, own = page.own_desk(game_id)
    seen = forms.whole_number(request.form.get("seen"), least=1, most=desk.row.last_entry)
    token, typed = request.form.get("token", ""), request.form.get("lines", "")[:LONGEST]
    if seen is None or not 1 <= len(token) <= forms.LONGEST_TOKEN:
        abort(400)
    letter = orders_ahead.as_letter(typed, desk.row.game, context.language())
    try:
        if "try" in request.form:
            shown = submit.preview(context.reading(), own, letter, seen=seen)
            desk.extra["ahead"] = Draft(
                typed, [(each.line, said(desk, each)) for each in shown.later])
            return page.answer(page.render(desk))
        request_log.orders(submit.record(
            context.writing(), own, letter, seen=seen, source="page", key=token,
            now=context.service().clock.now(), enqueue=enqueue, reading=context.reading()))
    except MoveRefused as refused:
        return refuse(desk, typed, refused)
    return redirect(url("lobby.game", game_id=game_id, _anchor="ahead"), 303)


def refuse(desk: desk.Desk, typed: str, refused: MoveRefused) -> Any:
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
    return page.answer(page.render(desk), 422)


@blueprint.post("/games/<int:game_id>/ahead/<int:number>/withdraw")
def withdraw(game_id: int, number: int) -> Response:
    """Take one back."""
    person = context.person()
    visible(game_id)
    if person is None:
        return to_sign_in()
    writing = context.writing()
    try:
        lines = orders_ahead.withdraw(writing, game_id, stored_id(person), number,
                                  context.service().clock.now())
        writing.commit()
    except TableRefused as refused:
        writing.rollback()
        flash(refused.said(context.language()), "refused")
    else:
        flash(_("Withdrawn: %(line)s", line=lines[0]) if lines
              else _("That order ahead stands no more."))
    return redirect(url("lobby.game", game_id=game_id, _anchor="ahead"), 303)
