"""Serves games until their start: lists, the form for a new game, the lobby page."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from flask import (
    Blueprint,
    abort,
    flash,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)
from flask.typing import ResponseReturnValue
from sqlmodel import Session
from werkzeug.wrappers import Response

from engine import registry
from engine.errors import BadComponents
from pbem.clocks.rules import MISSES, BadClock
from pbem.mail.address import BadAddress, normalise
from pbem.models import ComponentSet, Game, GameState, Person
from pbem.names import BadText
from pbem.play import component_sets
from pbem.tables import invitations, lists, lobby, series
from pbem.tables.blocks import is_shut_out
from pbem.tables.lobby import LobbyRefused, stored_id
from pbem.web import context, games
from pbem.web.access import visible
from pbem.web.account import blocks
from pbem.web.enqueue import enqueue_letters
from pbem.web.filters import _
from pbem.web.lobby import terms_form
from pbem.web.refusals import why
from pbem.web.responses import private, to_sign_in
from pbem.web.table import forms, page

blueprint = Blueprint("lobby", __name__)

Change = Callable[[Session, Person, datetime], Any]


# ---- lists --------------------------------------------------------------------------------------


@blueprint.get("/games", endpoint="games")
def list_of_games() -> Response | str:
    """Show a person's games, those that wait for them first, and open ones to join."""
    person, reading = context.person(), context.reading()
    own_id = None if person is None else person.id
    return private(render_template(
        "lobby/games.html",
        mine=lists.mine(reading, own_id) if own_id is not None else [],
        ended=lists.lately_ended(reading, own_id) if own_id is not None else [],
        invited=invited(person),
        to_join=lists.to_join(reading, own_id),
    ))


def invited(person: Person | None) -> list[tuple[str, Game, Person]]:
    """Return the reader's invitations: the link's token, the game, its host."""
    if person is None:
        return []
    keys = context.service().settings.keys
    return [
        (invitations.invitation_token(keys, invitation), game, host)
        for invitation, game, host in invitations.pending_for(context.reading(), person)
    ]


# ---- opening ------------------------------------------------------------------------------------


@blueprint.get("/games/new")
def new() -> Response | str:
    """Show the form for a new game; raises 404 for an unknown game."""
    if context.person() is None:
        return to_sign_in()
    key = request.args.get("game") or next(iter(registry.GAMES))
    if key not in registry.GAMES:
        abort(404)
    return new_page({"game": key, "seats": str(registry.game(key).seats[-1]), "order": "random",
                     "visibility": "public", "set": "standard", "series": "1"} | terms_form.FIELDS)


def new_page(values: dict[str, str], wrong: str = "", field: str = "") -> str:
    key = values["game"]
    return render_template("lobby/new.html", values=values, wrong=wrong, misses=MISSES,
                           wrong_at={field: wrong},
                           seats=registry.game(key).seats, options=games.option_fields(key))


@blueprint.post("/games/new")
def open_game() -> Response:
    """Open a game and go to its lobby; raises 400 for values that the form cannot send."""
    person = context.person()
    if person is None:
        return to_sign_in()
    values = read_new_game()
    service, writing, key = context.service(), context.writing(), values["game"]
    try:
        game = lobby.open_game(
            writing, host=person, game_key=key, title=values["title"],
            seats=int(values["seats"]), chosen_order=values["order"] == "chosen",
            private=values["visibility"] == "private",
            components=values["components"] if values["set"] == "own" else None,
            options=games.read_options(key, request.form), phrase=values["phrase"],
            terms=terms_form.read_terms(values),
            open_days=service.settings.open_game_days, now=service.clock.now(),
        )
        if values["series"] not in ("", "1"):
            games_in_all = forms.whole_number(values["series"], least=1, most=99) or abort(400)
            series.begin(writing, game, games_in_all, service.clock.now())
    except (LobbyRefused, BadComponents, BadText, BadClock) as refused:
        writing.rollback()
        field = terms_form.field_of(refused) if isinstance(refused, BadClock) else ""
        return make_response(new_page(values, why(refused), field), 400)
    writing.commit()
    flash(_("The game is open. Invite people, or wait for some."))
    return redirect(url_for("lobby.game", game_id=game.id), 303)


