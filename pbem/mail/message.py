"""Builds our letters as MIME: headers, text, HTML and pictures.

Headers come from cleaned text, never from the headers of incoming letters.
"""

from __future__ import annotations

import re
import secrets
import unicodedata
from base64 import encodebytes
from binascii import b2a_qp
from collections.abc import Sequence
from email.header import Header
from email.utils import format_datetime, quote
from typing import Any

from sqlalchemy import bindparam, func
from sqlalchemy.orm import aliased
from sqlmodel import Session, select

from pbem.config import Settings
from pbem.mail.letter import Image, LetterContext, LetterKind, Reader
from pbem.mail.tokens import Purpose, address_of, token
from pbem.models import Game, Inbound, LetterState, Outbox

Headers = list[tuple[str, str]]
Part = list[bytes]  # in pieces that are joined once, because the HTML is long

COLUMNS = 76
FEEDBACK_SENDER = "carreira"  # Gmail uses it to tell senders of one domain apart
LONGEST_HEADER = 120  # characters of one name or title in a header
# Characters that change the reading direction. With them a name could pose as another one.
TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
A_MESSAGE_ID = re.compile(r"(?!.*=\?)<?([!-;=?-~]{1,240}@[!-;=?-~]{1,240})>?")

# Built once, because every turn letter runs it. The unique index has the bounds on sent letters.
# The sum keeps the database from scanning the rows by id instead.
_of_the_game: Any = aliased(Outbox)
NEWEST_BEFORE = select(Outbox.message_id).where(
    Outbox.id == select(func.max(_of_the_game.id + 0)).where(
        _of_the_game.game_id == bindparam("game"),
        _of_the_game.kind == "turn",
        _of_the_game.person_id == bindparam("person"),
        _of_the_game.state == LetterState.SENT,
        _of_the_game.id < bindparam("before"),
    ).scalar_subquery()
)  # fmt: skip


def headers(it: LetterContext, kind: LetterKind) -> Headers:
    """Return all headers but the subject and those of the body."""
    row, settings = it.row, it.settings
    made = [
        ("From", our_mailbox(settings)),
        ("To", mailbox(it.reader.name, it.reader.address)),
        ("Date", format_datetime(it.now.replace(microsecond=0))),
        ("Message-ID", row.message_id or ""),
        ("Auto-Submitted", "auto-replied" if kind.is_answer else "auto-generated"),
        ("X-Auto-Response-Suppress", "All"),
        ("Feedback-ID", feedback_id(row, it.reader)),
    ]
    purpose = reply_purpose(kind, row, it.others)
    if purpose:
        made.append(("Reply-To", address_of(settings, purpose, row)))
    if row.game is not None:
        made += of_game(row, row.game, settings)
    return made + thread(it, kind)


def our_mailbox(settings: Settings) -> str:
    """Return the From address of every letter."""
    return f"Carreira <table@{settings.mail_domain}>"


def envelope_sender(kind: LetterKind, row: Outbox, settings: Settings) -> str:
    """Return the envelope sender, the bounce address that names the letter.

    Answers have a null sender.
    """
    return "" if kind.is_answer else address_of(settings, "bounce", row)


def reply_purpose(
    kind: LetterKind, row: Outbox, others: Sequence[Outbox]
) -> Purpose | None:
    """Return what an answer may do, or None: nobody answers the proof of an address."""
    if kind.is_proof:
        return None
    if not kind.takes_orders or (row.game_id is None and row.invitation_id is None):
        return "words"
    # In a letter about several games, an order could be meant for any of them.
    return "words" if any(each.game_id != row.game_id for each in others) else "turn"


def feedback_id(row: Outbox, reader: Reader) -> str:
    """Return the key by which Gmail counts complaints: a game and a kind of letter, never a player.
    """
    about = "site" if row.game_id is None else f"g{row.game_id}"
    return f"{about}:{row.kind}:{reader.language}:{FEEDBACK_SENDER}"


def of_game(row: Outbox, game: Game, settings: Settings) -> Headers:
    """Return the headers to sort a game's letters, read on, and unsubscribe with one click."""
    number = game.id
    page = f"{settings.base_url}/u/{token(settings.keys, 'unsub', row)}"
    made = [
        ("List-Id", f"Game {number} <g{game.mark}.{settings.mail_domain}>"),
        ("List-Unsubscribe", f"<{page}>, <mailto:{address_of(settings, 'unsub', row)}>"),
        ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
    ]
    if not game.private:
        made.append(("List-Archive", f"<{settings.base_url}/games/{number}>"))
    return made


