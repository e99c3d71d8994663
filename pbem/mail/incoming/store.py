"""Stores letters that come in: recognises our addresses, and stores a letter before it is parsed.

The listener, the IMAP client and the command line all use this function.
"""

from __future__ import annotations

import hashlib
import re
from datetime import datetime, timedelta
from email.message import Message
from email.parser import BytesHeaderParser
from email.utils import parseaddr
from typing import Literal

from sqlalchemy import or_, update
from sqlmodel import Session, col, select

from pbem.config import Settings
from pbem.mail import tokens
from pbem.mail.incoming.parse.reading import Addressed, Envelope
from pbem.models import Inbound, InboundState
from pbem.service import Service

LARGEST_HEAD = 64 * 1024  # bytes in which a Message-ID is looked for
LONGEST_ADDRESS = 254
PURPOSES: dict[str, tokens.Purpose] = {
    "turn": "turn", "words": "words", "unsub": "unsub", "bounce": "bounce"
}  # fmt: skip
# Headers in which delivering servers record the envelope. To and Cc are the sender's choice.
ENVELOPE = ("Delivered-To", "X-Original-To", "Envelope-To")
UNKNOWN_SENDER = "unknown@unknown.invalid"  # "" would mean that a server wrote it
Source = Literal["smtp", "lmtp", "imap", "pipe"]
Names = tuple[str, ...]
MESSAGE_ID = re.compile(rb"(?im)^message-id:[ \t]*(?:\r?\n[ \t]+)?<?([^<>\s]{1,248})>?")


# ---- addresses ----------------------------------------------------------------------------------


def addressed(settings: Settings, address: str) -> Addressed | None:
    """Return the purpose and token of one of our addresses, in any case, or None if it is not ours.
    """
    local, _, domain = address.rpartition("@")
    purpose, _, token = local.lower().partition("+")
    if domain.lower().rstrip(".") != settings.reply_domain or purpose not in PURPOSES:
        return None
    if not tokens.is_ours(settings.keys, PURPOSES[purpose], token):
        return None
    return Addressed(PURPOSES[purpose], token)


def envelope_in(settings: Settings, raw: bytes, source: Source, to: Names = ()) -> Envelope | None:
    """Read the envelope from the headers that the delivering server wrote.

    Returns None if no address is ours. `to` names more headers to search, written by the sender.
    """
    headers = headers_of(raw)
    named = [str(value) for name in (*ENVELOPE, *to) for value in headers.get_all(name, [])]
    for each in named:
        address = parseaddr(each)[1] or each.strip()
        if addressed(settings, address) is not None:
            return Envelope(sender_of(raw), address, source)
    return None


def sender_of(raw: bytes) -> str:
    """Return the envelope's sender from Return-Path. "" marks a server's own letter."""
    return_path = headers_of(raw)["Return-Path"]
    if return_path is None:
        return UNKNOWN_SENDER
    found = re.search(r"<([^<>]*)>", str(return_path))
    return (found[1] if found else str(return_path)).strip()


def headers_of(raw: bytes) -> Message:
    """Parse the headers only, which the library does cheaply."""
    return BytesHeaderParser().parsebytes(head_of(raw) + b"\r\n\r\n")


def head_of(raw: bytes) -> bytes:
    """Return the bytes of the headers, up to the limit."""
    return re.split(rb"\r?\n\r?\n", raw[:LARGEST_HEAD], maxsplit=1)[0]


# ---- storing ------------------------------------------------------------------------------------


def store(service: Service, envelope: Envelope, raw: bytes) -> int:
    """Store a letter and commit. Returns its id. Raises only database errors."""
    row = Inbound(
        received=service.clock.now(),
        source=envelope.source,
        sender=storable(envelope.sender),
        recipient=storable(envelope.recipient),
        message_id=message_id(raw),
        digest=digest(raw),
        raw=raw,
    )
    with service.writing() as session:
        session.add(row)
        session.flush()
        stored = row.id or 0
        session.commit()
    return stored


def storable(address: str) -> str:
    """Return an address that every database accepts: no NUL, no lone surrogate, not too long."""
    text = address.encode("utf-8", "replace").decode("utf-8").replace("\0", "")
    return text[:LONGEST_ADDRESS]


def digest(raw: bytes) -> str:
    """Return the digest that identifies a second copy of the same bytes."""
    return hashlib.sha256(raw).hexdigest()


def message_id(raw: bytes) -> str | None:
    """Find the Message-ID with its brackets, without parsing the letter."""
    found = MESSAGE_ID.search(head_of(raw))
    return f"<{storable(found[1].decode('ascii', 'replace'))[:248]}>" if found else None


def stored_before(session: Session, envelope: Envelope, raw: bytes) -> bool:
    """Return whether this letter was stored from the same source before.

    That happens if a run over the mailbox was interrupted.
    """
    same = select(Inbound.id).where(
        Inbound.digest == digest(raw), Inbound.source == envelope.source,
        Inbound.recipient == storable(envelope.recipient),
    )  # fmt: skip
    return session.exec(same.limit(1)).first() is not None


def forget_contents(session: Session, now: datetime, days: int, most: int = 200) -> int:
    """Delete the contents of letters older than `days`. Returns how many. Their verdicts stay."""
    old = col(Inbound.received) < now - timedelta(days=days)
    holds_any = or_(
        col(Inbound.raw).is_not(None), col(Inbound.told).is_not(None), col(Inbound.sender) != ""
    )
    some = select(Inbound.id).where(old, holds_any, col(Inbound.state) != InboundState.STORED)
    dropped = session.connection().execute(
        update(Inbound).where(col(Inbound.id).in_(some.limit(most)))
        .values(raw=None, told=None, sender=""))  # fmt: skip
    return int(dropped.rowcount)
