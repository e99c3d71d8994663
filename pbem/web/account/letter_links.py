"""Serves the pages that letters link to: held letters, unsubscribing, account recovery."""

from __future__ import annotations

from typing import cast

from flask import Blueprint, abort, flash, g, redirect, render_template, request
from flask.blueprints import BlueprintSetupState
from werkzeug.wrappers import Response

from pbem.accounts import recovery_links
from pbem.i18n import words
from pbem.i18n.words import term
from pbem.mail import unsubscribe
from pbem.mail.incoming import judge
from pbem.mail.letters.receipts import doubt
from pbem.mail.tokens import is_ours
from pbem.mail.unsubscribe import letter_by
from pbem.models import Game, Inbound, InboundState, Outbox, Person, stored_id
from pbem.models.operators import Recovery
from pbem.operators import recovery
from pbem.play import receipts
from pbem.web import context
from pbem.web.enqueue import enqueue, enqueue_letters
from pbem.web.filters import _
from pbem.web.responses import me, private, to_sign_in

blueprint = Blueprint("letter_links", __name__)


# ---- held letters -------------------------------------------------------------------------------


@blueprint.get("/held/<int:inbound_id>")
def held_page(inbound_id: int) -> Response:
    """Show what was read in a held letter and why it was held. Changes nothing."""
    person = context.person()
    if person is None:
        return to_sign_in()
    row = held_letter(inbound_id)
    now = context.service().clock.now()
    mine = (context.reading(), inbound_id, stored_id(person), now)
    waits = judge.held_for(*mine) is not None
    said = receipts.notes_of(row)
    game = None if row.game_id is None else context.reading().get(Game, row.game_id)
    page = render_template(
        "held/letter.html", row=row, said=said, waits=waits, game=game,
        doubt=doubt(said, person.language), others=judge.held_besides(*mine),
        game_name="" if game is None else words.term(game.game, "game_name", person.language),
    )  # fmt: skip
    return private(page)


def held_letter(inbound_id: int) -> Inbound:
    """Return a letter that was held for the signed-in person; raises 404 otherwise."""
    person = context.person()
    row = context.reading().get(Inbound, inbound_id)
    if row is None or person is None or row.person_id != person.id or row.letter_id is None:
        abort(404)
    return row


@blueprint.post("/held/<int:inbound_id>")
def answer_held(inbound_id: int) -> Response:
    """Play a held letter or throw it away; one decided earlier stays so.

    Raises 404 for others' letters and 400 for another answer.
    """
    person = context.person()
    if person is None:
        return to_sign_in()
    held_letter(inbound_id)
    service, given = context.service(), request.form.get("answer")
    if given == "throw_away":
        judge.throw_away(service, inbound_id, stored_id(person))
        flash(_("The letter is thrown away; nothing of it was played."))
    elif given == "play":
        state = judge.confirm(service, inbound_id, stored_id(person), enqueue=enqueue)
        enqueue_letters()
        flash(held_outcome(state))
    else:
        abort(400)
    return redirect(request.path, 303)


def held_outcome(state: InboundState) -> str:
    """Word what became of the letter."""
    if state == InboundState.PLAYED:
        return _("Your letter is taken as yours; a receipt follows by mail.")
    if state == InboundState.REFUSED:
        return _("Your letter is taken as yours, and could not be played; a letter says why.")
    return _("This letter does not wait any more.")


# ---- unsubscribing ------------------------------------------------------------------------------

ONE_CLICK = "One-Click"  # what a mail program posts (RFC 8058)


@blueprint.record_once
def needs_no_form_token(state: BlueprintSetupState) -> None:
    """Exempt one-click posts from form tokens: the token in the address is the proof."""
    state.app.extensions["csrf"].exempt("pbem.web.account.letter_links.stop_letters")


@blueprint.get("/u/<token>")
def stop_letters_page(token: str) -> Response:
    """Show what would be stopped, and the buttons."""
    letter = letter_of_token(token)
    return lost_letter() if letter is None else stop_letters_answer(letter, done="")


