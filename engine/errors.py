"""Refusals: what is wrong with an order, as a key, a rule's id and numbers, never as a sentence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class MoveRefused(Exception):
    """An order that was not played. `choices` holds moves or lines that would be accepted now.

    `line` and `text` say which order of a letter it was, once the driver knows.
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
        """The same refusal with what can be sent instead."""
        self.choices = list(choices)
        return self


class MalformedOrder(MoveRefused):
    """A line that cannot be read, or reads in two ways. `choices` may hold corrected lines."""


class UnsettledOrder(MalformedOrder):
    """A well-written line that names something by what does not lie on the table now."""


class NotYourTurn(MoveRefused):
    """The game waits for somebody else."""


class IllegalMove(MoveRefused):
    """A move that the rules do not allow now."""


class GameOver(MoveRefused):
    """The game waits for nobody any more."""


class UnknownRuleset(LookupError):
    """A ruleset that this release does not play: a newer one's, or one that it has given up."""

    def __init__(self, ruleset: str) -> None:
        super().__init__(f"this release does not play by the rules {ruleset!r}")
        self.ruleset = ruleset


class BadComponents(ValueError):
    """A component set that cannot be played with: table, row and reason."""

    def __init__(self, table: str, row: str, reason: str) -> None:
        table, row, reason = table[:40], row[:40], reason[:200]  # what is wrong may be 64 KiB long
        super().__init__(f"[{table}] {row}: {reason}" if row else f"[{table}]: {reason}")
        self.table = table
        self.row = row
        self.reason = reason
