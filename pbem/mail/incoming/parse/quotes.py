"""Finds the lines that the writer of a letter typed, above or below what they quoted.

No quoted line may ever be read as an order, so reading stops early rather than late.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from pbem.i18n.words import LANGUAGES
from pbem.mail.incoming import commands
from pbem.mail.incoming.parse.mime import TooMuch
from pbem.mail.incoming.parse.phrases import (
    ADDRESS,
    ANY_HEADER,
    DATED,
    HEADER,
    OPENS,
    SIGNATURE,
    US,
    WROTE,
)

MOST_LINES = 20
LONGEST_LINE = 200  # characters
LONGEST_TALK = 2_000  # characters of a chat line
LOOKED_AT = LONGEST_TALK + 1  # characters of any line: normalising a long one can take seconds
LINES_LOOKED_AT = 5_000  # quoted lines included
WRAPPED = 4  # lines that an attribution may span

LINE_ENDS = re.compile("\r\n|[\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029]")
JOINERS = "\u200c\u200d"  # these join words and emoji; all other invisible characters are removed

QUOTED = re.compile(r"[>|]|»(?!.*«$)|[A-Z]{1,3}> ")
# A delimiter, a ruler, armour, "---- Original message ----". Phones turn two hyphens into a dash.
DASHED = re.compile(r"--|[—–―]|_{5}|={5}|\*{5}")
MARKER = re.compile(r"# ?# ?[-—–]")
class Said(NamedTuple):
    """The writer's lines, keys of the reasons to confirm them first, and the lines below.

    `below` holds lines of the writer after an empty line. They are not read as orders.
    """

    lines: tuple[str, ...]
    doubts: tuple[str, ...] = ()
    below: tuple[str, ...] = ()


def said(text: str, rich: str = "") -> Said:
    """Return the first lines that are not quoted. Raises TooMuch if they are too many or too long.

    `rich` is the same text taken from the HTML. Outlook puts an empty line between all lines of its
    plain text; lines that are adjacent in the HTML are read together.
    """
    found = own(without_armour(cleaned(text)))
    if rich and found.below:
        other = own(cleaned(rich))
        lines = found.lines + found.below
        if len(other.lines) > len(found.lines) and other.lines == lines[: len(other.lines)]:
            found = found._replace(lines=other.lines, below=lines[len(other.lines) :])
    check_size(found.lines)
    return found


def own(lines: Sequence[str]) -> Said:
    """Split the lines into those before the first empty line and the writer's other ones below it.
    """
    start = beginning(lines)
    below_quote = start > 0 and QUOTED.match(lines[start - 1]) is not None
    taken: list[str] = []
    for place in range(start, len(lines)):
        if ends(lines, place, talks=any(map(chats, taken))) or len(taken) > MOST_LINES:
            break
        taken.append(lines[place])
    doubts = ("below_quote",) if below_quote and taken else ()
    return Said(tuple(taken), doubts, below(lines, start + len(taken)) if taken else ())


def below(lines: Sequence[str], place: int) -> tuple[str, ...]:
    """Return what the writer says after an empty line."""
    found: list[str] = []
    if place < len(lines) and lines[place]:
        return ()
    for later in range(place, len(lines)):
        if lines[later]:
            if ends(lines, later) or len(found) >= MOST_LINES:
                break
            found.append(lines[later])
    return tuple(found)


def cleaned(text: str) -> list[str]:
    """Normalise lines: compatibility characters folded, nothing invisible, single spaces."""
    lines = LINE_ENDS.split(text, LINES_LOOKED_AT)[:LINES_LOOKED_AT]
    return [one_form(line[:LOOKED_AT]) for line in lines]


def one_form(line: str) -> str:
    composed = unicodedata.normalize("NFKC", line)
    return " ".join("".join(filter(is_seen, composed)).split())


def is_seen(character: str) -> bool:
    """Return whether a character counts. Direction marks, zero-width spaces and nulls do not."""
    return character.isprintable() or character in JOINERS or character in " \t"


def without_armour(lines: list[str]) -> list[str]:
    """Return the lines inside a clear-signed message (RFC 9580), or all lines if there is none."""
    first = next((place for place, line in enumerate(lines) if line), 0)
    if not lines[first].startswith("-----BEGIN PGP SIGNED MESSAGE"):
        if lines[first].startswith("-----BEGIN PGP MESSAGE"):
            raise TooMuch("encrypted")
        return lines
    empty = next((place for place in range(first, len(lines)) if not lines[place]), len(lines))
    return [line.removeprefix("- ") for line in lines[empty + 1 :]]


# ---- start of the text --------------------------------------------------------------------------


def beginning(lines: Sequence[str]) -> int:
    """Return where the writer's text begins: at the top, or below a quote at the top."""
    place = behind_blank(lines, 0)
    quote = behind_blank(lines, place + introduction(lines, place))
    if quote == len(lines) or not QUOTED.match(lines[quote]):
        return place
    return behind_quote(lines, quote)


