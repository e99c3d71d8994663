"""Refusals as they are kept with a submission, and the service's own kinds of them."""

from __future__ import annotations

from typing import Any

import msgspec

from engine.api import Game as GameRules
from engine.errors import MoveRefused

MOST_CHOICES = 12  # lines that a refusal offers


class PositionMovedOn(MoveRefused):
    """The player answered a question that is no longer the one put to him."""


class KeyReused(MoveRefused):
    """A key that already stands for other orders."""


class StoredRefusal(msgspec.Struct, frozen=True):
    """A refusal without its class: enough to say it again, in any language."""

    key: str
    rule: str
    numbers: dict[str, Any]
    choices: list[str]
    line: str | None = None


def as_stored(refused: MoveRefused, rules: GameRules) -> StoredRefusal:
    """The refusal with its choices as order lines."""
    lines = [
        choice if isinstance(choice, str) else rules.to_text(choice)
        for choice in refused.choices[:MOST_CHOICES]
    ]
    return StoredRefusal(
        refused.key, refused.rule, refused.numbers, lines, getattr(refused, "text", None)
    )


def stored(refused: MoveRefused, rules: GameRules) -> str:
    """The refusal as JSON, for the submission's row."""
    return msgspec.json.encode(as_stored(refused, rules)).decode()


def read(refusal: str) -> StoredRefusal:
    """The inverse of `stored`."""
    return msgspec.json.decode(refusal, type=StoredRefusal)
