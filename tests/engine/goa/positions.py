"""Tables for tests of Goa: builders that take only what the test is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from engine import journal
from engine.api import Transition
from engine.chance import Scripted, Stream
from engine.errors import MoveRefused
from engine.goa import Goa, flow
from engine.goa.component_sets import STANDARD, read
from engine.goa.moves import Bid, EndTurn, Pass
from engine.goa.state import (
    ACTIONS,
    ADDITIONAL,
    AUCTIONS,
    COLONIES,
    COLUMNS,
    GRID,
    PLACING,
    PLANTATIONS,
    SPICES,
    AwaitAdditional,
    AwaitTurnAction,
    Colony,
    GoaPlayer,
    GoaState,
    Marker,
    Plantation,
    TurnSoFar,
)

ANNA, BRAM, CHAIM, DORA = range(4)
FIGURES = read(STANDARD.read_text("utf-8"))
GAME: Any = Goa(FIGURES)

SHIP, DUCATS, COLONIST, SPICE = "A16", "A17", "A18", "A19"  # once-a-round tiles
DUTY, TWO_ACTIONS, TWO_CARDS, FOUR_SHIPS, FOUR_COLONISTS = "A20", "A21", "A22", "A23", "A24"
SETTLEMENT, SHIPS_OR_COLONISTS = "A25", "A26"
HARVEST, TRADE, THREE_CARDS, MISSION = "B11", "B12", "B15", "B21"
ALL_A = tuple(tile for tile in FIGURES.by_id if tile[0] == "A")


def card(effect: str, copy: int = 0) -> int:
    """The number of a card with this effect; its colonists are 1, 2 and 3."""
    return [each.number for each in FIGURES.cards.values() if each.effect == effect][copy]


TAKE_SHIPS, TAKE_COLONISTS = card("take_2_ships"), card("take_2_colonists")
TAKE_DUCATS, TAKE_SPICES = card("take_5_ducats"), card("take_2_spices")
SELL, BUY_FOR_8 = card("sell_up_to_4_spices"), card("buy_progress")
ANY_GOODS, REVEAL_3 = card("harvest_any_goods"), card("reveal_3_cards")
WITHOUT_SPICES, WITHOUT_SHIPS = card("progress_without_spices"), card("progress_without_ships")


def plantation(spice: str, fields: int = 2, sacks: int | None = None) -> Plantation:
    """A plantation, full if nothing else is said."""
    tile = next(tile.id for tile in FIGURES.by_id.values()
                if (tile.kind, tile.spice, tile.fields) == ("plantation", spice, fields))
    return Plantation(tile, spice, fields, fields if sacks is None else sacks)


def colony(tile: str, *spices: str) -> Colony:
    """A colony's tile with these spices on its fields."""
    name = tile.rstrip("123456789")
    sacks = tuple(map(spices.count, SPICES))
    return Colony(tile, FIGURES.colonies[name].fields, FIGURES.may_hold[tile], sacks)


def player(**fields: Any) -> GoaPlayer:
    """A seat with 10 ducats, 4 ships, 2 colonists; `rows`, `plantations`, `colonies` in short."""
    rows = dict.fromkeys(COLUMNS, 1) | fields.pop("rows", {})
    plantations = (*fields.pop("plantations", ()), *[None] * len(PLANTATIONS))
    founded = {each.tile.rstrip("123456789"): each for each in fields.pop("colonies", ())}
    return GoaPlayer(**{
        "ducats": 10,
        "ships": 4,
        "colonists": 2,
        "markers": tuple(rows.values()),
        "plantations": plantations[: len(PLANTATIONS)],
        "colonies": tuple(founded.get(name) for name in COLONIES),
        **fields,
    })


def grid(tiles: Mapping[str, str]) -> tuple[str | None, ...]:
    """A grid with these tiles by their spaces."""
    return tuple(tiles.get(space) for space in GRID)


def table(
    seats: int = 3,
    *,
    given: Mapping[int, Mapping[str, Any]] | None = None,
    tiles: Mapping[str, str] | None = None,
    **fields: Any,
) -> Any:
    """A quiet table in round 1 of part A; Anna has the flag; the whole deck is there in order.

    `given`: fields of a seat; `tiles`: those of the grid by space, else the first 25.
    """
    players = tuple(player(**(given or {}).get(seat, {})) for seat in range(seats))
    held = {card for each in players for card in each.hand}
    used = held | set(fields.get("discards", ())) | set(fields.get("revealed", ()))
    return GoaState(**{
        "players": players,
        "round": 1,
        "grid": ALL_A[:25] if tiles is None else grid(tiles),
        "left_out": ALL_A[25:],
        "deck": tuple(number for number in FIGURES.cards if number not in used),
        "colony_tiles": FIGURES.colony_tiles,
        **fields,
    })