def behind_blank(lines: Sequence[str], place: int) -> int:
    while place < len(lines) and not lines[place]:
        place += 1
    return place


def behind_quote(lines: Sequence[str], place: int) -> int:
    """Return the place after quoted lines and the empty lines between and below them."""
    while place < len(lines) and (not lines[place] or QUOTED.match(lines[place])):
        place += 1
    return place


def introduction(lines: Sequence[str], place: int) -> int:
    """Count the lines at the top that introduce a quote, in any language. Returns 0 if none do."""
    known = attribution(lines, place)
    if known:
        return known
    end = place
    while end < len(lines) and lines[end] and not QUOTED.match(lines[end]):
        end += 1
    paragraph = " ".join(lines[place:end])
    names_somebody = bool(ADDRESS.search(paragraph) and DATED.search(paragraph))
    is_one = 0 < end - place <= WRAPPED and paragraph.endswith(":") and names_somebody
    # An order with an attribution right below it does not introduce a quote.
    below_order = any(attribution(lines, later) for later in range(place + 1, end))
    return end - place if is_one and not below_order else 0


# ---- end of the text ----------------------------------------------------------------------------


def ends_at(lines: Sequence[str]) -> bool:
    """Return whether a quote or a signature begins with the first of these raw lines."""
    return ends([one_form(line[:LOOKED_AT]) for line in lines], 0)


def ends(lines: Sequence[str], place: int, *, talks: bool = False) -> bool:
    """Return whether the writer's text ends before this line.

    `talks`: the writer is chatting, so they may report what somebody wrote.
    """
    line = lines[place]
    if not line or QUOTED.match(line) or DASHED.match(line) or MARKER.search(line):
        return True
    folded = line.casefold()
    if SIGNATURE.match(folded) or is_head(lines, place):
        return True
    named = attribution(lines, place)
    if named and (talks or chats(line)):
        return introduces(lines, place, named)
    return named > 0


def introduces(lines: Sequence[str], place: int, number: int) -> bool:
    """Return whether an attribution introduces one of our letters and is not part of the chat."""
    whole = " ".join(lines[place : place + number]).casefold()
    quote = behind_blank(lines, place + number)
    is_quote = quote < len(lines) and QUOTED.match(lines[quote]) is not None
    return is_quote or US in whole or ADDRESS.search(whole) is not None


def is_head(lines: Sequence[str], place: int) -> bool:
    """Return whether the headers of the quoted letter begin here, in any language."""
    folded = lines[place].casefold()
    if HEADER.match(folded):
        return True
    below = lines[place + 1] if place + 1 < len(lines) else ""
    names_us = ADDRESS.search(folded) or US in folded
    return bool(names_us and ANY_HEADER.match(folded) and ANY_HEADER.match(below.casefold()))


def attribution(lines: Sequence[str], place: int) -> int:
    """Count the lines from here that say that somebody wrote something at some time.

    Returns 0 if none do.
    """
    for number in range(1, WRAPPED + 1):
        if place + number > len(lines) or not lines[place + number - 1]:
            return 0
        whole = " ".join(lines[place : place + number]).casefold()
        if number > 1 and not OPENS.match(lines[place].casefold()):
            return 0
        if is_attribution(whole):
            return number
    return 0


def is_attribution(folded: str) -> bool:
    """Return whether a line introduces a quote.

    Its ending shows it, and it says who wrote, or where and when.
    """
    if not folded.endswith(":"):
        return False
    if WROTE.search(folded[-40:]):
        return True
    return bool(DATED.search(folded) and (ADDRESS.search(folded) or WROTE.search(folded)))


# ---- limits -------------------------------------------------------------------------------------


def check_size(lines: Sequence[str]) -> None:
    """Raise TooMuch for more or longer lines than orders have. Chat may be longer."""
    if len(lines) > MOST_LINES:
        raise TooMuch("too_many_lines", MOST_LINES)
    talks = False
    for line in lines:
        talks = talks or chats(line)
        most = LONGEST_TALK if talks else LONGEST_LINE
        if len(line) > most:
            raise TooMuch("line_too_long", most)


def chats(line: str) -> bool:
    """Return whether a line starts a chat, in any of our languages."""
    names = [commands.names_of(language) for language in LANGUAGES]
    parts = [part for part in line.split(";") if part.strip()]
    return any(commands.begins(part, each) == "chat" for part in parts for each in names)
