"""One-line orders, for all games: splitting letters, and a reader that a game's grammar drives.

A grammar is a function of a `LineReader`; what it returns is the line's meaning. Which words a game
knows, and what they mean, is the game's (rules/orders.md).
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

from engine.errors import MalformedOrder, UnsettledOrder

T = TypeVar("T")

LONGEST_LINE = 300  # characters; no order of any game comes near
MOST_DIGITS = 4
SHORTEST_CUT = 3
NEVER_CUT = frozenset({"up", "bag", "from"})
MOST_SUGGESTIONS = 3
MOST_MARKS = 30  # accents on one letter: UAX #15, "Stream-Safe Text Format"

REFUSALS: dict[str, tuple[str, ...]] = {
    # For the words: `line` as it was written, `word` where reading stopped (empty: at the end).
    "unknown_verb": ("line", "word"),  # no order begins like this
    "unknown_word": ("line", "word"),
    "ambiguous_word": ("line", "word"),  # cut too short
    "unknown_id": ("line", "word"),  # no tile (card, ..) is called so
    "unknown_slot": ("line", "word"),  # the landing has no such slot
    "number_too_big": ("line", "word"),
    "wrong_shape": ("line", "word"),  # known words in an order's wrong places; also: unfinished
    "line_too_long": ("line", "word"),
    "no_such_amount": ("line", "word"),  # take AMOUNT: no space holds it
    "ambiguous_amount": ("line", "word"),  # take AMOUNT: both spaces hold it
    "no_orders": (),  # an empty letter
    "too_many_orders": ("orders", "most"),
}
"""The refusals of orders that cannot be read, by key, with the names of their numbers."""

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_NUMBER = re.compile(r"[0-9]+")
_ID = re.compile(r"[^\W_][\w-]*")
_TIGHT_BEFORE = frozenset(",:@>")
_TIGHT_BEHIND = frozenset("@>")
_CHUNK = re.compile(r"[^\s,:>]+|.")
# What phones and mail programs make of > and -.
_TYPED = str.maketrans({"→": ">", "›": ">", "»": ">"} | dict.fromkeys("‐‑‒–—−", "-"))


class OrderLine(NamedTuple):
    """One order of a letter: the number of its line, from 1, and what was written."""

    number: int
    text: str


class Slip(Exception):
    """Where a reader stopped: what stands there, and what could stand there instead."""

    def __init__(self, key: str, start: int, end: int, instead: Iterable[str] = ()) -> None:
        super().__init__(key)
        self.refusal: type[MalformedOrder] = MalformedOrder
        self.key = key
        self.start = start
        self.end = end
        self.instead = tuple(instead)


def order_lines(letter: str) -> list[OrderLine]:
    """The orders of a letter: one a line, or several separated by `;`. Empty ones are left out."""
    return [
        OrderLine(number, order.strip())
        for number, row in enumerate(tidied(letter).splitlines(), start=1)
        for order in row.split(";")
        if order.strip()
    ]


def tidied(text: str) -> str:
    """The text in compatibility form, without the invisible characters that mail programs add."""
    if text.isascii():
        return text
    kept = (
        letter
        for letter in unicodedata.normalize("NFKC", stream_safe(text))
        if unicodedata.category(letter) != "Cf"
    )
    return "".join(kept)


def stream_safe(text: str) -> str:
    """The text with at most 30 accents on a letter: to sort more takes the square of their number.

    Whatever is of any length goes through here before it is normalised.
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
    """The line as a reader takes it: folded case, single spaces, no full stop at the end."""
    folded = tidied(tidied(line).casefold()).translate(_TYPED).replace("->", ">")
    return " ".join(folded.split()).rstrip(". ")


@lru_cache(maxsize=4096)
def plain(word: str) -> str:
    """The word without accents, for comparing."""
    parts = unicodedata.normalize("NFKD", word)
    return "".join(letter for letter in parts if not unicodedata.combining(letter))


