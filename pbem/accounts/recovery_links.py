"""The links in letters about an account recovery: one to confirm it, one to stop it.

Both are signed by the service's key and not stored. They include the Message-ID of their letter, as
a restored database may give a recovery's number to another one.
"""

from __future__ import annotations

import base64
from itertools import product
from typing import Literal

from sqlmodel import Session, col, select

from pbem.accounts.keys import Keys, Write
from pbem.models import Outbox
from pbem.models.operators import Recovery

Purpose = Literal["confirm", "stop"]


def token(keys: Keys, purpose: Purpose, found: Recovery, message_id: str | None) -> str:
    """The token in a letter's link; it confirms or stops this recovery only."""
    return keys.signed(_said(purpose, found, message_id), _behind(found.id))


def by_token(session: Session, keys: Keys, written: str) -> tuple[Recovery, Purpose] | None:
    """The recovery of a link's token, and the link's purpose; None if it is not valid."""
    number = written.partition("-")[0]
    is_number = number.isascii() and number.isdigit() and len(number) < 10
    found = session.get(Recovery, int(number)) if is_number else None
    if found is None:
        return None
    letters = session.exec(select(Outbox.message_id).where(
        Outbox.about_id == found.id, col(Outbox.kind).in_(("recover", "recovery")))).all()
    purposes: tuple[Purpose, ...] = ("confirm", "stop")
    for message_id, purpose in product(letters, purposes):
        if keys.proved(written, _said(purpose, found, message_id), _behind(found.id)):
            return found, purpose
    return None


def _said(purpose: Purpose, found: Recovery, message_id: str | None) -> bytes:
    about = f"{found.id}|{found.person_id}|{found.address}|{message_id or ''}"
    return f"recovery|{purpose}|{about}".encode()


def _behind(number: int | None) -> Write:
    return lambda proof: f"{number}-{base64.urlsafe_b64encode(proof).decode().rstrip('=')}"
