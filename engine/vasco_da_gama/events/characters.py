"""Defines the events of characters (VG-6); each one changes the state."""

from __future__ import annotations

from typing import ClassVar

from engine.api import Event, Seat
from engine.vasco_da_gama.events.goods import mark_disc, moor, pay
from engine.vasco_da_gama.state import (
    CHARACTERS,
    CREW,
    SPACES,
    Ship,
    VascoState,
    added,
    put,
)


class MoneyTaken(Event, frozen=True, tag=True):
    """A seat takes the Reals of one money space (VG-6.1)."""

    seat: Seat
    space: str
    reals: int
    rule: ClassVar[str] = "VG-6.1"

    def apply(self, state: VascoState) -> None:
        pay(state, self.seat, -self.reals)
        state.money = put(state.money, SPACES.index(self.space), None)


class CharacterHosted(Event, frozen=True, tag=True):
    """The disc moves to the character, and the tile to its host (VG-6.1)."""

    seat: Seat
    number: int
    character: str
    owner_before: Seat | None
    rule: ClassVar[str] = "VG-6.1"

    def apply(self, state: VascoState) -> None:
        place = CHARACTERS.index(self.character)
        mark_disc(state, self.number, "hosting")
        state.hosts = put(state.hosts, place, self.seat)
        state.owners = put(state.owners, place, self.seat)


class DiasHonoured(Event, frozen=True, tag=True):
    """Dias's host or owner scores VP (VG-1.2, VG-6.3, VG-8.1)."""

    seat: Seat
    vp: int
    rule: ClassVar[str] = "VG-6.3"

    def apply(self, state: VascoState) -> None:
        state.score(self.seat, "dias", self.vp)


class MissionaryTaken(Event, frozen=True, tag=True):
    """Alvares's host or owner receives a missionary (VG-1.3, VG-6.4, VG-8.1)."""

    seat: Seat
    rule: ClassVar[str] = "VG-6.4"

    def apply(self, state: VascoState) -> None:
        state.missionaries -= 1
        state.change(self.seat, crew=added(state.players[self.seat].crew, CREW.index("white"), 1))


class MissionaryNotLeft(Event, frozen=True, tag=True):
    """No missionary is left, and none is owed later (VG-6.4)."""

    seat: Seat
    rule: ClassVar[str] = "VG-6.4"

    def apply(self, state: VascoState) -> None:
        return None


class MerchantSent(Event, frozen=True, tag=True):
    """A merchant ship takes a slot; its sender gets the bonus but no VP (VG-6.6, VG-6.7)."""

    seat: Seat
    limit: int
    landing: str
    slot: int
    label: str
    rule: ClassVar[str] = "VG-6.6"

    def apply(self, state: VascoState) -> None:
        state.merchant = None
        moor(state, self.landing, self.slot, Ship(self.limit))


class MerchantLost(Event, frozen=True, tag=True):
    """No slot can take the merchant ship: it leaves the game (VG-6.8)."""

    limit: int
    rule: ClassVar[str] = "VG-6.8"

    def apply(self, state: VascoState) -> None:
        state.merchant = None
