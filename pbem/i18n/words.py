"""Translates a game's keys and numbers to words, from the game's TOML files.

The engine uses keys and numbers, and `templates/games/<game-key>/words/<language>.toml` has the
words for them. The game chooses the phrase for a fact and its values (engine/phrases.py).

Terms have flat keys: `area_navigation`, `area_full_navigation`, `landing_natal`, `colour_violet`,
`character_dias`, `title_dias`, `space_upper`, `source_slots`, `phase_1`, `seat_yellow`,
`slot_free`, `round`, `real` (takes a number), `vp` and so on.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from babel import Locale

from engine import phrases, registry
from engine.api import Awaiting, Event, GameRules, Move, Seat, Viewer
from engine.phrases import Phrase
from pbem.i18n.catalogs import gettext, msgid, ngettext, translations

__all__ = [
    "LANGUAGES", "GameWords", "LogLine", "Say", "aliases", "called", "chapter", "event_line",
    "first_upper", "game_words", "gettext", "move_label", "msgid", "ngettext",
    "prompt", "refusal", "round_name",
    "seat_letters", "signed", "term", "translations", "without_accents",
]  # fmt: skip

LANGUAGES = ("en", "hu", "ru", "pt")
ROOT = Path(__file__).parents[2]
GAMES = ROOT / "templates" / "games"
# the locales that give the plural forms
LOCALES = {"en": "en", "hu": "hu", "ru": "ru", "pt": "pt_PT"}
NOTHING = "–"
# written by pbem.accounts.closure; records keep it as it is
FORMER = re.compile(r"Former player (\d+)")


class LogLine(NamedTuple):
    """A line of the log, and the id of its rule ("" if none)."""

    text: str
    rule: str


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
        self.form: Mapping[str, str] = tables.get("form", {})
        self.missing: Mapping[str, str] = tables.get("missing", {})
        self.options: Mapping[str, str] = tables.get("options", {})
        self.happenings: Mapping[str, str] = tables.get("happenings", {})
        self.aliases: Mapping[str, str] = tables.get("aliases", {})
        # Cached: Babel computes plurals with decimals, and pages repeat the same few numbers.
        self.plural_form = lru_cache(512)(Locale.parse(LOCALES[language]).plural_form)

    def term(self, key: str, number: int | None = None) -> str:
        """Return a term. If it depends on a number, return the form for `number`."""
        word = self.terms[key]
        if isinstance(word, str):
            return word
        form = self.plural_form(1 if number is None else abs(number))
        return word.get(form) or word.get("other") or word["many"]


class Say:
    """Says the values of phrases in one language, with these names for the seats."""

    def __init__(self, words: GameWords, names: Sequence[str]) -> None:
        self.words = words
        self.names = names

    def phrase(self, template: str, phrase: Phrase) -> str:
        """Insert the phrase's values into a template."""
        return template.format_map(self.values(phrase.values))

    def values(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Translate named values. Plain ones stay."""
        return {
            place: WORDING[type(value)](self, value) if type(value) in WORDING else value
            for place, value in values.items()
        }

    def value(self, value: Any) -> str:
        """Translate one value."""
        wording = WORDING.get(type(value))
        return str(value) if wording is None else wording(self, value)

    def name(self, seat: Seat | None) -> str:
        """Return the player's name, or a dash for nobody."""
        if seat is None:
            return NOTHING
        if seat >= len(self.names):
            return str(seat + 1)
        return called(self.names[seat], self.words.language)

    def term(self, family: str, key: str) -> str:
        """Return the term of a family, or the key itself if there is none."""
        found = f"{family}_{key}"
        return self.words.term(found) if found in self.words.terms else key

    def count(self, key: str, number: int) -> str:
        """Return a number with its unit: 3 Reals."""
        return f"{number} {self.words.term(key, number)}"

    def said(self, key: str, values: Mapping[str, Any]) -> str:
        """Insert values into a term."""
        return self.words.term(key).format_map(self.values(values))

    def text(self, key: str, values: Mapping[str, Any]) -> str:
        """Insert values into a text of forms and pages."""
        return self.words.form[key].format_map(self.values(values))

    def missing(self, key: str, values: Mapping[str, Any]) -> str:
        """Return which values a form still lacks."""
        return self.words.missing[key].format_map(self.values(values))

    def listed(self, values: Sequence[Any]) -> str:
        """Join values, or return a dash for none."""
        return ", ".join([self.value(value) for value in values]) or NOTHING


WORDING: Mapping[type, Callable[[Say, Any], str]] = {
    phrases.Name: lambda say, name: say.name(name.seat),
    phrases.WordForm: lambda say, word: say.words.term(word.key, word.number),
    phrases.Term: lambda say, term: say.term(term.family, term.key),
    phrases.Quantity: lambda say, count: say.count(count.key, count.number),
    phrases.Signed: lambda say, change: signed(change.number),
    phrases.TermPhrase: lambda say, said: say.said(said.key, said.values),
    phrases.Text: lambda say, text: say.text(text.key, text.values),
    phrases.Capital: lambda say, capital: first_upper(say.value(capital.value)),
    phrases.Enumeration: lambda say, listed: say.listed(listed.values),
}


def called(name: str, language: str) -> str:
    """Return a person's name. Closed accounts have a name in every language."""
    former = FORMER.fullmatch(name)
    if former is None:
        return name
    return gettext("Former player %(number)s", language, number=former[1])


def first_upper(text: str) -> str:
    """Capitalise the first letter. Names inside the text stay."""
    return text[:1].upper() + text[1:]


def signed(number: int) -> str:
    """Return +2, 0 or −1, with a real minus sign."""
    return f"{number:+d}".replace("-", "−") if number else "0"


@cache
def game_words(game_key: str, language: str) -> GameWords:
    """Return a game's words, read once per process."""
    return GameWords(game_key, language)


# A game's ids refer to its own component set, so callers pass the game's rules.


def event_line(
    rules: GameRules, event: Event, *, names: Sequence[str], viewer: Viewer, language: str
) -> LogLine | None:
    """Describe an event as this viewer may see it. Returns None if it needs no line."""
    words = game_words(rules.key, language)
    phrase = rules.event_phrase(event.seen_by(viewer))
    if phrase is None:
        return None
    return LogLine(Say(words, names).phrase(words.events[phrase.key], phrase), event.rule)


def prompt(
    rules: GameRules, awaiting: Awaiting, *, viewer: Viewer, names: Sequence[str], language: str
) -> str:
    """Ask the viewer in the second person. For others, say whom the game waits for."""
    words = game_words(rules.key, language)
    phrase = rules.question_phrase(awaiting)
    told = words.prompts["asked" if viewer in awaiting.seats else "others"]
    return Say(words, names).phrase(told[phrase.key], phrase)


def refusal(
    game_key: str,
    key: str,
    rule: str,
    numbers: Mapping[str, Any],
    language: str,
    *,
    names: Sequence[str] = (),
) -> str:
    """Say why an order was refused, with the relevant numbers. The rule is shown separately."""
    words = game_words(game_key, language)
    text = words.refusals.get(key)
    if text is None:
        return words.refusals["unreadable" if rule == "orders" else "not_allowed"]
    phrase = registry.game(game_key).refusal_phrase(key, numbers)
    return Say(words, names).phrase(text, phrase)


def move_label(rules: GameRules, move: Move, language: str) -> str:
    """Describe a move for forms and previews: Place 8 in recruiting."""
    words = game_words(rules.key, language)
    phrase = rules.move_phrase(move)
    return Say(words, ()).phrase(words.orders[phrase.key], phrase)


def chapter(rules: GameRules, number: int, language: str, *, key: str = "chapter") -> str:
    """Return the name of a round: round 3; part B, round 4 (`chapter_short`: B4)."""
    return Say(game_words(rules.key, language), ()).said(key, rules.rounds()[number - 1])


def round_name(rules: GameRules, language: str, number: int) -> str:
    """Return a round's name for headings: Part B, round 4."""
    return first_upper(chapter(rules, number, language))


def happening(game_key: str, key: str, language: str) -> str:
    """Describe a memorable event without its player: founded Calicut."""
    words = game_words(game_key, language)
    phrase = registry.game(game_key).happening_phrase(key)
    return Say(words, ()).phrase(words.happenings[phrase.key], phrase)


def term(game_key: str, key: str, language: str, number: int | None = None) -> str:
    """Return a game's term. With a number, return its form for that number."""
    return game_words(game_key, language).term(key, number)


@cache
def aliases(game_key: str, language: str) -> Mapping[str, str]:
    """Map this language's words to the English words of orders, with and without accents."""
    given = game_words(game_key, language).aliases
    bare = {without_accents(alias): word for alias, word in given.items()}
    return {**bare, **given}


def without_accents(text: str) -> str:
    """Remove accents, as on a keyboard without them. Cyrillic й stays."""
    composed = unicodedata.normalize("NFC", text).replace("ё", "е").replace("Ё", "Е")
    return "".join(
        unicodedata.normalize("NFD", letter)[0] if letter < "\u0400" else letter
        for letter in composed
    )


# ---- letters on the seats' discs ---------------------------------------------------------------

LOOK_ALIKE = str.maketrans("АВЕКМНОРСТУХЗІЈЅЙ01", "ABEKMHOPCTYX3IJSИOI")


def seat_letters(names: Sequence[str]) -> tuple[str, ...]:
    """Return the first letter of each name, or A to D if two are equal or look alike.

    A name that ends in a number, as the service's own players have it, is marked by its last digit.
    """
    letters = tuple(
        name[-1] if NUMBERED.search(name) else first_letter(name) for name in names)
    seen = {without_accents(letter).translate(LOOK_ALIKE) for letter in letters}
    if len(seen) == len(letters) and "" not in letters:
        return letters
    return tuple("ABCDEFGH"[seat] for seat in range(len(names)))


NUMBERED = re.compile(r" \d+$")


def first_letter(name: str) -> str:
    """Return the name's first letter or digit in upper case, or "" if it has none."""
    letter = next((each for each in unicodedata.normalize("NFC", name) if each.isalnum()), "")
    return letter.upper()[:1]
