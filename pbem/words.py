"""What people read: a game's words from its TOML files; beside them the texts of pbem.catalogs.

The engine speaks in keys and numbers; `templates/games/<game-key>/words/<language>.toml` says
them. Which phrase fits a fact, and with which values, is `pbem.phrases.<game>`'s.

Terms have flat keys: `area_navigation`, `area_full_navigation`, `landing_natal`,
`colour_violet`, `character_dias`, `title_dias`, `space_upper`, `source_slots`, `phase_1`,
`seat_yellow`, `slot_free`, `round`, `real` (takes a number), `vp` and so on.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from babel import Locale

from engine.api import Awaiting, Event, Move, Seat, Viewer
from pbem.catalogs import gettext, msgid, ngettext, translations

__all__ = [
    "LANGUAGES", "GameWords", "Line", "Phrase", "Say", "aliases", "event_line", "game_words",
    "gettext", "kind_label", "move_label", "msgid", "ngettext", "prompt", "refusal",
    "seat_letters", "snake", "term", "translations", "without_accents",
]  # fmt: skip

LANGUAGES = ("en", "hu", "ru", "pt")
ROOT = Path(__file__).parents[1]
GAMES = ROOT / "templates" / "games"
LOCALES = {"en": "en", "hu": "hu", "ru": "ru", "pt": "pt_PT"}  # whose plurals count
NOTHING = "–"


class Line(NamedTuple):
    """One line of the log and the id of the rule behind it ("" if none)."""

    text: str
    rule: str


class Phrase(NamedTuple):
    """Which phrase to say, and what stands in its places."""

    key: str
    values: Mapping[str, Any]


# ---- a game's words ----------------------------------------------------------------------------


class GameWords:
    """One game's words in one language."""

    def __init__(self, game_key: str, language: str) -> None:
        path = GAMES / game_key / "words" / f"{language}.toml"
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
        self.language = language
        self.terms: Mapping[str, str | Mapping[str, str]] = tables["terms"]
        self.events: Mapping[str, str] = tables["events"]
        self.prompts: Mapping[str, Mapping[str, str]] = tables["prompts"]
        self.refusals: Mapping[str, str] = tables["refusals"]
        self.orders: Mapping[str, str] = tables["orders"]
        self.kinds: Mapping[str, str] = tables["kinds"]
        self.aliases: Mapping[str, str] = tables.get("aliases", {})
        # Babel reckons with decimals; pages name the same few numbers again and again.
        self.plural_form = lru_cache(512)(Locale.parse(LOCALES[language]).plural_form)

    def term(self, key: str, number: int | None = None) -> str:
        """The word; in the form that stands after `number` where the word takes one."""
        word = self.terms[key]
        if isinstance(word, str):
            return word
        form = self.plural_form(1 if number is None else abs(number))
        return word.get(form) or word.get("other") or word["many"]


class Say:
    """Turns a fact's values into words: names of seats, terms, counted things."""

    def __init__(self, words: GameWords, names: Sequence[str]) -> None:
        self.words = words
        self.names = names

    def name(self, seat: Seat | None) -> str:
        """The player's name; a dash for nobody."""
        if seat is None:
            return NOTHING
        return self.names[seat] if seat < len(self.names) else str(seat + 1)

    def term(self, key: str) -> str:
        """A word by its key."""
        return self.words.term(key)

    def known(self, key: str, otherwise: str) -> str:
        """A word by its key, if there is one."""
        return self.words.term(key) if key in self.words.terms else otherwise

    def count(self, key: str, number: int) -> str:
        """A number and its thing: 3 Reals."""
        return f"{number} {self.words.term(key, number)}"

    def listed(self, things: Sequence[str]) -> str:
        """Things after one another; a dash for none."""
        return ", ".join(things) or NOTHING


@cache
def game_words(game_key: str, language: str) -> GameWords:
    """A game's words, read once a process."""
    return GameWords(game_key, language)


