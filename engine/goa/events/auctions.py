"""Defines the events of auctions (GO-3); each one changes the state."""

from __future__ import annotations

from typing import ClassVar

from engine.api import Event, Seat
from engine.goa.events.goods import (
    give,
    pay,
    sell_first_lot,
)
from engine.goa.state import (
    AUCTIONS,
    GRID,
    GoaState,
    put,
)


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
