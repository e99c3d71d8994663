"""Defines the events of a round and placing (GO-2, GO-6.2); each one changes the state."""

from __future__ import annotations

from typing import ClassVar

from engine.api import Event, Seat
from engine.goa.state import (
    PLACING,
    GoaState,
    Marker,
)


class GoaRoundBegun(Event, frozen=True, tag="RoundBegun"):
    """A round begins; once-a-round tiles are ready again (GO-6.2)."""

    part: str
    round: int
    rule: ClassVar[str] = "GO-6.2"

    def apply(self, state: GoaState) -> None:
        state.round = self.round
        state.phase = PLACING
        state.sold = ()
        state.turn = None
        state.passed = ()
        for seat, player in enumerate(state.players):
            if player.used:
                state.change(seat, used=())


class FlagPlaced(Event, frozen=True, tag=True):
    """The start player places the flag with marker 1 (GO-2.1)."""

    seat: Seat
    space: str
    rule: ClassVar[str] = "GO-2.1"

    def apply(self, state: GoaState) -> None:
        state.flag = self.space
        state.markers = (Marker(1, self.seat, self.space),)


class MarkerPlaced(Event, frozen=True, tag=True):
    """A seat places the next marker on a tile (GO-2.2)."""

    seat: Seat
    number: int
    space: str
    tile: str
    rule: ClassVar[str] = "GO-2.2"

    def apply(self, state: GoaState) -> None:
        state.markers = (*state.markers, Marker(self.number, self.seat, self.space))


class PathBroken(Event, frozen=True, tag=True):
    """No tile lies beside the path, so the next marker may lie on any free tile (GO-2.3)."""

    number: int  # of the marker that goes on any tile
    rule: ClassVar[str] = "GO-2.3"

    def apply(self, state: GoaState) -> None:
        return None
