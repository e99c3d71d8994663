"""Reads the clock from a new game's form, and words what is wrong with clocks and hours."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.clocks import terms
from pbem.clocks.rules import LONGEST, BadClock
from pbem.clocks.terms import Terms
from pbem.web.filters import _, ngettext
from pbem.web.table import forms

FIELDS = {"clock": "each", "each": "3", "each_unit": "days", "bank": "10", "bank_more": "12",
          "bank_most": "10", "counts": "always", "at_zero": "default", "reminders": "50 10"}
UNITS = {"days": 24, "hours": 1}
MENDED_AT = {"no_clock": "clock", "no_such_end": "at_zero", "bank_above_cap": "bank",
             "bad_reminders": "reminders", "no_number": "reminders"}


def typed(form: Mapping[str, str]) -> dict[str, str]:
    """Return the fields as typed; a form without a clock field means no clock."""
    return {name: form.get(name, usual) for name, usual in (FIELDS | {"clock": "none"}).items()}


def read_terms(values: Mapping[str, str]) -> Terms:
    """Return the terms in the fields; raises BadClock for terms that are not possible."""
    kind = values["clock"]
    stored = kind
    if kind == "each":
        stored = f"each {hours(values, 'each', values['each_unit'])}"
    elif kind == "bank":
        most = hours(values, "bank_most", "days")
        start, more = hours(values, "bank", "days"), hours(values, "bank_more", "hours", most)
        stored = f"bank {start} {more} {most}"
    if kind != "none" and values["counts"] == "awake":
        stored += " awake"
    reminders = values["reminders"].replace("%", " ").replace(",", " ").replace(";", " ")
    return terms.read(stored, values["at_zero"], reminders)


def hours(values: Mapping[str, str], field: str, unit: str, most: int = LONGEST) -> int:
    """Return a field's number of `unit` in hours; raises BadClock if it is out of range."""
    size = UNITS.get(unit, 1)
    found = forms.whole_number(values[field].strip(), least=1, most=most // size)
    if found is None:
        raise BadClock("hours_out_of_range", low=1, high=most, field=field)
    return found * size


def field_of(bad: BadClock) -> str:
    """Return the field to correct; "" if it is not in this form."""
    return str(bad.numbers.get("field", "")) or MENDED_AT.get(bad.key, "")


def said(bad: BadClock) -> str:
    """Word what is wrong, as a sentence."""
    texts = {
        "hours_of_no_day": _("Hours go from 0:00 to 24:00."),
        "no_hours": _("The hours begin when they end, so no time would ever count. Choose 0:00 to "
                      "24:00 for whole days."),
        "no_weekdays": _("Choose at least one weekday: without any no time would ever count."),
        "no_such_end": _("Choose what happens when the time is over."),
        "no_clock": _("Choose one of the clocks."),
        "bank_above_cap": _("A bank cannot hold more at the start than it can ever hold."),
        "hours_out_of_range": _(
            "Give times as whole numbers. The shortest is an hour, the longest %(days)s days; a "
            "bank gains no more than it can hold.", days=LONGEST // 24),
    }
    return texts.get(bad.key) or _with_numbers(bad.key, bad.numbers)


def _with_numbers(key: str, numbers: Mapping[str, int | str]) -> str:
    if key == "too_few_hours":
        return _("At least %(least)s hours a week have to count.", least=numbers["least"])
    typed_so, most = str(numbers.get("said", ""))[:20], int(numbers.get("most", 0))
    if key == "bad_reminders":
        return ngettext(
            "Reminders: at most %(num)s whole number from 1 to 99, per cent of the time left.",
            "Reminders: at most %(num)s whole numbers from 1 to 99, per cent of the time left.",
            most)
    if key == "too_many_holidays":
        return ngettext("These are too many dates: %(num)s is the most.",
                        "These are too many dates: %(num)s are the most.", most)
    if key == "no_date":
        return _("“%(said)s” is no date. Write dates as 2026-12-24, one a line.", said=typed_so)
    return _("“%(said)s” is no whole number.", said=typed_so)
