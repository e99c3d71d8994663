"""Serves what needs everyone's consent: taking entries back and moving to newer rules."""

from __future__ import annotations

from collections.abc import Callable

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from pbem.models import GameState
from pbem.play import narration, positions, undo
from pbem.play.refusals import TableRefused
from pbem.tables import consent, players, rulesets
from pbem.tables.lobby import stored_id
from pbem.web import context
from pbem.web.access import visible
from pbem.web.enqueue import enqueue_letters
from pbem.web.filters import _
from pbem.web.responses import private, to_sign_in
from pbem.web.table import forms

blueprint = Blueprint("consent", __name__)


@blueprint.get("/games/<int:game_id>/back")
def choose(game_id: int) -> Response:
    """Show the entries that the player can propose to take back."""
    row, session = visible(game_id), context.reading()
    sitting = players.seating(session, row, context.person())
    own = sitting.own
    if row.state != GameState.RUNNING or own is None or own.resigned is not None:
        return redirect(url_for("lobby.game", game_id=game_id), 303)
    names = narration.names(session, row)
    table = positions.table(session, row)
    choices = [
        (entry, narration.told(table.rules, entry, entry.events, viewer=own.number, names=names,
                             language=context.language()))
        for entry in consent.offered(session, row, undo.can_undo(session, row, own))
    ]  # fmt: skip
    return private(render_template(
        "table/back.html", game=row, choices=choices, names=names,
        alone=consent.asks_nobody(session, sitting.seats, own)))


@blueprint.post("/games/<int:game_id>/back")
def propose(game_id: int) -> Response:
    """Propose to take back an entry and everything after it; raises 400 for a bad number."""
    person, row = context.person(), visible(game_id)
    if person is None:
        return to_sign_in()
    first = forms.whole_number(request.form.get("entry"), least=1, most=row.last_entry)
    if first is None:
        abort(400)
    return done(game_id, lambda: consent.propose(
        context.writing(), game_id, stored_id(person), context.service().clock.now(), first=first,
        letter_delay=context.usual_delay()), _("The others are asked whether they agree."),
        at_once=_("It is taken back."))


@blueprint.post("/games/<int:game_id>/back/answer")
def answer(game_id: int) -> Response:
    """Agree to a proposal of another player, or refuse it; raises 400 for another answer."""
    person = context.person()
    visible(game_id)
    if person is None:
        return to_sign_in()
    number = forms.whole_number(request.form.get("proposal"), least=1, most=10**9)
    said = request.form.get("answer")
    if number is None or said not in ("yes", "no"):
        abort(400)
    return done(game_id, lambda: consent.answer(
        context.writing(), game_id, stored_id(person), context.service().clock.now(),
        proposal=number, agrees=said == "yes", letter_delay=context.usual_delay()),
        _("You agree.") if said == "yes" else _("The proposal has ended."))  # fmt: skip


@blueprint.post("/games/<int:game_id>/newer-rules")
def go_on_by_newer_rules(game_id: int) -> Response:
    """Agree to move to newer rules, or withdraw that; raises 400 for another answer."""
    person = context.person()
    visible(game_id)
    if person is None:
        return to_sign_in()
    said = request.form.get("answer")
    if said not in ("yes", "no"):
        abort(400)
    try:
        became = rulesets.answer(
            context.writing(), game_id, stored_id(person), context.service().clock.now(),
            to=request.form.get("to", ""), agrees=said == "yes",
            letter_delay=context.usual_delay())
    except TableRefused as refused:
        flash(refused.said(context.language()), "refused")
    else:
        enqueue_letters()
        flash(_("All have agreed: the game goes on by the newer rules.") if became.has_moved
              else _("You agree.") if said == "yes" else _("You do not agree."))
    return redirect(url_for("lobby.game", game_id=game_id), 303)


def done(
    game_id: int, do: Callable[[], consent.ConsentResult], told: str, *, at_once: str = ""
) -> Response:
    """Run `do` and return to the table with a message.

    `told` is flashed while others are asked, `at_once` if there is nobody to ask.
    """
    here = redirect(url_for("lobby.game", game_id=game_id), 303)
    try:
        became = do()
    except TableRefused as refused:
        flash(refused.said(context.language()), "refused")
        return here
    enqueue_letters()
    flash(told if became.back is None else at_once or _("All have agreed: it is taken back."))
    if became.used_ahead:
        flash(used_ahead_said(became.used_ahead))
    return here


def used_ahead_said(lines: tuple[str, ...]) -> str:
    """Word that standing orders used in the undone entries are not given again."""
    return _("Used in it, and not given again: %(lines)s", lines="; ".join(lines))
