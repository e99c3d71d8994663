"""Serves operators' pages to find people, sign them out, and recover accounts."""

from __future__ import annotations

from flask import Blueprint, abort, flash, redirect, render_template, request
from werkzeug.wrappers import Response

from pbem.models import Person
from pbem.operators import people, recovery
from pbem.operators.recovery import RecoveryRefused
from pbem.web import context
from pbem.web.enqueue import enqueue_letters
from pbem.web.filters import _
from pbem.web.operator.overview import current_operator, reason
from pbem.web.responses import private

blueprint = Blueprint("operator_people", __name__)


@blueprint.get("/operator/people")
def search() -> Response:
    """Show the search for people, and the pending recoveries."""
    return private(search_page())


def search_page(text: str = "", found: list[Person] | None = None) -> str:
    recoveries = recovery.to_show(context.reading(), context.service().clock.now())
    return render_template("operator/people.html", text=text, found=found, recoveries=recoveries)


@blueprint.post("/operator/people")
def find() -> Response:
    """Find the people with exactly this address or name.

    The form is posted, so that no address gets into a log.
    """
    text = request.form.get("text", "")[:254]
    return private(search_page(text, people.found(context.reading(), text)))


@blueprint.get("/operator/people/<int:person_id>")
def person(person_id: int) -> Response:
    """Show a person's addresses and seats, but not their cards, notes or chat."""
    return private(person_page(person_id))


def person_page(person_id: int, *, address: str = "", why: str = "", wrong: str = "") -> str:
    reading, now = context.reading(), context.service().clock.now()
    found = known(person_id)
    return render_template(
        "operator/person.html", found=found, seen=people.seen(reading, found, now),
        recoveries=recovery.of_person(reading, found), address=address, why=why, wrong=wrong,
        open=recovery.open_of(reading, found, now))


def known(person_id: int, *, to_change: bool = False) -> Person:
    """Return a person who plays here; raises 404 otherwise."""
    try:
        return people.by_number(
            context.writing() if to_change else context.reading(), person_id)
    except people.NotHere:
        abort(404)


@blueprint.post("/operator/people/<int:person_id>/sign-out")
def sign_out(person_id: int) -> Response:
    """Sign a person out of all browsers."""
    operator, why = current_operator(), reason()
    people.end_sessions(context.writing(), operator, known(person_id, to_change=True), why,
                        now=context.service().clock.now())
    context.writing().commit()
    flash(_("All browsers are signed out."))
    return back(person_id)


@blueprint.post("/operator/people/<int:person_id>/recover")
def recover(person_id: int) -> Response:
    """Begin to change an account's address for somebody who lost theirs."""
    operator, why = current_operator(), reason()
    address = request.form.get("address", "")
    try:
        recovery.begin(context.writing(), operator, known(person_id, to_change=True), address, why,
                       now=context.service().clock.now())
    except RecoveryRefused as refused:
        context.writing().rollback()
        return private(
            person_page(person_id, address=address, why=why, wrong=why_not(refused)), 400)
    context.writing().commit()
    enqueue_letters()
    flash(_("Letters to the new address and to the old one are on their way."))
    return back(person_id)


def why_not(refused: RecoveryRefused) -> str:
    """Word why a recovery is refused."""
    return {
        "bad_address": _("This is no mail address that a letter could be sent to."),
        "taken": _("This address belongs to an account here already."),
        "open": _("This account is to get another address already: stop that first."),
    }[refused.key]


@blueprint.post("/operator/people/<int:person_id>/recover/<int:recovery_id>/stop")
def stop(person_id: int, recovery_id: int) -> Response:
    """Stop a recovery; raises 404 if it is not this person's."""
    writing, operator, why = context.writing(), current_operator(), reason()
    found = recovery.one_of(writing, known(person_id, to_change=True), recovery_id) or abort(404)
    done = recovery.stop_by(writing, operator, found, why, now=context.service().clock.now())
    writing.commit()
    if done:
        flash(_("This was stopped: the account keeps its address."))
    else:
        flash(_("This comes too late: nothing was changed."), "refused")
    return back(person_id)


def back(person_id: int) -> Response:
    """Redirect to the person's page."""
    return redirect(f"/operator/people/{person_id}", 303)