def read_new_game() -> dict[str, str]:
    """Return the form as typed, with an uploaded component set in place of the typed one.

    Raises 400 for an unknown game and a malformed number of seats.
    """
    names = ("game", "title", "seats", "order", "visibility", "set", "components", "phrase",
             "series")
    values = {name: request.form.get(name, "") for name in names} | terms_form.typed(request.form)
    if values["game"] not in registry.GAMES:
        abort(400)
    values |= {name: text for name, text in request.form.items() if name.startswith("option-")}
    if not values["seats"].isdecimal() or len(values["seats"]) > 2:
        abort(400)
    given = request.files.get("file")
    raw = given.read() if given is not None and given.filename else b""
    if raw:
        values["components"] = raw.decode("utf-8", errors="replace")
    if values["set"] == "own" and not values["components"].strip():
        values["set"] = "standard"
    return values


@blueprint.get("/games/new/<game_key>.toml")
def standard_components(game_key: str) -> Response:
    """Return the standard component set as TOML, to edit; raises 404 for an unknown game."""
    if game_key not in registry.GAMES:
        abort(404)
    return toml(component_sets.standard_toml(game_key))


@blueprint.get("/games/<int:game_id>/components.toml")
def components(game_id: int) -> Response:
    """Return the component set that a game is played with, as TOML."""
    game = visible(game_id)
    return toml(context.reading().get_one(ComponentSet, game.components).toml)


def toml(text: str) -> Response:
    answer = make_response(text)
    answer.headers["Content-Type"] = "text/plain; charset=utf-8"  # shown in the browser, never run
    return answer


# ---- one game -----------------------------------------------------------------------------------


@blueprint.get("/games/<int:game_id>")
def game(game_id: int) -> ResponseReturnValue:
    """Show the lobby while the game is open or ended without a start; afterwards the table."""
    row = visible(game_id)
    if row.state in (GameState.RUNNING, GameState.FINISHED):
        return page.show(row)
    return private(lobby_page(row))


def lobby_page(row: Game) -> str:
    person, reading = context.person(), context.reading()
    own_id = None if person is None else person.id
    is_host = own_id is not None and row.host_id == own_id
    settings = context.service().settings
    invited_to = invitations.of_game(reading, stored_id(row)) if is_host else []
    join_path = url_for("invitations.join_page", token=invitations.join_token(settings.keys, row))
    return render_template(
        "lobby/game.html", game=row, listed=lists.one(reading, row, own_id), is_host=is_host,
        components=reading.get_one(ComponentSet, row.components),
        host=reading.get_one(Person, row.host_id),
        invitations=invited_to, called=invitations.called(reading, row, invited_to),
        join_link=settings.base_url + join_path,
        fewest=registry.game(row.game).seats[0],
        shut_out=person is not None and is_shut_out(reading, stored_id(row), person),
        token=next((token for token, to, _host in invited(person) if to.id == row.id), None),
    )


def change(
    game_id: int, do: Change, said: str | Callable[[Any], str] = "", *, then: str | None = None
) -> Response:
    """Apply one change to a game in one transaction, and flash a message on the next page.

    `said` is the message, or a function that words the change's result. A refusal is flashed
    instead, and nothing is changed.
    """
    person = context.person()
    if person is None:
        return to_sign_in()
    visible(game_id)
    here = redirect(then or url_for("lobby.game", game_id=game_id), 303)
    writing = context.writing()
    try:
        became = do(writing, person, context.service().clock.now())
    except (LobbyRefused, BadText) as refused:
        writing.rollback()
        flash(why(refused), "refused")
        return redirect(url_for("lobby.game", game_id=game_id), 303)
    writing.commit()
    enqueue_letters()
    if said:
        flash(said if isinstance(said, str) else said(became))
    return here


@blueprint.post("/games/<int:game_id>/join")
def join(game_id: int) -> Response:
    """Take a seat in a public game; raises 404 for a private one without an invitation."""
    row = visible(game_id)
    if row.private and not is_invited(row):
        abort(404)
    if row.rematch_of is not None and not is_invited(row) and is_kept(row):
        flash(_("The free chairs of this table are kept for others."), "refused")
        return redirect(url_for("lobby.game", game_id=game_id), 303)
    return change(game_id, lambda session, person, now: lobby.join(
        session, game_id=game_id, person=person, phrase=request.form.get("phrase", ""), now=now,
        beside=blocks.told(), letter_delay=context.usual_delay()), _("You sit at the table."))


