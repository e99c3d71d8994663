"""Serves operators' pages about reports: settle them, remove lines and names, mute players."""

from __future__ import annotations

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from pbem.models import Person
from pbem.names import BadText
from pbem.operators import removal, reports
from pbem.web import context
from pbem.web.account.person_form import why_bad
from pbem.web.enqueue import enqueue_letters
from pbem.web.filters import _
from pbem.web.operator.overview import current_operator, reason
from pbem.web.responses import private
from pbem.web.table import forms

blueprint = Blueprint("operator_reports", __name__)


# ---- reports ------------------------------------------------------------------------------------


@blueprint.get("/operator/reports")
def listed() -> Response:
    """Show the open reports, and those that were settled lately."""
    reading = context.reading()
    return private(render_template(
        "operator/reports.html", open_reports=reports.open_ones(reading),
        settled=reports.settled_ones(reading), longest=reports.OUTCOME_LENGTH))


@blueprint.post("/operator/reports/<int:report_id>")
def settle(report_id: int) -> Response:
    """Settle a report with its outcome; raises 404 if there is none."""
    writing, here = context.writing(), redirect(url_for("operator_reports.listed"), 303)
    try:
        report = reports.settle(writing, current_operator(), report_id,
                                request.form.get("outcome", ""),
                                now=context.service().clock.now())
    except BadText as bad:
        writing.rollback()
        flash(_("Say what became of it: who made the report reads that.")
              if bad.reason == "empty" else why_bad(bad), "refused")
        return here
    except reports.TooLate:
        writing.rollback()
        flash(_("This comes too late: nothing was changed."), "refused")
        return here
    if report is None:
        abort(404)
    writing.commit()
    enqueue_letters()
    flash(_("The report is settled; who made it gets a letter."))
    return here


def reader() -> Person:
    """Return the operator who reads; raises 404 for visitors, whom the guard stops earlier."""
    return context.person() or abort(404)


# ---- talk ---------------------------------------------------------------------------------------


@blueprint.get("/operator/talk/<int:chat_id>")
def line(chat_id: int) -> Response:
    """Show a line of chat and the button that removes it; raises 404 if there is none."""
    found = removal.line_for(context.reading(), reader(), chat_id) or abort(404)
    return private(render_template("operator/line.html", line=found))


@blueprint.post("/operator/talk/<int:chat_id>/remove")
def remove_line(chat_id: int) -> Response:
    """Remove a line of chat; raises 404 if there is none."""
    writing, operator = context.writing(), current_operator()
    if removal.line_for(writing, operator, chat_id) is None:
        abort(404)
    removal.remove_line(writing, operator, chat_id, reason(), now=context.service().clock.now())
    writing.commit()
    flash(_("The line is removed, wherever it is read."))
    return redirect(url_for("operator_reports.line", chat_id=chat_id), 303)


# ---- players ------------------------------------------------------------------------------------


@blueprint.get("/operator/players/<int:person_id>")
def player(person_id: int) -> Response:
    """Show a player's name and chat; raises 404 if there is none."""
    reading = context.reading()
    found = removal.somebody(reading, person_id) or abort(404)
    return private(render_template(
        "operator/player.html", other=found, said=removal.last_said(reading, reader(), found),
        most_days=removal.MOST_DAYS, stays=removal.NAME_STAYS.days,
        now=context.service().clock.now()))


@blueprint.post("/operator/players/<int:person_id>/name")
def remove_name(person_id: int) -> Response:
    """Remove a player's name."""
    operator, other = current_operator(), held(person_id)
    removal.remove_name(context.writing(), operator, other, reason(),
                        now=context.service().clock.now())
    return done(person_id, _("This player is called by his number now."))


@blueprint.post("/operator/players/<int:person_id>/talk")
def mute(person_id: int) -> Response:
    """Mute a player for some days, 0 to lift it; raises 400 for another number, 404 for nobody."""
    days = forms.whole_number(request.form.get("days"), least=0, most=removal.MOST_DAYS)
    if days is None:
        abort(400)
    operator, other = current_operator(), held(person_id)
    removal.mute(context.writing(), operator, other, days, reason(),
                 now=context.service().clock.now())
    return done(person_id, _("He says nothing at any table until then.") if days
                else _("He can talk again."))


def held(person_id: int) -> Person:
    """Return the player as a row to change; raises 404 if there is none."""
    return removal.somebody(context.writing(), person_id) or abort(404)


def done(person_id: int, said: str) -> Response:
    """Commit, and return to the player with a message."""
    context.writing().commit()
    flash(said)
    return redirect(url_for("operator_reports.player", person_id=person_id), 303)
