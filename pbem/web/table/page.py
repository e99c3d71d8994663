"""The game page: the table at any entry, what is asked of whom, and the form that answers it."""

from __future__ import annotations

from typing import Any

from flask import (
    Blueprint,
    abort,
    flash,
    make_response,
    redirect,
    render_template,
    request,
    session,
    url_for,
)
from werkzeug.wrappers import Response

from engine.ahead_lines import LATER
from engine.errors import MoveRefused
from engine.forms import Form, Incomplete
from pbem.archive import feeds
from pbem.archive.news import since_last_moved
from pbem.i18n import words
from pbem.models import Game, GameState, SeatRow
from pbem.play import narration, positions, refusals, submit
from pbem.tables import players, tutorial
from pbem.web import context, request_log
from pbem.web.access import own_seat, visible
from pbem.web.enqueue import enqueue
from pbem.web.lobby import rematch
from pbem.web.table import (
    forms,
    history,
    last_seen,
    orders_ahead,
    people,
    pointing,
    template_values,
)
from pbem.web.table.desk import Desk, Outlook, Refused, desk_of
from pbem.web.table.forms import Sent

blueprint = Blueprint("table", __name__)

VISITORS_KEEP = 60  # seconds in which somebody who only looks need not ask again


# ---- looking -----------------------------------------------------------------------------------


def show(row: Game, number: int | None = None) -> Any:
    """The table at an entry, the newest one if none is named."""
    if number is None and "entry" in request.args:
        asked = forms.whole_number(request.args["entry"], least=1, most=row.last_entry)
        return redirect(url_for("table.at_entry", game_id=row.id, number=asked or row.last_entry))
    desk = desk_of(row, number)
    page = answer(render(desk))
    if may_be_shared(row):
        page.headers["Cache-Control"] = f"public, max-age={VISITORS_KEEP}"
    return last_seen.note(page, row, desk.sitting.own)


def may_be_shared(row: Game) -> bool:
    """Whether the page is the same for all: a visitor's page of a finished public game."""
    return (row.state == GameState.FINISHED and not row.private
            and not request.cookies and not session.modified)


@blueprint.get("/games/<int:game_id>/<int:number>")
def at_entry(game_id: int, number: int) -> Any:
    """The table as it stood behind an entry, for this reader's eyes."""
    row = visible(game_id)
    if not 1 <= number <= row.last_entry:
        abort(404)
    return show(row, number)


def render(desk: Desk) -> str:
    """The page's HTML."""
    session, row, own = context.reading(), desk.row, desk.sitting.own
    is_running = row.state == GameState.RUNNING
    may_order = (own is not None and not own.resigned and is_running and desk.is_present
                 and positions.is_playable(session, row))
    waiting = players.waiting_orders(session, own) if own is not None and may_order else []
    refused = desk.refused
    if own is not None and may_order and refused is None and desk.outlook is None and not waiting:
        refused = earlier_refusal(desk)
    form = desk.table.rules.form(desk.view, seat_of(desk)) if may_order and not waiting else None
    return render_template(
        "table/show.html",
        **context_of(desk, form, refused), part=False,
        is_running=is_running, own=own, pending=waiting, has_feed=feeds.may_follow(row),
        asked=[desk.reader.names[seat] for seat in desk.view.asked],
        is_asked=desk.reader.seat in desk.view.asked and (is_running or not desk.is_present),
        prompt=prompt_of(desk), question_rule=getattr(desk.view.question, "rule", ""),
        **history.context(desk),
        **people.context(desk, may_order=may_order and not waiting),
        **orders_ahead.context(desk, may_order=may_order),
        **rematch.context(session, row, own),
        lesson=lesson_of(desk) if may_order and not waiting else None,
    )


def lesson_of(desk: Desk) -> dict[str, Any] | None:
    """What a tutorial says: the teacher's moves with their reasons, and what is asked."""
    row, own, reader = desk.row, desk.sitting.own, desk.reader
    if not row.tutorial or own is None:
        return None
    said: dict[str, Any] = {"names": reader.names, "language": reader.language}
    return {
        "moves": tutorial.explained(context.reading(), row, own, **said),
        "asked": tutorial.asked(desk.table.rules, desk.view, seat_of(desk), **said),
    }


