"""Operators' pages: letters that did not arrive, and domains that get none for now."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, render_template, request
from werkzeug.wrappers import Response

from pbem.operators import letters
from pbem.web import context
from pbem.web.account.letters import kind_said
from pbem.web.enqueue import enqueue_letters
from pbem.web.filters import _
from pbem.web.operator.overview import current_operator, reason
from pbem.web.responses import private

blueprint = Blueprint("operator_letters", __name__)


@blueprint.get("/operator/letters")
def page() -> Response:
    """Letters by what became of them; what they say is shown to nobody here."""
    reading = context.reading()
    dead, bounced = letters.dead(reading), letters.bounced(reading)
    retried = letters.retried(reading)
    return private(render_template(
        "operator/letters.html", dead=dead, bounced=bounced, retried=retried,
        paused=letters.paused(reading), kind_said=kind_said, now=context.service().clock.now(),
        readers=letters.readers(reading, [*dead, *bounced, *retried])))


@blueprint.post("/operator/letters/<int:letter_id>/again")
def again(letter_id: int) -> Response:
    """Let a letter leave once more."""
    done = letters.again(context.writing(), current_operator(), letter_id, reason(required=False),
                         now=context.service().clock.now())
    return told(_("The letter is on its way once more."),
                _("What this letter said is not so any more, or it cannot be sent once more."),
                done=done)


@blueprint.post("/operator/letters/<int:letter_id>/give-up")
def give_up(letter_id: int) -> Response:
    """No further try for a letter."""
    done = letters.give_up(context.writing(), current_operator(), letter_id, reason(),
                           now=context.service().clock.now())
    return told(_("The letter is given up."), _("The letter has left, or leaves this moment."),
                done=done)


@blueprint.post("/operator/letters/lift")
def lift() -> Response:
    """Try a domain again at once."""
    done = letters.lift(context.writing(), current_operator(), request.form.get("domain", ""),
                        reason(required=False), now=context.service().clock.now())
    return told(_("Letters go there again."), _("Nothing is paused there any more."), done=done)


def told(yes: str, no: str, *, done: bool) -> Response:
    """Commit what was done, and say so."""
    if done:
        context.writing().commit()
        enqueue_letters()
        flash(yes)
    else:
        context.writing().rollback()
        flash(no, "refused")
    return redirect("/operator/letters", 303)
