"""Encodes tagged Structs as canonical JSON, decodes and hashes them.

No other module knows the stored form. Canonical: fields in the order of their class, no spaces,
UTF-8. Decoding ignores unknown fields of a later release and fills missing ones with defaults.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec

_encoder = msgspec.json.Encoder()


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def encode(value: Any) -> bytes:
    """Return the canonical JSON of a move, event, state or a tuple of them."""
    return _encoder.encode(value)


def decode(stored: bytes | str, kind: Any) -> Any:
    """Decode a value of type `kind`. Raise msgspec.ValidationError if it does not fit."""
    return _decoder(kind).decode(stored)


def tag_of(kind: type[msgspec.Struct]) -> str:
    """Return the name under which values of this class are stored."""
    return str(kind.__struct_config__.tag)


def reader(kind: Any) -> Callable[[bytes], Any]:
    """Return the decoder of this type, for callers that decode many values."""
    return _decoder(kind).decode


def digest(value: Any) -> bytes:
    """Return the SHA-256 of the canonical JSON: 32 bytes."""
    return digest_of(encode(value))


def digest_of(stored: bytes) -> bytes:
    """Return the SHA-256 of a stored value: 32 bytes."""
    return hashlib.sha256(stored).digest()
