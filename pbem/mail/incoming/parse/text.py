"""The text of a letter: which of its parts is its writer's, as the lines that were typed."""

from __future__ import annotations

import re
from typing import NamedTuple

from pbem.mail.incoming.parse import quotes
from pbem.mail.incoming.parse.charsets import decoded
from pbem.mail.incoming.parse.flatten import flattened
from pbem.mail.incoming.parse.mime import Part, TooMuch, content, parameter

ENCRYPTED = ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime")
TNEF = ("application/ms-tnef", "application/vnd.ms-tnef")
LONGEST = 256 * 1024  # bytes of a text that are looked at
DEPTH = re.compile(r"[>]*")


class Found(NamedTuple):
    """A part's text, whether it is plain, and the same text as HTML has it, if both were sent."""

    text: str
    is_plain: bool
    rich: str = ""

    @property
    def says_anything(self) -> bool:
        return bool(self.text.strip("\ufeff\u200b\u2060 \t\r\n\xa0"))


def text_of(letter: Part) -> Found | None:
    """What the letter says, None if it has no text. Raises TooMuch if it is encrypted."""
    return in_part(letter) or in_part(letter, takes_named=True)


def in_part(part: Part, *, takes_named: bool = False) -> Found | None:
    """The first text in a part that says anything; nothing attached is ever looked into.

    `takes_named`: also what is shown as text but has a file's name, as some programs call the body.
    """
    if part.kind in ENCRYPTED:
        raise TooMuch("encrypted")
    if part.kind == "multipart/alternative":
        return best([in_part(each, takes_named=takes_named) for each in part.parts])
    if part.parts:
        # A signature stands behind what it signs, pictures and attachments behind the text.
        inner = part.parts[:1] if part.kind == "multipart/signed" else part.parts
        found = (in_part(each, takes_named=takes_named) for each in inner)
        return next((each for each in found if each), None)
    if part.kind not in ("text/plain", "text/html") or is_attached(part, takes_named=takes_named):
        return None
    text = leaf(part)
    return text if text.says_anything else None


def best(forms: list[Found | None]) -> Found | None:
    """Of several forms of one text the plain one."""
    said = [form for form in forms if form]
    plain = next((form for form in said if form.is_plain), None)
    rich = next((form for form in said if not form.is_plain), None)
    return plain._replace(rich=rich.text) if plain and rich else plain or rich


def is_attached(part: Part, *, takes_named: bool) -> bool:
    """Whether a part is a file that was sent along."""
    disposition = part.head.get("content-disposition")
    if disposition.lower().lstrip().startswith("attachment"):
        return True
    return bool(parameter(disposition, "filename")) and not takes_named


def check_read(letter: Part) -> None:
    """Say why a letter without any text has none: what it says stands in a file. Raises TooMuch."""
    leaves = [part for part in letter.walk() if not part.parts]
    if any(part.kind in TNEF or is_winmail(part) for part in leaves):
        raise TooMuch("winmail")
    if any(content(part).strip() for part in leaves if part.kind not in ("text/plain", "text/html")
           or is_attached(part, takes_named=False)):  # fmt: skip
        raise TooMuch("only_attached")


def is_winmail(part: Part) -> bool:
    """Whether a part is Outlook's own form of a letter, whatever it calls itself."""
    named = (parameter(part.head.get("content-disposition"), "filename"),
             parameter(part.head.get("content-type"), "name"))  # fmt: skip
    return any(name.lower() == "winmail.dat" for name in named)


def leaf(part: Part) -> Found:
    """A part's text, decoded and, as its kind says, flattened or unflowed."""
    kind = part.head.get("content-type")
    raw = content(part)
    if len(raw) > LONGEST:
        raw = raw[:LONGEST].rpartition(b"\n")[0]
    text = decoded(raw, parameter(kind, "charset"))
    if part.kind == "text/html":
        return Found(flattened(text), is_plain=False)
    if parameter(kind, "format").lower() == "flowed":
        text = unflowed(text, joins_words=parameter(kind, "delsp").lower() == "yes")
    return Found(text, is_plain=True)


def unflowed(text: str, *, joins_words: bool) -> str:
    """Lines that were wrapped on the way made whole again (RFC 3676), quoted ones apart.

    An empty line ends a paragraph even where the line above it was left open, as people mean it;
    so does a line that begins a quote or a signature.
    """
    whole: list[str] = []
    open_depth = None  # of the quote whose last line goes on
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for place, line in enumerate(lines):
        depth = len(DEPTH.match(line)[0])  # type: ignore[index]  # it matches everywhere
        said = line[depth:].removeprefix(" ")
        goes_on = said.endswith(" ") and said != "-- "
        said = said[:-1] if goes_on and joins_words else said
        joins = depth == open_depth and said.strip() and said != "-- "
        if joins and not (depth == 0 and quotes.ends_at(lines[place : place + quotes.WRAPPED])):
            whole[-1] += said
        else:
            whole.append(">" * depth + (" " if depth else "") + said)
        open_depth = depth if goes_on else None
    return "\n".join(whole)
