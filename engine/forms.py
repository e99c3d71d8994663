"""Forms in numbered steps, as data: keys and values, no language and no HTML.

A game's `form.py` turns a question into steps, and the fields that come back into an order line.
All labels are values of engine/phrases.py; `Text` is the one that forms mostly use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from engine.phrases import Value


class Option(Struct, frozen=True):
    """One thing to choose. With `why_not` it is shown, and cannot be chosen."""

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
    """Something to tick, with lists beside it; without `option` only the lists."""

    option: Option | None
    selects: Sequence[Select] = ()
    label: Value = ""
    sub: Value = ""


class FormStep(Struct, frozen=True):
    """A numbered step. `kind`: "radio", "check", "grid" (numbers) or "rows".

    `when` names the choice ("act=take") that makes the step matter; others leave it unread.
    """

    title: Value
    name: str
    kind: str
    options: Sequence[Option] = ()
    rows: Sequence[FormRow] = ()
    hint: Value = ""
    rule: str = ""
    when: str = ""


class Form(Struct, frozen=True):
    """What a seat can send now: the answer's steps, then the free moves'."""

    steps: Sequence[FormStep] = ()
    free: Sequence[FormStep] = ()
    free_hint: Value = ""
    free_rule: str = ""

    @property
    def has_anything(self) -> bool:
        """Whether there is something to choose."""
        return bool(self.steps or self.free)


def kept(step: FormStep, fits: Callable[[Select, Choice], bool]) -> FormStep:
    """A step with only those entries of its lists that fit."""
    rows = tuple(
        replace(row, selects=tuple(fitting(select, fits) for select in row.selects))
        for row in step.rows
    )
    return replace(step, rows=rows)


def fitting(select: Select, fits: Callable[[Select, Choice], bool]) -> Select:
    """A list with only those entries that fit; headings without entries go too."""
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
    """What a seat would leave unused until it is lost, and the rule that says so."""

    what: Value
    rule: str


class Fields(Protocol):
    """What came back with a form: one value or several by field name."""

    def get(self, name: str, /) -> str | None:
        """The first value, None if there is none."""

    def getlist(self, name: str, /) -> Sequence[str]:
        """All values."""


class Incomplete(Exception):
    """The fields do not say enough for an order line: the key of what is missing, with values.

    "nothing": nothing at all was chosen.
    """

    def __init__(self, key: str, **values: Any) -> None:
        super().__init__(key)
        self.key = key
        self.values = values
