"""Forms in numbered steps that work without script: what a step offers, and what was chosen.

The game turns a question into steps and the chosen fields into an order line (engine/forms.py);
here its keys become words. Typing wins: an order line that the player edited is sent as it stands.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from flask import g
from werkzeug.datastructures import MultiDict

from engine.forms import Incomplete
from engine.phrases import Value
from pbem.i18n import words
from pbem.i18n.words import msgid

Fields = MultiDict[str, str]
LONGEST_TOKEN = 60
NOTHING_CHOSEN = msgid("Nothing is chosen yet. Go through the steps, or write an order line.")


@dataclass(frozen=True)
class GameReader:
    """Who reads a game's page: in which language, from which seat, at whose table."""

    language: str
    game: str
    names: Sequence[str]
    seat: int | None = None
    letters: Sequence[str] = ()

    def term(self, key: str, number: int | None = None) -> str:
        """A word of the game."""
        return words.term(self.game, key, self.language, number)

    @cached_property
    def say(self) -> Callable[[Value], str]:
        """Says a value of the game's forms and pages."""
        return words.Say(words.game_words(self.game, self.language), self.names).value

    def missing(self, problem: Incomplete) -> str:
        """What the steps do not say yet."""
        if problem.key == "nothing":
            return words.gettext(NOTHING_CHOSEN, self.language)
        said = words.Say(words.game_words(self.game, self.language), self.names)
        return said.missing(problem.key, problem.values)


@dataclass(frozen=True)
class SentForm:
    """What came with a form: the fields, and the order line that counts."""

    fields: Fields
    seen: int
    token: str
    orders: str = ""
    typed: bool = False
    is_part: bool = False  # asked by script, for what a changed step changes on the page
    problem: Incomplete | None = field(default=None)


def new_token() -> str:
    """A form's own key, so that a double click is one sending."""
    g.form_key = secrets.token_urlsafe(12)  # left out of the entity tag (web.responses)
    return str(g.form_key)


def whole_number(text: str | None, *, least: int, most: int) -> int | None:
    """A number from a field or an address; None if it is none in these bounds."""
    if text is None or not text.isascii() or not text.isdigit():
        return None
    if len(text) > len(str(most)):
        return None
    number = int(text)
    return number if least <= number <= most else None


def typed_line(fields: Fields) -> str | None:
    """The order line, if the player wrote or changed it; None if the steps decide."""
    line = fields.get("order", "").strip()
    if not line or line == fields.get("built", "").strip():
        return None
    return line
