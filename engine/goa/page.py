"""Prepares what the table's templates show beside the view, once per request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from engine.api import Seat
from engine.goa.chart import chart_of, sale_said
from engine.goa.components import GoaComponents, Tile
from engine.goa.form_actions import can_pay
from engine.goa.odds import odds
from engine.goa.state import COLUMNS, ROWS, SPICES, AwaitBid, AwaitTurnAction
from engine.goa.values import card_said, space, tile_said
from engine.goa.view import GoaSeatView, GoaView, LotView
from engine.phrases import Name, Text, Value, text


class Bidder(Struct, frozen=True):
    """A seat in the order of an auction. `state` is "high", "spoken", "now" or "to_come"."""

    seat: Seat
    state: str
    bid: int
    auctioneer: bool


class Lot(Struct, frozen=True):
    """A lot of this round as the table lists it. `state` is "done", "now" or "next".

    `tile` is None for the flag. `bidder` has bought it, or offers most, for `ducats`.
    """

    number: int
    state: str
    tile: Tile | None
    auctioneer: Seat
    says: Value
    bidder: Seat | None
    ducats: int


class Cell(Struct, frozen=True):
    """A number of a development board. `state` is "here" (the marker), "past" or "ahead"."""

    value: int
    limit: int | None  # hand limit, beside the cards to draw
    state: str


def page(components: GoaComponents, view: GoaView, after: GoaView | None) -> dict[str, Any]:
    """Return what the templates show; `after` is the table after a previewed order."""
    return {
        "chart": chart_of(view, after),
        "lots": tuple(lots(view)),
        "sold_at": {lot.space: lot.number for lot in view.sold},
        "lots_said": {lot.number: lot.says for lot in lots(view)},
        "bidders": tuple(bidders(view)),
        "lot_words": {lot.number: text("lot_number", lot=lot.number) for lot in lots(view)},
        "lot_at": {lot.space: lot.number for lot in view.lots},
        "flag_space": "" if view.flag is None else space(view.flag),
        "hammer": open_lot(view),
        "tile_words": {each.id: tile_said(each) for each in tiles_of(view)},
        "card_words": {each.number: card_said(each) for each in components.cards.values()},
        "boards": tuple(board(view, player) for player in view.players),
        "payable": tuple(map(payable, view.players)),
        "clockwise": clockwise(view),
        "stocks": stocks(components, view),
        "odds": odds(components, view),
        "to_speak": tuple(to_speak(view)),
        "spices": SPICES,
        "columns": COLUMNS,
        "decision": decision(view),
    }


def thumbnail(view: GoaView) -> dict[str, Any]:
    """Return the tiles of the grid by GRID, its markers as (space, seat), and the final boards.

    A tile is its spice or its kind. `rows` has a row for each seat and column, once the game is
    over: the grid is nearly empty then.
    """
    return {
        "tiles": [each.tile and (each.tile.spice or each.tile.kind) for each in view.grid],
        "markers": [(at, each.owner) for at, each in enumerate(view.grid)
                    if each.owner is not None],
        "rows": [[column.row for column in player.columns] for player in view.players]
        if view.places else [],
    }


def payable(player: GoaSeatView) -> set[str]:
    """Return the columns whose next row the player could pay for."""
    return {each.column for each in player.columns
            if each.next_cost is not None and can_pay(player, each.next_cost)}


def decision(view: GoaView) -> Text | None:
    """Return what the decision is about, for the page's head."""
    question = view.question
    if isinstance(question, AwaitTurnAction):
        return text("decision_action", number=question.number, actions=view.figures.actions)
    if isinstance(question, AwaitBid):
        return text("decision_lot", lot=question.lot)
    return None


def clockwise(view: GoaView) -> tuple[Seat, ...]:
    """Return the seats from the viewer's on, or from the first for spectators."""
    seats, first = len(view.players), view.viewer or 0
    return tuple((first + step) % seats for step in range(seats))


