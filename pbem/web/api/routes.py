"""Serves the JSON API for programs with a personal token; cookies count for nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from functools import wraps
from itertools import islice
from typing import Any, cast

import msgspec
from flask import (
    Blueprint,
    Response,
    abort,
    current_app,
    g,
    jsonify,
    make_response,
    request,
)
from flask.blueprints import BlueprintSetupState
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.datastructures import WWWAuthenticate
from werkzeug.exceptions import Unauthorized

from engine.errors import MoveRefused
from pbem.accounts import api_tokens
from pbem.archive.news import since_last_moved
from pbem.i18n import words
from pbem.models import Game, GameState, Person, SeatRow, stored_id
from pbem.models import Submission as SubmissionRow
from pbem.play import narration, positions, refusals, submit
from pbem.play.orders_ahead import as_letter, withdraw
from pbem.play.refusals import KeyReused, PositionMovedOn, TableRefused
from pbem.record import export
from pbem.service import Service
from pbem.tables import lists
from pbem.web import context, limits, request_log
from pbem.web.access import own_seat, visible
from pbem.web.api import openapi, problems, types, views
from pbem.web.enqueue import enqueue
from pbem.web.table import forms

log = logging.getLogger("carreira.web")

blueprint = Blueprint("api", __name__, url_prefix="/api/v1")

OPEN = frozenset({"api.description"})
LONGEST_KEY = 80
USUAL_ORDERS, MOST_ORDERS = 200, 1000
MOST_ENTRIES = 100

Route = Callable[..., Any]


@blueprint.record_once
def no_forms(state: BlueprintSetupState) -> None:
    """Exempt the API from form tokens: other sites cannot make a browser send the token header."""
    state.app.extensions["csrf"].exempt(blueprint)


# ---- authentication -----------------------------------------------------------------------------


@blueprint.before_request
def know_the_token() -> None:
    """Authenticate by bearer token (RFC 6750); raises 401 without a valid one."""
    context.asks(None)
    if request.endpoint in OPEN:
        return
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    now = context.service().clock.now()
    is_bearer = kind.lower() == "bearer" and token.isascii()
    found = api_tokens.holder(context.reading(), token.strip(), now) if is_bearer else None
    if found is None:
        limits.count(limits.WRONG_TOKENS)
        raise Unauthorized("Send a token of yours as Authorization: Bearer ...",
                           www_authenticate=WWWAuthenticate("bearer", {"realm": "carreira"}))
    g.token, holder = found
    context.asks(holder)
    limits.count(limits.API)


@blueprint.after_request
def note_use(answer: Response) -> Response:
    """Note that the token was used, at most once an hour, when the answer is sent."""
    token, service = g.get("token"), context.service()
    now = service.clock.now()
    if token is not None and api_tokens.needs_note(token, now):
        answer.call_on_close(lambda: write_use(service, token.id, now))
    return answer


def write_use(service: Service, token_id: int, now: datetime) -> None:
    """Write the use of a token. A failure is logged and does not matter otherwise."""
    try:
        with service.writing() as writing:
            api_tokens.note_use(writing, token_id, now)
            writing.commit()
    except SQLAlchemyError as problem:
        log.warning("the use of a token is not noted: %s", problem)


def needs(scope: str) -> Callable[[Route], Route]:
    """Guard a route: raises 403 unless the token has this scope."""

    def only_with(route: Route) -> Route:
        @wraps(route)
        def guarded(**arguments: Any) -> Any:
            if not api_tokens.may(g.token, scope):
                abort(403, f"This token was not made to {scope}.")
            return route(**arguments)

        return guarded

    return only_with


def me() -> Person:
    """Return the token's owner."""
    return cast("Person", context.person())


# ---- looking ------------------------------------------------------------------------------------


@blueprint.get("/openapi.json")
def description() -> Response:
    """Return the OpenAPI 3.1 description; needs no token."""
    answer = jsonify(openapi.description(current_app, context.service().settings.base_url))
    answer.headers["Cache-Control"] = "public, max-age=3600"
    return answer


@blueprint.get("/games")
@needs("read")
def games() -> Response:
    """Return the caller's games, those that wait for them first."""
    reading, number = context.reading(), stored_id(me())
    found = [*lists.mine(reading, number), *lists.lately_ended(reading, number)]
    site, now = context.service().settings.base_url, context.service().clock.now()
    return told(types.Games([
        views.listed(reading, one, me(), site, now) for one in found]))


