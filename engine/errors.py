"""Defines refusals: a key, a rule's id and numbers, never a sentence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class MoveRefused(Exception):
    """An order that was not played. `choices` holds moves or lines that would be accepted now.

    The driver sets `line` (from 1) and `text` to the order's place in its letter.
    """

    def __init__(self, key: str, *, rule: str, **numbers: Any) -> None:
        super().__init__(f"{key} ({rule}) {numbers}" if numbers else f"{key} ({rule})")
        self.key = key
        self.rule = rule
        self.numbers = numbers
        self.choices: list[Any] = []
        self.line: int | None = None
        self.text: str | None = None

    def with_choices(self, choices: Iterable[Any]) -> MoveRefused:
        """Set what can be sent instead; return the refusal."""
        self.choices = list(choices)
        return self


class MalformedOrder(MoveRefused):
    """A line that cannot be read, or is ambiguous. `choices` may hold corrected lines."""


class UnsettledOrder(MalformedOrder):
    """A well-formed line that names something that is not on the table now."""


class NotYourTurn(MoveRefused):
    """The game waits for another seat."""


class IllegalMove(MoveRefused):
    """A move that the rules do not allow now."""


class GameOver(MoveRefused):
    """The game is over."""


class UnknownRuleset(LookupError):
    """A ruleset that this release does not play: a newer or a dropped one."""

    def __init__(self, ruleset: str) -> None:
        super().__init__(f"this release does not play by the rules {ruleset!r}")
        self.ruleset = ruleset


class BadComponents(ValueError):
    """A component set that cannot be used: table, row and reason."""

    def __init__(self, table: str, row: str, reason: str) -> None:
        table, row, reason = table[:40], row[:40], reason[:200]  # a fault may be 64 KiB long
        super().__init__(f"[{table}] {row}: {reason}" if row else f"[{table}]: {reason}")
        self.table = table
        self.row = row
        self.reason = reason
