"""What a letter is made of, as values: the bytes that leave, and the pictures in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Image:
    """A picture that comes with a letter; its HTML shows it by `src="cid:..."`."""

    cid: str  # without angle brackets, like "table.42.17@carreira.example"
    png: bytes
    alt: str


@dataclass(frozen=True)
class Letter:
    """A letter ready to leave.

    `shown` is the entry that it shows, by the row of each game in it: an answer to the letter of
    that row answers what was asked then.
    """

    raw: bytes
    shown: Mapping[int, int]
