"""A due letter made into a message: its headers, and the two forms of its body."""

from __future__ import annotations

import secrets
from base64 import encodebytes
from binascii import b2a_qp
from datetime import datetime
from email import policy
from email.headerregistry import Address
from email.message import EmailMessage, MIMEPart
from email.utils import format_datetime

from sqlmodel import Session

from pbem.config import Settings
from pbem.mail import contents, truth
from pbem.mail.address import clean_header
from pbem.mail.render import folded, in_html, in_text
from pbem.mail.truth import Reader, number_in
from pbem.models import Outbox


def compose(
    session: Session,
    row: Outbox,
    settings: Settings,
    now: datetime,
    *,
    reader: Reader | None = None,
) -> EmailMessage | None:
    """The letter as it is true now; None if it no longer is.

    `reader` comes from a caller who has just asked, in this session, whether it still is true.
    """
    if reader is None:
        reader = truth.reader_of(session, row)
        if reader is None or not truth.still_true(session, row, now):
            return None
    values = contents.of(session, row, reader, settings, now)
    language = reader.language
    letter = headed(row, reader, settings, now)
    letter["Subject"] = clean_header(in_text(row.kind, "subject", language, values))
    letter["Content-Language"] = language
    letter["MIME-Version"] = "1.0"
    letter["Content-Type"] = f'multipart/alternative; boundary="{boundary()}"'
    letter.attach(part(folded(in_text(row.kind, "body", language, values)), "plain"))
    letter.attach(part(in_html(row.kind, language, values), "html"))
    return letter


def headed(row: Outbox, reader: Reader, settings: Settings, now: datetime) -> EmailMessage:
    """The headers. All are made of cleaned text: never of a header that came in."""
    letter = EmailMessage(policy=policy.SMTP)
    letter["From"] = settings.sender
    letter["To"] = Address(clean_header(reader.name), addr_spec=reader.address)
    letter["Date"] = format_datetime(now)
    letter["Message-ID"] = row.message_id
    letter["Auto-Submitted"] = "auto-generated"
    letter["X-Auto-Response-Suppress"] = "All"
    if row.subject.startswith("g"):
        number = number_in(row.subject)
        # No letter has this id: it ties all letters of a game into one thread.
        root = f"<g{number}@{settings.mail_domain}>"
        letter["In-Reply-To"] = root
        letter["References"] = root
        letter["List-Id"] = f"Game {number} <g{number}.{settings.mail_domain}>"
    return letter


def part(text: str, subtype: str) -> EmailMessage:
    """One form of the body, in the encoding that stays readable: mostly ASCII or mostly not.

    Encoded here, as the library's own way is slow enough to be felt in each letter.
    """
    content = text.encode()
    made = EmailMessage(policy=policy.SMTP)
    made["Content-Type"] = f'text/{subtype}; charset="utf-8"'
    if (len(content) - len(text)) * 4 > len(text):
        made["Content-Transfer-Encoding"] = "base64"
        made.set_payload(encodebytes(content).decode("ascii"))
    else:
        made["Content-Transfer-Encoding"] = "quoted-printable"
        made.set_payload(b2a_qp(content, istext=True).decode("ascii"))
    return made


def boundary() -> str:
    """What stands between the parts: no encoded line can hold it, as "=_" is in none."""
    return f"=_{secrets.token_hex(12)}_="


def as_bytes(letter: EmailMessage) -> bytes:
    """The letter as it is sent; the library's generator writes line by line, and is felt too."""
    if not letter.is_multipart():
        return letter.as_bytes(policy=policy.SMTP)
    between = b"--" + (letter.get_boundary() or "").encode()
    parts = [between + b"\r\n" + head(each) + body(each) for each in letter.iter_parts()]
    return head(letter) + b"\r\n".join([*parts, between + b"--"]) + b"\r\n"


def head(letter: MIMEPart) -> bytes:
    """The headers, folded, and the empty line behind them."""
    lines = [policy.SMTP.fold_binary(name, value) for name, value in letter.raw_items()]
    return b"".join(lines) + b"\r\n"


def body(part: MIMEPart) -> bytes:
    """One form of the body as it was encoded, its lines ended as SMTP ends them."""
    content = str(part.get_payload()).encode("ascii")
    return content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
