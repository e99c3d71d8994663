"""Defines the events of Goa in the order of the rules; each one changes the state.

Classes and fields stay for ever: a new meaning gets a new class. A card is None if the reader may
not know its face. No event tells what a purse holds, except the last ones (GO-9.1).
"""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace

from engine.api import Event, Seat, Viewer
from engine.goa.state import (
    ACTIONS,
    ADDITIONAL,
    AUCTIONS,
    COLONIES,
    COLUMNS,
    GRID,
    OVER,
    PLACES,
    PLACING,
    PLANTATIONS,
    QUICK_START,
    SPICES,
    AwaitBid,
    Colony,
    GoaState,
    Marker,
    Plantation,
    Question,
    Sacks,
    SoldLot,
    TurnSoFar,
    added,
    put,
)

Faces = tuple[int | None, ...]
"""Expedition cards; None if the reader may not know the face."""

# ---- set-up (GO-1) -----------------------------------------------------------------------------


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


# ---- a round, placing (GO-2, GO-6.2) -----------------------------------------------------------


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


# ---- auctions (GO-3) ---------------------------------------------------------------------------


class AuctionOpened(Event, frozen=True, tag=True):
    """A lot comes under the hammer; its auctioneer opens with a bid of 0 (GO-3.1)."""

    lot: int
    tile: str | None  # None: the flag
    auctioneer: Seat
    rule: ClassVar[str] = "GO-3.1"

    def apply(self, state: GoaState) -> None:
        state.phase = AUCTIONS


class BidMade(Event, frozen=True, tag=True):
    """A seat bids (GO-3.1)."""

    seat: Seat
    lot: int
    ducats: int
    rule: ClassVar[str] = "GO-3.1"

    def apply(self, state: GoaState) -> None:
        return None


class BidDeclined(Event, frozen=True, tag=True):
    """A seat passes; `unasked` if its purse could not have bid more (GO-3.1).

    An unasked pass tells something about the purse.
    """

    seat: Seat
    lot: int
    unasked: bool
    rule: ClassVar[str] = "GO-3.1"

    @property
    def reveals(self) -> bool:  # type: ignore[override]
        return self.unasked

    def apply(self, state: GoaState) -> None:
        return None


class LotPaid(Event, frozen=True, tag=True):
    """The highest bidder pays the auctioneer; an outbidding auctioneer pays the bank (GO-3.2)."""

    seat: Seat
    lot: int
    payee: Seat | None  # None: the bank
    ducats: int
    rule: ClassVar[str] = "GO-3.2"

    def apply(self, state: GoaState) -> None:
        pay(state, self.seat, self.ducats)
        if self.payee is not None:
            pay(state, self.payee, -self.ducats)


class FlagWon(Event, frozen=True, tag=True):
    """The winner of the flag is start player at once and takes an additional card (GO-3.3)."""

    seat: Seat
    ducats: int  # 0: nobody bid
    additional_cards: int
    rule: ClassVar[str] = "GO-3.3"

    def apply(self, state: GoaState) -> None:
        state.flag = None
        sell_first_lot(state, None, self.seat, self.ducats)
        state.start_player = self.seat
        give(state, self.seat, additional_cards=self.additional_cards)


class TileWon(Event, frozen=True, tag=True):
    """The winner takes the tile from its space; the marker returns to its owner (GO-3.2)."""

    seat: Seat
    lot: int
    tile: str
    space: str
    ducats: int  # 0: nobody bid
    rule: ClassVar[str] = "GO-3.2"

    def apply(self, state: GoaState) -> None:
        sell_first_lot(state, self.tile, self.seat, self.ducats)
        state.grid = put(state.grid, GRID.index(self.space), None)
        state.change(self.seat, tiles=(*state.players[self.seat].tiles, self.tile))


# ---- turns and actions (GO-4) ------------------------------------------------------------------


