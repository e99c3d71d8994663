"""A person's lines told apart: orders for the game, words for the service, the name below them."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

from engine.ahead_lines import later_in
from engine.api import Game, Seat
from engine.errors import MalformedOrder, MoveRefused
from engine.notation import normalised, plain, tidied
from pbem.i18n.words import ROOT

FILE = ROOT / "templates" / "words_by_mail.toml"
MOST_LINES = 20
MOST_DIGITS = 3
GOES_ON = (",", ":")
# Mail programs break lines that would be longer than this, or than more; nobody's is narrower.
NARROWEST = 60  # characters

ALONE = ("status", "log", "orders", "help", "undo")
IN_GAMES = (*ALONE, "withdraw", "vacation", "resign", "chat")
OF_INVITATIONS = ("accept", "decline", "help")
ENDINGS = ("yes", "days", "all")
# A last line that is as near to an order as this is taken for one with a slip, not for a name.
ALIKE = 0.72


class Word(NamedTuple):
    """Something said to the service: `text` is what follows a chat or an accept."""

    word: str
    text: str = ""
    number: int | None = None
    confirmed: bool = False


class Spoken(NamedTuple):
    """What a letter says. `garbled`: the first word that was begun and not understood."""

    orders: tuple[str, ...] = ()
    words: tuple[Word, ...] = ()
    signed: str | None = None
    garbled: str | None = None


IsName = Callable[[str], bool]


def spoken(
    lines: Sequence[str],
    language: str,
    is_name: IsName,
    words: Collection[str] = IN_GAMES,
    *,
    aliases: Mapping[str, str] = MappingProxyType({}),
) -> Spoken:
    """The lines told apart. A name is only looked for below something else.

    `aliases`: the game's, of which orders ahead may begin with one.
    """
    names = names_of(language)
    orders: list[str] = []
    said: list[Word] = []

    def word_of(part: str) -> str:
        found = begins(part, names)
        return found if found in words else ""

    parts = parts_of(lines, word_of, aliases)
    signed = None
    for place, part in enumerate(parts):
        verb = word_of(part)
        if verb:
            word = read_word(verb, part, names)
            if word is None:
                return Spoken(tuple(orders), tuple(said), garbled=part)
            said.append(word)
        elif 0 < place == len(parts) - 1 and not later_in(part, aliases) and is_name(part):
            signed = part
        else:
            orders.append(part)
    return Spoken(tuple(orders), tuple(said), signed)


def parts_of(
    lines: Sequence[str], word_of: Callable[[str], str], aliases: Mapping[str, str]
) -> list[str]:
    """One part a line or between semicolons; a chat takes all that follows.

    What stands behind `later:` is one part. No order ends with a comma or a colon: there a mail
    program has broken a long line in two. So it has behind a semicolon of orders ahead, if what
    comes next would have made the line too long.
    """
    parts: list[str] = []
    begun = ""
    for number, line in enumerate(lines):
        rest, begun = f"{begun} {line}".strip(), ""
        while rest:
            part, _, behind = rest.partition(";")
            if word_of(part) == "chat":
                return [*parts, "\n".join([rest.strip(), *lines[number + 1 :]])]
            ahead = later_in(part, aliases)
            if ahead is not None:
                behind, part, rest = "", part[: ahead.start()], rest[ahead.start() :]
            parts += [each.strip() for each in (part, rest if ahead else "") if each.strip()]
            rest = behind
        below = lines[number + 1] if number + 1 < len(lines) else ""
        if parts and goes_on(line, parts[-1], below, aliases) and not word_of(parts[-1]):
            begun = parts.pop()
    return [*parts, begun] if begun else parts


def goes_on(line: str, part: str, below: str, aliases: Mapping[str, str]) -> bool:
    """Whether a line, whose last part this is, was broken behind it."""
    if line.endswith(GOES_ON):
        return True
    if not line.rstrip().endswith(";") or later_in(part, aliases) is None:
        return False
    return len(line.rstrip()) + 1 + len(below.split(" ", 1)[0]) > NARROWEST


# ---- words ----------------------------------------------------------------------------------


@cache
def names_of(language: str) -> Mapping[str, str]:
    """Every name of a word in this language and in English, without accents, and the word."""
    tables = tomllib.loads(FILE.read_text(encoding="utf-8"))
    found = {word: word for word in (*IN_GAMES, "accept", "decline", *ENDINGS)}
    for table in (tables["en"], tables.get(language, {})):
        for word, aliases in table.items():
            found |= {plain(normalised(alias)): word for alias in aliases}
    return found


def first_word(part: str) -> str:
    """The word that a part begins with, as names are kept."""
    said = plain(normalised(part)).split(" ", 1)[0]
    return said.rstrip(":,.!")


def begins(part: str, names: Mapping[str, str]) -> str:
    """The word of ours that a part begins with, or ""."""
    word = names.get(first_word(part), "")
    return "" if word in ENDINGS else word


def read_word(verb: str, part: str, names: Mapping[str, str]) -> Word | None:
    """The whole part as a word; None if more or less stands there than the word takes."""
    text = tidied(part).strip().partition(" ")[2].strip()
    if verb in ("chat", "accept"):
        return Word(verb, text=text) if text or verb == "accept" else None
    behind = [names.get(each, each) for each in plain(normalised(text)).split()]
    if verb == "vacation":
        return vacation(behind)
    if verb == "withdraw":
        return withdrawal(behind)
    if verb == "resign" and behind == ["yes"]:
        return Word(verb, confirmed=True)
    return None if behind else Word(verb)


def vacation(behind: Sequence[str]) -> Word | None:
    """`vacation N days`; the last word may be missing."""
    if not behind or behind[1:] not in ([], ["days"]):
        return None
    days = number_in(behind[0])
    return None if days is None else Word("vacation", number=days)


def withdrawal(behind: Sequence[str]) -> Word | None:
    """`withdraw N`, an order ahead by its number, or `withdraw all`."""
    if len(behind) != 1:
        return None
    number = number_in(behind[0])
    return Word("withdraw", number=number) if behind == ["all"] or number is not None else None


def number_in(said: str) -> int | None:
    """A small number, if it is one."""
    is_one = said.isascii() and said.isdigit() and len(said) <= MOST_DIGITS
    return int(said) if is_one else None


# ---- names ----------------------------------------------------------------------------------


def name_finder(
    rules: Game, state: Any, seat: Seat, aliases: Mapping[str, str], own: str
) -> IsName:
    """Tells whether a line below the orders is somebody's name: it begins with no verb."""

    def is_name(line: str) -> bool:
        if normalised(line) in (normalised(own), normalised(own).split(" ")[0]):
            return True
        try:
            rules.from_text(line, state, seat, aliases)
        except MalformedOrder as refused:
            return refused.key == "unknown_verb" and not is_alike(line, refused.choices)
        except MoveRefused:
            return False
        return False

    return is_name


def is_alike(line: str, choices: Sequence[Any]) -> bool:
    """Whether the line looks like one of the orders that were probably meant."""
    said = normalised(line)
    return any(
        difflib.SequenceMatcher(None, said, choice).ratio() >= ALIKE
        for choice in choices
        if isinstance(choice, str)
    )
