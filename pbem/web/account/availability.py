"""Serves the hours, weekdays and holidays that a person keeps, and their vacations."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time
from typing import Any

from babel.dates import get_day_names
from flask import Blueprint, flash, redirect, request, url_for
from sqlmodel import Session
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response

from pbem.clocks import rules
from pbem.clocks.rules import BadClock
from pbem.i18n.instants import LOCALES, zone_or_utc
from pbem.models import Person, stored_id
from pbem.play.refusals import TableRefused
from pbem.tables import vacation
from pbem.web import context
from pbem.web.filters import _, moment_said
from pbem.web.lobby import terms_form
from pbem.web.responses import me, to_sign_in
from pbem.web.table import forms

blueprint = Blueprint("availability", __name__)


# ---- hours --------------------------------------------------------------------------------------

ALWAYS = "0-24 1234567"


def hours_of(person: Person) -> dict[str, str]:
    """Return a person's hours as form fields."""
    first, last, weekdays = rules.read_hours(person.awake or ALWAYS)
    return {"from": str(first), "to": str(last), "weekdays": "".join(map(str, sorted(weekdays))),
            "holidays": "\n".join((person.holidays or "").split())}


def weekdays() -> list[tuple[str, str]]:
    """Return the days of the week, Monday first, in the reader's language."""
    names = get_day_names("wide", "stand-alone", locale=LOCALES[context.language()])
    return [(str(day + 1), names[day]) for day in range(7)]


def set_hours(person: Person, values: dict[str, str]) -> None:
    """Store the fields that `read_hours` returned on a person."""
    person.awake = None if values["awake"] == ALWAYS else values["awake"]
    person.holidays = " ".join(values["holidays"].split()) or None


def read_hours(form: MultiDict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the typed fields with the hours as stored, and an error text by field."""
    wrong = {}
    values = {"from": form.get("from", ""), "to": form.get("to", ""),
              "weekdays": "".join(sorted(set(form.getlist("weekday")))),
              "holidays": form.get("holidays", "")}
    try:
        hours = rules.read_hours(f"{values['from']}-{values['to']} {values['weekdays']}")
        rules.check_enough(*hours)
        values["awake"] = rules.stored_hours(*hours)
    except BadClock as bad:
        wrong["awake"] = terms_form.said(bad)
    try:
        days = rules.read_holidays(values["holidays"].replace(",", " "))
    except BadClock as bad:
        wrong["holidays"] = terms_form.said(bad)
    else:
        values["holidays"] = "\n".join(day.isoformat() for day in sorted(days))
    return values, wrong


# ---- vacations ----------------------------------------------------------------------------------


@blueprint.post("/account/vacation")
def announce_vacation() -> Response:
    """Announce a vacation of some days, from now or from a given day, or end the current one."""
    days = forms.whole_number(request.form.get("days"), least=0, most=999)
    budget, now = context.service().settings.vacation_days, context.service().clock.now()

    def announce(session: Session, person: Person) -> str:
        until = vacation.announce(
            session, person, -1 if days is None else days, now, budget=budget,
            begins=first_day(request.form.get("from", ""), person, now))
        if until is None:
            return _("Your vacation is over.")
        return _("The others at your tables read that you are away until %(when)s.",
                 when=" ".join(moment_said(until)))

    return change_vacations(announce)


@blueprint.post("/account/vacation/<int:number>/end")
def end_vacation(number: int) -> Response:
    """End a vacation early, or call off one that has not begun."""
    def call_off(session: Session, person: Person) -> str:
        vacation.call_off(session, person, number, context.service().clock.now())
        return _("The vacation is taken back; the days that were not used are there again.")

    return change_vacations(call_off)


def first_day(typed: str, person: Person, now: datetime) -> datetime | None:
    """Return the start of the typed day in the person's zone; None for today or no day.

    Raises TableRefused for text that is no date.
    """
    if not typed.strip():
        return None
    zone = zone_or_utc(person.zone)
    try:
        day = date.fromisoformat(typed.strip())
    except ValueError:
        raise TableRefused("vacation_begins") from None
    if day == now.astimezone(zone).date():
        return None
    return datetime.combine(day, time(), zone)


def change_vacations(do: Callable[[Session, Person], str]) -> Response:
    """Apply one change to a person's vacations and show the account page."""
    if context.person() is None:
        return to_sign_in()
    writing = context.writing()
    try:
        told = do(writing, me(writing))
    except TableRefused as refused:
        writing.rollback()
        flash(refused.said(context.language()), "refused")
    else:
        writing.commit()
        flash(told)
    return redirect(url_for("account.account", _anchor="h-away"), 303)


def vacation_values(person: Person) -> dict[str, Any]:
    """Return a person's vacations, this year's and later ones, and the days left."""
    reading, now = context.reading(), context.service().clock.now()
    budget = context.service().settings.vacation_days
    return {
        "vacations": vacation.of_person(reading, stored_id(person), now - vacation.YEAR),
        "now": now,
        "days_left": vacation.days_left(reading, person, now, budget),
        "days_most": budget,
        "today": now.astimezone(zone_or_utc(person.zone)).date().isoformat(),
        "away_until": vacation.away_until(reading, person, now),
    }