def thread(it: LetterContext, kind: LetterKind) -> Headers:
    """Return the headers that thread a game's letters, and an answer with what it answers."""
    row, references = it.row, []
    if row.game is not None:
        # No letter has this id. It threads the letters because all of them name it.
        references.append(f"<g{row.game.mark}@{it.settings.mail_domain}>")
    before = previous_turn(it.session, row) if kind.asks else None
    asked = answered(it.session, row) if kind.is_answer else None
    references += [each for each in (before, asked) if each]
    if not references:
        return []
    return [("In-Reply-To", asked or references[0]), ("References", " ".join(references))]


def previous_turn(session: Session, row: Outbox) -> str | None:
    """Return the Message-ID of the player's previous turn letter of this game."""
    about = {"game": row.game_id, "person": row.person_id, "before": row.id}
    return session.exec(NEWEST_BEFORE, params=about).first()


def answered(session: Session, row: Outbox) -> str | None:
    """Return the Message-ID of the incoming letter that this one answers, if it is valid."""
    came = session.get(Inbound, row.about_id)
    found = A_MESSAGE_ID.fullmatch(came.message_id or "") if came is not None else None
    return f"<{found[1]}>" if found else None


# ---- formatting ---------------------------------------------------------------------------------


def mailbox(name: str, address: str) -> str:
    """Format a name and an address. No name can break out of its quotes."""
    clean = clean_header(name)
    if not clean:
        return address
    if needs_encoding(clean):
        return f"{encoded(clean, 'To')} <{address}>"
    plain = re.fullmatch(r"[A-Za-z0-9 !#$%&'*+/=?^_`{|}~-]+", clean)
    return f"{clean} <{address}>" if plain else f'"{quote(clean)}" <{address}>'


def subject(text: str) -> tuple[str, str]:
    """Format the subject's header."""
    clean = clean_header(text)
    return "Subject", encoded(clean, "Subject") if needs_encoding(clean) else clean


def clean_header(text: str) -> str:
    """Return one line that is safe in a header.

    It has no control or direction characters, and at most 120 characters.
    """
    text = text.strip()
    if not text.isprintable():  # printable text holds none of them, and most text is printable
        spaced = (" " if unicodedata.category(c) in {"Cc", "Zl", "Zp"} else c for c in text)
        text = "".join(c for c in spaced if c not in TURNING and unicodedata.category(c) != "Cs")
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_HEADER else line[: LONGEST_HEADER - 1].rstrip() + "…"


def needs_encoding(text: str) -> bool:
    """Return whether text is not ASCII, or looks like an encoded word and so could hide anything.
    """
    return not text.isascii() or "=?" in text


def encoded(text: str, name: str) -> str:
    """Format encoded words (RFC 2047), folded."""
    return Header(text, "utf-8", header_name=name, maxlinelen=COLUMNS).encode(linesep="")


def written(made: Headers) -> bytes:
    """Format the header block, folded at spaces only, with the empty line after it.

    The library's policy is not used: it decodes text that looks like an encoded word, line ends
    included, and it encodes URLs that are longer than a line.
    """
    return "".join(folded(*each) for each in made).encode("ascii") + b"\r\n"


def folded(name: str, value: str) -> str:
    """Fold one header to lines of at most 76 characters where its words allow it."""
    if len(name) + len(": ") + len(value) <= COLUMNS:
        return f"{name}: {value}\r\n"
    first, *others = value.split(" ")
    done, line = "", f"{name}: {first}"
    for word in others:
        if len(line) + 1 + len(word) > COLUMNS:
            done, line = f"{done}{line}\r\n", f" {word}"
        else:
            line = f"{line} {word}"
    return f"{done}{line}\r\n"


# ---- body ---------------------------------------------------------------------------------------


def as_bytes(made: Headers, text: str, html: str, images: Sequence[Image] = ()) -> bytes:
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
    """Encode text as quoted-printable, with soft breaks where a line is too long.

    Line by line, as the library lets a line that ends with a space grow beyond 76 characters.
    """
    lines = content.replace(b"\r\n", b"\n").split(b"\n")
    return b"\r\n".join(as_smtp(b2a_qp(line, istext=True)) for line in lines)


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
