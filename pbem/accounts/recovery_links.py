"""The links in the letters about an account that gets another address: one to confirm, one to stop.

Both are proofs by the service's key; nothing of them is stored.
"""

from __future__ import annotations

import base64
from typing import Literal

from sqlmodel import Session

from pbem.accounts.keys import Keys, Write
from pbem.models.operators import Recovery

Purpose = Literal["confirm", "stop"]


def token(keys: Keys, purpose: Purpose, found: Recovery) -> str:
    """What stands in a letter's link: it confirms or stops this recovery, and nothing else."""
    return keys.signed(_said(purpose, found), _behind(found.id))


def by_token(session: Session, keys: Keys, written: str) -> tuple[Recovery, Purpose] | None:
    """The recovery that a link belongs to, and what the link is for."""
    number = written.partition("-")[0]
    is_number = number.isascii() and number.isdigit() and len(number) < 10
    found = session.get(Recovery, int(number)) if is_number else None
    if found is None:
        return None
    purposes: tuple[Purpose, ...] = ("confirm", "stop")
    for purpose in purposes:
        if keys.proved(written, _said(purpose, found), _behind(found.id)):
            return found, purpose
    return None


def _said(purpose: Purpose, found: Recovery) -> bytes:
    return f"recovery|{purpose}|{found.id}|{found.person_id}|{found.address}".encode()


def _behind(number: int | None) -> Write:
    return lambda proof: f"{number}-{base64.urlsafe_b64encode(proof).decode().rstrip('=')}"
