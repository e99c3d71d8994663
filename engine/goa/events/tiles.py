"""Defines the events of tiles (GO-8); each one changes the state."""

from __future__ import annotations

from typing import ClassVar

from engine.api import Event, Seat
from engine.goa.events.goods import (
    give,
    lay_aside,
    pay,
    return_sacks,
    take_sacks,
    turn_down,
)
from engine.goa.state import (
    GRID,
    GoaState,
    Plantation,
    Sacks,
    put,
)


class PlantationDropped(Event, frozen=True, tag=True):
    """A seat discards a plantation with its spices; `kept` puts it face down for VP (GO-8.1)."""

    seat: Seat
    tile: str
    place: int  # 1 to 4
    kept: bool
    rule: ClassVar[str] = "GO-8.1"

    def apply(self, state: GoaState) -> None:
        player = state.players[self.seat]
        plantations = put(player.plantations, self.place - 1, None)
        kept = (self.tile,) if self.kept else ()
        state.change(self.seat, plantations=plantations, face_down=player.face_down + kept)


class PlantationPlaced(Event, frozen=True, tag=True):
    """A plantation goes onto the supply board, its fields filled (GO-8.1)."""

    seat: Seat
    tile: str
    place: int  # 1 to 4
    spice: str
    fields: int
    rule: ClassVar[str] = "GO-8.1"

    def apply(self, state: GoaState) -> None:
        lay_aside(state, self.seat, self.tile)
        new = Plantation(self.tile, self.spice, self.fields, self.fields)
        plantations = put(state.players[self.seat].plantations, self.place - 1, new)
        state.change(self.seat, plantations=plantations)


class ImmediateTaken(Event, frozen=True, tag=True):
    """An immediate tile takes effect and leaves the game; its cards are drawn next (GO-8.2)."""

    seat: Seat
    tile: str
    ships: int
    colonists: int
    ducats: int
    additional_cards: int
    expedition_cards: int
    rule: ClassVar[str] = "GO-8.2"

    def apply(self, state: GoaState) -> None:
        lay_aside(state, self.seat, self.tile)
        give(state, self.seat, self.ships, self.colonists, self.additional_cards)
        pay(state, self.seat, -self.ducats)


class OnceARoundUsed(Event, frozen=True, tag=True):
    """A seat uses a once-a-round tile (GO-8.3)."""

    seat: Seat
    tile: str
    ships: int
    colonists: int
    ducats: int
    sacks: Sacks
    rule: ClassVar[str] = "GO-8.3"

    def apply(self, state: GoaState) -> None:
        state.change(self.seat, used=(*state.players[self.seat].used, self.tile))
        state.change_turn(tile_used=True)
        give(state, self.seat, ships=self.ships, colonists=self.colonists)
        pay(state, self.seat, -self.ducats)
        take_sacks(state, self.seat, self.sacks)


class DutyDone(Event, frozen=True, tag=True):
    """A seat returns spices; the duty stays face down for its VP (GO-8.4)."""

    seat: Seat
    tile: str
    sacks: Sacks
    rule: ClassVar[str] = "GO-8.4"

    def apply(self, state: GoaState) -> None:
        return_sacks(state, self.seat, self.sacks)
        turn_down(state, self.seat, self.tile)
        state.change_turn(tile_used=True)


class AdditionalHarvestDone(Event, frozen=True, tag=True):
    """Plantations and colonies are filled; the tile leaves the game (GO-8.4)."""

    seat: Seat
    tile: str
    sacks: Sacks
    rule: ClassVar[str] = "GO-8.4"

    def apply(self, state: GoaState) -> None:
        lay_aside(state, self.seat, self.tile)
        take_sacks(state, self.seat, self.sacks)
        state.change_turn(tile_used=True)


class MissionTaken(Event, frozen=True, tag=True):
    """A mission lies face down in front of its owner, for its VP (GO-8.4)."""

    seat: Seat
    tile: str
    rule: ClassVar[str] = "GO-8.4"

    def apply(self, state: GoaState) -> None:
        turn_down(state, self.seat, self.tile)


class TradeMade(Event, frozen=True, tag=True):
    """Trade takes the space of a grid tile, which now lies in front of the seat (GO-8.5)."""

    seat: Seat
    tile: str  # Trade
    space: str
    taken: str
    rule: ClassVar[str] = "GO-8.5"

    def apply(self, state: GoaState) -> None:
        lay_aside(state, self.seat, self.tile)
        state.grid = put(state.grid, GRID.index(self.space), self.tile)
        state.change(self.seat, tiles=(*state.players[self.seat].tiles, self.taken))
        state.change_turn(tile_used=True)


class TakenTileUsed(Event, frozen=True, tag=True):
    """A seat uses a tile taken by Trade; its effect follows (GO-8.5)."""

    seat: Seat
    tile: str
    rule: ClassVar[str] = "GO-8.5"

    def apply(self, state: GoaState) -> None:
        state.change_turn(tile_used=True)
