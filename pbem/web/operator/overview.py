"""Serves the operators' pages under /operator; everybody else gets 404."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from babel.dates import format_timedelta
from flask import Blueprint, abort, render_template, request
from werkzeug.wrappers import Response

from pbem import health
from pbem.models import Person
from pbem.names import BadText
from pbem.operators import acts, reports
from pbem.run import broker_status
from pbem.web import context, errors
from pbem.web.filters import _, ngettext
from pbem.web.responses import me, private

blueprint = Blueprint("operator", __name__)

PREFIX = "/operator"


# ---- access ------------------------------------------------------------------------------------


def guard() -> None:
    """Raise 404 under /operator for all but operators, whatever the path and method.

    It runs before form tokens are checked, so that an error about tokens does not reveal a page.
    """
    if request.path == PREFIX or request.path.startswith(PREFIX + "/"):
        person = context.person()
        if person is None or person.operator is None:
            abort(404)


def current_operator() -> Person:
    """Return the operator as a row of the writing session; raises 404 if they no longer are one."""
    person = me(context.writing())
    if person.operator is None:
        abort(404)
    return person


def reason(*, required: bool = True) -> str:
    """Return the form's reason on one line; raises NoReason if it is missing or too long."""
    try:
        return acts.reason(request.form.get("why", ""), required=required)
    except BadText as bad:
        raise NoReason(bad) from None


class NoReason(Exception):
    """A form with a missing or bad reason; nothing was done."""


@blueprint.app_errorhandler(NoReason)
def say_why(_problem: NoReason) -> Response:
    """Answer 400 with what a reason has to be."""
    context.writing().rollback()
    return errors.page(400, why=ngettext(
        "Say in one line why you do this, in up to %(num)s character. Nothing was done.",
        "Say in one line why you do this, in up to %(num)s characters. Nothing was done.",
        acts.REASON_LENGTH))


# ---- words --------------------------------------------------------------------------------------


def act_said(what: str) -> str:
    """Word an act of an operator."""
    return {
        "operator_added": _("made an operator"),
        "operator_removed": _("is no operator any more"),
        "advance": _("had a game advanced"),
        "verify": _("had a game verified"),
        "letter_again": _("had a letter sent again"),
        "letter_given_up": _("gave a letter up"),
        "pause_lifted": _("lifted a pause of letters"),
        "sessions_ended": _("signed all browsers out"),
        "recovery_begun": _("began the recovery of an account"),
        "recovery_stopped": _("stopped the recovery of an account"),
        "chat_removed": _("removed a line of the talk"),
        "name_removed": _("removed a name"),
        "muted": _("ended somebody's talk"),
        "unmuted": _("gave somebody his talk back"),
        "report_settled": _("settled a report"),
        "erased": _("erased a player"),
    }.get(what, what)


@blueprint.app_context_processor
def for_templates() -> dict[str, Any]:
    """Return what the operators' templates share."""
    return {"operator_pages": pages, "act_said": act_said}


def pages() -> list[tuple[str, str]]:
    """Return the operators' pages as path and name, with the number of waiting reports."""
    waiting = reports.waiting(context.reading())
    return [
        ("/operator", _("Overview")),
        ("/operator/games", _("Games")),
        ("/operator/letters", _("Letters")),
        ("/operator/people", _("People")),
        ("/operator/reports", _("Reports") + (f" ({waiting})" if waiting else "")),
        ("/operator/acts", _("Log of acts")),
    ]


# ---- pages --------------------------------------------------------------------------------------


@blueprint.get("/operator")
def overview() -> Response:
    """Show the site's state: what is wrong, what waits, and which operators acted last."""
    service, reading = context.service(), context.reading()
    found = health.vitals(reading, service.clock.now())
    return private(render_template(
        "operator/overview.html", found=found, complaints=list(health.complaints(found)),
        games=health.games_by_state(reading), signs=health.signs(reading),
        queues=broker_status.lengths(service.settings.broker_url), span=span, state_said=state_said,
        due_here=[(_("Letters that are due"), found.letters_out),
                 (_("Letters that came in"), found.letters_in),
                 (_("Orders"), found.orders)]))


def span(length: timedelta) -> str:
    """Return a duration in the reader's language, in its largest unit."""
    return format_timedelta(length, threshold=1.5, locale=context.language())


def state_said(state: str) -> str:
    """Word a game's state."""
    return {"open": _("open"), "running": _("running"), "finished": _("finished"),
            "cancelled": _("cancelled"), "expired": _("ended without a start")}.get(state, state)


@blueprint.get("/operator/acts")
def log() -> Response:
    """Show what operators have done, newest first."""
    before = request.args.get("before", type=int)
    shown = acts.newest(context.reading(), before=before)
    return private(render_template("operator/acts.html", shown=shown,
                                   more=len(shown) == acts.AT_ONCE))
