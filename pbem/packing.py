"""Stored JSON, small: deflated against a dictionary, a sample of what such JSON looks like.

A dictionary is for ever: what was packed with it can be read with nothing else. A better one gets a
new number, which is the first byte of everything that is packed with it.
"""

from __future__ import annotations

import zlib
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import LargeBinary
from sqlalchemy.types import TypeDecorator

DICTIONARIES = Path(__file__).parent / "dictionaries"
NEWEST = 1


@cache
def dictionary(number: int) -> bytes:
    """One of each move, fact and question, rare ones first, and a whole position."""
    return (DICTIONARIES / f"{number}.json").read_bytes()


def packed(plain: bytes) -> bytes:
    """The JSON as it is stored."""
    packer = zlib.compressobj(9, wbits=-15, zdict=dictionary(NEWEST))
    return bytes([NEWEST]) + packer.compress(plain) + packer.flush()


def unpacked(stored: bytes) -> bytes:
    """The inverse of `packed`."""
    return zlib.decompressobj(wbits=-15, zdict=dictionary(stored[0])).decompress(stored[1:])


def unpacked_whole(stored: bytes) -> bytes:
    """What was packed, or zlib.error where anything is missing or left over."""
    stream = zlib.decompressobj(wbits=-15, zdict=dictionary(stored[0]))
    plain = stream.decompress(stored[1:])
    if not stream.eof or stream.unused_data:
        raise zlib.error("cut short, or with something behind it")
    return plain


def check_deflated(deflated: bytes, against: bytes, expected: bytes) -> None:
    """Whether this is the text, deflated against another one and whole; zlib.error if not."""
    stream = zlib.decompressobj(wbits=-15, zdict=against)
    plain = stream.decompress(deflated, len(expected) + 1)
    if plain != expected or not stream.eof or stream.unused_data:
        raise zlib.error("another text, or not the whole of it")


class Packed(TypeDecorator[bytes]):
    """A column of JSON that nobody looks into by SQL."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Any) -> bytes | None:
        return None if value is None else packed(value)

    def process_result_value(self, value: Any, dialect: Any) -> bytes | None:
        return None if value is None else unpacked(bytes(value))
