"""The lines that a letter begins with: its writer's own, above or below what was quoted.

No line of a quote may ever be taken for an order, so that reading stops early rather than late.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from pbem.i18n.words import LANGUAGES
from pbem.mail.incoming import commands
from pbem.mail.incoming.parse.mime import TooMuch

MOST_LINES = 20
LONGEST_LINE = 200  # characters
LONGEST_TALK = 2_000  # characters of a line that chats
LOOKED_AT = LONGEST_TALK + 1  # characters of any line: composing a long one can take seconds
LINES_LOOKED_AT = 5_000  # quoted ones included
WRAPPED = 4  # lines that an attribution may be spread over

LINE_ENDS = re.compile("\r\n|[\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029]")
JOINERS = "\u200c\u200d"  # hold words and pictures together; all else that is not seen goes

QUOTED = re.compile(r"[>|»]|[A-Z]{1,3}> ")
# A delimiter, a ruler, armour, "---- Original message ----"; telephones make one dash of two.
DASHED = re.compile(r"--|[—–―]|_{5}|={5}|\*{5}")
MARKER = re.compile(r"# ?# ?[-—–]")
HEADER = re.compile(
    r"\*?(from|feladó|от|от кого|de|da|von|van|remitente|remetente|expéditeur)\*? ?:"
    r"|\*?(sent|subject|elküldve|küldve|címzett|tárgy|отправлено|кому|тема|enviad[ao]( em)?|para"
    r"|assunto|gesendet|betreff|envoyé|objet|asunto)\*? ?:"
    r"|(begin forwarded message|továbbított üzenet|пересылаемое сообщение"
    r"|início da mensagem reencaminhada)\b"
)
SIGNATURE = re.compile(
    r"sent (from|via|using|with|by) "
    r"|get (outlook|the mobile app|the outlook|bluemail|yahoo) ?"
    r"|yahoo mail: "
    r"|(el)?küldve\b|(az? )?\S.{0,50}([rb]ól|[rb]ől)( lett)? (el)?küldve\b"
    r"|(a|az) .{1,40} (letöltése|beszerzése)\b"
    r"|отправлен[оа]? (с|со|из|через|при помощи) |послано (с|из) "
    r"|(скачать|скачайте|получить) outlook"
    r"|enviad[oa] (do|da|de|desde|via|com|pelo|pela|por|através|a partir|usando) "
    r"|(obter|obtenha|obtener|obtenir|télécharger) (o )?outlook"
    r"|(von mein|gesendet (von|mit|aus)) ?|outlook für "
    r"|envoyé (de|depuis|à partir|avec) |inviato (da|dal) "
)
WROTE = re.compile(
    r"\b(wrote|writes|schreibt|schrieb|a écrit|escribió|ha scritto|escreveu|írta|ezt írja"
    r"|написал|написала|написал\(а\)|пишет|писал|писал\(а\)|сообщил)\b"
)
DATED = re.compile(r"\d{1,2}[:.]\d{2}|\d{4}")
ADDRESS = re.compile(r"[^\s@]@[^\s@]+\.[^\s@]")  # "ginger@1" is none
# What the first of several lines of an attribution looks like; an order never does.
OPENS = re.compile(
    r"(on|at|am|le|el|em|no dia|às|ao?) .*\d"
    r"|(пн|вт|ср|чт|пт|сб|вс|понедельник|вторник|среда|четверг|пятница|суббота|воскресенье)[,. ]"
    r"|\d{1,4}[./-] ?\d|\d{1,2} [^\W\d]{3,9}\.? \d{4}|\d{4}\. "
    r"|.*<|.*@\S+\.|.*\bírta\b|.*\bescreveu\b"
)


class Said(NamedTuple):
    """The writer's lines, and keys of what makes them to be confirmed first."""

    lines: tuple[str, ...]
    doubts: tuple[str, ...] = ()


def said(text: str) -> Said:
    """The first lines that are not quoted. Raises TooMuch if they are too many or too long."""
    lines = without_armour(cleaned(text))
    start = beginning(lines)
    below = start > 0 and QUOTED.match(lines[start - 1]) is not None
    taken: list[str] = []
    for place in range(start, len(lines)):
        if ends(lines, place) or len(taken) > MOST_LINES:
            break
        taken.append(lines[place])
    check_size(taken)
    return Said(tuple(taken), ("below_quote",) if below and taken else ())