class TurnBegun(Event, frozen=True, tag=True):
    """A seat's turn begins; `number` is 1 to 3, or the lap of additional actions, from 1.

    Rules: GO-4.1, GO-6.1.
    """

    seat: Seat
    number: int
    additional: bool
    rule: ClassVar[str] = "GO-4.1"

    def apply(self, state: GoaState) -> None:
        state.phase = ADDITIONAL if self.additional else ACTIONS
        state.turn = TurnSoFar(self.seat, self.number)


class AdditionalCardPlayed(Event, frozen=True, tag=True):
    """A seat plays an additional action card (GO-6.1)."""

    seat: Seat
    rule: ClassVar[str] = "GO-6.1"

    def apply(self, state: GoaState) -> None:
        give(state, self.seat, additional_cards=-1)


class ActionChosen(Event, frozen=True, tag=True):
    """A seat chooses the turn's action, one of ACTIONS_NAMED (GO-4.1)."""

    seat: Seat
    action: str
    rule: ClassVar[str] = "GO-4.1"

    def apply(self, state: GoaState) -> None:
        state.change_turn(action=self.action)


class MarkerMoved(Event, frozen=True, tag=True):
    """A success marker reaches a row by progress; spices and ships are paid (GO-4.2)."""

    seat: Seat
    column: str
    row: int
    ships: int
    sacks: Sacks
    rule: ClassVar[str] = "GO-4.2"

    def apply(self, state: GoaState) -> None:
        give(state, self.seat, ships=-self.ships)
        return_sacks(state, self.seat, self.sacks)
        move_marker(state, self.seat, self.column, self.row)


class ShipsBuilt(Event, frozen=True, tag=True):
    """A seat receives ships by the ships column (GO-4.3)."""

    seat: Seat
    ships: int
    rule: ClassVar[str] = "GO-4.3"

    def apply(self, state: GoaState) -> None:
        give(state, self.seat, ships=self.ships)


class Harvested(Event, frozen=True, tag=True):
    """A seat puts spices on fields; with a card it also takes ships and colonists.

    Rules: GO-4.4, GO-7.2.
    """

    seat: Seat
    ships: int
    colonists: int
    sacks: Sacks
    rule: ClassVar[str] = "GO-4.4"

    def apply(self, state: GoaState) -> None:
        give(state, self.seat, ships=self.ships, colonists=self.colonists)
        take_sacks(state, self.seat, self.sacks)


class TaxesTaken(Event, frozen=True, tag=True):
    """A seat receives ducats by the taxes column (GO-4.5)."""

    seat: Seat
    ducats: int
    rule: ClassVar[str] = "GO-4.5"

    def apply(self, state: GoaState) -> None:
        pay(state, self.seat, -self.ducats)


class CardsDrawn(Event, frozen=True, tag=True):
    """A seat draws expedition cards by the expedition action (GO-4.6)."""

    seat: Seat
    cards: Faces
    rule: ClassVar[str] = "GO-4.6"
    reveals: ClassVar[bool] = True

    def apply(self, state: GoaState) -> None:
        draw(state, self.seat, self.cards)
        state.change_turn(drew=True)

    def seen_by(self, viewer: Viewer) -> CardsDrawn:
        return self if viewer == self.seat else replace(self, cards=(None,) * len(self.cards))


class BonusCardsDrawn(Event, frozen=True, tag=True):
    """A seat draws expedition cards for the first marker in a row (GO-4.8).

    `by_action` is True if the action moved the marker.
    """

    seat: Seat
    cards: Faces
    by_action: bool
    rule: ClassVar[str] = "GO-4.8"
    reveals: ClassVar[bool] = True

    def apply(self, state: GoaState) -> None:
        draw(state, self.seat, self.cards)
        if self.by_action:
            state.change_turn(drew=True)

    def seen_by(self, viewer: Viewer) -> BonusCardsDrawn:
        return self if viewer == self.seat else replace(self, cards=(None,) * len(self.cards))


