"""Serves seats: handing over, taking, offering, votes, waiting lists, the list of open ones.

Addresses count seats from 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from flask.blueprints import BlueprintSetupState
from sqlmodel import Session
from werkzeug.wrappers import Response

from engine import registry
from pbem.archive import open_seats
from pbem.i18n import words
from pbem.mail.address import BadAddress, normalise
from pbem.models import Game, GameState, Person, SeatRow
from pbem.play import seat_history
from pbem.play.refusals import TableRefused
from pbem.tables import invitations, seats, substitutes, votes
from pbem.tables.lobby import LobbyRefused, stored_id
from pbem.web import context
from pbem.web.access import own_seat, visible
from pbem.web.account import blocks
from pbem.web.enqueue import enqueue_letters
from pbem.web.filters import _
from pbem.web.refusals import why
from pbem.web.responses import local_path, me, private, to_sign_in
from pbem.web.table.desk import Desk

blueprint = Blueprint("seats", __name__)


# ---- template values ----------------------------------------------------------------------------


def values(desk: Desk) -> dict[str, Any]:
    """Return the template values of vacant seats, past holders, and the open vote."""
    session, row = context.reading(), desk.row
    is_running = row.state == GameState.RUNNING and desk.is_present
    vacant = [seat for seat in desk.sitting.seats if seat.resigned is not None]
    ballot = votes.ballot(session, row, desk.sitting.seats) if is_running else None
    at_table = desk.sitting.own is not None or desk.sitting.left is not None
    return {
        "vacant": [(seat, *offered(desk, seat)) for seat in vacant],
        "may_offer": is_running and at_table,
        "left": desk.sitting.left,
        "past": seat_history.past_holders(session, row.id),
        "ballot": ballot,
        "may_vote": ballot is not None and desk.reader.seat in ballot.asked,
    }


def offered(desk: Desk, seat: SeatRow) -> tuple[bool, str]:
    """Tell whether the reader may take a vacant seat now, and why not."""
    person = context.person()
    if desk.row.state != GameState.RUNNING or not desk.is_present or desk.sitting.own is not None:
        return False, ""
    if person is None:
        return True, ""
    refused = seats.why_not(context.reading(), desk.sitting.seats, seat.number or 0, person)
    return refused is None, "" if refused is None else refused.said(context.language())


# ---- leaving and taking over --------------------------------------------------------------------


@blueprint.get("/games/<int:game_id>/hand-over")
def hand_over_page(game_id: int) -> Response:
    """Show what handing over means, and the button."""
    seated = own_seat(game_id)
    if seated is None or seated[0].state != GameState.RUNNING:
        return redirect(url_for("lobby.game", game_id=game_id), 303)
    return private(render_template("table/hand_over.html", game=seated[0]))


@blueprint.post("/games/<int:game_id>/hand-over")
def hand_over(game_id: int) -> Response:
    """Give up the seat, so that somebody else may take it."""
    return done(game_id, lambda session, person: seats.hand_over(
        session, game_id, stored_id(person), context.service().clock.now(),
        letter_delay=context.usual_delay()),
        _("You have handed your seat over. You look on from now on; your feeds have no address "
          "any more until you have new ones made."))


@blueprint.post("/games/<int:game_id>/seats/<int:place>/take")
def take(game_id: int, place: int) -> Response:
    """Take a vacant seat."""
    if context.person() is None:
        return redirect(url_for("sign_in.form", next=f"/games/{game_id}"), 303)
    return done(game_id, lambda session, person: seats.take(
        session, game_id, place - 1, person, context.service().clock.now(),
        beside=blocks.told(), letter_delay=context.usual_delay()), _("The seat is yours."))


@blueprint.post("/games/<int:game_id>/seats/<int:place>/invite")
def invite(game_id: int, place: int) -> Response:
    """Invite an address to a vacant seat."""
    here = redirect(url_for("lobby.game", game_id=game_id, _anchor="seats"), 303)
    try:
        address = normalise(request.form.get("address", ""))
    except BadAddress:
        flash(_("This is not a mail address that letters can be sent to."), "refused")
        return here
    a_day = context.service().settings.invitations_per_host
    return done(game_id, lambda session, person: invitations.invite_to_seat(
        session, game_id=game_id, seat=place - 1, by=person, address=address, a_day=a_day,
        now=context.service().clock.now()),
        _("If %(address)s accepts invitations, a letter is on its way.", address=address))


@blueprint.post("/games/<int:game_id>/seats/<int:place>/vote")
def vote(game_id: int, place: int) -> Response:
    """Vote on what happens to a player who does not answer."""
    said = request.form.get("answer", "")
    return done(game_id, lambda session, person: votes.answer(
        session, game_id, stored_id(person), context.service().clock.now(), seat=place - 1,
        said=said, letter_delay=context.usual_delay()), decided_said)


def decided_said(what: str | None) -> str:
    """Word the result of a vote."""
    return {
        votes.WAIT: _("It is decided: the game waits, with all the time of a decision again."),
        votes.REPLACE: _("It is decided: a player of the service's own plays on for the seat, and "
                         "others may take it over."),
        votes.CANCEL: _("It is decided: the game is cancelled."),
    }.get(what or "", _("Your word is kept."))


def done(
    game_id: int, do: Callable[[Session, Person], Any], told: str | Callable[[Any], str]
) -> Response:
    """Apply a change at a table, commit, and flash its result there."""
    person = context.person()
    visible(game_id)
    if person is None:
        return to_sign_in()
    here = redirect(url_for("lobby.game", game_id=game_id), 303)
    writing = context.writing()
    try:
        became = do(writing, me(writing))
    except (TableRefused, LobbyRefused) as refused:
        writing.rollback()
        flash(said(refused), "refused")
        return here
    writing.commit()
    enqueue_letters()
    flash(told if isinstance(told, str) else told(became))
    return here


def said(refused: TableRefused | LobbyRefused) -> str:
    """Word a refusal."""
    return refused.said(context.language()) if isinstance(refused, TableRefused) else why(refused)


# ---- waiting for seats --------------------------------------------------------------------------


@blueprint.post("/account/substitute")
def wait() -> Response:
    """Wait for vacant seats in the ticked games, or in none; raises 400 for an unknown game."""
    if context.person() is None:
        return to_sign_in()
    games = request.form.getlist("game")
    if not set(games) <= set(registry.GAMES):
        abort(400)
    writing = context.writing()
    substitutes.set_games(writing, me(writing), games, context.service().clock.now())
    writing.commit()
    flash(_("Saved."))
    then = local_path(request.form.get("next"))
    return redirect(then or url_for("account.account", _anchor="h-substitute"), 303)


def substitute_games() -> list[tuple[str, bool]]:
    """Return all games, each with whether the reader waits for seats in it."""
    person = context.person()
    waits = set() if person is None else substitutes.games_of(context.reading(), stored_id(person))
    return [(key, key in waits) for key in registry.GAMES]


@blueprint.record_once
def register(state: BlueprintSetupState) -> None:
    """Add the function that templates use."""
    state.app.jinja_env.globals.update(substitute_games=substitute_games)


# ---- the list of open seats ---------------------------------------------------------------------


@blueprint.get("/seats")
def open_seats_page() -> Response:
    """Show the seats that the reader could take, of all games or of `game`.

    Raises 404 for an unknown game.
    """
    key = request.args.get("game") or None
    if key is not None and key not in registry.GAMES:
        abort(404)
    offers = open_seats.offers(context.reading(), context.person(), key)
    return private(render_template("lobby/seats.html", offers=offers, chosen=key))


def days_taken(game: Game) -> float | None:
    """Return how many days such games take; None if none is finished."""
    return open_seats.days(context.reading(), game.game, game.clock)


def round_of(game_key: str, number: int) -> str:
    """Return the name of a running game's round; before the first one the set-up."""
    if not number:
        return words.term(game_key, "phase_0", context.language())
    return words.chapter(registry.game(game_key), number, context.language())


@blueprint.record_once
def register_open_seats(state: BlueprintSetupState) -> None:
    """Add the functions that templates use."""
    state.app.jinja_env.globals.update(days_taken=days_taken, round_of=round_of)
