"""Takes orders from game pages: records them, previews them, keeps orders ahead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Blueprint, abort, flash, redirect, request, session, url_for
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response

from engine import play
from engine.errors import MoveRefused
from engine.forms import Incomplete
from engine.orders_ahead_lines import LATER
from pbem.archive.news import since_last_moved
from pbem.i18n import words
from pbem.models import GameState, SeatRow
from pbem.play import narration, orders_ahead, positions, refusals, submit
from pbem.play.refusals import TableRefused
from pbem.tables import players, tutorial
from pbem.tables.lobby import stored_id
from pbem.web import context, request_log
from pbem.web.access import own_seat, visible
from pbem.web.enqueue import enqueue
from pbem.web.filters import _
from pbem.web.responses import to_sign_in
from pbem.web.table import forms, page, pointing
from pbem.web.table.desk import Desk, OrdersPreview, RefusedOrders
from pbem.web.table.forms import SentForm
from pbem.web.table.orders_ahead import LONGEST, OrdersAheadDraft, said

blueprint = Blueprint("orders", __name__)
WARNED = "warned"  # the game and entry at which this browser's learner was warned


@blueprint.post("/games/<int:game_id>/orders")
def send_orders(game_id: int) -> ResponseReturnValue:
    """Record the orders; a refusal is shown with the input kept."""
    desk, own = own_desk(game_id)
    sent = desk.sent = read_form(desk)
    if sent.problem is not None:
        return refuse(desk, RefusedOrders(desk.reader.missing(sent.problem)))
    if desk.row.tutorial and (warning := waste(desk, sent)):
        return refuse(desk, RefusedOrders(warning, line=sent.line))
    now = context.service().clock.now()
    try:
        request_log.orders(submit.record(
            context.writing(), own, sent.orders, seen=sent.seen, source="page", key=sent.token,
            now=now, enqueue=enqueue, reading=context.reading(), alone=True))
    except refusals.PositionMovedOn as moved_on:
        if not players.waiting_orders(context.writing(), own):
            return refuse(desk, refused_orders(desk, moved_on))
        flash(refused_orders(desk, moved_on).text, "refused")  # the page shows the orders that wait
        return redirect(url_for("lobby.game", game_id=game_id), code=303)
    except MoveRefused as refused:
        return refuse(desk, refused_orders(desk, refused))
    return redirect(url_for("lobby.game", game_id=game_id), code=303)


def waste(desk: Desk, sent: SentForm) -> str:
    """Return a warning before a learner gives a decision away; "" if there is none, or was one."""
    told = f"{desk.row.id}/{desk.number}"
    if session.get(WARNED) == told or not tutorial.wasted(desk.table, desk.own_number, sent.line):
        return ""
    session[WARNED] = told
    house = tutorial.house_move(
        desk.table, desk.own_number, desk.reader.names, desk.reader.language)
    labels = "" if house is None else "; ".join(house.labels)
    return _("This gives the decision away for little. The house would play: %(moves)s. "
             "Send it once more if you mean it.", moves=labels)


@blueprint.post("/games/<int:game_id>/preview")
def preview_orders(game_id: int) -> ResponseReturnValue:
    """Show what the orders would do; writes nothing."""
    desk, own = own_desk(game_id)
    sent = desk.sent = read_form(desk)
    if sent.problem is not None:
        if sent.is_part:
            return page.answer(page.render_part(desk))
        return refuse(desk, RefusedOrders(desk.reader.missing(sent.problem)))
    try:
        preview = submit.preview(context.reading(), own, sent.orders, seen=sent.seen)
    except MoveRefused as refused:
        return refuse(desk, refused_orders(desk, refused))
    desk.outlook = outlook_of(desk, preview)
    return page.answer(page.render_part(desk) if sent.is_part else page.render(desk))


def own_desk(game_id: int) -> tuple[Desk, SeatRow]:
    """Return the page and the seat of the player who sends something; raises 403 for others."""
    row, own = own_seat(game_id) or abort(403)
    desk = Desk(row, row.last_entry)
    desk.own = own  # the other seats are loaded only where they are shown
    return desk, own


def read_form(desk: Desk) -> SentForm:
    """Read the sent form; raises 400 without an entry or a token.

    The typed order line counts, else the moves that the steps build at the entry the player saw.
    """
    fields: forms.Fields = request.form
    seen = forms.whole_number(fields.get("seen"), least=1, most=desk.row.last_entry)
    token = fields.get("token", "")
    if seen is None or not 1 <= len(token) <= forms.LONGEST_TOKEN:
        abort(400)
    is_part = "part" in fields
    typed = forms.typed_line(fields)
    if typed is not None:
        return SentForm(fields, seen, token, typed, is_part=is_part)
    rules, state, seat = desk.table.rules, state_at(desk, seen), desk.own_number
    if is_part:
        fields = pointing.Choices(rules.form(state, seat, fields)).of(fields)
    try:
        orders = play.form_orders(rules, fields, state, seat)
        return SentForm(fields, seen, token, orders, is_part=is_part)
    except Incomplete as problem:
        return SentForm(fields, seen, token, problem=problem, is_part=is_part)


def state_at(desk: Desk, number: int) -> Any:
    """Return the position that the player saw while filling in the form."""
    if number == desk.number:
        return desk.table.state
    return positions.table(context.reading(), desk.row, number).state


def refused_orders(desk: Desk, refused: MoveRefused) -> RefusedOrders:
    """Word a refusal for the reader; if the position moved on, add what happened since."""
    stored = refusals.as_stored(refused, desk.table.rules)
    text = words.refusal(desk.row.game, stored.key, stored.rule, stored.numbers,
                         desk.reader.language, names=desk.reader.names)
    news = None
    if isinstance(refused, refusals.PositionMovedOn) and desk.sitting.own is not None:
        table = positions.table(context.reading(), desk.row)
        news = since_last_moved(context.reading(), table, desk.sitting.own, desk.reader.language)
    return RefusedOrders(text, stored.rule, tuple(stored.choices), news=news)


def refuse(desk: Desk, refused: RefusedOrders) -> Response:
    """Return the page with the refusal; once the game has ended, redirect to it, or raise 409."""
    is_part = desk.sent is not None and desk.sent.is_part
    if desk.row.state != GameState.RUNNING:
        if is_part:
            abort(409)  # the script then reloads the page
        flash(refused.text, "refused")
        return redirect(url_for("lobby.game", game_id=desk.row.id), code=303)
    desk.refused = refused
    if is_part:
        return page.answer(page.render_part(desk))
    return page.answer(page.render(desk), 422)


def outlook_of(desk: Desk, preview: submit.OrderPreview) -> OrdersPreview:
    """Word a preview and list what changes for the player."""
    events = [event for turn in preview.turns for event in turn.events]
    after = desk.table.rules.observation(preview.state, desk.reader.seat)
    lines = narration.in_words(desk.table.rules, events, viewer=desk.reader.seat,
                             names=desk.reader.names, language=desk.reader.language)
    return OrdersPreview(
        orders="; ".join((*preview.orders, *preview.untried, *later_part(preview))),
        deeds=[words.move_label(desk.table.rules, each, desk.reader.language)
               for each in preview.moves],
        lines=lines,
        changes=desk.table.rules.changes(
            desk.view.players[desk.own_number], after.players[desk.own_number]),
        consequences=desk.table.rules.consequences(desk.view, events, desk.own_number),
        lapses=preview.lapses,
        stopped=preview.stopped,
        later=[(each.line, said(desk, each)) for each in preview.later],
        view=after,
    )


def later_part(preview: submit.OrderPreview) -> list[str]:
    """Return the part of an order line that holds orders ahead; [] if there are none."""
    lines = "; ".join(each.line for each in preview.later)
    return [f"{LATER}: {lines}"] if lines else []


# ---- orders ahead -------------------------------------------------------------------------------


@blueprint.post("/games/<int:game_id>/ahead")
def add_ahead(game_id: int) -> ResponseReturnValue:
    """Keep orders ahead or only try them, on anybody's turn; raises 400 without entry or token."""
    desk, own = own_desk(game_id)
    seen = forms.whole_number(request.form.get("seen"), least=1, most=desk.row.last_entry)
    token, typed = request.form.get("token", ""), typed_lines(request.form.getlist("lines"))
    if seen is None or not 1 <= len(token) <= forms.LONGEST_TOKEN:
        abort(400)
    letter = orders_ahead.as_letter(typed, desk.row.game, context.language())
    try:
        if "try" in request.form:
            shown = submit.preview(context.reading(), own, letter, seen=seen)
            desk.extra["ahead"] = OrdersAheadDraft(
                typed, [(each.line, said(desk, each)) for each in shown.later])
            return page.answer(page.render(desk))
        request_log.orders(submit.record(
            context.writing(), own, letter, seen=seen, source="page", key=token,
            now=context.service().clock.now(), enqueue=enqueue, reading=context.reading()))
    except MoveRefused as refused:
        return refuse_ahead(desk, typed, refused)
    return redirect(url_for("lobby.game", game_id=game_id, _anchor="ahead"), 303)


def typed_lines(fields: Sequence[str]) -> str:
    """Return the lines of all fields, one below the other; empty fields say nothing."""
    return "\n".join(field for field in fields if field)[:LONGEST]


def refuse_ahead(desk: Desk, typed: str, refused: MoveRefused) -> ResponseReturnValue:
    """Return the page with the refusal in its section and the typed lines kept."""
    why = refusals.as_stored(refused, desk.table.rules)
    text = words.refusal(desk.row.game, why.key, why.rule, why.numbers, desk.reader.language,
                         names=desk.reader.names)
    if desk.row.state != GameState.RUNNING:
        flash(text, "refused")
        return redirect(url_for("lobby.game", game_id=desk.row.id), 303)
    rule = "" if why.rule == "orders" else why.rule
    desk.extra["ahead"] = OrdersAheadDraft(typed, why=text, rule=rule, line=why.line or "",
                                choices=tuple(why.choices))
    return page.answer(page.render(desk), 422)


@blueprint.post("/games/<int:game_id>/ahead/<int:number>/withdraw")
def withdraw_ahead(game_id: int, number: int) -> Response:
    """Withdraw an order ahead."""
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
    return redirect(url_for("lobby.game", game_id=game_id, _anchor="ahead"), 303)
