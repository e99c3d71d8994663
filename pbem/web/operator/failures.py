"""Serves operators' pages about stuck games, undelivered letters and paused domains."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, render_template, request
from werkzeug.wrappers import Response

from pbem.operators import letters, stuck
from pbem.web import context
from pbem.web.account.letters import kind_said
from pbem.web.enqueue import enqueue, enqueue_letters
from pbem.web.filters import _
from pbem.web.operator.overview import current_operator, reason
from pbem.web.responses import private

blueprint = Blueprint("operator_failures", __name__)


# ---- games --------------------------------------------------------------------------------------


@blueprint.get("/operator/games")
def games() -> Response:
    """Show stuck games: number, time and kind of fault; nothing of the game's content."""
    reading, now = context.reading(), context.service().clock.now()
    return private(render_template(
        "operator/games.html", failing=stuck.failing(reading),
        unplayed=stuck.unplayed(reading, now), asks_nobody=stuck.waiting_for_nobody(reading, now),
        late=stuck.at_zero(reading, now), broken=stuck.broken(reading)))


@blueprint.post("/operator/games/<int:game_id>/advance")
def advance(game_id: int) -> Response:
    """Have a worker advance a game now."""
    writing, now = context.writing(), context.service().clock.now()
    operator, why = current_operator(), reason(required=False)
    if stuck.have_advanced(writing, operator, game_id, why, now=now):
        writing.commit()
        enqueue(game_id)
        flash(_("A worker tries game %(number)s now. Load the page again in a moment.",
                number=game_id))
    else:
        flash(_("There is no such game that runs."), "refused")
    return back_to_games()


@blueprint.post("/operator/games/<int:game_id>/verify")
def verify(game_id: int) -> Response:
    """Re-run a stored game to verify it."""
    writing, service = context.writing(), context.service()
    operator, why = current_operator(), reason(required=False)
    found = stuck.verify(service, writing, operator, game_id, why)
    if found is None:
        flash(_("There is no such game that has begun."), "refused")
        return back_to_games()
    writing.commit()
    if found.fault is None:
        flash(_("Game %(number)s fits its record.", number=game_id))
    else:
        flash(_("Game %(number)s does not fit its record.", number=game_id), "refused")
    return back_to_games()


def back_to_games() -> Response:
    """Redirect to the list of games."""
    return redirect("/operator/games", 303)


# ---- letters ------------------------------------------------------------------------------------


@blueprint.get("/operator/letters")
def letters_page() -> Response:
    """Show letters by state; nobody here sees their content."""
    reading = context.reading()
    dead, bounced = letters.dead(reading), letters.bounced(reading)
    retried = letters.retried(reading)
    return private(render_template(
        "operator/letters.html", dead=dead, bounced=bounced, retried=retried,
        paused=letters.paused(reading), kind_said=kind_said, now=context.service().clock.now(),
        readers=letters.readers(reading, [*dead, *bounced, *retried])))


@blueprint.post("/operator/letters/<int:letter_id>/again")
def send_again(letter_id: int) -> Response:
    """Queue a letter again."""
    done = letters.again(context.writing(), current_operator(), letter_id, reason(required=False),
                         now=context.service().clock.now())
    return finish(_("The letter is on its way once more."),
                _("What this letter said is not so any more, or it cannot be sent once more."),
                done=done)


@blueprint.post("/operator/letters/<int:letter_id>/give-up")
def give_up_letter(letter_id: int) -> Response:
    """Give up delivering a letter."""
    done = letters.give_up(context.writing(), current_operator(), letter_id, reason(),
                           now=context.service().clock.now())
    return finish(_("The letter is given up."), _("The letter has left, or leaves this moment."),
                done=done)


@blueprint.post("/operator/letters/lift")
def lift_pause() -> Response:
    """Try a paused domain again at once."""
    done = letters.lift(context.writing(), current_operator(), request.form.get("domain", ""),
                        reason(required=False), now=context.service().clock.now())
    return finish(_("Letters go there again."), _("Nothing is paused there any more."), done=done)


def finish(yes: str, no: str, *, done: bool) -> Response:
    """Commit if something was done, and flash the result."""
    if done:
        context.writing().commit()
        enqueue_letters()
        flash(yes)
    else:
        context.writing().rollback()
        flash(no, "refused")
    return redirect("/operator/letters", 303)
