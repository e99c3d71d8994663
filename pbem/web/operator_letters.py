"""Operators' pages: letters that did not arrive, and domains that get none for now."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, render_template, request
from werkzeug.wrappers import Response

from pbem.operators import letters
from pbem.web import current
from pbem.web.answers import private
from pbem.web.filters import _
from pbem.web.letters import kind_said
from pbem.web.operator import current_operator, reason
from pbem.web.poke import poke_letters

blueprint = Blueprint("operator_letters", __name__)


@blueprint.get("/operator/letters")
def page() -> Response:
    """Letters by what became of them; what they say is shown to nobody here."""
    reading = current.reading()
    dead, bounced = letters.dead(reading), letters.bounced(reading)
    retried = letters.retried(reading)
    return private(render_template(
        "operator/letters.html", dead=dead, bounced=bounced, retried=retried,
        paused=letters.paused(reading), kind_said=kind_said, now=current.service().clock.now(),
        readers=letters.readers(reading, [*dead, *bounced, *retried])))


@blueprint.post("/operator/letters/<int:letter_id>/again")
def again(letter_id: int) -> Response:
    """Let a letter leave once more."""
    done = letters.again(current.writing(), current_operator(), letter_id, reason(required=False),
                         now=current.service().clock.now())
    return told(_("The letter is on its way once more."),
                _("What this letter said is not so any more, or it cannot be sent once more."),
                done=done)


@blueprint.post("/operator/letters/<int:letter_id>/give-up")
def give_up(letter_id: int) -> Response:
    """No further try for a letter."""
    done = letters.give_up(current.writing(), current_operator(), letter_id, reason(),
                           now=current.service().clock.now())
    return told(_("The letter is given up."), _("The letter has left, or leaves this moment."),
                done=done)


@blueprint.post("/operator/letters/lift")
def lift() -> Response:
    """Try a domain again at once."""
    done = letters.lift(current.writing(), current_operator(), request.form.get("domain", ""),
                        reason(required=False), now=current.service().clock.now())
    return told(_("Letters go there again."), _("Nothing is paused there any more."), done=done)


def told(yes: str, no: str, *, done: bool) -> Response:
    """Commit what was done, and say so."""
    if done:
        current.writing().commit()
        poke_letters()
        flash(yes)
    else:
        current.writing().rollback()
        flash(no, "refused")
    return redirect("/operator/letters", 303)
