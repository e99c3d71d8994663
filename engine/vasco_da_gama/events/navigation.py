"""Defines the events of phase 3 (VG-7); each one changes the state."""

from __future__ import annotations

from typing import ClassVar

from engine.api import Event, Seat
from engine.vasco_da_gama.events.goods import moor, pay
from engine.vasco_da_gama.state import (
    LANDINGS,
    NAVIGATION,
    VascoState,
)


class NavigationBegun(Event, frozen=True, tag=True):
    """All numbers have been called (VG-7.1)."""

    rule: ClassVar[str] = "VG-7.1"

    def apply(self, state: VascoState) -> None:
        state.phase = NAVIGATION


class ShipEarned(Event, frozen=True, tag=True):
    """A ship pays its owner the Reals and VP printed on it (VG-7.2)."""

    seat: Seat
    tile: str
    reals: int
    vp: int
    rule: ClassVar[str] = "VG-7.2"

    def apply(self, state: VascoState) -> None:
        pay(state, self.seat, -self.reals)
        state.score(self.seat, "ships", self.vp)


class LandingPaid(Event, frozen=True, tag=True):
    """A complete landing pays a seat `vp` in all for its `ships` ships there (VG-7.3)."""

    seat: Seat
    landing: str
    ships: int
    vp: int
    rule: ClassVar[str] = "VG-7.3"

    def apply(self, state: VascoState) -> None:
        state.score(self.seat, "landings", self.vp)


class ShipSailed(Event, frozen=True, tag=True):
    """A ship of a complete landing moves to the leftmost fitting slot of the next one (VG-7.4)."""

    seat: Seat | None
    tile: str | None
    from_landing: str
    from_slot: int
    landing: str
    slot: int
    label: str
    rule: ClassVar[str] = "VG-7.4"

    def apply(self, state: VascoState) -> None:
        ship = state.landings[LANDINGS.index(self.from_landing)][self.from_slot]
        moor(state, self.from_landing, self.from_slot, None)
        moor(state, self.landing, self.slot, ship)


class ShipLeft(Event, frozen=True, tag=True):
    """A ship finds no slot and leaves the game; its captain returns to the seat (VG-7.4)."""

    seat: Seat | None
    tile: str | None
    landing: str
    slot: int
    rule: ClassVar[str] = "VG-7.4"

    def apply(self, state: VascoState) -> None:
        moor(state, self.landing, self.slot, None)
        if self.seat is not None:
            state.change(self.seat, captains=state.players[self.seat].captains + 1)