def is_kept(row: Game) -> bool:
    """Tell whether all free seats are reserved for invited people."""
    listed = lists.one(context.reading(), row, None)
    return bool(listed.free_chairs) and not listed.chairs_for_all


def is_invited(row: Game) -> bool:
    """Tell whether the reader is invited; a private game is joined by invitation or link only."""
    return any(invited_to.id == row.id for _token, invited_to, _host in invited(context.person()))


@blueprint.post("/games/<int:game_id>/leave")
def leave(game_id: int) -> Response:
    """Leave a game before its start."""
    return change(game_id, lambda session, person, _now: lobby.leave(
        session, game_id=game_id, person=person),
        _("You have left the game."), then=url_for("lobby.games"))


@blueprint.post("/games/<int:game_id>/remove")
def remove(game_id: int) -> Response:
    """Remove a player before the start."""
    return change(game_id, lambda session, person, _now: lobby.remove(
        session, game_id=game_id, host=person, seat_id=numbered("seat")),
        _("The chair is free again, and the link to join is a new one."))


def numbered(field: str) -> int:
    """Return the row number in a form's field; raises 400 if there is none."""
    return forms.whole_number(request.form.get(field), least=1, most=10**9) or abort(400)


@blueprint.post("/games/<int:game_id>/bot")
def add_bot(game_id: int) -> Response:
    """Seat a bot."""
    kind = request.form.get("kind", "")
    return change(game_id, lambda session, person, now: lobby.add_bot(
        session, game_id=game_id, host=person, kind=kind, now=now,
        letter_delay=context.usual_delay()))


@blueprint.post("/games/<int:game_id>/invite")
def invite(game_id: int) -> Response:
    """Invite an address."""
    try:
        address = normalise(request.form.get("address", ""))
    except BadAddress:
        flash(_("This is not a mail address that letters can be sent to."), "refused")
        return redirect(url_for("lobby.game", game_id=game_id), 303)
    a_day = context.service().settings.invitations_per_host
    return change(game_id, lambda session, person, now: invitations.invite(
        session, game_id=game_id, host=person, address=address, a_day=a_day, now=now),
        _("If %(address)s accepts invitations, a letter is on its way.", address=address))


@blueprint.post("/games/<int:game_id>/withdraw")
def withdraw(game_id: int) -> Response:
    """Withdraw an invitation."""
    return change(game_id, lambda session, person, _now: invitations.withdraw(
        session, game_id=game_id, host=person, invitation_id=numbered("invitation")),
        _("The invitation is taken back."))


@blueprint.post("/games/<int:game_id>/start")
def start(game_id: int) -> Response:
    """Start the game with the players who are seated."""
    return change(game_id, lambda session, person, now: lobby.start(
        session, game_id=game_id, host=person, now=now,
        letter_delay=context.usual_delay()), _("The game has begun."))


# ---- cancelling ---------------------------------------------------------------------------------


@blueprint.get("/games/<int:game_id>/cancel")
def cancel_page(game_id: int) -> Response:
    """Show who agrees to cancel a running game."""
    row = visible(game_id)
    if row.state != GameState.RUNNING:
        return redirect(url_for("lobby.game", game_id=game_id), 303)
    person = context.person()
    own_id = None if person is None else person.id
    listed = lists.one(context.reading(), row, own_id)
    return private(render_template("lobby/cancel.html", game=row, listed=listed))


@blueprint.post("/games/<int:game_id>/cancel")
def cancel(game_id: int) -> Response:
    """Cancel: an open game by its host alone, a running one once all players agree."""
    row = visible(game_id)
    if row.state == GameState.OPEN:
        return change(game_id, lambda session, person, now: lobby.cancel(
            session, game_id=game_id, host=person, now=now), _("The game is cancelled."))
    agrees = request.form.get("agree") == "yes"

    def said(is_over: bool) -> str:  # noqa: FBT001  (what `agree_to_cancel` returns)
        if is_over:
            return _("The game is cancelled.")
        return (_("You agree to cancel the game. It ends once all others do too.") if agrees
                else _("You do not agree to cancel the game any more."))

    return change(game_id, lambda session, person, now: lobby.agree_to_cancel(
        session, game_id=game_id, person=person, agrees=agrees, now=now), said)
