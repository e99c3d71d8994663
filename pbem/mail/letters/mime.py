"""Builds a letter's body as MIME: text, HTML and pictures."""

from __future__ import annotations

import re
import secrets
from base64 import encodebytes
from binascii import b2a_qp
from collections.abc import Sequence
from functools import lru_cache

from pbem.mail.letter import Image
from pbem.mail.message import Headers, written

Part = list[bytes]  # in pieces that are joined once, because the HTML is long


def message(made: Headers, text: str, html: str, images: Sequence[Image] = ()) -> bytes:
    """Return the whole letter as it is sent, with CRLF line ends."""
    page = text_part(html, "html")
    if images:
        page = several("related", [page, *map(picture, images)])
    alternative = several("alternative", [text_part(text, "plain"), page])
    # The body's headers continue the letter's headers.
    return b"".join([written(made).removesuffix(b"\r\n"), *alternative])


def text_part(text: str, subtype: str) -> Part:
    """Encode one form of the body, in the encoding that stays readable: mostly ASCII or mostly not.

    Our own encoder, because the standard library's is slow enough to notice in each letter.
    """
    content = text.encode()
    if (len(content) - len(text)) * 4 > len(text):
        encoding, body = "base64", as_smtp(encodebytes(content))
    else:
        encoding, body = "quoted-printable", quoted_printable(content)
    about = [
        ("Content-Type", f'text/{subtype}; charset="utf-8"'),
        ("Content-Transfer-Encoding", encoding),
    ]
    return [written(about), body]


def quoted_printable(content: bytes) -> bytes:
    """Encode text as quoted-printable, line by line. Most lines also occur in other letters."""
    if b"\r" in content:  # mostly there is none, and the test is cheaper than a copy
        content = content.replace(b"\r\n", b"\n")
    return b"\r\n".join(map(quoted_line, content.split(b"\n")))


@lru_cache(4096)
def quoted_line(line: bytes) -> bytes:
    """Encode one line, with soft breaks where it is too long."""
    return as_smtp(b2a_qp(line, istext=True))


def picture(image: Image) -> Part:
    """Encode a picture as a part that the HTML refers to."""
    name = re.sub(r"[^A-Za-z0-9]+", "-", image.cid.partition("@")[0])
    about = [
        ("Content-Type", f'image/png; name="{name}.png"'),
        ("Content-Transfer-Encoding", "base64"),
        ("Content-ID", f"<{image.cid}>"),
        ("Content-Disposition", f'inline; filename="{name}.png"'),
    ]
    return [written(about), as_smtp(encodebytes(image.png))]


def several(subtype: str, parts: Sequence[Part]) -> Part:
    """Join parts. The boundary holds "=_", which no encoded line can contain."""
    boundary = f"=_{secrets.token_hex(12)}_="
    between = b"--" + boundary.encode()
    made = [written([("Content-Type", f'multipart/{subtype}; boundary="{boundary}"')])]
    for part in parts:
        made += [between, b"\r\n", *part, b"\r\n"]
    return [*made, between, b"--\r\n"]


def as_smtp(body: bytes) -> bytes:
    """Convert line ends to CRLF."""
    return body.replace(b"\n", b"\r\n")
