"""Defines the events of the set-up (GO-1); each one changes the state."""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace

from engine.api import Event, Seat, Viewer
from engine.goa.events.goods import (
    Faces,
    pay,
)
from engine.goa.state import (
    COLUMNS,
    GRID,
    QUICK_START,
    GoaState,
    added,
)


class GoaTableLaid(Event, frozen=True, tag="TableLaid"):
    """The table is laid: every seat's start and the colony tiles, by COLONIES (GO-1.1)."""

    ships: int
    colonists: int
    colony_tiles: tuple[tuple[str, ...], ...]
    rule: ClassVar[str] = "GO-1.1"

    def apply(self, state: GoaState) -> None:
        for seat in range(len(state.players)):
            state.change(seat, ships=self.ships, colonists=self.colonists)
        state.colony_tiles = self.colony_tiles


class TilesLaidOut(Event, frozen=True, tag=True):
    """A part's tiles are laid out in shuffled order.

    The first `laid` tiles lie on the grid, the rest leave the game unseen (GO-1.2, GO-6.2).
    """

    part: str
    tiles: tuple[str | None, ...]
    laid: int
    rule: ClassVar[str] = "GO-1.2"
    reveals: ClassVar[bool] = True

    def apply(self, state: GoaState) -> None:
        empty = (None,) * (len(GRID) - self.laid)
        state.part = self.part
        state.grid = self.tiles[: self.laid] + empty
        out = self.tiles[self.laid :]
        state.left_out = (*state.left_out, *out)  # type: ignore[arg-type]

    def seen_by(self, viewer: Viewer) -> TilesLaidOut:
        hidden = (None,) * (len(self.tiles) - self.laid)
        return replace(self, tiles=self.tiles[: self.laid] + hidden)


class DeckShuffled(Event, frozen=True, tag=True):
    """The expedition deck is shuffled, from its top down (GO-1.2)."""

    cards: Faces
    rule: ClassVar[str] = "GO-1.2"
    reveals: ClassVar[bool] = True

    def apply(self, state: GoaState) -> None:
        state.deck = self.cards  # type: ignore[assignment]  # None only where it was hidden

    def seen_by(self, viewer: Viewer) -> DeckShuffled:
        return DeckShuffled((None,) * len(self.cards))


class DeckReshuffled(Event, frozen=True, tag=True):
    """The discard pile becomes a new deck because a card must be drawn (GO-1.3)."""

    cards: Faces
    rule: ClassVar[str] = "GO-1.3"
    reveals: ClassVar[bool] = True

    def apply(self, state: GoaState) -> None:
        state.deck = self.cards  # type: ignore[assignment]
        state.discards = ()

    def seen_by(self, viewer: Viewer) -> DeckReshuffled:
        return DeckReshuffled((None,) * len(self.cards))


class CardTurned(Event, frozen=True, tag=True):
    """A seat turns the deck's top card up, in search of the start player (GO-1.3)."""

    seat: Seat
    card: int
    rule: ClassVar[str] = "GO-1.3"
    reveals: ClassVar[bool] = True

    def apply(self, state: GoaState) -> None:
        state.deck = state.deck[1:]
        state.discards = (*state.discards, self.card)


class StartPlayerFound(Event, frozen=True, tag=True):
    """The seat that turned the tiger up gets the flag and fewer ducats than the others (GO-1.3)."""

    seat: Seat
    ducats: int
    others: int
    rule: ClassVar[str] = "GO-1.3"

    def apply(self, state: GoaState) -> None:
        state.start_player = self.seat
        for seat in range(len(state.players)):
            state.change(seat, ducats=self.ducats if seat == self.seat else self.others)


class QuickStartBegun(Event, frozen=True, tag=True):
    """The quick start begins: each seat gets something in advance (GO-1.5)."""

    rule: ClassVar[str] = "GO-1.5"

    def apply(self, state: GoaState) -> None:
        state.phase = QUICK_START


class QuickMarkersMoved(Event, frozen=True, tag=True):
    """A seat moves success markers to row 2 free of charge (GO-1.5)."""

    seat: Seat
    columns: tuple[str, ...]
    rule: ClassVar[str] = "GO-1.5"

    def apply(self, state: GoaState) -> None:
        markers = state.players[self.seat].markers
        for column in self.columns:
            markers = added(markers, COLUMNS.index(column), 1)
        state.change(self.seat, markers=markers)


class QuickDucatsTaken(Event, frozen=True, tag=True):
    """A seat takes ducats instead of moving markers (GO-1.5)."""

    seat: Seat
    ducats: int
    rule: ClassVar[str] = "GO-1.5"

    def apply(self, state: GoaState) -> None:
        pay(state, self.seat, -self.ducats)
