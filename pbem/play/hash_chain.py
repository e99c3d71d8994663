"""Computes the hashes that chain a game's entries; the log and `verify` both use them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from engine import codec
from engine.api import Event

FIRST_PREVIOUS = bytes(32)
"""What stands for the previous hash in a game's first entry."""


def body_of(
    move: Any, events: Sequence[Event], note: Mapping[str, str | int] | None = None
) -> bytes:
    """The canonical JSON of an entry's move (None at the start), its events, and its note."""
    return body_of_parts(codec.encode(move), codec.encode(tuple(events)), note)


def body_of_parts(
    move: bytes, events: bytes, note: Mapping[str, str | int] | None = None
) -> bytes:
    """A body made of parts that are canonical JSON already."""
    said = b"" if note is None else b',"note":%b' % codec.encode(dict(sorted(note.items())))
    return b'{"move":%b,"events":%b%b}' % (move, events, said)


def state_hash(state: Any) -> bytes:
    """SHA-256 over the canonical JSON of the state after an entry."""
    return codec.digest(state)


def entry_hash(
    *,
    game: str,
    number: int,
    base: int,
    seat: int | None,
    cause: str,
    ruleset: str,
    body: bytes,
    previous: bytes,
    state_hash: bytes,
) -> bytes:
    """SHA-256 over an entry's fields, each after its length; `game` is the commitment."""
    return hashlib.sha256(b"".join((
        prefixed(game), prefixed(number), prefixed(base),
        prefixed("" if seat is None else seat), prefixed(cause), prefixed(ruleset),
        len(body).to_bytes(8, "big"), body, SHORT[len(previous)], previous,
        SHORT[len(state_hash)], state_hash,
    ))).digest()  # fmt: skip


# The length of a hash in 8 bytes, computed once: each move and verification takes many hashes.
SHORT = tuple(length.to_bytes(8, "big") for length in range(256))


@lru_cache(maxsize=4096)
def prefixed(said: str | int) -> bytes:
    """One of the few texts and numbers that many entries share, after its length; memoized."""
    part = str(said).encode()
    return len(part).to_bytes(8, "big") + part