class TileCardsDrawn(Event, frozen=True, tag=True):
    """A seat draws expedition cards for a tile (GO-8.2)."""

    seat: Seat
    cards: Faces
    rule: ClassVar[str] = "GO-8.2"
    reveals: ClassVar[bool] = True

    def apply(self, state: GoaState) -> None:
        draw(state, self.seat, self.cards)

    def seen_by(self, viewer: Viewer) -> TileCardsDrawn:
        return self if viewer == self.seat else replace(self, cards=(None,) * len(self.cards))


class NoCardsDrawn(Event, frozen=True, tag=True):
    """A seat draws no cards: no room or no cards; `why` is as in AwaitRoom (GO-4.8a)."""

    seat: Seat
    why: str
    rule: ClassVar[str] = "GO-4.8a"

    def apply(self, state: GoaState) -> None:
        return None


class RoomMade(Event, frozen=True, tag=True):
    """A seat discards cards before a draw (GO-4.8a)."""

    seat: Seat
    cards: tuple[int, ...]
    rule: ClassVar[str] = "GO-4.8a"

    def apply(self, state: GoaState) -> None:
        for card in self.cards:
            discard(state, self.seat, card)


class CardDiscarded(Event, frozen=True, tag=True):
    """A seat discards a card at any time (GO-4.9)."""

    seat: Seat
    card: int
    rule: ClassVar[str] = "GO-4.9"

    def apply(self, state: GoaState) -> None:
        discard(state, self.seat, self.card)


class FirstInRow(Event, frozen=True, tag=True):
    """A seat is the first with a marker in row 4 or 5 of a column; cards follow (GO-4.8)."""

    seat: Seat
    column: str
    row: int
    cards: int
    rule: ClassVar[str] = "GO-4.8"

    def apply(self, state: GoaState) -> None:
        return None


class AllMarkersInRow(Event, frozen=True, tag=True):
    """All five markers of a seat reach a row: it gets additional action cards (GO-4.8)."""

    seat: Seat
    row: int
    additional_cards: int
    rule: ClassVar[str] = "GO-4.8"

    def apply(self, state: GoaState) -> None:
        give(state, self.seat, additional_cards=self.additional_cards)


class TurnEnded(Event, frozen=True, tag=True):
    """A seat's turn ends (GO-4.10)."""

    seat: Seat
    rule: ClassVar[str] = "GO-4.10"

    def apply(self, state: GoaState) -> None:
        state.turn = None


# ---- founding (GO-5) ---------------------------------------------------------------------------


class FoundingBegun(Event, frozen=True, tag=True):
    """A seat names the colony that it tries to found (GO-5.1)."""

    seat: Seat
    colony: str
    needed: int  # colonists
    reveal: int  # cards to reveal in all
    rule: ClassVar[str] = "GO-5.1"

    def apply(self, state: GoaState) -> None:
        state.change_turn(founding=self.colony, reveal=self.reveal)


class RevealRaised(Event, frozen=True, tag=True):
    """A card raises the number of cards that the attempt reveals in all (GO-7.2)."""

    seat: Seat
    reveal: int
    rule: ClassVar[str] = "GO-7.2"

    def apply(self, state: GoaState) -> None:
        state.change_turn(reveal=self.reveal)


class CardsRevealed(Event, frozen=True, tag=True):
    """Cards from the deck's top are open; `colonists` is their total (GO-5.2)."""

    seat: Seat
    cards: tuple[int, ...]
    colonists: int
    rule: ClassVar[str] = "GO-5.2"
    reveals: ClassVar[bool] = True

    def apply(self, state: GoaState) -> None:
        state.deck = state.deck[len(self.cards) :]
        state.revealed = (*state.revealed, *self.cards)
        state.change_turn(drew=True)


class ColonistsPaid(Event, frozen=True, tag=True):
    """The seat pays the difference (GO-5.2)."""

    seat: Seat
    colonists: int
    rule: ClassVar[str] = "GO-5.2"

    def apply(self, state: GoaState) -> None:
        give(state, self.seat, colonists=-self.colonists)