class LineReader:
    """Reads one normalised line from the left; every method skips spaces first."""

    def __init__(self, text: str, aliases: Mapping[str, str]) -> None:
        self.text = text
        self.heard: list[str] = []  # what was read: words in full, numbers, ids, signs
        self._at = 0
        self._aliases = aliases

    def word(self, *options: str, unknown: str = "unknown_word") -> str:
        """The one of `options` that stands here, in full, cut short, or under another name.

        An option may have several words ("give up").
        """
        start = self._skip_spaces()
        names = self._names(options)
        found = self._exact(names) or self._cut(names)
        if not found:
            end = self._end_of_chunk()
            raise Slip(unknown if end > start else "wrong_shape", start, end, names)
        if len({option for option, _ in found}) > 1:
            raise Slip("ambiguous_word", start, found[0][1])
        option, self._at = found[0]
        self.heard.append(option)
        return option

    def has_word(self, *options: str) -> bool:
        """Whether one of `options` stands here; reads nothing."""
        self._skip_spaces()
        names = self._names(options)
        return bool(self._exact(names) or self._cut(names))

    def number(self) -> int:
        """A whole number of at most four digits."""
        start = self._skip_spaces()
        found = _NUMBER.match(self.text, start)
        if not found:
            raise Slip("wrong_shape", start, self._end_of_chunk())
        if len(found[0].lstrip("0")) > MOST_DIGITS:
            raise Slip("number_too_big", start, found.end())
        self._at = found.end()
        self.heard.append(str(int(found[0])))
        return int(found[0])

    def has_number(self) -> bool:
        """Whether a number stands here; reads nothing."""
        return bool(_NUMBER.match(self.text, self._skip_spaces()))

    def id(self, ids: Sequence[str]) -> str:
        """One of `ids`, in any case and never cut."""
        start = self._skip_spaces()
        found = self._id_here(ids)
        if found is None:
            end = self._end_of_chunk()
            key = "unknown_id" if end > start else "wrong_shape"
            raise Slip(key, start, end, map(str.casefold, ids))
        self._at = start + len(found)
        self.heard.append(found)
        return found

    def has_id(self, ids: Sequence[str]) -> bool:
        """Whether one of `ids` stands here; reads nothing."""
        self._skip_spaces()
        return self._id_here(ids) is not None

    def sign(self, sign: str) -> None:
        """A sign that must stand here."""
        if not self.has_sign(sign):
            raise Slip("wrong_shape", self._at, self._end_of_chunk())

    def has_sign(self, sign: str) -> bool:
        """Whether the sign stands here; reads it if so."""
        start = self._skip_spaces()
        if not self.text.startswith(sign, start):
            return False
        self._at = start + len(sign)
        self.heard.append(sign)
        return True

    def skip(self, length: int) -> None:
        """Read so many characters, which the caller knows the meaning of."""
        self._at += length

    def is_at_end(self) -> bool:
        """Whether nothing is left to read."""
        return self._skip_spaces() >= len(self.text)

    def end(self) -> None:
        """The end of the line."""
        if not self.is_at_end():
            raise Slip("wrong_shape", self._at, self._end_of_chunk())

    def fail(self, key: str, *, since: int) -> Slip:
        """A slip over what was read since a place."""
        return Slip(key, since, self._at)

    def unsettled(self, key: str, *, since: int) -> Slip:
        """A slip that another table would not make of what was read since a place."""
        slip = Slip(key, since, self._at)
        slip.refusal = UnsettledOrder
        return slip

    @property
    def place(self) -> int:
        """Where the next thing starts."""
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
        """Everything that can stand here, and the option that it means; English comes first."""
        names = {option: option for option in options}
        for alias, meaning in self._aliases.items():
            if meaning in names.values():
                names.setdefault(normalised(alias), meaning)
        return names

    def _exact(self, names: Mapping[str, str]) -> list[tuple[str, int]]:
        """What stands here in full: the longest name only."""
        return sorted(self._fitting(names, str.__eq__), key=lambda each: -each[1])[:1]

    def _cut(self, names: Mapping[str, str]) -> list[tuple[str, int]]:
        """What stands here cut short: every option that the letters allow."""
        return self._fitting(names, is_cut_of)

    def _fitting(
        self, names: Mapping[str, str], fits: Callable[[str, str], bool]
    ) -> list[tuple[str, int]]:
        """The options whose names fit, and where those end; most have another first letter."""
        begins = plain(self.text[self._at : self._at + 1])
        return [
            (option, end)
            for name, option in names.items()
            if plain(name).startswith(begins) and (end := self._matches(name, fits)) is not None
        ]

    def _matches(self, name: str, fits: Callable[[str, str], bool]) -> int | None:
        """Where the name ends if it stands here, word by word."""
        at = self._at
        for word in name.split(" "):
            while at < len(self.text) and self.text[at] == " ":
                at += 1
            found = _WORD.match(self.text, at)
            if not found or not fits(plain(found[0]), plain(word)):
                return None
            at = found.end()
        return at


def is_cut_of(written: str, word: str) -> bool:
    """Whether `written` is the word or enough of its beginning (three letters or more)."""
    if written == word:
        return True
    return word not in NEVER_CUT and len(written) >= SHORTEST_CUT and word.startswith(written)


def read(
    line: str,
    grammar: Callable[[LineReader], T],
    aliases: Mapping[str, str],
    to_text: Callable[[T], str],
) -> T:
    """What the whole line means; MalformedOrder with the lines that were probably meant."""
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
    """The whole line in full English words; what it leaves open to the table stays open.

    So it can be kept, and read when its moment comes: what only another table settles is no slip.
    """

    def saying(reader: LineReader) -> str:
        try:
            grammar(reader)
        except Slip as slip:
            if slip.refusal is not UnsettledOrder:
                raise
        return spaced(reader.heard)

    return read(line, saying, aliases, str)


def spaced(heard: Iterable[str]) -> str:
    """What was heard as one line, with spaces where orders have them."""
    text = ""
    for each in heard:
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
    """The line with the word in question replaced by what looks most like it."""
    lines: list[str] = []
    rest = text[slip.start :].split(" ")
    for better in _likely(text, slip):
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


def _likely(text: str, slip: Slip) -> list[str]:
    """What could stand at the slip and looks like what does, the likeliest first."""
    one = difflib.get_close_matches(
        text[slip.start : slip.end], slip.instead, MOST_SUGGESTIONS, 0.5
    )
    several = [each for each in slip.instead if " " in each]
    return one or difflib.get_close_matches(text[slip.start :], several, MOST_SUGGESTIONS, 0.6)


def close_lines(line: str, lines: Sequence[str]) -> list[str]:
    """Those of `lines` that look most like what was written, the likeliest first."""
    if len(line) > LONGEST_LINE:
        return []
    return difflib.get_close_matches(normalised(line), lines, MOST_SUGGESTIONS, 0.6)
