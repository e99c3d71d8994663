"""A due letter made into its bytes: headers, the two forms of its body, pictures, the signature."""

from __future__ import annotations

import re
import secrets
from base64 import encodebytes
from binascii import b2a_qp
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache

from sqlmodel import Session

from pbem.config import Settings
from pbem.mail.dkim import signed
from pbem.mail.ledger import TOO_BIG
from pbem.mail.letter import Image, Letter
from pbem.mail.letters import contents, truth
from pbem.mail.letters.context import Overtaken
from pbem.mail.letters.render import folded, in_html, in_text
from pbem.mail.letters.truth import Reader
from pbem.mail.message import Headers, headers, subject, written
from pbem.models import Outbox, stored_id


def compose(
    session: Session,
    row: Outbox,
    settings: Settings,
    now: datetime,
    *,
    reader: Reader | None = None,
    others: Sequence[Outbox] = (),
) -> Letter | None:
    """The letter as it is true now, with all that it tells beside its own; None if it is not true.

    `reader` comes from a caller who has just asked, in this session, whether it still is true.
    A letter that was too big for its reader's server comes without its pictures.
    """
    if reader is None:
        reader = truth.reader_of(session, row)
        if reader is None or not truth.still_true(session, row, now):
            return None
    try:
        values = contents.of(session, row, reader, settings, now, others=others)
    except Overtaken:
        return None
    if row.why == TOO_BIG:
        values["images"] = ()
    language = reader.language
    made = headers(session, row, reader, settings, now, others=others)
    made.append(subject(in_text(row.kind, "subject", language, values)))
    made += [("Content-Language", language), ("MIME-Version", "1.0")]
    text = folded(in_text(row.kind, "body", language, values))
    html = in_html(row.kind, language, values)
    raw = message(made, text, html, values.get("images", ()))
    return Letter(signed(raw, settings), shown_by(row, values))


def shown_by(row: Outbox, values: contents.Values) -> dict[int, int]:
    """The entry that each game's row shows; several games' come as `shown_entries`."""
    if "shown_entries" in values:
        return dict(values["shown_entries"])
    return {stored_id(row): values["entry"]} if "entry" in values else {}


# ---- parts --------------------------------------------------------------------------------------


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
