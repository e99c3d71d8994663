"""Defines the events of the set-up (VG-1); each one changes the state."""

from __future__ import annotations

from typing import ClassVar

from engine.api import Event, Seat, Viewer
from engine.vasco_da_gama.state import (
    CHARACTERS,
    SAILORS,
    VascoState,
    added,
    put,
)


class VascoTableLaid(Event, frozen=True, tag="TableLaid"):
    """The table is laid: the seats' start, bag and missionaries (VG-1.1, VG-1.3, VG-1.4)."""

    seats: int
    reals: int
    captains: int
    captains_waiting: int
    sailors: int  # of each colour, put into the bag
    sections: int
    missionaries: int
    landings: tuple[int, ...]  # number of slots per landing, from Natal up
    upper_spaces: int
    discs: int  # ordinary action discs per seat
    rule: ClassVar[str] = "VG-1.1"

    def apply(self, state: VascoState) -> None:
        for seat in range(self.seats):
            state.change(
                seat,
                reals=self.reals,
                captains=self.captains,
                captains_waiting=self.captains_waiting,
                discs=self.discs,
            )
        state.bag = (self.sailors,) * len(SAILORS)
        state.sections = ((0,) * len(SAILORS),) * self.sections
        state.missionaries = self.missionaries
        state.landings = tuple((None,) * slots for slots in self.landings)
        state.offer = (None,) * self.upper_spaces


class CharacterDealt(Event, frozen=True, tag=True):
    """A seat starts with a character (VG-1.2)."""

    seat: Seat
    character: str
    rule: ClassVar[str] = "VG-1.2"

    def apply(self, state: VascoState) -> None:
        state.owners = put(state.owners, CHARACTERS.index(self.character), self.seat)


class AdditionalDiscGiven(Event, frozen=True, tag=True):
    """Manuel's owner receives the additional disc of their colour (VG-1.3, VG-6.2)."""

    seat: Seat
    rule: ClassVar[str] = "VG-6.2"

    def apply(self, state: VascoState) -> None:
        state.change(self.seat, additional=True)


class SailorsDrawn(Event, frozen=True, tag=True):
    """Sailors go from the bag into a section (VG-1.4, VG-8.1)."""

    section: int
    colours: tuple[str, ...]
    rule: ClassVar[str] = "VG-1.4"
    reveals: ClassVar[bool] = True

    def apply(self, state: VascoState) -> None:
        place = self.section - 1
        for colour in self.colours:
            index = SAILORS.index(colour)
            state.bag = added(state.bag, index, -1)
            state.sections = put(state.sections, place, added(state.sections[place], index, 1))


class DecksShuffled(Event, frozen=True, tag=True):
    """The three project decks are shuffled; each lists its tiles from the top down (VG-1.5).

    Only the top tiles are open.
    """

    decks: tuple[tuple[str | None, ...], ...]
    rule: ClassVar[str] = "VG-1.5"
    reveals: ClassVar[bool] = True

    def apply(self, state: VascoState) -> None:
        state.decks = self.decks  # type: ignore[assignment]  # None only where it was hidden

    def seen_by(self, viewer: Viewer) -> DecksShuffled:
        hidden = tuple(deck[:1] + (None,) * (len(deck) - 1) for deck in self.decks)
        return DecksShuffled(hidden)


class ProjectsLaidOut(Event, frozen=True, tag=True):
    """The next tiles are laid out: first the São Gabriel project, then the upper spaces.

    Rules: VG-1.5, VG-8.1.
    """

    gabriel: str | None
    offer: tuple[str | None, ...]
    rule: ClassVar[str] = "VG-1.5"
    reveals: ClassVar[bool] = True

    def apply(self, state: VascoState) -> None:
        laid = {self.gabriel, *self.offer}
        state.gabriel = self.gabriel
        state.offer = self.offer
        state.decks = tuple(tuple(t for t in deck if t not in laid) for deck in state.decks)


class TilesShuffled(Event, frozen=True, tag=True):
    """The Vasco da Gama tiles are shuffled; the first one is turned face up (VG-1.6)."""

    tiles: tuple[int | None, ...]
    rule: ClassVar[str] = "VG-1.6"
    reveals: ClassVar[bool] = True

    def apply(self, state: VascoState) -> None:
        state.upcoming = self.tiles[0]
        state.tiles = self.tiles[1:]  # type: ignore[assignment]

    def seen_by(self, viewer: Viewer) -> TilesShuffled:
        return TilesShuffled(self.tiles[:1] + (None,) * (len(self.tiles) - 1))


class MerchantShipsShuffled(Event, frozen=True, tag=True):
    """The merchant ships are shuffled and listed by limit; the first two are open (VG-1.6)."""

    limits: tuple[int | None, ...]
    rule: ClassVar[str] = "VG-1.6"
    reveals: ClassVar[bool] = True

    def apply(self, state: VascoState) -> None:
        state.merchant, state.next_merchant = self.limits[0], self.limits[1]
        state.merchants = self.limits[2:]  # type: ignore[assignment]

    def seen_by(self, viewer: Viewer) -> MerchantShipsShuffled:
        return MerchantShipsShuffled(self.limits[:2] + (None,) * (len(self.limits) - 2))


class MerchantReadied(Event, frozen=True, tag=True):
    """The merchant ship that already lies open becomes that of round 1 (VG-1.6)."""

    limit: int
    rule: ClassVar[str] = "VG-1.6"

    def apply(self, state: VascoState) -> None:
        state.merchant, state.next_merchant = self.limit, None
