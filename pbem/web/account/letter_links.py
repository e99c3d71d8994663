"""Pages that letters link to: held letters, unsubscribing, and an account's new address."""

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
from pbem.mail.letters import told
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
    """What was read in whose name, and why it was held. Looking changes nothing."""
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
        doubt=told.doubt(said, person.language), others=judge.held_besides(*mine),
        game_name="" if game is None else words.term(game.game, "game_name", person.language),
    )  # fmt: skip
    return private(page)


def held_letter(inbound_id: int) -> Inbound:
    """A letter that was held for who is signed in, or 404."""
    person = context.person()
    row = context.reading().get(Inbound, inbound_id)
    if row is None or person is None or row.person_id != person.id or row.letter_id is None:
        abort(404)
    return row


@blueprint.post("/held/<int:inbound_id>")
def answer_held(inbound_id: int) -> Response:
    """Have it played, or throw it away; what is decided already stays so."""
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
    """What has become of the letter."""
    if state == InboundState.PLAYED:
        return _("Your letter is taken as yours; a receipt follows by mail.")
    if state == InboundState.REFUSED:
        return _("Your letter is taken as yours, and could not be played; a letter says why.")
    return _("This letter does not wait any more.")


# ---- unsubscribing ------------------------------------------------------------------------------

ONE_CLICK = "One-Click"  # what a mail program posts, by RFC 8058


@blueprint.record_once
def needs_no_form_token(state: BlueprintSetupState) -> None:
    """Mail programs post without having seen a form; the token in the address is the proof."""
    state.app.extensions["csrf"].exempt("pbem.web.account.letter_links.stop_letters")


@blueprint.get("/u/<token>")
def stop_letters_page(token: str) -> Response:
    """What would be stopped, and the buttons."""
    letter = letter_of_token(token)
    return lost_letter() if letter is None else stop_letters_answer(letter, done="")


@blueprint.post("/u/<token>")
def stop_letters(token: str) -> Response:
    """Stop this game's letters, or all games'; as often as asked."""
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
    """The letter that carries this token; None if it is lost, 404 if we never wrote it."""
    keys = context.service().settings.keys
    if not is_ours(keys, "unsub", token):
        abort(404)
    return letter_by(context.reading(), keys, token)


def lost_letter() -> Response:
    """Of a letter that a restored backup does not know, or of a release before: nothing is done."""
    answer = private(render_template("account/letter_lost.html"), 410)
    answer.headers["Referrer-Policy"] = "no-referrer"
    return answer


def stop_letters_answer(letter: Outbox, *, done: str) -> Response:
    """The page, seen by nobody's cache, search engine or next page."""
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
    """What the letter's link does, and a button; looking changes nothing (scanners look too)."""
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
    """Confirm, or stop."""
    found, purpose = recovery_of_token(token)
    writing, now = context.writing(), context.service().clock.now()
    act = recovery.confirm if purpose == "confirm" else recovery.stop
    done = act(writing, stored_id(found), now)
    writing.commit()
    if not done:
        flash(_("This comes too late: nothing was changed."), "refused")
    return redirect(request.path, 303)


def recovery_of_token(token: str) -> tuple[Recovery, recovery_links.Purpose]:
    """The recovery of a link and what the link is for, or 404."""
    found = recovery_links.by_token(context.reading(), context.service().settings.keys, token)
    if found is None:
        abort(404)
    return found


# ---- who is signed in ---------------------------------------------------------------------------


@blueprint.app_template_global("own_recovery")
def own_recovery() -> Recovery | None:
    """The reader's recovery that may still come to something; for the head of every page."""
    person = context.person()
    if person is None:
        return None
    if "own_recovery" not in g:
        g.own_recovery = recovery.open_of(
            context.reading(), person, context.service().clock.now())
    return cast("Recovery | None", g.own_recovery)


@blueprint.post("/account/recovery/stop")
def stop_own_recovery() -> Response:
    """Let one's own account keep its address."""
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
