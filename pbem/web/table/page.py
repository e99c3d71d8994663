"""Serves the game page: the table at any entry, the question, and the form that answers it."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any

from flask import (
    Blueprint,
    abort,
    make_response,
    redirect,
    render_template,
    request,
    session,
    url_for,
)
from flask.typing import ResponseReturnValue
from sqlalchemy import or_, update
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import col
from werkzeug.wrappers import Response

from engine.forms import Form
from pbem.archive import decided, feeds
from pbem.i18n import words
from pbem.models import Game, GameState, SeatRow
from pbem.play import positions, refusals
from pbem.service import Service
from pbem.tables import players, tutorial
from pbem.web import context, filters
from pbem.web.access import visible
from pbem.web.table import (
    forms,
    history,
    link_preview,
    newest,
    orders_ahead,
    people,
    pointing,
    template_values,
)
from pbem.web.table.desk import Desk, RefusedOrders, desk_of
from pbem.web.table.forms import SentForm

log = logging.getLogger("carreira.web")

blueprint = Blueprint("table", __name__)

EVERY = timedelta(minutes=1)  # looks are written at most this often
SHORT = 30  # characters on the button that sends
VISITORS_KEEP = 60  # how long a visitor's copy counts as fresh, in seconds


# ---- looking -----------------------------------------------------------------------------------


def show(row: Game, number: int | None = None) -> ResponseReturnValue:
    """Show the table at an entry, the newest one if `number` is None."""
    if number is None and "entry" in request.args:
        asked = forms.whole_number(request.args["entry"], least=1, most=row.last_entry)
        return redirect(url_for("table.at_entry", game_id=row.id, number=asked or row.last_entry))
    desk = desk_of(row, number)
    page = answer(render(desk))
    if may_be_shared(row):
        page.headers["Cache-Control"] = f"public, max-age={VISITORS_KEEP}"
    return note_look(page, row, desk.sitting.own)


def may_be_shared(row: Game) -> bool:
    """Tell whether the page is the same for all visitors: a finished public game, signed out."""
    return (row.state == GameState.FINISHED and not row.private
            and not request.cookies and not session.modified)


@blueprint.get("/games/<int:game_id>/<int:number>")
def at_entry(game_id: int, number: int) -> ResponseReturnValue:
    """Show the table after an entry, as this reader may see it; raises 404 for no such entry."""
    row = visible(game_id)
    if not 1 <= number <= row.last_entry:
        abort(404)
    return show(row, number)


def render(desk: Desk) -> str:
    """Return the page's HTML."""
    session, row, own = context.reading(), desk.row, desk.sitting.own
    is_running = row.state == GameState.RUNNING
    may_order = (own is not None and not own.resigned and is_running and desk.is_present
                 and positions.is_playable(session, row))
    waiting = players.waiting_orders(session, own) if own is not None and may_order else []
    refused = desk.refused
    if own is not None and may_order and refused is None and desk.outlook is None and not waiting:
        refused = earlier_refusal(desk)
    table = desk.table
    form = table.rules.form(table.state, desk.own_number) if may_order and not waiting else None
    return render_template(
        "table/show.html",
        **context_of(desk, form, refused),
        is_running=is_running, own=own, pending=waiting, has_feed=feeds.may_follow(row),
        link=link_preview.of(desk),
        waiting=filters.games_waiting(),
        version=newest.version_of(row, None if own is None or own.resigned else own),
        asked=[desk.reader.names[seat] for seat in desk.view.asked],
        is_asked=desk.reader.seat in desk.view.asked and (is_running or not desk.is_present),
        prompt=prompt_of(desk), question_rule=getattr(desk.view.question, "rule", ""),
        **history.values(desk),
        **people.values(desk, may_order=may_order and not waiting),
        **orders_ahead.values(desk, may_order=may_order),
        decided=decided_of(desk),
        lesson=lesson_of(desk) if may_order and not waiting else None,
    )


def decided_of(desk: Desk) -> list[str]:
    """Return what decided a learner's finished game, in three sentences; else none."""
    row = desk.row
    if not row.tutorial or row.state != GameState.FINISHED or not desk.is_present:
        return []
    return decided.sentences(context.reading(), row, desk.view.places, desk.reader.names,
                             desk.reader.language)


def lesson_of(desk: Desk) -> dict[str, Any] | None:
    """Return a tutorial's texts: the teacher's moves with reasons, and the question; else None."""
    row, own, reader = desk.row, desk.sitting.own, desk.reader
    if not row.tutorial or own is None:
        return None
    said: dict[str, Any] = {"names": reader.names, "language": reader.language}
    return {
        "step": tutorial.prepared(
            context.reading(), row, own, desk.view.question, reader.language),
        "house": tutorial.house_move(desk.table, desk.own_number, **said),
        "moves": tutorial.explained(context.reading(), row, own, **said),
        "asked": tutorial.asked(desk.table.rules, desk.view, desk.own_number, **said),
    }