def turn(
    seats: int = 3, *, seat: int = ANNA, number: int = 1, **fields: Any
) -> Any:
    """A seat is to take its action of this number."""
    state = table(seats, phase=ACTIONS, **fields)
    state.turn = TurnSoFar(seat, number)
    state.awaiting = AwaitTurnAction(seat, number)
    return state


def additional(seats: int = 3, *, seat: int = ANNA, cards: int = 1, **fields: Any) -> Any:
    """A seat may take an additional action; it holds so many additional action cards."""
    given = {**fields.pop("given", {})}
    given[seat] = {"additional_cards": cards, **given.get(seat, {})}
    state = table(seats, phase=ADDITIONAL, given=given, **fields)
    state.turn = TurnSoFar(seat, 1)
    state.awaiting = AwaitAdditional(seat, 1, may_pass=cards < 2)
    return state


def placing(seats: int = 3, **fields: Any) -> Any:
    """Anna is to place the flag."""
    state = table(seats, phase=PLACING, **fields)
    return followed(state)


def auction(
    seats: int = 3, *, lot: str | None = SHIP, auctioneer: int = ANNA, **fields: Any
) -> Any:
    """The last lot of a round comes under the hammer: the flag (None), or this tile on c3."""
    tiles = {} if lot is None else {"c3": lot}
    state = table(seats, phase=AUCTIONS, tiles=tiles | fields.pop("others", {}), **fields)
    number, space = (1, "north c") if lot is None else (2, "c3")
    state.flag = space if lot is None else None
    state.markers = (Marker(number, auctioneer, space),)
    return followed(state)


def purses(*ducats: int) -> dict[int, dict[str, int]]:
    """`given` with these ducats by seat."""
    return {seat: {"ducats": each} for seat, each in enumerate(ducats)}


def followed(state: GoaState, chance: Iterable[Any] = ()) -> Any:
    """What follows by itself, up to the next question."""
    records = journal.Journal(state, Scripted(chance))
    records.events.append(None)  # type: ignore[arg-type]  # nothing is asked yet
    flow.go_on(FIGURES, records)
    return records.state  # type: ignore[no-any-return]


# ---- playing -----------------------------------------------------------------------------------


def move(state: GoaState, seat: int, order: Any, *, chance: Iterable[Any] = ()) -> Transition:
    """One move; chance gives these outcomes."""
    return GAME.apply_action(state, seat, order, Scripted(chance))


def play(state: GoaState, *orders: tuple[int, Any], chance: Iterable[Any] = ()) -> Any:
    """Moves of seats, one after another."""
    script = Scripted(chance)
    for seat, order in orders:
        state = GAME.apply_action(state, seat, order, script).state
    return state


def bidding(state: GoaState, *bids: tuple[int, int | None]) -> Any:
    """Bids of seats; None passes."""
    return play(state, *((seat, Pass() if bid is None else Bid(bid)) for seat, bid in bids))


def facts(turned: Transition, kind: type) -> list[Any]:
    """The facts of a class."""
    return [event for event in turned.events if isinstance(event, kind)]


def refusal(state: GoaState, seat: int, order: Any) -> tuple[str, str]:
    """Key and rule by which an order is refused."""
    with pytest.raises(MoveRefused) as refused:
        move(state, seat, order)
    return refused.value.key, refused.value.rule


def offered(state: GoaState, seat: int, kind: type) -> list[Any]:
    """The answers of a class that the seat may give."""
    return [each for each in GAME.answers(state, seat) if isinstance(each, kind)]


def ended(state: GoaState, seat: int = ANNA) -> Any:
    """The turn of a seat that has taken its action ends."""
    return play(state, (seat, EndTurn()))


def changed(state: GoaState, seat: int, **fields: Any) -> Any:
    """The same table with other values of one seat."""
    other = state.copy()
    players = list(state.players)
    players[seat] = replace(players[seat], **fields)
    other.players = tuple(players)
    return other


def stream(text: str) -> Stream:
    """Chance by a seed."""
    return Stream(text.encode(), "test")
