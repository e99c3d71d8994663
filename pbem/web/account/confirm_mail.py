"""Letters that were held: what was read, and the two buttons by which their player decides."""

from __future__ import annotations

from flask import Blueprint, abort, flash, redirect, render_template, request
from werkzeug.wrappers import Response

from pbem.i18n import words
from pbem.mail.incoming import judge
from pbem.mail.letters import told
from pbem.models import Game, Inbound, InboundState
from pbem.play import receipts
from pbem.tables.lobby import stored_id
from pbem.web import context
from pbem.web.enqueue import enqueue, enqueue_letters
from pbem.web.filters import _
from pbem.web.responses import private, to_sign_in

blueprint = Blueprint("held", __name__)


@blueprint.get("/held/<int:inbound_id>")
def show(inbound_id: int) -> Response:
    """What was read in whose name, and why it was held. Looking changes nothing."""
    person = context.person()
    if person is None:
        return to_sign_in()
    row = own(inbound_id)
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


def own(inbound_id: int) -> Inbound:
    """A letter that was held for who is signed in, or 404."""
    person = context.person()
    row = context.reading().get(Inbound, inbound_id)
    if row is None or person is None or row.person_id != person.id or row.letter_id is None:
        abort(404)
    return row


@blueprint.post("/held/<int:inbound_id>")
def answer(inbound_id: int) -> Response:
    """Have it played, or throw it away; what is decided already stays so."""
    person = context.person()
    if person is None:
        return to_sign_in()
    own(inbound_id)
    service, given = context.service(), request.form.get("answer")
    if given == "throw_away":
        judge.throw_away(service, inbound_id, stored_id(person))
        flash(_("The letter is thrown away; nothing of it was played."))
    elif given == "play":
        state = judge.confirm(service, inbound_id, stored_id(person), enqueue=enqueue)
        enqueue_letters()
        flash(outcome(state))
    else:
        abort(400)
    return redirect(request.path, 303)


def outcome(state: InboundState) -> str:
    """What has become of the letter."""
    if state == InboundState.PLAYED:
        return _("Your letter is taken as yours; a receipt follows by mail.")
    if state == InboundState.REFUSED:
        return _("Your letter is taken as yours, and could not be played; a letter says why.")
    return _("This letter does not wait any more.")