def tiles_of(view: GoaView) -> Iterator[Tile]:
    """Yield all tiles that can be seen."""
    yield from (each.tile for each in view.grid if each.tile is not None)
    yield from (lot.tile for lot in view.lots if lot.tile is not None)
    yield from (sold.tile for sold in view.sold if sold.tile is not None)
    if view.settling is not None:
        yield view.settling
    for player in view.players:
        yield from (each.tile for each in player.plantations if each.tile is not None)
        yield from (kept.tile for kept in player.tiles)
        yield from player.face_down


# ---- auctions ----------------------------------------------------------------------------------


def lots(view: GoaView) -> Iterator[Lot]:
    """Yield the lots of this round, sold ones first."""
    for sold in view.sold:
        yield Lot(sold.number, "done", sold.tile, sold.auctioneer, sale_said(sold), sold.buyer,
                  sold.ducats)
    for lot in view.lots:
        state = "now" if lot.stands == "open" else "next"
        yield Lot(lot.number, state, lot.tile, lot.auctioneer, stands(lot), lot.high_bidder,
                  lot.high_bid)


def stands(lot: LotView) -> Value:
    """Return the state of a lot in words."""
    if lot.stands != "open":
        return text("auctions", name=Name(lot.auctioneer))
    if lot.high_bidder is None:
        return text("nobody_has_bid")
    return text("offers", name=Name(lot.high_bidder), bid=lot.high_bid)


def to_speak(view: GoaView) -> Iterator[LotView]:
    """Yield the lots on which the viewer is still to speak, but the one they are asked about."""
    for lot in view.lots:
        if lot.stands != "open" or (view.viewer in lot.speaking and view.viewer not in view.asked):
            yield lot


def open_lot(view: GoaView) -> LotView | None:
    """Return the lot under the hammer."""
    return next((lot for lot in view.lots if lot.stands == "open"), None)


def bidders(view: GoaView) -> Iterator[Bidder]:
    """Yield the bidders for the lot under the hammer, from the auctioneer's left (GO-3.1)."""
    lot = open_lot(view)
    if lot is None:
        return
    seats = len(view.players)
    for step in range(1, seats + 1):
        seat = (lot.auctioneer + step) % seats
        state = "spoken"
        if seat in lot.speaking:
            state = "now" if seat == lot.speaking[0] else "to_come"
        elif seat == lot.high_bidder:
            state = "high"
        yield Bidder(seat, state, lot.high_bid, seat == lot.auctioneer)


# ---- boards ------------------------------------------------------------------------------------


def board(view: GoaView, player: GoaSeatView) -> tuple[tuple[int, tuple[Cell, ...]], ...]:
    """Return a development board: per row its VP and its cells by COLUMNS (GO-4.1, GO-9.1)."""
    return tuple(
        (view.figures.markers_vp[row - 1], tuple(
            cell(view, each.column, row, each.row) for each in player.columns))
        for row in range(1, ROWS + 1)
    )


def cell(view: GoaView, column: str, row: int, marker: int) -> Cell:
    """Return one number; an expedition has two."""
    limit = view.figures.hand_limits[row - 1] if column == "expedition" else None
    state = "here" if row == marker else "past" if row < marker else "ahead"
    return Cell(view.figures.takes[column][row - 1], limit, state)


def stocks(
    components: GoaComponents, view: GoaView
) -> dict[str, tuple[tuple[str, Any, bool], ...]]:
    """Return each colony's tiles: id, spices they may hold (None: any), and whether it is left."""
    found = {}
    for stock, all_tiles in zip(view.colonies, components.colony_tiles, strict=True):
        left = [tile for tile, _ in stock.tiles]
        shown = []
        for tile in dict.fromkeys(all_tiles):
            may_hold = components.may_hold[tile]
            shown.append((tile, None if may_hold == SPICES else may_hold, tile in left))
        found[stock.colony] = tuple(shown)
    return found
