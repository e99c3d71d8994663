"""The secrets in our reply addresses: 26 letters that name a letter and prove that we wrote it.

Nothing of them is stored. A token is the letter's row number and a keyed hash of number and
purpose, so that one for bounces answers no letter; what it opens is the letter's row's to say.
"""

from __future__ import annotations

from base64 import b32decode, b32encode
from functools import lru_cache
from typing import Literal

from pbem.accounts.keys import Keys, Write

Purpose = Literal["turn", "bounce", "unsub", "words"]
"""The part of the address before the "+"; "words" may ask and say things, and play nothing."""

LENGTH = 26  # base32 characters: 5 bytes of number, 11 of proof
NUMBER, PROOF = 5, 11  # bytes


@lru_cache(64)  # a letter names each of its addresses several times
def token(keys: Keys, purpose: Purpose, letter_id: int) -> str:
    """The token of a letter, in lower case; servers may fold it."""
    number = letter_id.to_bytes(NUMBER, "big")
    return keys.signed(_said(purpose, number), _behind(number))


def letter_of(keys: Keys, purpose: Purpose, written: str) -> int | None:
    """The row number of the letter that a token names; None if it is none of ours."""
    if len(written) != LENGTH or not written.isascii():
        return None
    try:
        raw = b32decode(written.upper() + "=" * (-LENGTH % 8))
    except ValueError:
        return None
    number = raw[:NUMBER]
    # Compared as written: of the last letter two bits say nothing, and one letter has one address.
    is_ours = keys.proved(written.lower(), _said(purpose, number), _behind(number))
    return int.from_bytes(number, "big") if is_ours else None


def _said(purpose: Purpose, number: bytes) -> bytes:
    return b"letter|" + purpose.encode() + b"|" + number


def _behind(number: bytes) -> Write:
    """Writes number and proof in one."""
    return lambda proof: b32encode(number + proof[:PROOF]).decode().rstrip("=").lower()
