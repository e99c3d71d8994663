"""Marks places on the table that choose a value of the form when the player clicks them.

A place is an empty element that a game's template lays over its drawing, only where the choice is
legal now. The script makes it a button that works the form. Without script it does nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from markupsafe import Markup
from werkzeug.datastructures import MultiDict

from engine.forms import Form, Select

SPOT = Markup('<span class="spot" {}></span>')
SPOT_AT = Markup('<rect class="spot" x="{}" y="{}" width="{}" height="{}" rx="3" {}/>')
OURS = ("csrf_token", "seen", "token", "built", "order", "part")
"""Fields that every form has."""


class Choices:
    """The values that a form offers, by field."""

    def __init__(self, form: Form | None) -> None:
        self.by_field: dict[str, set[str]] = {}
        for name, value in () if form is None else choices_of(form):
            self.by_field.setdefault(name, set()).add(value)

    def legal(self, picks: Iterable[str]) -> Iterator[str]:
        """Yield the picks that are legal; "slot-*=.." matches every field with that prefix."""
        for pick in picks:
            beginning, star, rest = pick.partition("*")
            names = (name for name in self.by_field if name.startswith(beginning))
            for each in [name + rest for name in names] if star else [pick]:
                if self.has(each):
                    yield each

    def has(self, pick: str) -> bool:
        """Tell whether the form offers "field=value", or for "field+prefix" a value like that."""
        name, equals, value = pick.partition("=")
        if equals:
            return value in self.by_field.get(name, ())
        name, _, beginning = pick.partition("+")
        return any(each and each.startswith(beginning) for each in self.by_field.get(name, ()))

    def of(self, fields: MultiDict[str, str]) -> MultiDict[str, str]:
        """Return the chosen fields without values that the form does not offer (any more)."""
        return MultiDict(
            (name, value)
            for name, value in fields.items(multi=True)
            if name in OURS or value in self.by_field.get(name, ())
        )

    def marks(self, picks: tuple[str, ...], also: str, otherwise: str) -> Markup:
        """Return the attributes of a place; "" if none of its choices is legal."""
        legal = list(self.legal(picks))
        if not all(pick.endswith("=") or self.has(pick) for pick in also.split("&") if pick):
            return Markup()
        spare = otherwise if otherwise and self.has(otherwise) else ""
        if not legal and not spare:
            return Markup()
        told = Markup('data-pick="{}"').format("|".join(legal))
        if also:
            told += Markup(' data-also="{}"').format(also)
        return told + Markup(' data-else="{}"').format(spare) if spare else told


def choices_of(form: Form) -> Iterator[tuple[str, str]]:
    """Yield the field and the value of every legal choice."""
    for step in (*form.steps, *form.free):
        options = [*step.options, *(row.option for row in step.rows if row.option is not None)]
        yield from ((step.name, option.value) for option in options if not option.why_not)
        for row in step.rows:
            for select in row.selects:
                yield from entries_of(select)


def entries_of(select: Select) -> Iterator[tuple[str, str]]:
    """Yield the field and the value of each entry in a list."""
    for group in select.groups:
        yield from ((select.name, choice.value) for choice in group.choices)


def values(form: Form | None) -> dict[str, Callable[..., Markup]]:
    """Return the template functions `spot` for HTML and `spot_at` for SVG.

    Picks: "field=value", or "field+prefix" for the next entry of a list with that prefix. `also`:
    fields chosen along with it, joined by "&". `otherwise`: the pick to use if none of the others
    is legal.
    """
    choices = Choices(form)

    def spot(*picks: str, also: str = "", otherwise: str = "") -> Markup:
        marks = choices.marks(picks, also, otherwise)
        return SPOT.format(marks) if marks else Markup()

    def spot_at(x: Any, y: Any, width: Any, height: Any, *picks: str,
                also: str = "", otherwise: str = "") -> Markup:
        marks = choices.marks(picks, also, otherwise)
        return SPOT_AT.format(x, y, width, height, marks) if marks else Markup()

    return {"spot": spot, "spot_at": spot_at}