@blueprint.post("/u/<token>")
def stop_letters(token: str) -> Response:
    """Stop this game's letters or all games' (RFC 8058); repeating it changes nothing.

    Raises 404 for a token that is not ours and 400 for a form without a choice.
    """
    if letter_of_token(token) is None:
        return lost_letter()
    all_games = request.form.get("stop") == "all"
    is_asked = request.form.get("List-Unsubscribe") == ONE_CLICK
    if not (is_asked or all_games or request.form.get("stop") == "game"):
        abort(400)
    writing = context.writing()
    letter = letter_by(writing, context.service().settings.keys, token)
    if letter is None:
        return lost_letter()
    if all_games:
        unsubscribe.stop_all(writing, letter)
    else:
        unsubscribe.stop(writing, letter, context.service().clock.now())
    writing.commit()
    return stop_letters_answer(letter, done="all" if all_games else "game")


def letter_of_token(token: str) -> Outbox | None:
    """Return the letter of a token; None if it is lost. Raises 404 for a token that is not ours."""
    keys = context.service().settings.keys
    if not is_ours(keys, "unsub", token):
        abort(404)
    return letter_by(context.reading(), keys, token)


def lost_letter() -> Response:
    """Answer 410 for a letter that the database does not hold, e.g. after a restored backup."""
    answer = private(render_template("account/letter_lost.html"), 410)
    answer.headers["Referrer-Policy"] = "no-referrer"
    return answer


def stop_letters_answer(letter: Outbox, *, done: str) -> Response:
    """Return the page, kept from caches and search engines, and sending no Referer."""
    language = context.language()
    games = [
        {"id": game.id, "title": game.title or term(game.game, "game_name", language)}
        for game in unsubscribe.games_of(context.reading(), letter)
    ]
    answer = private(render_template("account/stop_letters.html", games=games, done=done))
    answer.headers["Referrer-Policy"] = "no-referrer"
    return answer


# ---- recovery of an account ---------------------------------------------------------------------


@blueprint.get("/recovery/<token>")
def recovery_page(token: str) -> Response:
    """Show what the link does, and a button. Changes nothing: mail scanners follow links."""
    found, purpose = recovery_of_token(token)
    now = context.service().clock.now()
    name = context.reading().get_one(Person, found.person_id).name
    answer = private(render_template(
        "operator/recovery.html", token=token, purpose=purpose, found=found, name=name,
        is_open=recovery.is_open(found, now), is_due=found.due <= now))
    answer.headers["Referrer-Policy"] = "no-referrer"
    return answer


@blueprint.post("/recovery/<token>")
def use_recovery(token: str) -> Response:
    """Confirm the recovery, or stop it."""
    found, purpose = recovery_of_token(token)
    writing, now = context.writing(), context.service().clock.now()
    act = recovery.confirm if purpose == "confirm" else recovery.stop
    done = act(writing, stored_id(found), now)
    writing.commit()
    if not done:
        flash(_("This comes too late: nothing was changed."), "refused")
    return redirect(request.path, 303)


def recovery_of_token(token: str) -> tuple[Recovery, recovery_links.Purpose]:
    """Return the recovery of a link and the link's purpose; raises 404 for an unknown link."""
    found = recovery_links.by_token(context.reading(), context.service().settings.keys, token)
    if found is None:
        abort(404)
    return found


# ---- the signed-in person -----------------------------------------------------------------------


@blueprint.app_template_global("own_recovery")
def own_recovery() -> Recovery | None:
    """Return the reader's own pending recovery, shown on top of every page; else None."""
    person = context.person()
    if person is None:
        return None
    if "own_recovery" not in g:
        g.own_recovery = recovery.open_of(
            context.reading(), person, context.service().clock.now())
    return cast("Recovery | None", g.own_recovery)


@blueprint.post("/account/recovery/stop")
def stop_own_recovery() -> Response:
    """Stop the recovery, so that the account keeps its address."""
    if context.person() is None:
        return to_sign_in()
    writing, now = context.writing(), context.service().clock.now()
    found = recovery.open_of(writing, me(writing), now)
    done = found is not None and recovery.stop(writing, stored_id(found), now)
    writing.commit()
    if done:
        flash(_("This was stopped: the account keeps its address."))
    else:
        flash(_("This comes too late: nothing was changed."), "refused")
    return redirect("/account", 303)
