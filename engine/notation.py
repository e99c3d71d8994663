"""Splits letters into orders, and reads one-line orders by a game's grammar (rules/orders.md).

A grammar is a function that takes a `LineReader` and returns the line's meaning. Its words are the
game's own.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from engine.errors import MalformedOrder, UnsettledOrder

T = TypeVar("T")

LONGEST_LINE = 300  # characters; no order of any game comes near
MOST_DIGITS = 4
SHORTEST_CUT = 3
NEVER_CUT = frozenset({"up", "bag", "from"})
MOST_SUGGESTIONS = 3
MOST_MARKS = 30  # accents on one letter: UAX #15, "Stream-Safe Text Format"

REFUSALS: dict[str, tuple[str, ...]] = {
    # `line` is the line as written, `word` is where reading stopped (empty: at the end).
    "unknown_verb": ("line", "word"),  # no order begins with this word
    "unknown_word": ("line", "word"),
    "ambiguous_word": ("line", "word"),  # cut too short
    "unknown_id": ("line", "word"),  # no tile, card and so on has this id
    "unknown_slot": ("line", "word"),  # the landing has no such slot
    "number_too_big": ("line", "word"),
    "wrong_shape": ("line", "word"),  # known words in the wrong order, or an unfinished line
    "line_too_long": ("line", "word"),
    "no_such_amount": ("line", "word"),  # take AMOUNT: no space holds it
    "ambiguous_amount": ("line", "word"),  # take AMOUNT: both spaces hold it
    "no_orders": (),  # an empty letter
    "too_many_orders": ("orders", "most"),
}
"""Refusals of orders that cannot be read: key -> names of their numbers."""

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_NUMBER = re.compile(r"[0-9]+")
_ID = re.compile(r"[^\W_][\w-]*")
_TIGHT_BEFORE = frozenset(",:@>")
_TIGHT_BEHIND = frozenset("@>")
_CHUNK = re.compile(r"[^\s,:>]+|.")
# Phones and mail programs replace > and - by these.
_TYPED = str.maketrans({"→": ">", "›": ">", "»": ">"} | dict.fromkeys("‐‑‒–—−", "-"))


class OrderLine(NamedTuple):
    """One order of a letter: the number of its line, from 1, and its text as written.

    `moves`: its move and answers ahead where a form has built them; else they are read.
    """

    number: int
    text: str
    moves: tuple[Any, ...] = ()


class Slip(Exception):
    """Raised where reading stops. `start` and `end` are offsets; `instead` could stand there."""

    def __init__(self, key: str, start: int, end: int, instead: Iterable[str] = ()) -> None:
        super().__init__(key)
        self.refusal: type[MalformedOrder] = MalformedOrder
        self.key = key
        self.start = start
        self.end = end
        self.instead = tuple(instead)


def order_lines(letter: str) -> list[OrderLine]:
    """Split a letter into orders, at line ends and at `;`. Empty orders are left out."""
    return [
        OrderLine(number, order.strip())
        for number, row in enumerate(tidied(letter).splitlines(), start=1)
        for order in row.split(";")
        if order.strip()
    ]


def tidied(text: str) -> str:
    """Return the text in NFKC, without the invisible characters that mail programs add."""
    if text.isascii():
        return text
    kept = (
        letter
        for letter in unicodedata.normalize("NFKC", stream_safe(text))
        if unicodedata.category(letter) != "Cf"
    )
    return "".join(kept)


def stream_safe(text: str) -> str:
    """Return the text with at most MOST_MARKS accents on a letter (UAX #15).

    Normalising sorts accents in quadratic time, so text of unlimited length must pass here first.
    """
    kept: list[str] = []
    marks = 0
    for letter in text:
        marks = marks + 1 if unicodedata.combining(letter) else 0
        if marks <= MOST_MARKS:
            kept.append(letter)
    return "".join(kept)


@lru_cache(maxsize=4096)
def normalised(line: str) -> str:
    """Return the line with folded case, single spaces and no full stop at its end."""
    folded = tidied(tidied(line).casefold()).translate(_TYPED).replace("->", ">")
    return " ".join(folded.split()).rstrip(". ")


@lru_cache(maxsize=4096)
def plain(word: str) -> str:
    """Return the word without accents, for comparing."""
    parts = unicodedata.normalize("NFKD", word)
    return "".join(letter for letter in parts if not unicodedata.combining(letter))


class LineReader:
    """Reads one normalised line from the left. Every method skips spaces first; most raise Slip."""

    def __init__(self, text: str, aliases: Mapping[str, str]) -> None:
        self.text = text
        self.tokens: list[str] = []  # what was read: words in full, numbers, ids, signs
        self._at = 0
        self._aliases = aliases

    def word(self, *options: str, unknown: str = "unknown_word") -> str:
        """Read one of `options`, written in full, abbreviated, or as an alias; return the option.

        An option may have several words ("give up"). `unknown` is the key of the Slip.
        """
        start = self._skip_spaces()
        names = self._names(options)
        found = self._exact(names) or self._abbreviated(names)
        if not found:
            end = self._end_of_chunk()
            raise Slip(unknown if end > start else "wrong_shape", start, end, names)
        if len({option for option, _ in found}) > 1:
            raise Slip("ambiguous_word", start, found[0][1])
        option, self._at = found[0]
        self.tokens.append(option)
        return option

    def has_word(self, *options: str) -> bool:
        """Whether one of `options` begins here. Reads nothing."""
        self._skip_spaces()
        names = self._names(options)
        return bool(self._exact(names) or self._abbreviated(names))

    def number(self) -> int:
        """Read a whole number of at most four digits."""
        start = self._skip_spaces()
        found = _NUMBER.match(self.text, start)
        if not found:
            raise Slip("wrong_shape", start, self._end_of_chunk())
        if len(found[0].lstrip("0")) > MOST_DIGITS:
            raise Slip("number_too_big", start, found.end())
        self._at = found.end()
        self.tokens.append(str(int(found[0])))
        return int(found[0])

    def has_number(self) -> bool:
        """Whether a number begins here. Reads nothing."""
        return bool(_NUMBER.match(self.text, self._skip_spaces()))

    def id(self, ids: Sequence[str], *, beside: Sequence[str] = ()) -> str:
        """Read one of `ids`, in any case and never abbreviated.

        `beside` are words that could stand here too, for corrections.
        """
        start = self._skip_spaces()
        found = self._id_here(ids)
        if found is None:
            end = self._end_of_chunk()
            key = "unknown_id" if end > start else "wrong_shape"
            raise Slip(key, start, end, (*map(str.casefold, ids), *beside))
        self._at = start + len(found)
        self.tokens.append(found)
        return found

    def has_id(self, ids: Sequence[str]) -> bool:
        """Whether one of `ids` begins here. Reads nothing."""
        self._skip_spaces()
        return self._id_here(ids) is not None

    def sign(self, sign: str) -> None:
        """Read a sign that must be here."""
        if not self.has_sign(sign):
            raise Slip("wrong_shape", self._at, self._end_of_chunk())

    def has_sign(self, sign: str) -> bool:
        """Read the sign if it is here; whether it was."""
        start = self._skip_spaces()
        if not self.text.startswith(sign, start):
            return False
        self._at = start + len(sign)
        self.tokens.append(sign)
        return True

    def skip(self, length: int) -> None:
        """Skip characters that the caller has read."""
        self._at += length

    def is_at_end(self) -> bool:
        """Whether nothing is left to read."""
        return self._skip_spaces() >= len(self.text)

    def end(self) -> None:
        """Require the end of the line."""
        if not self.is_at_end():
            raise Slip("wrong_shape", self._at, self._end_of_chunk())

    def fail(self, key: str, *, since: int) -> Slip:
        """Build a Slip about what was read since an offset."""
        return Slip(key, since, self._at)

    def unsettled(self, key: str, *, since: int) -> Slip:
        """Build a Slip about what the present table cannot settle (UnsettledOrder)."""
        slip = Slip(key, since, self._at)
        slip.refusal = UnsettledOrder
        return slip

    @property
    def place(self) -> int:
        """The offset of the next token."""
        return self._skip_spaces()

    def _skip_spaces(self) -> int:
        while self._at < len(self.text) and self.text[self._at] == " ":
            self._at += 1
        return self._at

    def _end_of_chunk(self) -> int:
        found = _CHUNK.match(self.text, self._at)
        return found.end() if found else self._at

    def _id_here(self, ids: Sequence[str]) -> str | None:
        found = _ID.match(self.text, self._at)
        return next((each for each in ids if found and each.casefold() == found[0]), None)

    def _names(self, options: Sequence[str]) -> dict[str, str]:
        """Return name -> option for all names of the options; English names win."""
        names = {option: option for option in options}
        for alias, meaning in self._aliases.items():
            if meaning in names.values():
                names.setdefault(normalised(alias), meaning)
        return names

    def _exact(self, names: Mapping[str, str]) -> list[tuple[str, int]]:
        """Match names written in full; the longest one only."""
        return sorted(self._fitting(names, str.__eq__), key=lambda each: -each[1])[:1]

    def _abbreviated(self, names: Mapping[str, str]) -> list[tuple[str, int]]:
        """Match abbreviated names: every option that fits."""
        return self._fitting(names, is_abbreviation)

    def _fitting(
        self, names: Mapping[str, str], fits: Callable[[str, str], bool]
    ) -> list[tuple[str, int]]:
        """Return (option, end offset) of all names that fit. The first letter rules most out."""
        begins = plain(self.text[self._at : self._at + 1])
        return [
            (option, end)
            for name, option in names.items()
            if plain(name).startswith(begins) and (end := self._matches(name, fits)) is not None
        ]

    def _matches(self, name: str, fits: Callable[[str, str], bool]) -> int | None:
        """Return the offset after the name if it matches word by word, else None."""
        at = self._at
        for word in name.split(" "):
            while at < len(self.text) and self.text[at] == " ":
                at += 1
            found = _WORD.match(self.text, at)
            if not found or not fits(plain(found[0]), plain(word)):
                return None
            at = found.end()
        return at


def is_abbreviation(written: str, word: str) -> bool:
    """Whether `written` is the word, or its beginning of at least SHORTEST_CUT letters."""
    if written == word:
        return True
    return word not in NEVER_CUT and len(written) >= SHORTEST_CUT and word.startswith(written)


def read(
    line: str,
    grammar: Callable[[LineReader], T],
    aliases: Mapping[str, str],
    to_text: Callable[[T], str],
) -> T:
    """Read the whole line. Raise MalformedOrder with the lines that were probably meant."""
    if len(line) > LONGEST_LINE:
        raise MalformedOrder("line_too_long", rule="orders", line=line[:40] + "…", word="")
    text = normalised(line)
    try:
        return _read_whole(text, grammar, aliases)
    except Slip as slip:
        word = text[slip.start : slip.end]
        refused = slip.refusal(slip.key, rule="orders", line=line.strip(), word=word)
        raise refused.with_choices(_corrected(text, slip, grammar, aliases, to_text)) from None


def in_full_words(
    line: str, grammar: Callable[[LineReader], object], aliases: Mapping[str, str]
) -> str:
    """Return the whole line in full English words. Raise MalformedOrder.

    What only another table can settle stays open, so the line can be stored and read later.
    """

    def as_text(reader: LineReader) -> str:
        try:
            grammar(reader)
        except Slip as slip:
            if slip.refusal is not UnsettledOrder:
                raise
        return spaced(reader.tokens)

    return read(line, as_text, aliases, str)


def spaced(tokens: Iterable[str]) -> str:
    """Join tokens to one line, with spaces where orders have them."""
    text = ""
    for each in tokens:
        tight = each in _TIGHT_BEFORE or not text or text[-1] in _TIGHT_BEHIND
        text += each if tight else f" {each}"
    return text


def _read_whole(text: str, grammar: Callable[[LineReader], T], aliases: Mapping[str, str]) -> T:
    reader = LineReader(text, aliases)
    meaning = grammar(reader)
    reader.end()
    return meaning


def _corrected(
    text: str,
    slip: Slip,
    grammar: Callable[[LineReader], T],
    aliases: Mapping[str, str],
    to_text: Callable[[T], str],
) -> list[str]:
    """Return the line with the wrong word replaced by what looks most like it."""
    lines: list[str] = []
    rest = text[slip.start :].split(" ")
    for better in _similar(text, slip):
        words = len(better.split(" "))
        try:
            behind = " ".join(rest[words:]) if words > 1 else text[slip.end :]
            line = f"{text[: slip.start]}{better} {behind}"
            meaning = to_text(_read_whole(line, grammar, aliases))
        except Slip:
            continue
        if meaning not in lines:
            lines.append(meaning)
    return lines


def _similar(text: str, slip: Slip) -> list[str]:
    """Return what could be meant at the slip, the most similar first."""
    one = difflib.get_close_matches(
        text[slip.start : slip.end], slip.instead, MOST_SUGGESTIONS, 0.5
    )
    several = [each for each in slip.instead if " " in each]
    return one or difflib.get_close_matches(text[slip.start :], several, MOST_SUGGESTIONS, 0.6)


def close_lines(line: str, lines: Sequence[str]) -> list[str]:
    """Return those of `lines` that look most like `line`, the most similar first."""
    if len(line) > LONGEST_LINE:
        return []
    return difflib.get_close_matches(normalised(line), lines, MOST_SUGGESTIONS, 0.6)
