"""Makes and checks the tokens in our reply addresses.

A token has 26 letters, identifies a letter and proves that we wrote it. Nothing of it is stored. It
consists of the letter's row id, a mark of its Message-ID, and a keyed hash of both and the purpose,
so a bounce token does not work as a reply token. A restored database reuses row ids, but never a
Message-ID, so the token of a lost letter matches no other one.
"""

from __future__ import annotations

import hashlib
from base64 import b32decode, b32encode
from typing import Literal

from sqlmodel import Session

from pbem.accounts.keys import Keys, Write
from pbem.config import Settings
from pbem.models import Outbox, stored_id

Purpose = Literal["turn", "bounce", "unsub", "words"]
"""The part of the address before the "+". "words" may query and chat, but not play."""

LENGTH = 26  # base32 characters
NUMBER, MARK, PROOF = 4, 4, 8  # bytes
NUMBER_ALONE = 5  # bytes of tokens without a mark, from releases before 0.4


def token(keys: Keys, purpose: Purpose, letter: Outbox) -> str:
    """Return the token of a letter that has its Message-ID, in lower case.

    Servers may change the case.
    """
    return written(keys, purpose, stored_id(letter).to_bytes(NUMBER, "big") + mark_of(letter))


def address_of(settings: Settings, purpose: Purpose, letter: Outbox) -> str:
    """Return our address that names a letter, such as turn+TOKEN@reply.carreira.example."""
    return f"{purpose}+{token(settings.keys, purpose, letter)}@{settings.reply_domain}"


def written(keys: Keys, purpose: Purpose, name: bytes) -> str:
    """Encode a letter's name and the proof."""
    return keys.signed(_said(purpose, name), _behind(name))


def is_ours(keys: Keys, purpose: Purpose, given: str) -> bool:
    """Return whether we wrote a token, for any letter. Needs no database."""
    raw = read(given)
    if raw is None:
        return False
    names = raw[: NUMBER + MARK], raw[:NUMBER_ALONE]
    # Compared as text. Two bits of the last character are unused, and one letter has one address.
    found = [keys.proved(given.lower(), _said(purpose, name), _behind(name)) for name in names]
    return True in found


def letter_of(session: Session, keys: Keys, purpose: Purpose, given: str) -> Outbox | None:
    """Return the letter that a token names, or None if there is none (any more)."""
    raw = read(given)
    if raw is None:
        return None
    name = raw[: NUMBER + MARK]
    if not keys.proved(given.lower(), _said(purpose, name), _behind(name)):
        return None
    letter = session.get(Outbox, int.from_bytes(name[:NUMBER], "big"))
    return letter if letter is not None and mark_of(letter) == name[NUMBER:] else None


def mark_of(letter: Outbox) -> bytes:
    """Return the mark that no other letter with this id has."""
    return hashlib.sha256((letter.message_id or "").encode()).digest()[:MARK]


def read(given: str) -> bytes | None:
    """Decode a token. Returns None if it cannot be one."""
    if len(given) != LENGTH or not given.isascii():
        return None
    try:
        return b32decode(given.upper() + "=" * (-LENGTH % 8))
    except ValueError:
        return None


def _said(purpose: Purpose, name: bytes) -> bytes:
    return b"letter|" + purpose.encode() + b"|" + name


def _behind(name: bytes) -> Write:
    """Return an encoder of name and proof whose results all have the length of a token."""
    length = NUMBER + MARK + PROOF - len(name)
    return lambda proof: b32encode(name + proof[:length]).decode().rstrip("=").lower()
