"""The secrets in our reply addresses: 26 letters that name a letter and prove that we wrote it.

Nothing of them is stored. A token is the letter's row number and a keyed hash of number and
purpose, so that one for bounces answers no letter; what it opens is the letter's row's to say.
"""

from __future__ import annotations

import hmac
from base64 import b32decode, b32encode
from typing import Literal

Purpose = Literal["turn", "bounce", "unsub", "words"]
"""The part of the address before the "+"; "words" may ask and say things, and play nothing."""

LENGTH = 26  # base32 characters: 5 bytes of number, 11 of proof
NUMBER, PROOF = 5, 11  # bytes


def token(key: bytes, purpose: Purpose, letter_id: int) -> str:
    """The token of a letter, in lower case; servers may fold it."""
    number = letter_id.to_bytes(NUMBER, "big")
    return b32encode(number + _proof(key, purpose, number)).decode().rstrip("=").lower()


def letter_of(key: bytes, purpose: Purpose, written: str) -> int | None:
    """The row number of the letter that a token names; None if it is none of ours."""
    if len(written) != LENGTH or not written.isascii():
        return None
    try:
        raw = b32decode(written.upper() + "=" * (-LENGTH % 8))
    except ValueError:
        return None
    number = int.from_bytes(raw[:NUMBER], "big")
    # Compared as written: of the last letter two bits say nothing, and one letter has one address.
    return number if hmac.compare_digest(token(key, purpose, number), written.lower()) else None


def _proof(key: bytes, purpose: Purpose, number: bytes) -> bytes:
    return hmac.digest(key, b"letter|" + purpose.encode() + b"|" + number, "sha256")[:PROOF]
