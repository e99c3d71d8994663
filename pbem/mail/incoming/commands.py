"""Splits a letter's lines into orders for the game, commands to the service, and the signature."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

from engine.api import GameRules, Seat
from engine.errors import MalformedOrder, MoveRefused
from engine.notation import normalised, plain, tidied
from engine.orders_ahead_lines import later_in
from pbem.i18n.words import LANGUAGES, ROOT

FILE = ROOT / "templates" / "words_by_mail.toml"
MOST_LINES = 20
MOST_DIGITS = 3
ENDS = ":,.!?…"  # what people put after a command
GOES_ON = (",", ":")
# Mail programs break lines that are longer than their width. No program's width is smaller.
NARROWEST = 60  # characters

MOST_PIECES = 6  # lines that a long one is broken into
BULLET = re.compile(r"[-*•·‣] +(?=\S)")
WRAPPED = re.compile(
    r"(?P<mark>\*{1,3}|_{1,3}|`{1,3}|/|~)(?P<bold>(?:(?!(?P=mark))\S)(?:(?!(?P=mark)).)*)(?P=mark)"
    r"|[\"“”„«»](?P<quoted>[^\"“”„«»]+)[\"“”«»]"
    r"|['‘’‚‹›](?P<single>[^'‘’‚‹›]+)['‘’‹›]"
    r"|[\[<](?P<boxed>[^\[\]<>]+)[\]>]"
)

ALONE = ("status", "log", "orders", "help", "undo")
IN_GAMES = (*ALONE, "withdraw", "vacation", "resign", "chat")
OF_INVITATIONS = ("accept", "decline", "help")
ENDINGS = ("yes", "days", "all")
# A last line at least this similar to an order is an order with a typo, not a name.
ALIKE = 0.72


class Word(NamedTuple):
    """A command to the service. `text` is what follows a chat or an accept."""

    word: str
    text: str = ""
    number: int | None = None
    confirmed: bool = False


class Spoken(NamedTuple):
    """What a letter says. `garbled` is the first command that was begun and not understood."""

    orders: tuple[str, ...] = ()
    words: tuple[Word, ...] = ()
    signed: str | None = None
    garbled: str | None = None


IsName = Callable[[str], bool]
IsOrder = Callable[[str], bool]


def spoken(
    lines: Sequence[str],
    language: str,
    is_name: IsName,
    words: Collection[str] = IN_GAMES,
    *,
    aliases: Mapping[str, str] = MappingProxyType({}),
    is_order: IsOrder = lambda line: False,
) -> Spoken:
    """Split the lines. A name is only looked for below another line.

    `aliases` are the game's; an order ahead may begin with one. `is_order` tells whether a line can
    be read as an order. It decides whether a mail program has broken the line above.
    """
    names = names_of(language)
    orders: list[str] = []
    said: list[Word] = []

    def word_of(part: str) -> str:
        found = begins(part, names)
        return found if found in words else ""

    def begins_nothing(part: str) -> bool:
        return not word_of(part) and later_in(part, aliases) is None and is_name(part)

    whole = made_whole(lines, begins_nothing, is_order)
    parts = parts_of(whole, word_of, aliases)
    signed = signature(parts, begins_nothing)
    for part in parts[: len(parts) - len(signed)]:
        verb = word_of(part)
        if verb:
            word = read_word(verb, part, names)
            if word is None:
                return Spoken(tuple(orders), tuple(said), garbled=part)
            said.append(word)
        else:
            orders.append(part)
    return Spoken(tuple(orders), tuple(said), " ".join(signed) or None)


def signature(parts: Sequence[str], begins_nothing: IsName) -> Sequence[str]:
    """Return the last lines, below another line, that begin with no verb: a greeting and a name."""
    first = len(parts)
    while first > 1 and begins_nothing(parts[first - 1]):
        first -= 1
    return parts[first:]


def made_whole(
    lines: Sequence[str], begins_nothing: IsName, is_order: IsOrder
) -> Sequence[str]:
    """Join long lines that a mail program has broken in two, if the result can be read."""
    whole: list[str] = []
    place = 0
    while place < len(lines):
        line, taken = lines[place], 1
        for number in range(1, min(MOST_PIECES, len(lines) - place)):
            above, below = lines[place + number - 1], lines[place + number]
            if not is_broken(above, below) or not begins_nothing(below):
                break
            joined = " ".join(lines[place : place + number + 1])
            if is_order(joined):
                line, taken = joined, number + 1
        whole.append(line)
        place += taken
    return whole


def is_broken(line: str, below: str) -> bool:
    """Return whether the next word would have made the line longer than mail programs allow."""
    return len(line.rstrip()) + 1 + len(below.split(" ", 1)[0]) > NARROWEST


def parts_of(
    lines: Sequence[str], word_of: Callable[[str], str], aliases: Mapping[str, str]
) -> list[str]:
    """Split lines at line ends and semicolons. A chat takes the rest of the text.

    What follows `later:` is one part. No order ends with a comma or a colon, so a line that does
    was broken by a mail program. The same holds after a semicolon of orders ahead, if the next part
    would have made the line too long.
    """
    parts: list[str] = []
    begun = ""
    for number, line in enumerate(lines):
        rest, begun = f"{begun} {unwrapped(line)}".strip(), ""
        while rest:
            part, _, behind = rest.partition(";")
            part = unwrapped(part)
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


def unwrapped(line: str) -> str:
    """Return the line without a bullet and without marks for bold, quotation or code."""
    said = BULLET.sub("", line.strip())
    while (found := WRAPPED.fullmatch(said)) is not None:
        said = "".join(filter(None, found.group("bold", "quoted", "single", "boxed"))).strip()
    return said


def goes_on(line: str, part: str, below: str, aliases: Mapping[str, str]) -> bool:
    """Return whether a mail program broke a line after `part`, its last part."""
    if line.endswith(GOES_ON):
        return True
    if not line.rstrip().endswith(";") or later_in(part, aliases) is None:
        return False
    return is_broken(line, below)


# ---- words ----------------------------------------------------------------------------------


@cache
def names_of(language: str) -> Mapping[str, str]:
    """Map every name of a command to the command.

    The names are those in this language and in English, without accents.
    """
    tables = tomllib.loads(FILE.read_text(encoding="utf-8"))
    found = {word: word for word in (*IN_GAMES, "accept", "decline", *ENDINGS)}
    for table in (tables["en"], tables.get(language, {})):
        for word, aliases in table.items():
            found |= {plain(normalised(alias)): word for alias in aliases}
    return found


def first_word(part: str) -> str:
    """Return the first word of a part, normalised like the names of commands."""
    said = plain(normalised(part)).split(" ", 1)[0]
    return said.rstrip(ENDS)


def begins(part: str, names: Mapping[str, str]) -> str:
    """Return the command that a part begins with, or ""."""
    word = names.get(first_word(part), "")
    return "" if word in ENDINGS else word


def read_word(verb: str, part: str, names: Mapping[str, str]) -> Word | None:
    """Parse a whole part as a command. Returns None if its arguments do not fit."""
    text = tidied(part).strip().partition(" ")[2].strip()
    if verb in ("chat", "accept"):
        return Word(verb, text=text) if text or verb == "accept" else None
    behind = [names.get(each, each) for each in plain(normalised(text)).rstrip(ENDS + " ").split()]
    if verb == "vacation":
        return vacation(behind)
    if verb == "withdraw":
        return withdrawal(behind)
    if verb == "resign" and behind == ["yes"]:
        return Word(verb, confirmed=True)
    return None if behind else Word(verb)


def vacation(behind: Sequence[str]) -> Word | None:
    """Parse `vacation N days`. The last word is optional."""
    if not behind or behind[1:] not in ([], ["days"]):
        return None
    days = number_in(behind[0])
    return None if days is None else Word("vacation", number=days)


def withdrawal(behind: Sequence[str]) -> Word | None:
    """Parse `withdraw N`, an order ahead by its number, or `withdraw all`."""
    if len(behind) != 1:
        return None
    number = number_in(behind[0])
    return Word("withdraw", number=number) if behind == ["all"] or number is not None else None


def number_in(said: str) -> int | None:
    """Parse a small number. Returns None if it is none."""
    is_one = said.isascii() and said.isdigit() and len(said) <= MOST_DIGITS
    return int(said) if is_one else None


def says_only_words(lines: Sequence[str]) -> bool:
    """Return whether every line is a command in any of our languages. Chat may be any text."""
    return bool(lines) and any(
        all(is_word(line, names_of(language)) for line in lines) for language in LANGUAGES
    )


def is_word(line: str, names: Mapping[str, str]) -> bool:
    said = unwrapped(line)
    verb = begins(said, names)
    return verb in IN_GAMES and verb != "chat" and read_word(verb, said, names) is not None


# ---- names ----------------------------------------------------------------------------------


def name_finder(
    rules: GameRules, state: Any, seat: Seat, aliases: Mapping[str, str], own: str
) -> IsName:
    """Return a function that tells whether a line below the orders is a name.

    A name begins with no verb.
    """

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
    """Return whether the line resembles one of the orders that were probably meant."""
    said = normalised(line)
    return any(
        difflib.SequenceMatcher(None, said, choice).ratio() >= ALIKE
        for choice in choices
        if isinstance(choice, str)
    )