class RevealedDiscarded(Event, frozen=True, tag=True):
    """The revealed cards go to the discard pile when the attempt ends (GO-5.3)."""

    cards: tuple[int, ...]
    rule: ClassVar[str] = "GO-5.3"

    def apply(self, state: GoaState) -> None:
        state.discards = (*state.discards, *self.cards)
        state.revealed = ()


class ColonyFounded(Event, frozen=True, tag=True):
    """A colony is founded; tile and spices are chosen next (GO-5.2)."""

    seat: Seat
    colony: str
    rule: ClassVar[str] = "GO-5.2"

    def apply(self, state: GoaState) -> None:
        state.change_turn(founding=None)


class FoundingFailed(Event, frozen=True, tag=True):
    """Nothing is founded; the seat gets colonists for the attempt (GO-5.3).

    `declined` is True if the seat chose not to pay.
    """

    seat: Seat
    colony: str
    colonists: int
    declined: bool
    rule: ClassVar[str] = "GO-5.3"

    def apply(self, state: GoaState) -> None:
        give(state, self.seat, colonists=self.colonists)
        state.change_turn(founding=None)


class ColonyPlaced(Event, frozen=True, tag=True):
    """A colony's tile goes on the supply board with every field filled (GO-5.2)."""

    seat: Seat
    colony: str
    tile: str
    fields: int
    may_hold: tuple[str, ...]
    spices: tuple[str, ...]  # on the fields, in the order of SPICES
    rule: ClassVar[str] = "GO-5.2"

    def apply(self, state: GoaState) -> None:
        place = COLONIES.index(self.colony)
        left = list(state.colony_tiles[place])
        left.remove(self.tile)
        state.colony_tiles = put(state.colony_tiles, place, tuple(left))
        sacks = tuple(map(self.spices.count, SPICES))
        colony = Colony(self.tile, self.fields, self.may_hold, sacks)
        colonies = put(state.players[self.seat].colonies, place, colony)
        state.change(self.seat, colonies=colonies)


# ---- additional actions and the round's end (GO-6) ---------------------------------------------


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


# ---- expedition cards (GO-7) -------------------------------------------------------------------


class CardPlayed(Event, frozen=True, tag=True):
    """A card leaves the hand for the discard pile and takes effect (GO-7.1)."""

    seat: Seat
    card: int
    rule: ClassVar[str] = "GO-7.1"

    def apply(self, state: GoaState) -> None:
        discard(state, self.seat, self.card)
        state.change_turn(card_played=True)


class CardGoodsTaken(Event, frozen=True, tag=True):
    """A seat receives what its card gives (GO-7.2)."""

    seat: Seat
    card: int
    ships: int
    colonists: int
    ducats: int
    sacks: Sacks
    rule: ClassVar[str] = "GO-7.2"

    def apply(self, state: GoaState) -> None:
        give(state, self.seat, ships=self.ships, colonists=self.colonists)
        pay(state, self.seat, -self.ducats)
        take_sacks(state, self.seat, self.sacks)


class SpicesSold(Event, frozen=True, tag=True):
    """A seat sells spices from fields for ducats (GO-7.2)."""

    seat: Seat
    card: int
    sacks: Sacks
    ducats: int
    rule: ClassVar[str] = "GO-7.2"

    def apply(self, state: GoaState) -> None:
        return_sacks(state, self.seat, self.sacks)
        pay(state, self.seat, -self.ducats)


class ProgressBought(Event, frozen=True, tag=True):
    """A success marker reaches a row for ducats (GO-7.2)."""

    seat: Seat
    card: int
    column: str
    row: int
    ducats: int
    rule: ClassVar[str] = "GO-7.2"

    def apply(self, state: GoaState) -> None:
        pay(state, self.seat, self.ducats)
        move_marker(state, self.seat, self.column, self.row)


# ---- tiles (GO-8) ------------------------------------------------------------------------------


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


# ---- the end (GO-9) ----------------------------------------------------------------------------


