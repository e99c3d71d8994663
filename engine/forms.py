"""Defines forms in numbered steps as data, without a language or HTML.

A game's `form.py` turns a question into steps, and its `form_orders` turns submitted fields into
moves. Labels are values of engine/phrases.py, mostly `Text`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from engine.phrases import Value


class Option(Struct, frozen=True):
    """One thing to choose. With `why_not` it is shown but cannot be chosen."""

    value: str
    label: Value
    sub: Value = ""
    rule: str = ""
    end: Value = ""
    coin: int | None = None  # money, drawn as a coin behind `end`
    why_not: Value = ""


class Choice(Struct, frozen=True):
    """An entry of a list."""

    value: str
    label: Value


class Group(Struct, frozen=True):
    """Entries of a list under a heading; "" for none."""

    heading: Value
    choices: Sequence[Choice]


class Select(Struct, frozen=True):
    """A list to choose one entry from."""

    name: str
    label: Value
    groups: Sequence[Group]


class FormRow(Struct, frozen=True):
    """A checkbox with lists beside it; without `option` only the lists."""

    option: Option | None
    selects: Sequence[Select] = ()
    label: Value = ""
    sub: Value = ""


class FormStep(Struct, frozen=True):
    """A numbered step. `kind`: "radio", "check", "grid" (numbers) or "rows".

    `when` names the choice ("act=take") with which the step counts; else its fields are ignored.
    Most orders leave a step `aside` alone: pages fold it.
    """

    title: Value
    name: str
    kind: str
    options: Sequence[Option] = ()
    rows: Sequence[FormRow] = ()
    hint: Value = ""
    rule: str = ""
    when: str = ""
    aside: bool = False


class Form(Struct, frozen=True):
    """What a seat can send now: the steps of its answer, and those of free moves."""

    steps: Sequence[FormStep] = ()
    free: Sequence[FormStep] = ()
    free_hint: Value = ""
    free_rule: str = ""

    @property
    def has_anything(self) -> bool:
        """Whether there is anything to choose."""
        return bool(self.steps or self.free)


def filtered(step: FormStep, fits: Callable[[Select, Choice], bool]) -> FormStep:
    """Return the step with only the entries of its lists that fit."""
    rows = tuple(
        replace(row, selects=tuple(filtered_list(select, fits) for select in row.selects))
        for row in step.rows
    )
    return replace(step, rows=rows)


def filtered_list(select: Select, fits: Callable[[Select, Choice], bool]) -> Select:
    """Return the list with only the entries that fit, without empty groups."""
    groups = (
        replace(group, choices=tuple(each for each in group.choices if fits(select, each)))
        for group in select.groups
    )
    return replace(select, groups=tuple(group for group in groups if group.choices))


class Change(Struct, frozen=True):
    """One holding that an order would change."""

    what: Value
    before: int
    after: int


class Lapse(Struct, frozen=True):
    """What a seat would lose unused, and the rule that says so."""

    what: Value
    rule: str


class Fields(Protocol):
    """The submitted fields of a form: one value or several by name."""

    def get(self, name: str, /) -> str | None:
        """Return the first value, or None."""

    def getlist(self, name: str, /) -> Sequence[str]:
        """Return all values."""


class Incomplete(Exception):
    """Raised if fields are missing for an order: the key of what is missing, with values.

    The key "nothing": nothing at all was chosen.
    """

    def __init__(self, key: str, **values: Any) -> None:
        super().__init__(key)
        self.key = key
        self.values = values
