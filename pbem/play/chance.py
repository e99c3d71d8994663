"""A game's committed randomness: its secret, and the stream of outcomes of each entry.

docs/security.md says what this proves.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from engine import codec
from engine.chance import Stream


def commitment_of(server_part: bytes) -> str:
    """SHA-256 (hex) of the server part. It is published before anybody joins."""
    return hashlib.sha256(server_part).hexdigest()


def secret_of(server_part: bytes, phrases: Sequence[str]) -> bytes:
    """SHA-256 over the length-prefixed server part and phrases, in seat order; 32 bytes."""
    parts = (server_part, *(phrase.encode() for phrase in phrases))
    return hashlib.sha256(b"".join(length_prefixed(part) for part in parts)).digest()


def stream(secret: bytes, game_label: str, entry_number: int) -> Stream:
    """The outcomes of one entry; its draws are numbered from 0."""
    return Stream(secret, f"{game_label}|{entry_number}")


def whim(secret: bytes, game_label: str, state: Any) -> Stream:
    """The stream that a bot draws from; the same position gives the same stream."""
    return Stream(secret, f"{game_label}|bot|{codec.digest(state).hex()}")


def length_prefixed(part: bytes) -> bytes:
    """The part after its length in 8 bytes, so that no two lists of parts collide."""
    return len(part).to_bytes(8, "big") + part