def context_of(desk: Desk, form: Form | None, refused: Refused | None) -> dict[str, Any]:
    """What table and form are drawn from."""
    rules, outlook = desk.table.rules, desk.outlook
    return {
        **template_values.context(rules, desk.view, desk.reader),
        **pointing.context(form),
        **rules.page(desk.view, None if outlook is None else outlook.view),
        "game": desk.row, "desk": desk, "number": desk.number, "form": form,
        "refused": refused, "outlook": outlook, "missing": missing_of(desk),
        "chosen": chosen(desk.sent), "order": shown_order(desk, refused),
        "token": forms.new_token(),
    }


def render_part(desk: Desk) -> str:
    """What a changed step changes on the page: the steps, the outcome, the table as it would be."""
    said = None if desk.sent is None else desk.sent.fields
    form = desk.table.rules.form(desk.view, seat_of(desk), said)
    return render_template("table/part.html", named=history.Names(desk.reader), part=True,
                           **context_of(desk, form, desk.refused))


def missing_of(desk: Desk) -> str:
    """What the steps leave open; "" if nothing was chosen at all."""
    problem = None if desk.sent is None else desk.sent.problem
    return "" if problem is None or problem.key == "nothing" else desk.reader.missing(problem)


def answer(html: str, status: int = 200) -> Response:
    """A page for one reader: the browser asks again each time."""
    response = make_response(html, status)
    response.headers["Cache-Control"] = "private, no-cache"
    response.headers["Vary"] = "Cookie, Accept-Language"
    return response


def prompt_of(desk: Desk) -> str:
    """What is asked, of the reader or of whom."""
    if desk.view.question is None:
        return ""
    return words.prompt(desk.table.rules, desk.view.question, viewer=desk.reader.seat,
                        names=desk.reader.names, language=desk.reader.language)


def chosen(sent: Sent | None) -> dict[str, set[str]]:
    """The values that came with the form, by field."""
    return {} if sent is None else {name: set(sent.fields.getlist(name)) for name in sent.fields}


def shown_order(desk: Desk, refused: Refused | None) -> dict[str, str]:
    """The order line, and the line that the steps have built (a typed one wins over them)."""
    if desk.sent is not None:
        line = desk.sent.orders if desk.outlook is None else desk.outlook.orders
        return {"line": line, "built": "" if desk.sent.typed else line}
    return {"line": refused.line if refused is not None else "", "built": ""}


def earlier_refusal(desk: Desk) -> Refused | None:
    """Orders that the worker could not play, with what came back of them."""
    own = desk.sitting.own
    back = None if own is None else players.returned_orders(context.reading(), own)
    if back is None or back.refusal is None:
        return None
    stored = refusals.read(back.refusal)
    text = words.refusal(desk.row.game, stored.key, stored.rule, stored.numbers,
                         desk.reader.language, names=desk.reader.names)
    return Refused(text, stored.rule, tuple(stored.choices), back.draft or back.orders, later=True)


# ---- sending -----------------------------------------------------------------------------------


@blueprint.post("/games/<int:game_id>/orders")
def send_orders(game_id: int) -> Any:
    """Record the orders; a refusal takes the form's place, with the input kept."""
    desk, own = own_desk(game_id)
    sent = desk.sent = read_form(desk)
    if sent.problem is not None:
        return refuse(desk, Refused(desk.reader.missing(sent.problem)))
    now = context.service().clock.now()
    try:
        request_log.orders(submit.record(
            context.writing(), own, sent.orders, seen=sent.seen, source="page", key=sent.token,
            now=now, enqueue=enqueue, reading=context.reading(), alone=True))
    except refusals.PositionMovedOn as moved_on:
        if not players.waiting_orders(context.writing(), own):
            return refuse(desk, told(desk, moved_on))
        flash(told(desk, moved_on).text, "refused")  # the page shows what waits
        return redirect(url_for("lobby.game", game_id=game_id), code=303)
    except MoveRefused as refused:
        return refuse(desk, told(desk, refused))
    return redirect(url_for("lobby.game", game_id=game_id), code=303)