@cache
def phrases(game_key: str) -> Any:
    """The module that picks this game's phrases."""
    return import_module(f"pbem.phrases.{game_key.replace('-', '_')}")


def event_line(
    game_key: str, event: Event, *, names: Sequence[str], viewer: Viewer, language: str
) -> Line | None:
    """A fact as this viewer may read it; None if it is not worth a line."""
    words = game_words(game_key, language)
    phrase = phrases(game_key).of_event(event.seen_by(viewer), Say(words, names))
    if phrase is None:
        return None
    return Line(words.events[phrase.key].format_map(phrase.values), event.rule)


def prompt(
    game_key: str, awaiting: Awaiting, *, viewer: Viewer, names: Sequence[str], language: str
) -> str:
    """What the viewer is asked, in the second person; for others, whom the game waits for."""
    words = game_words(game_key, language)
    phrase = phrases(game_key).of_question(awaiting, Say(words, names))
    told = words.prompts["asked" if viewer in awaiting.seats else "others"]
    return told[phrase.key].format_map(phrase.values)


def refusal(
    game_key: str,
    key: str,
    rule: str,
    numbers: Mapping[str, Any],
    language: str,
    *,
    names: Sequence[str] = (),
) -> str:
    """Why an order was not played, with the numbers that decide it; the rule stands apart."""
    words = game_words(game_key, language)
    text = words.refusals.get(key)
    if text is None:
        return words.refusals["unreadable" if rule == "orders" else "not_allowed"]
    return text.format_map(phrases(game_key).of_numbers(numbers, Say(words, names)))


def move_label(
    game_key: str,
    move: Move,
    language: str,
    *,
    slots: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> str:
    """A move in words, for forms and previews: Place 8 in recruiting.

    `slots` names the slots of each landing from the left; without it they are counted from 1.
    """
    words = game_words(game_key, language)
    phrase = phrases(game_key).of_move(move, Say(words, ()), slots)
    return words.orders[phrase.key].format_map(phrase.values)


def kind_label(game_key: str, kind: type[Move], language: str) -> str:
    """What a kind of move does, for the first step of a form: Take it: send ships."""
    return game_words(game_key, language).kinds[snake(kind.__name__)]


def term(game_key: str, key: str, language: str, number: int | None = None) -> str:
    """A game's word; with a number, in the form that stands after it."""
    return game_words(game_key, language).term(key, number)


@cache
def aliases(game_key: str, language: str) -> Mapping[str, str]:
    """Words of this language for the English words of orders, with and without accents."""
    given = game_words(game_key, language).aliases
    bare = {without_accents(alias): word for alias, word in given.items()}
    return {**bare, **given}


def without_accents(text: str) -> str:
    """The text as typed on a keyboard without accents; Cyrillic keeps its й."""
    composed = unicodedata.normalize("NFC", text).replace("ё", "е").replace("Ё", "Е")
    return "".join(
        unicodedata.normalize("NFD", letter)[0] if letter < "\u0400" else letter
        for letter in composed
    )


@cache
def snake(class_name: str) -> str:
    """CrewRecruited -> crew_recruited."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", class_name).lower()


# ---- letters on the seats' discs ---------------------------------------------------------------

LOOK_ALIKE = str.maketrans("АВЕКМНОРСТУХЗІЈЅЙ01", "ABEKMHOPCTYX3IJSИOI")


def seat_letters(names: Sequence[str]) -> tuple[str, ...]:
    """The first letter of each name; A to D where two would share one or look alike."""
    letters = tuple(first_letter(name) for name in names)
    seen = {without_accents(letter).translate(LOOK_ALIKE) for letter in letters}
    if len(seen) == len(letters) and "" not in letters:
        return letters
    return tuple("ABCDEFGH"[seat] for seat in range(len(names)))


def first_letter(name: str) -> str:
    """The name's first letter or figure in upper case; "" if it has none."""
    letter = next((each for each in unicodedata.normalize("NFC", name) if each.isalnum()), "")
    return letter.upper()[:1]
