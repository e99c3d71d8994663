"""Defines the events of additional actions and a round's end (GO-6); each one changes the state."""

from __future__ import annotations

from typing import ClassVar

from engine.api import Event, Seat
from engine.goa.state import (
    ADDITIONAL,
    GRID,
    GoaState,
)


class AdditionalActionsBegun(Event, frozen=True, tag=True):
    """All have taken their actions (GO-6.1)."""

    rule: ClassVar[str] = "GO-6.1"

    def apply(self, state: GoaState) -> None:
        state.phase = ADDITIONAL


class AdditionalDeclined(Event, frozen=True, tag=True):
    """A seat leaves this round's additional actions; `unasked` if it has no card (GO-6.1)."""

    seat: Seat
    unasked: bool
    rule: ClassVar[str] = "GO-6.1"

    def apply(self, state: GoaState) -> None:
        state.passed = (*state.passed, self.seat)
        state.turn = None


class GridCleared(Event, frozen=True, tag=True):
    """The tiles left on the grid leave the game at the end of part A (GO-6.2)."""

    tiles: tuple[str, ...]
    rule: ClassVar[str] = "GO-6.2"

    def apply(self, state: GoaState) -> None:
        state.grid = (None,) * len(GRID)