@blueprint.get("/games/<int:game_id>")
@needs("read")
def table(game_id: int) -> Response:
    """Return the table as the caller may see it, now or after an earlier entry."""
    row = visible(game_id)
    number = asked_number("entry", row.last_entry, most=max(row.last_entry, 1))
    now = context.service().clock.now()
    return told(views.table(context.reading(), row, number, me(), now))


@blueprint.get("/games/<int:game_id>/orders")
@needs("read")
def legal_orders(game_id: int) -> Response:
    """Return order lines that are legal for the caller now."""
    row, own = at_own_table(game_id)
    most = asked_number("limit", USUAL_ORDERS, most=MOST_ORDERS)
    lines: list[str] = []
    if row.state == GameState.RUNNING and own.resigned is None and own.number is not None:
        now = positions.table(context.reading(), row)
        legal = now.rules.legal_actions(now.state, own.number)
        lines = [now.rules.to_text(move) for move in islice(legal, most + 1)]
    return told(types.LegalOrders(row.last_entry, lines[:most], len(lines) > most))


@blueprint.get("/games/<int:game_id>/history")
@needs("read")
def history(game_id: int) -> Response:
    """Return the entries from a given number on."""
    row = visible(game_id)
    first = asked_number("from", 1, most=10**9)
    last = min(first + asked_number("limit", 50, most=MOST_ENTRIES) - 1, row.last_entry)
    entries = views.history(context.reading(), row, first, last, me()) if first <= last else []
    return told(types.History(entries, last + 1 if last < row.last_entry else None))


@blueprint.get("/games/<int:game_id>/record")
@needs("read")
def record(game_id: int) -> Response:
    """Return the game record once the game has ended; 404 before."""
    row = visible(game_id)
    if row.state == GameState.RUNNING or row.last_entry == 0:
        abort(404, "A record is open once its game is over.")
    lines = context.streamed(lambda session: export.record_lines(session, row))
    answer = Response(lines, mimetype="application/jsonl")
    answer.headers["Cache-Control"] = "private, no-cache"
    return answer


# ---- sending ------------------------------------------------------------------------------------


@blueprint.post("/games/<int:game_id>/preview")
@needs("read")
def preview(game_id: int) -> Response:
    """Return what orders would do; writes nothing."""
    limits.count(limits.API_PREVIEWS)
    row, own = at_own_table(game_id)
    sent = read_body(row.last_entry)
    try:
        found = submit.preview(context.reading(), own, sent.orders, seen=sent.seen)
    except MoveRefused as refused:
        return refuse(row, own, refused)
    return told(views.preview(context.reading(), row, own, found, me()))


@blueprint.post("/games/<int:game_id>/orders")
@needs("play")
def send_orders(game_id: int) -> Response:
    """Record orders for a worker to play. The same Idempotency-Key again is the same request."""
    return recorded(game_id, lambda row, orders: orders)


@blueprint.get("/games/<int:game_id>/ahead")
@needs("read")
def orders_ahead(game_id: int) -> Response:
    """Return the caller's orders ahead, with what each would do now."""
    row, own = at_own_table(game_id)
    return told(views.ahead(context.reading(), row, own, me()))


@blueprint.post("/games/<int:game_id>/ahead")
@needs("play")
def order_ahead(game_id: int) -> Response:
    """Keep orders ahead; it need not be the caller's turn."""
    return recorded(game_id, lambda row, orders: as_letter(
        orders, row.game, me().language))


@blueprint.delete("/games/<int:game_id>/ahead/<int:number>")
@needs("play")
def withdraw_ahead(game_id: int, number: int) -> Response:
    """Withdraw an order ahead and return those that remain; raises 404 if there is none."""
    row, own = at_own_table(game_id)
    writing = context.writing()
    try:
        withdraw(writing, game_id, own.person_id, number, context.service().clock.now())
    except TableRefused as refused:
        writing.rollback()
        abort(404, refused.said(me().language))
    writing.commit()
    return told(views.ahead(writing, row, own, me()))


