"""Runs the auctions: lots in the order of their markers, each seat speaks once.

Rules: GO-3.1 to GO-3.4.
"""

from __future__ import annotations

from msgspec.structs import replace

from engine.api import Seat
from engine.errors import IllegalMove
from engine.goa import tiles
from engine.goa.components import GoaComponents
from engine.goa.events import (
    AuctionOpened,
    BidDeclined,
    BidMade,
    FlagWon,
    GoaNowAwaiting,
    LotPaid,
    TileWon,
)
from engine.goa.moves import Bid, Pass
from engine.goa.state import GRID, AwaitBid, GoaState
from engine.journal import Journal


def open_lot(components: GoaComponents, journal: Journal) -> None:
    """Open the lowest marker's lot; bidding starts at its owner's left, the owner bids last.

    Rules: GO-3.1.
    """
    state: GoaState = journal.state
    marker = state.markers[0]
    tile = None if marker.space == state.flag else state.grid[GRID.index(marker.space)]
    seats = len(state.players)
    order = tuple((marker.seat + step) % seats for step in range(1, seats + 1))
    journal.record(AuctionOpened(marker.number, tile, marker.seat))
    ask_next_bidder(components, journal, AwaitBid(marker.number, tile, marker.seat, order))


def bid(components: GoaComponents, journal: Journal, seat: Seat, move: Bid) -> None:
    """Record a bid above the highest one and within the purse (GO-3.1).

    Raise IllegalMove if it is too low or above the purse.
    """
    auction: AwaitBid = journal.state.awaiting
    purse = journal.state.players[seat].ducats
    if move.ducats <= auction.high_bid:
        raise IllegalMove("bid_too_low", rule="GO-3.1", bid=move.ducats, high=auction.high_bid)
    if move.ducats > purse:
        raise IllegalMove("bid_above_purse", rule="GO-3.1", bid=move.ducats, purse=purse)
    journal.record(BidMade(seat, auction.lot, move.ducats))
    higher = replace(auction, high_bid=move.ducats, high_bidder=seat)
    after_one_spoke(components, journal, higher)


def decline(components: GoaComponents, journal: Journal, seat: Seat, _: Pass) -> None:
    """Record that the seat does not bid (GO-3.1)."""
    auction: AwaitBid = journal.state.awaiting
    journal.record(BidDeclined(seat, auction.lot, unasked=False))
    after_one_spoke(components, journal, auction)


def after_one_spoke(components: GoaComponents, journal: Journal, auction: AwaitBid) -> None:
    """Take the seat off the list of bidders: each seat speaks once (GO-3.1)."""
    remaining = auction.still_to_bid[1:]
    ask_next_bidder(components, journal, replace(auction, still_to_bid=remaining))


def ask_next_bidder(components: GoaComponents, journal: Journal, auction: AwaitBid) -> None:
    """Ask the next seat that can bid (GO-3.1).

    A seat whose purse is not above the highest bid passes unasked. If nobody bid, the auctioneer is
    not asked. A trial stops before the first purse that it would read: bids that nobody has made
    must not find out what others hold.
    """
    for place, seat in enumerate(auction.still_to_bid):
        if seat == auction.auctioneer and auction.high_bidder is None:
            break
        if journal.state.players[seat].ducats > auction.high_bid:
            asked = replace(auction, still_to_bid=auction.still_to_bid[place:])
            journal.record(GoaNowAwaiting(asked))
            return
        journal.record(BidDeclined(seat, auction.lot, unasked=True))
    settle(components, journal, auction)


def settle(components: GoaComponents, journal: Journal, auction: AwaitBid) -> None:
    """Let the highest bidder pay the auctioneer or the bank, then settle the lot (GO-3.2).

    A lot without a bid is free to the auctioneer.
    """
    state: GoaState = journal.state
    winner = auction.auctioneer if auction.high_bidder is None else auction.high_bidder
    if auction.high_bid:
        payee = None if winner == auction.auctioneer else auction.auctioneer
        journal.record(LotPaid(winner, auction.lot, payee, auction.high_bid))
    if auction.tile is None:
        win_flag(components, journal, winner, auction.high_bid)
        return
    space = state.markers[0].space
    journal.record(TileWon(winner, auction.lot, auction.tile, space, auction.high_bid))
    tiles.settle(components, journal, winner, auction.tile)


def win_flag(components: GoaComponents, journal: Journal, winner: Seat, ducats: int) -> None:
    """Make the winner of the flag start player at once and give a card (GO-3.3).

    An unsold flag stays with the auctioneer for 0 ducats.
    """
    cards = components.rules.flag_additional_action_cards
    journal.record(FlagWon(winner, ducats, cards))
