"""Reads forms in numbered steps that work without script.

The game turns a question into steps, and the chosen fields into moves (engine/forms.py).
This module turns its keys into words. An order line that the player edited wins over the steps.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from flask import g
from werkzeug.datastructures import MultiDict

from engine.forms import Incomplete
from engine.phrases import Value
from pbem.i18n import words
from pbem.i18n.words import msgid
from pbem.play.sent_orders import Orders, text_of

Fields = MultiDict[str, str]
LONGEST_TOKEN = 60
NOTHING_CHOSEN = msgid("Nothing is chosen yet. Go through the steps, or write an order line.")


@dataclass(frozen=True)
class GameReader:
    """The reader of a game page: their language, their seat, and the names at the table."""

    language: str
    game: str
    names: Sequence[str]
    seat: int | None = None
    letters: Sequence[str] = ()

    def term(self, key: str, number: int | None = None) -> str:
        """Return a term of the game in the reader's language."""
        return words.term(self.game, key, self.language, number)

    @cached_property
    def say(self) -> Callable[[Value], str]:
        """Return the function that words a value of the game's forms and pages."""
        return words.Say(words.game_words(self.game, self.language), self.names).value

    def missing(self, problem: Incomplete) -> str:
        """Return which step is still incomplete, as a sentence."""
        if problem.key == "nothing":
            return words.gettext(NOTHING_CHOSEN, self.language)
        said = words.Say(words.game_words(self.game, self.language), self.names)
        return said.missing(problem.key, problem.values)


@dataclass(frozen=True)
class SentForm:
    """A sent form: its fields, the entry that the player saw, and the orders that count."""

    fields: Fields
    seen: int
    token: str
    orders: Orders = ""
    is_part: bool = False  # asked by the script, which replaces parts of the page
    problem: Incomplete | None = None

    @property
    def line(self) -> str:
        """The orders as one line."""
        return text_of(self.orders)

    @property
    def built(self) -> str:
        """The line that the steps have built; "" if the player has typed one."""
        return "" if isinstance(self.orders, str) else self.line


def new_token() -> str:
    """Return a new idempotency key for a form, so that a double click sends once."""
    g.form_key = secrets.token_urlsafe(12)  # left out of the entity tag (web.responses)
    return str(g.form_key)


def whole_number(text: str | None, *, least: int, most: int) -> int | None:
    """Return a whole number from a field or an address; None if it is malformed or out of range."""
    if text is None or not text.isascii() or not text.isdigit():
        return None
    if len(text) > len(str(most)):
        return None
    number = int(text)
    return number if least <= number <= most else None


def typed_line(fields: Fields) -> str | None:
    """Return the order line if the player wrote or changed it; None if the steps decide."""
    line = fields.get("order", "").strip()
    if not line or line == fields.get("built", "").strip():
        return None
    return line
