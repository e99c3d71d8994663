"""Finds the part of a letter that holds the writer's text, and returns it as typed lines."""

from __future__ import annotations

import re
from typing import NamedTuple

from pbem.mail.incoming.parse import quotes
from pbem.mail.incoming.parse.charsets import decoded
from pbem.mail.incoming.parse.flatten import flattened
from pbem.mail.incoming.parse.mime import Part, TooMuch, content, parameter

ENCRYPTED = ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime")
TNEF = ("application/ms-tnef", "application/vnd.ms-tnef")
LONGEST = 256 * 1024  # bytes of a text that are read
DEPTH = re.compile(r"[>]*")


class Found(NamedTuple):
    """A part's text, whether it is plain, and the same text taken from HTML if both were sent."""

    text: str
    is_plain: bool
    rich: str = ""

    @property
    def says_anything(self) -> bool:
        return bool(self.text.strip("\ufeff\u200b\u2060 \t\r\n\xa0"))


def text_of(letter: Part) -> Found | None:
    """Return the letter's text, or None if it has none. Raises TooMuch if it is encrypted."""
    return in_part(letter) or in_part(letter, takes_named=True)


def in_part(part: Part, *, takes_named: bool = False) -> Found | None:
    """Return the first non-empty text in a part. Attachments are never read.

    `takes_named` also allows inline text with a file name, as some programs name the body.
    """
    if part.kind in ENCRYPTED:
        raise TooMuch("encrypted")
    if part.kind == "multipart/alternative":
        return best([in_part(each, takes_named=takes_named) for each in part.parts])
    if part.parts:
        # A signature follows what it signs, and pictures and attachments follow the text.
        inner = part.parts[:1] if part.kind == "multipart/signed" else part.parts
        found = (in_part(each, takes_named=takes_named) for each in inner)
        return next((each for each in found if each), None)
    if part.kind not in ("text/plain", "text/html") or is_attached(part, takes_named=takes_named):
        return None
    text = leaf(part)
    return text if text.says_anything else None


def best(forms: list[Found | None]) -> Found | None:
    """Return the plain form of several alternatives."""
    said = [form for form in forms if form]
    plain = next((form for form in said if form.is_plain), None)
    rich = next((form for form in said if not form.is_plain), None)
    return plain._replace(rich=rich.text) if plain and rich else plain or rich


def is_attached(part: Part, *, takes_named: bool) -> bool:
    """Return whether a part is an attached file."""
    disposition = part.head.get("content-disposition")
    if disposition.lower().lstrip().startswith("attachment"):
        return True
    return bool(parameter(disposition, "filename")) and not takes_named


def check_read(letter: Part) -> None:
    """Explain why a letter has no text: its content is in a file. Raises TooMuch."""
    leaves = [part for part in letter.walk() if not part.parts]
    if any(part.kind in TNEF or is_winmail(part) for part in leaves):
        raise TooMuch("winmail")
    if any(content(part).strip() for part in leaves if part.kind not in ("text/plain", "text/html")
           or is_attached(part, takes_named=False)):  # fmt: skip
        raise TooMuch("only_attached")


def is_winmail(part: Part) -> bool:
    """Return whether a part is Outlook's own format (winmail.dat), whatever its declared type."""
    named = (parameter(part.head.get("content-disposition"), "filename"),
             parameter(part.head.get("content-type"), "name"))  # fmt: skip
    return any(name.lower() == "winmail.dat" for name in named)


def leaf(part: Part) -> Found:
    """Return a part's text, decoded and, depending on its type, flattened or unflowed."""
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
    """Join lines that were wrapped in transit (RFC 3676). Quoted lines stay separate.

    An empty line ends a paragraph even after an open line, as people mean it. So does a line that
    begins a quote or a signature.
    """
    whole: list[str] = []
    open_depth = None  # quote depth of the open line
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
