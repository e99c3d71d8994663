"""Changes the holdings of seats and the table for the events, which check nothing."""

from __future__ import annotations

from msgspec.structs import replace

from engine.api import Seat
from engine.goa.state import (
    COLUMNS,
    PLACES,
    PLANTATIONS,
    SPICES,
    GoaState,
    Sacks,
    SoldLot,
    added,
    put,
)

Faces = tuple[int | None, ...]
"""Expedition cards; None if the reader may not know the face."""


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