def recorded(game_id: int, letter: Callable[[Game, str], str]) -> Response:
    """Record the orders in the body under the request's Idempotency-Key.

    `letter` turns the body's lines into an order text. Raises 400 for a bad key or body.
    """
    limits.count(limits.API_ORDERS)
    row, own = at_own_table(game_id)
    key = request.headers.get("Idempotency-Key", "")
    if not 1 <= len(key) <= LONGEST_KEY or not key.isascii() or not key.isprintable():
        abort(400, f"Send an Idempotency-Key of 1 to {LONGEST_KEY} characters.")
    sent = read_body(row.last_entry)
    orders = letter(row, sent.orders)
    try:
        kept = submit.record(
            context.writing(), own, orders, seen=sent.seen, source="api", key=key,
            now=context.service().clock.now(), enqueue=enqueue, reading=context.reading())
        request_log.orders(kept)
        if kept.seen != sent.seen:
            raise KeyReused("key_reused", rule="orders")
    except MoveRefused as refused:
        return refuse(row, own, refused)
    answer = told(views.submission(row, kept, names_of(row), me()), 202)
    answer.headers["Location"] = f"/api/v1/games/{row.id}/orders/{kept.id}"
    return answer


@blueprint.get("/games/<int:game_id>/orders/<int:number>")
@needs("read")
def what_became(game_id: int, number: int) -> Response:
    """Return what became of the caller's orders; raises 404 for orders of others."""
    row, own = at_own_table(game_id)
    found = context.reading().get(SubmissionRow, number)
    if found is None or found.game_id != row.id or found.person_id != own.person_id:
        abort(404, "You have sent no such orders.")
    return told(views.submission(row, found, names_of(row), me()))


def at_own_table(game_id: int) -> tuple[Game, SeatRow]:
    """Return the game and the caller's seat in it; raises 403 for spectators."""
    return own_seat(game_id) or abort(403, "You do not sit at this table.")


def names_of(row: Game) -> list[str]:
    """Return the players' names in seat order."""
    return narration.names(context.reading(), row)


def read_body(last_entry: int) -> types.SentOrders:
    """Return the orders in the body; raises 400 or 415 with the reason."""
    if request.mimetype != "application/json":
        abort(415, "Send JSON, as Content-Type: application/json.")
    try:
        sent = msgspec.json.decode(request.get_data(), type=types.SentOrders)
    except (msgspec.DecodeError, UnicodeDecodeError) as wrong:
        abort(400, str(wrong))
    if "\0" in sent.orders:
        abort(400, "Orders hold no NUL.")
    if sent.seen > last_entry:
        abort(400, f"The game has {last_entry} entries; `seen` is the one you had before you.")
    return sent


def asked_number(name: str, usual: int, *, most: int) -> int:
    """Return a number of the query; raises 400 if it is not from 1 to `most`."""
    if name not in request.args:
        return usual
    number = forms.whole_number(request.args[name], least=1, most=most)
    return number or abort(400, f"`{name}` is a number from 1 to {most}.")


# ---- answers ------------------------------------------------------------------------------------


def told(value: Any, status: int = 200) -> Response:
    """Return a JSON answer that only its caller may keep."""
    answer = make_response(msgspec.json.encode(value), status)
    answer.headers["Content-Type"] = "application/json"
    answer.headers["Cache-Control"] = "private, no-store"
    return answer


def refuse(row: Game, own: SeatRow, refused: MoveRefused) -> Response:
    """Answer a refusal as a problem: 409 if the position moved on or the key clashes, else 422."""
    reading, language = context.reading(), me().language
    why = refusals.as_stored(refused, positions.rules_of(reading, row))
    text = words.refusal(row.game, why.key, why.rule, why.numbers, language,
                         names=names_of(row))
    moved_on = isinstance(refused, PositionMovedOn)
    news = (since_last_moved(reading, positions.table(reading, row), own, language).lines
            if moved_on else [])
    clashes = isinstance(refused, PositionMovedOn | KeyReused)
    return problems.answer(problems.Problem(
        "Refused", 409 if clashes else 422, detail=text, key=why.key, rule=why.rule,
        numbers=why.numbers, choices=why.choices, line=why.line, entry=row.last_entry,
        news=[problems.NewsShown(each.number, each.text, each.rule) for each in news],
    ))