def context_of(desk: Desk, form: Form | None, refused: RefusedOrders | None) -> dict[str, Any]:
    """Return the template values of the table and the form."""
    rules, outlook = desk.table.rules, desk.outlook
    return {
        **template_values.values(rules, desk.view, desk.reader),
        **pointing.values(form),
        **rules.page(desk.view, None if outlook is None else outlook.view),
        "game": desk.row, "desk": desk, "number": desk.number, "form": form,
        "refused": refused, "outlook": outlook, "missing": missing_of(desk),
        "chosen": chosen(desk.sent), "order": shown_order(desk, refused),
        "token": forms.new_token(),
        "rules": rules_of(desk, form, refused), "act": act_of(desk), "shown_seats": others(desk),
    }


def others(desk: Desk) -> list[int]:
    """Return the other seats, clockwise from the reader's; all of them for spectators."""
    seats, seat = range(len(desk.view.players)), desk.reader.seat
    return list(seats) if seat is None else [*seats[seat + 1:], *seats[:seat]]


def act_of(desk: Desk) -> str:
    """Return what Send says: the order in words where it is one and short, else ""."""
    if desk.outlook is None or desk.sent is None or ";" in desk.sent.line:
        return ""
    deed = next(iter(desk.outlook.deeds), "")  # what follows by itself comes behind it
    return deed if len(deed) <= SHORT else ""


def rules_of(desk: Desk, form: Form | None, refused: RefusedOrders | None) -> list[str]:
    """Return the ids of the rules that the question, its choices and their result name."""
    named = [getattr(desk.view.question, "rule", "")]
    if refused is not None:
        named.append(refused.rule)
    for step in () if form is None else (*form.steps, *form.free):
        named += [step.rule, *(option.rule for option in step.options)]
    if form is not None:
        named.append(form.free_rule)
    if desk.outlook is not None:
        named += [line.rule for line in desk.outlook.lines]
        named += [lapse.rule for lapse in desk.outlook.lapses]
    return [rule for rule in dict.fromkeys(named) if rule and rule != "orders"]


def render_part(desk: Desk) -> str:
    """Return the parts that change with a step: the steps, the outcome, the table."""
    said = None if desk.sent is None else desk.sent.fields
    form = desk.table.rules.form(desk.table.state, desk.own_number, said)
    return render_template("table/part.html", named=history.Names(desk.reader),
                           **context_of(desk, form, desk.refused))


def missing_of(desk: Desk) -> str:
    """Return which steps are incomplete; "" if nothing was chosen at all."""
    problem = None if desk.sent is None else desk.sent.problem
    return "" if problem is None or problem.key == "nothing" else desk.reader.missing(problem)


def answer(html: str, status: int = 200) -> Response:
    """Return a page for one reader that the browser revalidates each time."""
    response = make_response(html, status)
    response.headers["Cache-Control"] = "private, no-cache"
    response.headers["Vary"] = "Cookie, Accept-Language"
    return response


def prompt_of(desk: Desk) -> str:
    """Word the question that the game asks, and whom it asks; "" if there is none."""
    if desk.view.question is None:
        return ""
    return words.prompt(desk.table.rules, desk.view.question, viewer=desk.reader.seat,
                        names=desk.reader.names, language=desk.reader.language)


def chosen(sent: SentForm | None) -> dict[str, set[str]]:
    """Return the values that came with the form, by field."""
    return {} if sent is None else {name: set(sent.fields.getlist(name)) for name in sent.fields}


def shown_order(desk: Desk, refused: RefusedOrders | None) -> dict[str, str]:
    """Return the order line and the line that the steps built; a typed line wins over them."""
    if desk.sent is not None:
        line = desk.sent.line if desk.outlook is None else desk.outlook.orders
        return {"line": line, "built": desk.sent.built and line}
    return {"line": refused.line if refused is not None else "", "built": ""}


def earlier_refusal(desk: Desk) -> RefusedOrders | None:
    """Return the last orders that the worker could not play, as a refusal to edit; else None."""
    own = desk.sitting.own
    back = None if own is None else players.returned_orders(context.reading(), own)
    if back is None or back.refusal is None:
        return None
    stored = refusals.read(back.refusal)
    text = words.refusal(desk.row.game, stored.key, stored.rule, stored.numbers,
                         desk.reader.language, names=desk.reader.names)
    return RefusedOrders(text, stored.rule, tuple(stored.choices),
                         "; ".join((back.draft or back.orders).splitlines()), later=True)


# ---- last look ----------------------------------------------------------------------------------


def note_look(page: Response, game: Game, own: SeatRow | None) -> Response:
    """Note that the player has seen the table, once the page is sent; returns the page."""
    if own is None or request.method != "GET" or game.state != GameState.RUNNING:
        return page
    service = context.service()
    now = service.clock.now()
    if own.looked_at is None or own.looked_at < now - EVERY:
        page.call_on_close(lambda: write_look(service, own.id, now))
    return page


def write_look(service: Service, seat_id: int | None, now: datetime) -> None:
    """Write the look. A failure only means that a letter may repeat what the player has seen."""
    is_old = or_(col(SeatRow.looked_at).is_(None), col(SeatRow.looked_at) < now - EVERY)
    looked = update(SeatRow).where(col(SeatRow.id) == seat_id, is_old).values(looked_at=now)
    try:
        with service.writing() as session:
            session.exec(looked)
            session.commit()
    except SQLAlchemyError as problem:
        log.warning("a look at the table is not noted: %s", problem)
