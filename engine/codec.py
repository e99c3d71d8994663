"""Tagged Structs to canonical JSON and back, and hashes: the only place that knows the stored form.

Canonical: fields in the order of their class, no spaces, UTF-8. A stored value is read back into
the same class; unknown fields of a later release are ignored, missing ones take their defaults.
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
    """The canonical JSON of a move, event, state or a tuple of them."""
    return _encoder.encode(value)


def decode(stored: bytes | str, kind: Any) -> Any:
    """The value of type `kind`; msgspec.ValidationError if it does not fit."""
    return _decoder(kind).decode(stored)


def tag_of(kind: type[msgspec.Struct]) -> str:
    """The name under which values of this class are stored: its tag."""
    return str(kind.__struct_config__.tag)


def reader(kind: Any) -> Callable[[bytes], Any]:
    """What decodes values of this type, for those who read many."""
    return _decoder(kind).decode


def digest(value: Any) -> bytes:
    """SHA-256 over the canonical JSON: 32 bytes."""
    return digest_of(encode(value))


def digest_of(stored: bytes) -> bytes:
    """SHA-256 over what is stored already: 32 bytes."""
    return hashlib.sha256(stored).digest()
