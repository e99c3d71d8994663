"""Defines the events of placing discs (VG-2); each one changes the state."""

from __future__ import annotations

from typing import ClassVar

from engine.api import Event, Seat
from engine.vasco_da_gama.events.goods import lay_disc
from engine.vasco_da_gama.state import (
    CHARACTERS,
    PLACING,
    Disc,
    VascoState,
)


class VascoRoundBegun(Event, frozen=True, tag="RoundBegun"):
    """A round begins: all discs are with their owners (VG-2.1, VG-8.1)."""

    round: int
    first_player: Seat
    discs: int  # ordinary discs per seat
    rule: ClassVar[str] = "VG-2.1"

    def apply(self, state: VascoState) -> None:
        state.round = self.round
        state.phase = PLACING
        state.first_player = self.first_player
        state.discs = ()
        state.hosts = (None,) * len(CHARACTERS)
        for seat in range(len(state.players)):
            state.change(seat, discs=self.discs)


class MarkerSet(Event, frozen=True, tag=True):
    """The face-up tile moves to the left and sets the initial number and two amounts (VG-2.1)."""

    tile: int
    initial: int
    money: tuple[int, int]
    rule: ClassVar[str] = "VG-2.1"

    def apply(self, state: VascoState) -> None:
        state.tile, state.upcoming = self.tile, None
        state.marker = self.initial
        state.money = self.money


class DiscPlaced(Event, frozen=True, tag=True):
    """A seat places an ordinary disc (VG-2.2)."""

    seat: Seat
    number: int
    area: str
    rule: ClassVar[str] = "VG-2.2"

    def apply(self, state: VascoState) -> None:
        state.change(self.seat, discs=state.players[self.seat].discs - 1)
        lay_disc(state, Disc(self.number, self.seat, self.area))


class AdditionalDiscPlaced(Event, frozen=True, tag=True):
    """Manuel's owner places the additional disc, with 21 or 22 (VG-2.3, VG-6.2)."""

    seat: Seat
    number: int
    area: str
    rule: ClassVar[str] = "VG-2.3"

    def apply(self, state: VascoState) -> None:
        lay_disc(state, Disc(self.number, self.seat, self.area))


class DiscsKeptBack(Event, frozen=True, tag=True):
    """No action slot is free: the discs that are left take no action (VG-2.5)."""

    rule: ClassVar[str] = "VG-2.5"

    def apply(self, state: VascoState) -> None:
        for seat in range(len(state.players)):
            state.change(seat, discs=0)