class HandsShown(Event, frozen=True, tag=True):
    """All purses and hands are shown, by seat (GO-9.1)."""

    ducats: tuple[int, ...]
    hands: tuple[tuple[int, ...], ...]
    rule: ClassVar[str] = "GO-9.1"
    reveals: ClassVar[bool] = True

    def apply(self, state: GoaState) -> None:
        state.phase = OVER
        state.turn = None


class MarkersCounted(Event, frozen=True, tag=True):
    """A seat scores VP for its success markers' rows, by COLUMNS (GO-9.1)."""

    seat: Seat
    rows: tuple[int, ...]
    vp: int
    rule: ClassVar[str] = "GO-9.1"

    def apply(self, state: GoaState) -> None:
        state.score(self.seat, "markers", self.vp)


class ColoniesCounted(Event, frozen=True, tag=True):
    """A seat scores VP for its colonies (GO-9.1)."""

    seat: Seat
    colonies: int
    vp: int
    rule: ClassVar[str] = "GO-9.1"

    def apply(self, state: GoaState) -> None:
        state.score(self.seat, "colonies", self.vp)


class CardsCounted(Event, frozen=True, tag=True):
    """A seat scores VP for the expedition cards of one symbol in hand (GO-9.1)."""

    seat: Seat
    symbol: str
    cards: int
    vp: int
    rule: ClassVar[str] = "GO-9.1"

    def apply(self, state: GoaState) -> None:
        state.score(self.seat, "cards", self.vp)


class DucatsCounted(Event, frozen=True, tag=True):
    """A seat scores VP for the most ducats (GO-9.1)."""

    seat: Seat
    ducats: int
    vp: int
    rule: ClassVar[str] = "GO-9.1"

    def apply(self, state: GoaState) -> None:
        state.score(self.seat, "ducats", self.vp)


class TilesCounted(Event, frozen=True, tag=True):
    """A seat scores VP for its tiles (GO-9.1)."""

    seat: Seat
    tiles: tuple[str, ...]
    vp: int
    rule: ClassVar[str] = "GO-9.1"

    def apply(self, state: GoaState) -> None:
        state.score(self.seat, "tiles", self.vp)


class GoaGameEnded(Event, frozen=True, tag="GameEnded"):
    """The game ends; `places` by seat, from 1, and equal seats share a place (GO-9.2)."""

    places: tuple[int, ...]
    points: tuple[int, ...]
    rule: ClassVar[str] = "GO-9.2"

    def apply(self, state: GoaState) -> None:
        state.awaiting = None
        state.places = self.places


class GoaNowAwaiting(Event, frozen=True, tag="NowAwaiting"):
    """The game asks the next question.

    A question for a bid tells something about the seat's purse (GO-3.1).
    """

    question: Question

    @property
    def reveals(self) -> bool:  # type: ignore[override]
        return isinstance(self.question, AwaitBid)

    def apply(self, state: GoaState) -> None:
        state.awaiting = self.question


# ---- how goods move ----------------------------------------------------------------------------


def pay(state: GoaState, seat: Seat, ducats: int) -> None:
    """Take ducats from a seat; a negative amount gives them."""
    if ducats:
        state.change(seat, ducats=state.players[seat].ducats - ducats)


def give(
    state: GoaState, seat: Seat, ships: int = 0, colonists: int = 0, additional_cards: int = 0
) -> None:
    """Give goods to a seat; negative amounts take them."""
    if ships or colonists or additional_cards:
        player = state.players[seat]
        state.change(
            seat,
            ships=player.ships + ships,
            colonists=player.colonists + colonists,
            additional_cards=player.additional_cards + additional_cards,
        )


def sell_first_lot(state: GoaState, tile: str | None, buyer: Seat, ducats: int) -> None:
    """Return the lowest marker to its owner, and record the sale for the round."""
    marker = state.markers[0]
    lot = SoldLot(marker.number, marker.space, tile, marker.seat, buyer, ducats)
    state.sold = (*state.sold, lot)
    state.markers = state.markers[1:]


