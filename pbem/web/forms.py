"""Forms in numbered steps that work without script: what a step offers, and what was chosen.

A game's own module (pbem/web/<game>/steps.py, lines.py) turns a question into steps and the chosen
fields into an order line. Typing wins: an order line that the player edited is sent as it stands.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from werkzeug.datastructures import MultiDict

from pbem import words
from pbem.words import msgid

Fields = MultiDict[str, str]
LONGEST_TOKEN = 60


@dataclass(frozen=True)
class Reader:
    """Who reads a game's page: in which language, from which seat, at whose table."""

    language: str
    game: str
    names: Sequence[str]
    seat: int | None = None
    letters: Sequence[str] = ()

    def say(self, text: str, **values: object) -> str:
        """A text of the service."""
        return words.gettext(text, self.language, **values)

    def term(self, key: str, number: int | None = None) -> str:
        """A word of the game."""
        return words.term(self.game, key, self.language, number)

    def count(self, key: str, number: int) -> str:
        """A number and its thing: 3 Reals."""
        return f"{number} {self.term(key, number)}"

    def name(self, seat: int | None) -> str:
        """A player's name; nobody's is empty."""
        return "" if seat is None else self.names[seat]


@dataclass(frozen=True)
class Option:
    """One thing to choose. With `why_not` it is shown, and cannot be chosen."""

    value: str
    label: str
    sub: str = ""
    rule: str = ""
    end: str = ""
    coin: int | None = None  # Reals, drawn as a coin behind `end`
    why_not: str = ""


@dataclass(frozen=True)
class Select:
    """A list to choose from: (value, text) pairs by group; the group "" has no heading."""

    name: str
    label: str
    groups: Mapping[str, Sequence[tuple[str, str]]]


@dataclass(frozen=True)
class Row:
    """Something to tick, with lists beside it; without `option` only the lists."""

    option: Option | None
    selects: Sequence[Select] = ()
    label: str = ""
    sub: str = ""


@dataclass(frozen=True)
class Step:
    """A numbered step. `kind`: "radio", "check", "grid" (numbers) or "rows".

    `when` names the choice ("act=take") that makes the step matter; others leave it unread.
    """

    title: str
    name: str
    kind: str
    options: Sequence[Option] = ()
    rows: Sequence[Row] = ()
    hint: str = ""
    rule: str = ""
    when: str = ""


@dataclass(frozen=True)
class Form:
    """What a player can send now: the answer's steps, then launches and the like."""

    steps: Sequence[Step] = ()
    free: Sequence[Step] = ()
    free_hint: str = ""
    free_rule: str = ""
    examples: Sequence[str] = ()

    @property
    def has_anything(self) -> bool:
        """Whether there is something to choose."""
        return bool(self.steps or self.free)


class Incomplete(Exception):
    """The steps do not say enough for an order line; `key` says what is missing."""

    def __init__(self, key: str, **values: str) -> None:
        super().__init__(key)
        self.key = key
        self.values = values

    def told(self, reader: Reader) -> str:
        """What is missing, for the player."""
        text = {
            "nothing": msgid(
                "Nothing is chosen yet. Go through the steps, or write an order line."),
            "number": msgid("Choose a number as well."),
            "area": msgid("Choose an area as well."),
            "act": msgid("Choose first whether you take the action."),
            "landing": msgid("Choose a landing as well."),
            "ship": msgid("Choose at least one ship."),
            "no_slot": msgid("%(ship)s finds no empty slot at %(landing)s within its limit."),
            "other_landing": msgid("The slot chosen for %(ship)s is not at %(landing)s."),
            "section": msgid("Choose a section, or that you take only a captain."),
            "sailors": msgid("Say how many sailors of each colour."),
            "project": msgid("Choose a project."),
            "favour": msgid("Choose money or a character."),
            "slot": msgid("Choose where the merchant ship goes."),
            "too_few_launched": msgid("Tick a ship that is launched, or choose its crew below."),
        }[self.key]
        values = {name: reader.term(f"landing_{value}") if name == "landing" else value
                  for name, value in self.values.items()}
        return reader.say(text, **values)


@dataclass(frozen=True)
class Sent:
    """What came with a form: the fields, and the order line that counts."""

    fields: Fields
    seen: int
    token: str
    orders: str = ""
    typed: bool = False
    problem: Incomplete | None = field(default=None)


def new_token() -> str:
    """A form's own key, so that a double click is one sending."""
    return secrets.token_urlsafe(12)


def whole_number(text: str | None, *, least: int, most: int) -> int | None:
    """A number from a field or an address; None if it is none in these bounds."""
    if text is None or not text.isascii() or not text.isdigit() or len(text) > 9:
        return None
    number = int(text)
    return number if least <= number <= most else None


def typed_line(fields: Fields) -> str | None:
    """The order line, if the player wrote or changed it; None if the steps decide."""
    line = fields.get("order", "").strip()
    if not line or line == fields.get("built", "").strip():
        return None
    return line
