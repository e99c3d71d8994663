"""Defines phrases: a key and values, without a language.

A game picks phrases (`engine/<game>/phrases.py`); templates/games/<key>/words/<language>.toml has
their wording. A plain str or int is shown as it is; every other value is of a class below.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from msgspec import Struct

from engine import codec


class Name(Struct, frozen=True):
    """A seat's name; None is a dash."""

    seat: int | None


class WordForm(Struct, frozen=True):
    """A word of the game by its key, in the grammatical form after `number`, if given."""

    key: str
    number: int | None = None


class Term(Struct, frozen=True):
    """A word of a family: Term("area", "projects") is the word `area_projects`.

    A key that is not of the family (from a host's component set) is shown as it is.
    """

    family: str
    key: str


class Quantity(Struct, frozen=True):
    """A number and its noun, by the noun's key: 3 Reals."""

    key: str
    number: int


class Signed(Struct, frozen=True):
    """A change: +2, 0, −1."""

    number: int


class TermPhrase(Struct, frozen=True):
    """A term with placeholders of its own: `standing` = "{place}. {seat} ({points})"."""

    key: str
    values: Mapping[str, Any]


class Text(Struct, frozen=True):
    """A text of forms and pages, with values in its placeholders; see `text`."""

    key: str
    values: Mapping[str, Any]


class Capital(Struct, frozen=True):
    """A value with a capital first letter."""

    value: Any


class Enumeration(Struct, frozen=True):
    """Values in a row, separated by commas; an empty row is a dash."""

    values: tuple[Any, ...]


Value = (
    str | int | Name | WordForm | Term | Quantity | Signed | TermPhrase | Text | Capital
    | Enumeration
)  # fmt: skip


class Phrase(Struct, frozen=True):
    """The key of a phrase, and the values of its placeholders."""

    key: str
    values: Mapping[str, Value]


def text(key: str, **values: Value) -> Text:
    """Build a text of forms and pages: text("taken_by", name=Name(2))."""
    return Text(key, values)


Kinds = Mapping[str, Callable[[Any], Value]]
"""Field name -> class of its value."""


def key_of(thing: Any) -> str:
    """Return the key of a thing's phrase, from its stored tag: CrewRecruited -> crew_recruited."""
    return snake(codec.tag_of(type(thing)))


@cache
def snake(tag: str) -> str:
    """CrewRecruited -> crew_recruited."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", tag).lower()


def values_of(thing: Any, kinds: Kinds) -> dict[str, Any]:
    """Return the fields of a fact, question or move as values; one without a kind stays plain."""
    return {
        field: kinds[field](getattr(thing, field)) if field in kinds else getattr(thing, field)
        for field in thing.__struct_fields__
    }


def in_kinds(fields: Mapping[str, Any], kinds: Kinds) -> dict[str, Any]:
    """Return the named numbers of a refusal as values."""
    return {
        field: kinds[field](value) if field in kinds else value for field, value in fields.items()
    }