def cleaned(text: str) -> list[str]:
    """Lines in one form: full-width and the like as usual characters, nothing unseen, one space."""
    lines = LINE_ENDS.split(text, LINES_LOOKED_AT)[:LINES_LOOKED_AT]
    return [one_form(line[:LOOKED_AT]) for line in lines]


def one_form(line: str) -> str:
    composed = unicodedata.normalize("NFKC", line)
    return " ".join("".join(filter(is_seen, composed)).split())


def is_seen(character: str) -> bool:
    """Whether a character may be meant: marks of direction, empty spaces and nulls are not."""
    return character.isprintable() or character in JOINERS or character in " \t"


def without_armour(lines: list[str]) -> list[str]:
    """The lines within a clear-signed message (RFC 9580); any others as they are."""
    first = next((place for place, line in enumerate(lines) if line), 0)
    if not lines[first].startswith("-----BEGIN PGP SIGNED MESSAGE"):
        if lines[first].startswith("-----BEGIN PGP MESSAGE"):
            raise TooMuch("encrypted")
        return lines
    empty = next((place for place in range(first, len(lines)) if not lines[place]), len(lines))
    return [line.removeprefix("- ") for line in lines[empty + 1 :]]


# ---- where it begins ----------------------------------------------------------------------------


def beginning(lines: Sequence[str]) -> int:
    """Where the writer's own text begins: at the top, or below a quote that stands there."""
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
    """Behind quoted lines and the empty ones between and below them."""
    while place < len(lines) and (not lines[place] or QUOTED.match(lines[place])):
        place += 1
    return place


def introduction(lines: Sequence[str], place: int) -> int:
    """How many lines at the top name whom they quote, in whatever language; 0 if none do."""
    known = attribution(lines, place)
    if known:
        return known
    end = place
    while end < len(lines) and lines[end] and not QUOTED.match(lines[end]):
        end += 1
    paragraph = " ".join(lines[place:end])
    names_somebody = bool(ADDRESS.search(paragraph) and DATED.search(paragraph))
    is_one = 0 < end - place <= WRAPPED and paragraph.endswith(":") and names_somebody
    # An order with an attribution right below it is no introduction.
    below_order = any(attribution(lines, later) for later in range(place + 1, end))
    return end - place if is_one and not below_order else 0


# ---- where it ends ------------------------------------------------------------------------------


def ends(lines: Sequence[str], place: int) -> bool:
    """Whether the writer's own text ends in front of this line."""
    line = lines[place]
    if not line or QUOTED.match(line) or DASHED.match(line) or MARKER.search(line):
        return True
    folded = line.casefold()
    return bool(HEADER.match(folded) or SIGNATURE.match(folded) or attribution(lines, place))


def attribution(lines: Sequence[str], place: int) -> int:
    """How many lines from here say that somebody wrote something at some time; 0 if none do."""
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
    """Whether a line introduces a quote: it ends so, and says who wrote, or whence and when."""
    if not folded.endswith(":"):
        return False
    if WROTE.search(folded[-40:]):
        return True
    return bool(DATED.search(folded) and (ADDRESS.search(folded) or WROTE.search(folded)))


# ---- how much of it -----------------------------------------------------------------------------


def check_size(lines: Sequence[str]) -> None:
    """Refuse more lines than a letter of orders has, and longer ones; who chats may go on."""
    if len(lines) > MOST_LINES:
        raise TooMuch("too_many_lines", MOST_LINES)
    talks = False
    for line in lines:
        talks = talks or chats(line)
        most = LONGEST_TALK if talks else LONGEST_LINE
        if len(line) > most:
            raise TooMuch("line_too_long", most)


def chats(line: str) -> bool:
    """Whether a line turns from orders to talking, in any of our languages."""
    names = [commands.names_of(language) for language in LANGUAGES]
    parts = [part for part in line.split(";") if part.strip()]
    return any(commands.begins(part, each) == "chat" for part in parts for each in names)
