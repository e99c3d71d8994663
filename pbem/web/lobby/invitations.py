"""Serves the links of invitations: GET changes nothing, the buttons answer."""

from __future__ import annotations

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from pbem.mail.letters.invitations import is_open as invitation_is_open
from pbem.mail.letters.invitations import vacancy
from pbem.models import ComponentSet, Game, GameState, Invitation, InvitationState, Person
from pbem.names import BadText
from pbem.play.refusals import TableRefused
from pbem.tables import invitations, lists, lobby
from pbem.tables.lobby import LobbyRefused, stored_id
from pbem.web import context
from pbem.web.account import blocks
from pbem.web.enqueue import enqueue_letters
from pbem.web.filters import _
from pbem.web.refusals import why
from pbem.web.responses import private

blueprint = Blueprint("invitations", __name__)


def found(token: str) -> Invitation:
    """Return the invitation of this link; raises 404 if there is none."""
    keys = context.service().settings.keys
    invitation = invitations.invitation_by(context.reading(), keys, token)
    if invitation is None:
        abort(404)
    return invitation


@blueprint.get("/invitations/<token>")
def show(token: str) -> Response:
    """Show the invitation with its three answers."""
    invitation = found(token)
    game = context.reading().get_one(Game, invitation.game_id)
    if invitation.seat is not None:
        return private(seat_page(invitation, game, token))
    is_open = game.state == GameState.OPEN and invitation.state == InvitationState.PENDING
    return private(offer_page(
        "lobby/invitation.html", game, token, invitation=invitation, is_open=is_open
    ))


def seat_page(invitation: Invitation, game: Game, token: str) -> str:
    """Return the page of an invitation to a vacant seat, with the game as spectators see it."""
    reading, seat = context.reading(), invitation.seat or 0
    is_open = invitation_is_open(reading, invitation)
    shown = vacancy(reading, game, seat, context.language()) if game.last_entry else {}
    return offer_page(
        "lobby/take_over.html", game, token, invitation=invitation, is_open=is_open,
        by=reading.get_one(Person, invitation.by_id), **shown,
        until=invitation.created + invitations.TO_ANSWER if invitation.offered else None)


def offer_page(template: str, game: Game, token: str, **more: object) -> str:
    """Return a page that shows a game to people who are not seated in it."""
    person, reading = context.person(), context.reading()
    return render_template(
        template, game=game, token=token, host=reading.get_one(Person, game.host_id),
        components=reading.get_one(ComponentSet, game.components),
        listed=lists.one(reading, game, None if person is None else person.id), **more,
    )


@blueprint.post("/invitations/<token>")
def answer(token: str) -> Response:
    """Accept (signed in), decline, or decline for ever (both without an account too).

    Raises 404 for an unknown link and 400 for another answer.
    """
    invitation, given = found(token), request.form.get("answer")
    if given == "accept":
        return accept(invitation)
    if given not in ("decline", "never"):
        abort(400)
    writing = context.writing()
    if given == "never":
        invitations.never_again(writing, invitation, context.service().clock.now())
        flash(_("This address will not be invited again."))
    else:
        invitations.decline(writing, invitation)
        flash(_("You have declined. The host sees that."))
    writing.commit()
    return redirect(url_for("invitations.show", token=token), 303)


def accept(invitation: Invitation) -> Response:
    """Take the seat; visitors sign in first and come back."""
    person, writing = context.person(), context.writing()
    if person is None:
        return redirect(url_for("sign_in.form", next=request.path), 303)
    held = writing.get_one(Invitation, invitation.id)
    try:
        invitations.accept(writing, invitation=held, person=person,
                           phrase=request.form.get("phrase", ""),
                           now=context.service().clock.now(), beside=blocks.told(),
                           letter_delay=context.usual_delay())
    except (LobbyRefused, BadText, TableRefused) as refused:
        writing.rollback()
        told = (refused.said(context.language()) if isinstance(refused, TableRefused)
                else why(refused))
        flash(told, "refused")
        return redirect(request.path, 303)
    return sat_down(invitation.game_id)


def sat_down(game_id: int) -> Response:
    context.writing().commit()
    enqueue_letters()
    flash(_("You sit at the table."))
    return redirect(url_for("lobby.game", game_id=game_id), 303)


# ---- links to join ------------------------------------------------------------------------------


def game_of(token: str) -> Game:
    """Return the game of a link to join; raises 404 if there is none."""
    keys = context.service().settings.keys
    game = invitations.game_by_join_token(context.reading(), keys, token)
    if game is None:
        abort(404)
    return game


@blueprint.get("/join/<token>")
def join_page(token: str) -> Response:
    """Show the game, and a button to join."""
    game = game_of(token)
    person = context.person()
    if person is not None and lobby.chair_of(context.reading(), stored_id(game), person.id):
        return redirect(url_for("lobby.game", game_id=game.id), 303)
    return private(offer_page("lobby/join.html", game, token,
                              is_open=game.state == GameState.OPEN))


@blueprint.post("/join/<token>")
def join(token: str) -> Response:
    """Take a seat; visitors sign in first and come back."""
    game, person, writing = game_of(token), context.person(), context.writing()
    if person is None:
        return redirect(url_for("sign_in.form", next=request.path), 303)
    try:
        lobby.join(writing, game_id=stored_id(game), person=person,
                   phrase=request.form.get("phrase", ""), now=context.service().clock.now(),
                   beside=blocks.told(), letter_delay=context.usual_delay())
    except (LobbyRefused, BadText) as refused:
        writing.rollback()
        flash(why(refused), "refused")
        return redirect(request.path, 303)
    return sat_down(stored_id(game))
