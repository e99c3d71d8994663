"""Being away: announced, seen and ended on the account page."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time
from typing import Any

from flask import Blueprint, flash, redirect, request
from flask import url_for as url
from sqlmodel import Session
from werkzeug.wrappers import Response

from pbem.i18n.instants import zone_or_utc
from pbem.models import Person, stored_id
from pbem.play.refusals import TableRefused
from pbem.tables import vacation as holidays
from pbem.web import context as current
from pbem.web.filters import _, moment_said
from pbem.web.responses import me, to_sign_in
from pbem.web.table import forms

blueprint = Blueprint("vacation", __name__)


@blueprint.post("/account/vacation")
def vacation() -> Response:
    """Be away for some days, from now or from a day on, or be back."""
    days = forms.whole_number(request.form.get("days"), least=0, most=999)
    budget, now = current.service().settings.vacation_days, current.service().clock.now()

    def announce(session: Session, person: Person) -> str:
        until = holidays.announce(
            session, person, -1 if days is None else days, now, budget=budget,
            begins=first_day(request.form.get("from", ""), person, now))
        if until is None:
            return _("Your vacation is over.")
        return _("The others at your tables read that you are away until %(when)s.",
                 when=" ".join(moment_said(until)))

    return done(announce)


@blueprint.post("/account/vacation/<int:number>/end")
def end(number: int) -> Response:
    """End a vacation early, or do not begin one that was announced."""
    def call_off(session: Session, person: Person) -> str:
        holidays.call_off(session, person, number, current.service().clock.now())
        return _("The vacation is taken back; the days that were not used are there again.")

    return done(call_off)


def first_day(typed: str, person: Person, now: datetime) -> datetime | None:
    """When the day begins where the person is; None for today, or if none is given."""
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


def done(do: Callable[[Session, Person], str]) -> Response:
    """One change to somebody's vacations, said on the account page."""
    if current.person() is None:
        return to_sign_in()
    writing = current.writing()
    try:
        told = do(writing, me(writing))
    except TableRefused as refused:
        writing.rollback()
        flash(refused.said(current.language()), "refused")
    else:
        writing.commit()
        flash(told)
    return redirect(url("account.account", _anchor="h-away"), 303)


def context(person: Person) -> dict[str, Any]:
    """A person's vacations of this year and those to come, and what is left of the budget."""
    reading, now = current.reading(), current.service().clock.now()
    budget = current.service().settings.vacation_days
    return {
        "vacations": holidays.of_person(reading, stored_id(person), now - holidays.YEAR),
        "now": now,
        "days_left": holidays.days_left(reading, person, now, budget),
        "days_most": budget,
        "today": now.astimezone(zone_or_utc(person.zone)).date().isoformat(),
        "away_until": holidays.away_until(reading, person, now),
    }
