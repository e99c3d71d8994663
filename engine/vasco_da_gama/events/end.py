"""Defines the events of the end of a round and of the game (VG-8); each one changes the state."""

from __future__ import annotations

from typing import ClassVar

from engine.api import Event, Seat
from engine.vasco_da_gama.events.setup import SailorsDrawn
from engine.vasco_da_gama.state import (
    LAST_LAUNCHES,
    OVER,
    Question,
    VascoState,
)


class ProjectsDiscarded(Event, frozen=True, tag=True):
    """Unsold projects leave the game (VG-8.1)."""

    projects: tuple[str, ...]
    rule: ClassVar[str] = "VG-8.1"

    def apply(self, state: VascoState) -> None:
        state.gabriel = None
        state.offer = (None,) * len(state.offer)


class MerchantTurnedUp(Event, frozen=True, tag=True):
    """The next round's merchant ship is turned face up (VG-8.1)."""

    limit: int
    rule: ClassVar[str] = "VG-8.1"
    reveals: ClassVar[bool] = True

    def apply(self, state: VascoState) -> None:
        state.merchant = self.limit
        state.merchants = state.merchants[1:]


class MoneyReturned(Event, frozen=True, tag=True):
    """The money left in the characters area is put back (VG-8.1)."""

    reals: int
    rule: ClassVar[str] = "VG-8.1"

    def apply(self, state: VascoState) -> None:
        state.money = (None, None)


class SectionRefilled(Event, frozen=True, tag=True):
    """Sailors go from the bag into a section at the round's end (VG-8.1)."""

    section: int
    colours: tuple[str, ...]
    rule: ClassVar[str] = "VG-8.1"
    reveals: ClassVar[bool] = True

    def apply(self, state: VascoState) -> None:
        SailorsDrawn(self.section, self.colours).apply(state)


class AdditionalDiscReturned(Event, frozen=True, tag=True):
    """A seat that no longer owns Manuel returns the additional disc (VG-8.1)."""

    seat: Seat
    rule: ClassVar[str] = "VG-8.1"

    def apply(self, state: VascoState) -> None:
        state.change(self.seat, additional=False)


class LastLaunchesBegun(Event, frozen=True, tag=True):
    """After round 5 every seat may launch the ships it has crews for (VG-8.2)."""

    rule: ClassVar[str] = "VG-8.2"

    def apply(self, state: VascoState) -> None:
        state.phase = LAST_LAUNCHES


class LaunchesEnded(Event, frozen=True, tag=True):
    """A seat ends its launches (VG-8.2)."""

    seat: Seat
    rule: ClassVar[str] = "VG-8.2"

    def apply(self, state: VascoState) -> None:
        return None


class CaptainsBoarded(Event, frozen=True, tag=True):
    """Captains board their owner's launched ships (VG-8.2)."""

    seat: Seat
    ships: int
    rule: ClassVar[str] = "VG-8.2"

    def apply(self, state: VascoState) -> None:
        captains = state.players[self.seat].captains - self.ships
        state.change(self.seat, captains=captains, boarded=self.ships)


class RealsCounted(Event, frozen=True, tag=True):
    """A seat scores VP for its Reals (VG-8.3)."""

    seat: Seat
    reals: int
    vp: int
    rule: ClassVar[str] = "VG-8.3"

    def apply(self, state: VascoState) -> None:
        state.score(self.seat, "reals", self.vp)


class CaptainsCounted(Event, frozen=True, tag=True):
    """A seat scores VP for launched ships with a captain on board (VG-8.3)."""

    seat: Seat
    ships: int
    vp: int
    rule: ClassVar[str] = "VG-8.3"

    def apply(self, state: VascoState) -> None:
        state.score(self.seat, "captains", self.vp)


class VascoGameEnded(Event, frozen=True, tag="GameEnded"):
    """The game ends; `places` by seat, from 1, and equal seats share a place (VG-8.4)."""

    places: tuple[int, ...]
    points: tuple[int, ...]
    rule: ClassVar[str] = "VG-8.4"

    def apply(self, state: VascoState) -> None:
        state.phase = OVER
        state.awaiting = None
        state.places = self.places


class VascoNowAwaiting(Event, frozen=True, tag="NowAwaiting"):
    """The game asks the next question."""

    question: Question

    def apply(self, state: VascoState) -> None:
        state.awaiting = self.question
