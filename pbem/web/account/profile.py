"""Serves the account page: profile, addresses, signed-in browsers, export, leaving."""

from __future__ import annotations

import json
import logging
from datetime import datetime

from flask import Blueprint, flash, redirect, render_template, request, session, url_for
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.wrappers import Response

from pbem import db
from pbem.accounts import auth
from pbem.accounts.sign_in_limits import TooManyLetters
from pbem.i18n import words
from pbem.mail import preferences_changed
from pbem.mail.address import BadAddress, normalise
from pbem.models import Person
from pbem.play import deadlines
from pbem.play.refusals import TableRefused
from pbem.privacy import closure
from pbem.privacy.own_data import own_data
from pbem.service import Service
from pbem.tables import chat_index, invitations, lobby
from pbem.tables.lobby import stored_id
from pbem.web import context, filters
from pbem.web.account import availability, sign_in
from pbem.web.account.person_form import read_person
from pbem.web.enqueue import enqueue_letters
from pbem.web.filters import _
from pbem.web.responses import COOKIE_LIFE, me, private, set_cookie, to_sign_in

log = logging.getLogger("carreira.web")

blueprint = Blueprint("account", __name__)


@blueprint.get("/account")
def account() -> Response | str:
    """Show the account page."""
    person = context.person()
    if person is None:
        return to_sign_in()
    return private(account_page(person, {}, {}))


def account_page(person: Person, values: dict[str, str], wrong: dict[str, str]) -> str:
    reading, now = context.reading(), context.service().clock.now()
    shown = {"name": person.name, "language": person.language, "zone": person.zone,
             "second_address": ""} | availability.hours_of(person) | values
    return render_template(
        "account/account.html", values=shown, wrong=wrong, languages=filters.LANGUAGE_NAMES,
        weekdays=availability.weekdays(), place=filters.place_of(person.zone),
        zones=filters.zones(), browsers=auth.browsers_of(reading, stored_id(person), now),
        **availability.vacation_values(person),
        here=auth.hashed(request.cookies.get(context.COOKIE, "")),
        refusing=[a for a in lobby.addresses_of(person)
                  if invitations.refuses_invitations(reading, a)],
    )


@blueprint.post("/account")
def change() -> Response:
    """Change name, language and zone."""
    person = context.person()
    if person is None:
        return to_sign_in()
    values, wrong = read_person(request.form)
    writing = context.writing()
    if "name" not in wrong and not lobby.may_be_called(writing, person, values["name"]):
        wrong["name"] = _("Somebody in an open game of yours has a name that looks like this one.")
    changed, now = me(writing), context.service().clock.now()
    if values["name"] != changed.name and (
            changed.name_stays_until is not None and now < changed.name_stays_until):
        wrong["name"] = _("An operator of this site has given you this name; you can choose "
                          "another one from %(day)s on.", day=filters.day(changed.name_stays_until))
    if wrong:
        writing.rollback()
        return private(account_page(person, values, wrong), 400)

    def set_them() -> None:
        changed.name, changed.language, changed.zone = (
            values["name"], values["language"], values["zone"])
        writing.add(changed)

    try:
        deadlines.change_calendar(writing, changed, now, set_them, most_moves=deadlines.MOST_MOVES)
    except TableRefused as refused:
        writing.rollback()
        return private(account_page(person, values, {"zone": refused.said(context.language())}),
                       400)
    if changed.unnamed:
        lobby.name_seats(writing, changed)
    chat_index.rename(writing, changed)
    preferences_changed.reschedule(writing, changed, usual=context.usual_delay(), now=now)
    writing.commit()
    flash(words.gettext("Saved.", changed.language))
    return redirect(url_for("account.account"), 303)


@blueprint.post("/account/time")
def change_time() -> Response:
    """Change hours, weekdays and holidays; time used so far counts by the old ones."""
    person = context.person()
    if person is None:
        return to_sign_in()
    values, wrong = availability.read_hours(request.form)
    if wrong:
        return private(account_page(person, values, wrong), 400)
    writing, now = context.writing(), context.service().clock.now()
    changed = me(writing)
    try:
        deadlines.change_calendar(
            writing, changed, now, lambda: availability.set_hours(changed, values),
            most_moves=deadlines.MOST_MOVES)
    except TableRefused as refused:
        writing.rollback()
        return private(account_page(person, values, {"awake": refused.said(context.language())}),
                       400)
    writing.commit()
    flash(_("Saved."))
    return redirect(url_for("account.account", _anchor="h-time"), 303)


@blueprint.post("/account/second-address")
def second_address() -> Response:
    """Send a letter to the second address; it counts once that letter is confirmed."""
    person = context.person()
    if person is None:
        return to_sign_in()
    typed = request.form.get("second_address", "")
    try:
        address = normalise(typed)
        if address in lobby.addresses_of(person):
            raise BadAddress("own")
    except BadAddress:
        wrong = {"second_address": _("Give a mail address that is not yours here already.")}
        return private(account_page(person, {"second_address": typed}, wrong), 400)
    browser = auth.new_secret()
    try:
        auth.ask_for_second_address(context.writing(), person=person, address=address,
                                    browser=browser, now=context.service().clock.now())
    except TooManyLetters:
        return sign_in.too_many()
    return sign_in.letter_is_due(browser)


