"""When somebody's time counts: the fields for hours, weekdays and holidays."""

from __future__ import annotations

from babel.dates import get_day_names
from werkzeug.datastructures import MultiDict

from pbem.clocks import rules
from pbem.clocks.rules import BadClock
from pbem.i18n.instants import LOCALES
from pbem.models import Person
from pbem.web import context
from pbem.web.lobby import terms_form

ALWAYS = "0-24 1234567"


def shown(person: Person) -> dict[str, str]:
    """The fields as they stand for a person."""
    first, last, weekdays = rules.read_hours(person.awake or ALWAYS)
    return {"from": str(first), "to": str(last), "weekdays": "".join(map(str, sorted(weekdays))),
            "holidays": "\n".join((person.holidays or "").split())}


def weekdays() -> list[tuple[str, str]]:
    """The days of the week, Monday first, in the reader's language."""
    names = get_day_names("wide", "stand-alone", locale=LOCALES[context.language()])
    return [(str(day + 1), names[day]) for day in range(7)]


def keep(person: Person, values: dict[str, str]) -> None:
    """Put the fields, as `read_fields` found them, on a person."""
    person.awake = None if values["awake"] == ALWAYS else values["awake"]
    person.holidays = " ".join(values["holidays"].split()) or None


def read_fields(form: MultiDict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """The form as typed, with the hours as they are stored, and what is wrong with it."""
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
