"""The text of a letter: which of its parts is its writer's, as the lines that were typed."""

from __future__ import annotations

import re
from typing import NamedTuple

from pbem.mail.incoming.parse.charsets import decoded
from pbem.mail.incoming.parse.flatten import flattened
from pbem.mail.incoming.parse.mime import Part, TooMuch, content, parameter

ENCRYPTED = ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime")
DEPTH = re.compile(r"[>]*")


class Found(NamedTuple):
    """A part's text, and whether it is plain."""

    text: str
    is_plain: bool

    @property
    def says_anything(self) -> bool:
        return bool(self.text.strip("\ufeff\u200b\u2060 \t\r\n\xa0"))


def text_of(letter: Part) -> str:
    """What the letter says, "" if it has no text. Raises TooMuch if it is encrypted."""
    if letter.kind in ENCRYPTED:
        raise TooMuch("encrypted")
    found = in_part(letter)
    return found.text if found else ""


def in_part(part: Part) -> Found | None:
    """The first text in a part that says anything; nothing attached is ever looked into."""
    if part.kind in ENCRYPTED:
        raise TooMuch("encrypted")
    if part.kind == "multipart/alternative":
        return best([in_part(each) for each in part.parts])
    if part.parts:
        # A signature stands behind what it signs, pictures and attachments behind the text.
        inner = part.parts[:1] if part.kind == "multipart/signed" else part.parts
        return next((found for each in inner if (found := in_part(each))), None)
    if part.kind not in ("text/plain", "text/html") or is_attached(part):
        return None
    found = leaf(part)
    return found if found.says_anything else None


def best(forms: list[Found | None]) -> Found | None:
    """Of several forms of one text the plain one."""
    said = [form for form in forms if form]
    return next((form for form in said if form.is_plain), said[0] if said else None)


def is_attached(part: Part) -> bool:
    """Whether a part is a file that was sent along."""
    disposition = part.head.get("content-disposition")
    named = parameter(disposition, "filename") or parameter(disposition, "filename*")
    return disposition.lower().lstrip().startswith("attachment") or bool(named)


def leaf(part: Part) -> Found:
    """A part's text, decoded and, as its kind says, flattened or unflowed."""
    kind = part.head.get("content-type")
    text = decoded(content(part), parameter(kind, "charset"))
    if part.kind == "text/html":
        return Found(flattened(text), is_plain=False)
    if parameter(kind, "format").lower() == "flowed":
        text = unflowed(text, joins_words=parameter(kind, "delsp").lower() == "yes")
    return Found(text, is_plain=True)


def unflowed(text: str, *, joins_words: bool) -> str:
    """Lines that were wrapped on the way made whole again (RFC 3676), quoted ones apart.

    An empty line ends a paragraph even where the line above it was left open, as people mean it.
    """
    whole: list[str] = []
    open_depth = None  # of the quote whose last line goes on
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        depth = len(DEPTH.match(line)[0])  # type: ignore[index]  # it matches everywhere
        said = line[depth:].removeprefix(" ")
        goes_on = said.endswith(" ") and said != "-- "
        said = said[:-1] if goes_on and joins_words else said
        if depth == open_depth and said.strip() and said != "-- ":
            whole[-1] += said
        else:
            whole.append(">" * depth + (" " if depth else "") + said)
        open_depth = depth if goes_on else None
    return "\n".join(whole)
