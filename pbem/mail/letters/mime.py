"""A letter's body as MIME: its two forms and its pictures."""

from __future__ import annotations

import re
import secrets
from base64 import encodebytes
from binascii import b2a_qp
from collections.abc import Sequence
from functools import lru_cache

from pbem.mail.letter import Image
from pbem.mail.message import Headers, written

Part = list[bytes]  # in pieces, which are put together once: the HTML is long


def message(made: Headers, text: str, html: str, images: Sequence[Image] = ()) -> bytes:
    """The whole letter as it is sent, with line ends as SMTP wants them."""
    page = text_part(html, "html")
    if images:
        page = several("related", [page, *map(picture, images)])
    alternative = several("alternative", [text_part(text, "plain"), page])
    # The headers of the letter end where those of its body go on.
    return b"".join([written(made).removesuffix(b"\r\n"), *alternative])


def text_part(text: str, subtype: str) -> Part:
    """One form of the body, in the encoding that stays readable: mostly ASCII or mostly not.

    Encoded here, as the library's own way is slow enough to be felt in each letter.
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
    """Text in its encoding, line by line: most lines of letters are others' lines, too."""
    if b"\r" in content:  # mostly none: looking is quicker than writing all anew
        content = content.replace(b"\r\n", b"\n")
    return b"\r\n".join(map(quoted_line, content.split(b"\n")))


@lru_cache(4096)
def quoted_line(line: bytes) -> bytes:
    """One line, cut where it is too long."""
    return as_smtp(b2a_qp(line, istext=True))


def picture(image: Image) -> Part:
    """A picture in its place in the HTML."""
    name = re.sub(r"[^A-Za-z0-9]+", "-", image.cid.partition("@")[0])
    about = [
        ("Content-Type", f'image/png; name="{name}.png"'),
        ("Content-Transfer-Encoding", "base64"),
        ("Content-ID", f"<{image.cid}>"),
        ("Content-Disposition", f'inline; filename="{name}.png"'),
    ]
    return [written(about), as_smtp(encodebytes(image.png))]


def several(subtype: str, parts: Sequence[Part]) -> Part:
    """Parts as one; no encoded line can hold what stands between them, as "=_" is in none."""
    boundary = f"=_{secrets.token_hex(12)}_="
    between = b"--" + boundary.encode()
    made = [written([("Content-Type", f'multipart/{subtype}; boundary="{boundary}"')])]
    for part in parts:
        made += [between, b"\r\n", *part, b"\r\n"]
    return [*made, between, b"--\r\n"]


def as_smtp(body: bytes) -> bytes:
    """The lines of an encoding, ended as SMTP ends them."""
    return body.replace(b"\n", b"\r\n")