@blueprint.post("/account/confirm")
def confirm_address() -> Response:
    """Send a letter to the first address after it refused some, to confirm it again."""
    person = context.person()
    if person is None:
        return to_sign_in()
    browser = auth.new_secret()
    try:
        auth.ask_to_confirm(context.writing(), person=person, browser=browser,
                            now=context.service().clock.now())
    except TooManyLetters:
        return sign_in.too_many()
    return sign_in.letter_is_due(browser)


@blueprint.post("/account/second-address/remove")
def remove_second_address() -> Response:
    """Remove the second address."""
    if context.person() is None:
        return to_sign_in()
    person = me(context.writing())
    person.second_address = None
    context.writing().add(person)
    sign_in.only_here(person)
    context.writing().commit()
    flash(_("Your second address is removed."))
    return redirect(url_for("account.account"), 303)


@blueprint.post("/account/invitations")
def allow_invitations() -> Response:
    """Accept invitations, or refuse them at all of the person's addresses."""
    person = context.person()
    if person is None:
        return to_sign_in()
    writing, now = context.writing(), context.service().clock.now()
    for address in lobby.addresses_of(person):
        if request.form.get("invitations") == "never":
            invitations.refuse_invitations(writing, address, now)
        else:
            invitations.allow_invitations(writing, address)
    writing.commit()
    flash(_("Saved."))
    return redirect(url_for("account.account"), 303)


@blueprint.post("/account/browsers")
def end_browsers() -> Response:
    """Sign another browser out, or all others."""
    person = context.person()
    if person is None:
        return to_sign_in()
    writing = context.writing()
    which = request.form.get("browser", "")
    if which == "others":
        sign_in.only_here(person)
    else:
        auth.end_session(writing, which, person_id=stored_id(person))
    writing.commit()
    flash(_("Signed out there."))
    return redirect(url_for("account.account"), 303)


@blueprint.post("/sign-out")
def sign_out() -> Response:
    """Sign this browser out."""
    person, cookie = context.person(), request.cookies.get(context.COOKIE)
    if person is not None and cookie:
        auth.end_session(context.writing(), auth.hashed(cookie), person_id=stored_id(person))
        context.writing().commit()
    session.clear()
    answer = redirect("/", 303)
    answer.delete_cookie(context.COOKIE)
    return answer


@blueprint.get("/account/export")
def export_own_data() -> Response:
    """Download everything that is kept about the person, as JSON."""
    person = context.person()
    if person is None:
        return to_sign_in()
    told = own_data(context.reading(), person, context.service().clock.now())
    answer = private(json.dumps(told, ensure_ascii=False, indent=1))
    answer.headers["Content-Type"] = "application/json"
    answer.headers["Content-Disposition"] = 'attachment; filename="carreira-own-data.json"'
    return answer


# ---- leaving ------------------------------------------------------------------------------------


@blueprint.get("/account/leave")
def leave_page() -> Response | str:
    """Show what leaving means, and the button."""
    person = context.person()
    if person is None:
        return to_sign_in()
    running = closure.games_to_hand_over(context.reading(), person)
    return private(render_template("account/leave.html", running=running))


@blueprint.post("/account/leave")
def leave() -> Response:
    """Erase the person and sign them out."""
    person = context.person()
    if person is None:
        return to_sign_in()
    writing = context.writing()
    try:
        closure.leave_for_good(writing, writing.get_one(Person, person.id),
                                context.service().clock.now(),
                                keeps_chat=request.form.get("chat") == "keep",
                                letter_delay=context.usual_delay())
    except TableRefused as refused:  # one of their games cannot be continued by this release
        writing.rollback()
        flash(refused.said(context.language()), "refused")
        return redirect("/account/leave", 303)
    writing.commit()
    enqueue_letters()
    session.clear()
    flash(_("Your account is gone. Thank you for the games."))
    answer = redirect("/", 303)
    answer.delete_cookie(context.COOKIE)
    return answer


# ---- staying signed in --------------------------------------------------------------------------


@blueprint.after_app_request
def note_use(answer: Response) -> Response:
    """Note once a day that a signed-in browser was used, and renew its cookie."""
    cookie = request.cookies.get(context.COOKIE)
    if (request.endpoint == "static" or not cookie or answer.status_code >= 500
            or answer.cache_control.public):  # a shared cache would keep the cookie
        return answer
    service, now = context.service(), context.service().clock.now()
    try:
        found = context.signed_in()
    except SQLAlchemyError:  # the page needed no database, so it must not fail without one
        return answer
    if found is not None and auth.needs_touch(browser := found[0], now):
        answer.call_on_close(lambda: write_use(service, browser.id, now))
        set_cookie(answer, context.COOKIE, cookie, COOKIE_LIFE)
    return answer


def write_use(service: Service, session_id: str, now: datetime) -> None:
    """Write the use once the answer is sent; a failed write is made up for the next time."""
    try:
        with service.writing() as writing:
            auth.touch(writing, session_id, now)
            writing.commit()
    except SQLAlchemyError as problem:
        log.warning("the use of a browser is not noted: %s", db.plain_reason(problem))