@blueprint.post("/games/<int:game_id>/preview")
def preview_orders(game_id: int) -> Any:
    """Show what the orders would do; writes nothing."""
    desk, own = own_desk(game_id)
    sent = desk.sent = read_form(desk)
    if sent.problem is not None:
        if sent.is_part:
            return answer(render_part(desk))
        return refuse(desk, Refused(desk.reader.missing(sent.problem)))
    try:
        preview = submit.preview(context.reading(), own, sent.orders, seen=sent.seen)
    except MoveRefused as refused:
        return refuse(desk, told(desk, refused))
    desk.outlook = outlook_of(desk, preview)
    return answer(render_part(desk) if sent.is_part else render(desk))


def own_desk(game_id: int) -> tuple[Desk, SeatRow]:
    """The page of a player who sends something, and his seat; 403 for everybody else."""
    row, own = own_seat(game_id) or abort(403)
    desk = desk_of(row)
    desk.own = own  # the others are read where something is shown
    return desk, own


def read_form(desk: Desk) -> Sent:
    """The order line that counts: the typed one, else what the steps say at the entry seen."""
    fields: forms.Fields = request.form
    seen = forms.whole_number(fields.get("seen"), least=1, most=desk.row.last_entry)
    token = fields.get("token", "")
    if seen is None or not 1 <= len(token) <= forms.LONGEST_TOKEN:
        abort(400)
    is_part = "part" in fields
    typed = forms.typed_line(fields)
    if typed is not None:
        return Sent(fields, seen, token, typed, typed=True, is_part=is_part)
    rules, view, seat = desk.table.rules, view_at(desk, seen), seat_of(desk)
    if is_part:
        fields = pointing.Choices(rules.form(view, seat, fields)).of(fields)
    try:
        return Sent(fields, seen, token, rules.order_line(fields, view, seat), is_part=is_part)
    except Incomplete as problem:
        return Sent(fields, seen, token, problem=problem, is_part=is_part)


def seat_of(desk: Desk) -> int:
    """The reader's seat at the table."""
    assert desk.seat is not None  # noqa: S101
    return desk.seat


def view_at(desk: Desk, number: int) -> Any:
    """The table that the player had before him when he filled the form in."""
    if number == desk.number:
        return desk.view
    table = positions.table(context.reading(), desk.row, number)
    return table.rules.observation(table.state, desk.seat)


def told(desk: Desk, refused: MoveRefused) -> Refused:
    """A refusal in the reader's words; if the game moved on, with what has happened."""
    stored = refusals.as_stored(refused, desk.table.rules)
    text = words.refusal(desk.row.game, stored.key, stored.rule, stored.numbers,
                         desk.reader.language, names=desk.reader.names)
    news = None
    if isinstance(refused, refusals.PositionMovedOn) and desk.sitting.own is not None:
        table = positions.table(context.reading(), desk.row)
        news = since_last_moved(context.reading(), table, desk.sitting.own, desk.reader.language)
    return Refused(text, stored.rule, tuple(stored.choices), news=news)


def refuse(desk: Desk, refused: Refused) -> Response:
    """The page with the refusal in it; a game that ended in the meantime has no form for it."""
    is_part = desk.sent is not None and desk.sent.is_part
    if desk.row.state != GameState.RUNNING:
        if is_part:
            abort(409)  # the script has the page loaded anew
        flash(refused.text, "refused")
        return redirect(url_for("lobby.game", game_id=desk.row.id), code=303)
    desk.refused = refused
    if is_part:
        return answer(render_part(desk))
    return answer(render(desk), 422)


def outlook_of(desk: Desk, preview: submit.OrderPreview) -> Outlook:
    """The preview in words, with what it changes for the player."""
    events = [event for turn in preview.turns for event in turn.events]
    after = desk.table.rules.observation(preview.state, desk.reader.seat)
    lines = narration.in_words(desk.table.rules, events, viewer=desk.reader.seat,
                             names=desk.reader.names, language=desk.reader.language)
    return Outlook(
        orders="; ".join((*preview.orders, *preview.untried, *later_part(preview))),
        lines=lines,
        changes=desk.table.rules.changes(
            desk.view.players[seat_of(desk)], after.players[seat_of(desk)]),
        lapses=preview.lapses,
        stopped=preview.stopped,
        later=[(each.line, orders_ahead.said(desk, each)) for each in preview.later],
        view=after,
    )


def later_part(preview: submit.OrderPreview) -> list[str]:
    """What an order line says for later, at its end."""
    lines = "; ".join(each.line for each in preview.later)
    return [f"{LATER}: {lines}"] if lines else []
