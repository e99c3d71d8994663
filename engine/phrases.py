"""What a game says, without a language: which phrase fits, and what stands in its places.

A game picks phrases (`engine/<game>/phrases.py`); templates/games/<key>/words/<language>.toml holds
their wording. A plain str or int stands in a phrase as it is; everything else says its kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from msgspec import Struct

from engine import codec


class Name(Struct, frozen=True):
    """A seat's name; nobody's is a dash."""

    seat: int | None


class WordForm(Struct, frozen=True):
    """A word of the game by its key, in the form that stands after `number` if there is one."""

    key: str
    number: int | None = None


class Term(Struct, frozen=True):
    """A word of a family: Term("area", "projects") is the word `area_projects`.

    What is not of the family (a player may have made it up) stands as it is.
    """

    family: str
    key: str


class Quantity(Struct, frozen=True):
    """A number and its thing, by the key of a word: 3 Reals."""

    key: str
    number: int


class Signed(Struct, frozen=True):
    """A change: +2, 0, −1."""

    number: int


class TermPhrase(Struct, frozen=True):
    """A word that has places of its own: `standing` = "{place}. {seat} ({points})"."""

    key: str
    values: Mapping[str, Any]


class Text(Struct, frozen=True):
    """A text of forms and pages, with values in its places; see `text`."""

    key: str
    values: Mapping[str, Any]


class Capital(Struct, frozen=True):
    """A value with a capital at its beginning."""

    value: Any


class Enumeration(Struct, frozen=True):
    """Values after one another; none is a dash."""

    values: tuple[Any, ...]


Value = (
    str | int | Name | WordForm | Term | Quantity | Signed | TermPhrase | Text | Capital
    | Enumeration
)  # fmt: skip


class Phrase(Struct, frozen=True):
    """Which phrase to say, and the values in its places."""

    key: str
    values: Mapping[str, Value]


def text(key: str, **values: Value) -> Text:
    """A text of forms and pages: text("taken_by", name=Name(2))."""
    return Text(key, values)


Kinds = Mapping[str, Callable[[Any], Value]]
"""What kind of value a field holds, by the field's name."""


def key_of(thing: Any) -> str:
    """The key of a thing's phrase, by its stored tag: CrewRecruited -> crew_recruited."""
    return snake(codec.tag_of(type(thing)))


@cache
def snake(tag: str) -> str:
    """CrewRecruited -> crew_recruited."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", tag).lower()


def values_of(thing: Any, kinds: Kinds) -> dict[str, Any]:
    """The fields of a fact, a question or a move as values; a field without a kind stays."""
    return {
        field: kinds[field](getattr(thing, field)) if field in kinds else getattr(thing, field)
        for field in thing.__struct_fields__
    }


def in_kinds(fields: Mapping[str, Any], kinds: Kinds) -> dict[str, Any]:
    """The same for named numbers, as a refusal gives them."""
    return {
        field: kinds[field](value) if field in kinds else value for field, value in fields.items()
    }
