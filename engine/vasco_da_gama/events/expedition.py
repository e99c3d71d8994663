"""Defines the events of expeditions (VG-5); each one changes the state."""

from __future__ import annotations

from typing import ClassVar

from engine.api import Event, Seat
from engine.vasco_da_gama.events.goods import moor, pay, take_project
from engine.vasco_da_gama.state import (
    SAILORS,
    Ship,
    VascoState,
    added,
    put,
)


class ShipSent(Event, frozen=True, tag=True):
    """A ship with its captain takes a slot and scores its value (VG-5.2, VG-5.3)."""

    seat: Seat
    tile: str
    limit: int
    landing: str
    slot: int
    label: str
    vp: int
    rule: ClassVar[str] = "VG-5.3"

    def apply(self, state: VascoState) -> None:
        player = state.players[self.seat]
        ships = tuple(tile for tile in player.ships if tile != self.tile)
        state.change(self.seat, ships=ships, captains=player.captains - 1)
        moor(state, self.landing, self.slot, Ship(self.limit, self.seat, self.tile))
        state.score(self.seat, "slots", self.vp)


class BonusProject(Event, frozen=True, tag=True):
    """A ship's bonus gives its seat an upper project (VG-5.3)."""

    seat: Seat
    project: str
    rule: ClassVar[str] = "VG-5.3"

    def apply(self, state: VascoState) -> None:
        take_project(state, self.seat, self.project)


class BonusSailor(Event, frozen=True, tag=True):
    """A ship's bonus gives its seat a sailor from a section (VG-5.3)."""

    seat: Seat
    colour: str
    section: int
    rule: ClassVar[str] = "VG-5.3"

    def apply(self, state: VascoState) -> None:
        index, place = SAILORS.index(self.colour), self.section - 1
        state.sections = put(state.sections, place, added(state.sections[place], index, -1))
        state.change(self.seat, crew=added(state.players[self.seat].crew, index, 1))


class BonusSailorDrawn(Event, frozen=True, tag=True):
    """A ship's bonus gives its seat a sailor drawn from the bag (VG-5.3)."""

    seat: Seat
    colour: str
    rule: ClassVar[str] = "VG-5.3"
    reveals: ClassVar[bool] = True

    def apply(self, state: VascoState) -> None:
        index = SAILORS.index(self.colour)
        state.bag = added(state.bag, index, -1)
        state.change(self.seat, crew=added(state.players[self.seat].crew, index, 1))


class BonusCaptain(Event, frozen=True, tag=True):
    """A ship's bonus gives its seat one of its captains from the recruiting area (VG-5.3)."""

    seat: Seat
    rule: ClassVar[str] = "VG-5.3"

    def apply(self, state: VascoState) -> None:
        player = state.players[self.seat]
        state.change(
            self.seat,
            captains=player.captains + 1,
            captains_waiting=player.captains_waiting - 1,
        )


class BonusReals(Event, frozen=True, tag=True):
    """A ship's bonus gives its seat Reals (VG-5.3)."""

    seat: Seat
    landing: str
    reals: int
    rule: ClassVar[str] = "VG-5.3"

    def apply(self, state: VascoState) -> None:
        pay(state, self.seat, -self.reals)


class BonusLost(Event, frozen=True, tag=True):
    """A bonus is lost because nothing of its kind is left (VG-5.3)."""

    seat: Seat
    landing: str
    rule: ClassVar[str] = "VG-5.3"

    def apply(self, state: VascoState) -> None:
        return None