def take_sacks(state: GoaState, seat: Seat, sacks: Sacks) -> None:
    """Add sacks to fields."""
    for spice, place, number in sacks:
        move_sacks(state, seat, spice, place, number)


def return_sacks(state: GoaState, seat: Seat, sacks: Sacks) -> None:
    """Remove sacks from fields."""
    for spice, place, number in sacks:
        move_sacks(state, seat, spice, place, -number)


def move_sacks(state: GoaState, seat: Seat, spice: str, place: str, number: int) -> None:
    """Add `number` sacks of a spice in one place; a negative number removes them."""
    player = state.players[seat]
    index = PLACES.index(place)
    if index < len(PLANTATIONS):
        plantation = player.plantations[index]
        assert plantation is not None  # noqa: S101  # events name what is there
        fuller = replace(plantation, sacks=plantation.sacks + number)
        state.change(seat, plantations=put(player.plantations, index, fuller))
        return
    index -= len(PLANTATIONS)
    colony = player.colonies[index]
    assert colony is not None  # noqa: S101
    sacks = added(colony.sacks, SPICES.index(spice), number)
    state.change(seat, colonies=put(player.colonies, index, replace(colony, sacks=sacks)))


def move_marker(state: GoaState, seat: Seat, column: str, row: int) -> None:
    """Move a success marker to a row."""
    markers = state.players[seat].markers
    state.change(seat, markers=put(markers, COLUMNS.index(column), row))


def draw(state: GoaState, seat: Seat, cards: Faces) -> None:
    """Move cards from the deck's top into a hand."""
    state.deck = state.deck[len(cards) :]
    hand = (*state.players[seat].hand, *cards)
    state.change(seat, hand=tuple(sorted(hand)))


def discard(state: GoaState, seat: Seat, card: int) -> None:
    """Move a card from a hand onto the discard pile."""
    hand = state.players[seat].hand
    state.change(seat, hand=tuple(each for each in hand if each != card))
    state.discards = (*state.discards, card)


def lay_aside(state: GoaState, seat: Seat, tile: str) -> None:
    """Remove a tile from in front of its seat."""
    player = state.players[seat]
    tiles = tuple(each for each in player.tiles if each != tile)
    used = tuple(each for each in player.used if each != tile)
    state.change(seat, tiles=tiles, used=used)


def turn_down(state: GoaState, seat: Seat, tile: str) -> None:
    """Turn a tile in front of its seat face down."""
    lay_aside(state, seat, tile)
    state.change(seat, face_down=(*state.players[seat].face_down, tile))


AnyEvent = (
    GoaTableLaid | TilesLaidOut | DeckShuffled | DeckReshuffled | CardTurned | StartPlayerFound
    | QuickStartBegun | QuickMarkersMoved | QuickDucatsTaken
    | GoaRoundBegun | FlagPlaced | MarkerPlaced | PathBroken
    | AuctionOpened | BidMade | BidDeclined | LotPaid | FlagWon | TileWon
    | TurnBegun | AdditionalCardPlayed | ActionChosen | MarkerMoved | ShipsBuilt | Harvested
    | TaxesTaken | CardsDrawn | BonusCardsDrawn | TileCardsDrawn | NoCardsDrawn | RoomMade
    | CardDiscarded | FirstInRow | AllMarkersInRow | TurnEnded
    | FoundingBegun | RevealRaised | CardsRevealed | ColonistsPaid | RevealedDiscarded
    | ColonyFounded | FoundingFailed | ColonyPlaced
    | AdditionalActionsBegun | AdditionalDeclined | GridCleared
    | CardPlayed | CardGoodsTaken | SpicesSold | ProgressBought
    | PlantationDropped | PlantationPlaced | ImmediateTaken | OnceARoundUsed | DutyDone
    | AdditionalHarvestDone | MissionTaken | TradeMade | TakenTileUsed
    | HandsShown | MarkersCounted | ColoniesCounted | CardsCounted | DucatsCounted | TilesCounted
    | GoaGameEnded | GoaNowAwaiting
)
