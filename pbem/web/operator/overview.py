"""Pages of those who run the site, under /operator; to everybody else there is nothing there."""

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


# ---- who may -----------------------------------------------------------------------------------


def guard() -> None:
    """404 for all but operators, whatever they ask for under /operator and by whatever method.

    It comes before forms are looked at, so that their tokens do not tell that something is there.
    """
    if request.path == PREFIX or request.path.startswith(PREFIX + "/"):
        person = context.person()
        if person is None or person.operator is None:
            abort(404)


def current_operator() -> Person:
    """The operator who asks, as a row of the writing session; 404 if they are none any more."""
    person = me(context.writing())
    if person.operator is None:
        abort(404)
    return person


def reason(*, required: bool = True) -> str:
    """The reason in the form, one line; 400 where one is needed and there is none."""
    try:
        return acts.reason(request.form.get("why", ""), required=required)
    except BadText as bad:
        raise NoReason(bad) from None


class NoReason(Exception):
    """A form whose reason cannot be taken: nothing was done."""


@blueprint.app_errorhandler(NoReason)
def say_why(_problem: NoReason) -> Response:
    """What a reason has to be."""
    context.writing().rollback()
    return errors.page(400, why=ngettext(
        "Say in one line why you do this, in up to %(num)s character. Nothing was done.",
        "Say in one line why you do this, in up to %(num)s characters. Nothing was done.",
        acts.REASON_LENGTH))


# ---- words --------------------------------------------------------------------------------------


def act_said(what: str) -> str:
    """What was done, in words."""
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
    """What the operators' pages share."""
    return {"operator_pages": pages, "act_said": act_said}


def pages() -> list[tuple[str, str]]:
    """The operators' pages that are beside each other: address and name, and what waits there."""
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
    """How the site is: what is wrong, what waits, and who was last here."""
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
    """A span in the reader's language, by its largest unit."""
    return format_timedelta(length, threshold=1.5, locale=context.language())


def state_said(state: str) -> str:
    """Where games stand, in words."""
    return {"open": _("open"), "running": _("running"), "finished": _("finished"),
            "cancelled": _("cancelled"), "expired": _("ended without a start")}.get(state, state)


@blueprint.get("/operator/acts")
def log() -> Response:
    """What operators have done, newest first."""
    before = request.args.get("before", type=int)
    shown = acts.newest(context.reading(), before=before)
    return private(render_template("operator/acts.html", shown=shown,
                                   more=len(shown) == acts.AT_ONCE))
