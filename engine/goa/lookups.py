"""Answers questions about the table that several rules ask."""

from __future__ import annotations

from engine.api import Seat
from engine.errors import IllegalMove
from engine.goa.components import Card, GoaComponents, Tile
from engine.goa.fields import empty_of, number_of, sacks_of
from engine.goa.state import (
    COLONIES,
    COLUMNS,
    GRID,
    PLANTATIONS,
    AwaitDrop,
    AwaitGoods,
    GoaPlayer,
    GoaState,
    TurnSoFar,
)

EDGES = ("north", "south", "west", "east")
ONCE_A_ROUND = {"ship": "ships", "ducats": "ducats", "colonist": "colonists",
                "spice": "spices_of_choice"}
"""The words of `use` and the gains that they stand for."""


def spaces() -> dict[str, tuple[int, int]]:
    """Return all spaces with column and row from 0: the flag's, in reading order (GO-2.1)."""
    found = {f"north {column}": (place, -1) for place, column in enumerate("abcde")}
    for row in range(5):
        found[f"west {row + 1}"] = (-1, row)
        for place, column in enumerate("abcde"):
            found[f"{column}{row + 1}"] = (place, row)
        found[f"east {row + 1}"] = (5, row)
    for place, column in enumerate("abcde"):
        found[f"south {column}"] = (place, 5)
    return found


SPACES = spaces()
AT = {position: space for space, position in SPACES.items()}
ALONG = ((0, -1), (-1, 0), (1, 0), (0, 1))  # orthogonal steps
AROUND = (*ALONG, (-1, -1), (1, -1), (-1, 1), (1, 1))


def beside(space: str, steps: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    """Return the positions in GRID that these steps lead to, in reading order."""
    column, row = SPACES[space]
    reached = (AT.get((column + right, row + down)) for right, down in steps)
    return tuple(sorted(GRID.index(each) for each in reached if each in GRID))


AT_GRID = {space: place for place, space in enumerate(GRID)}
BESIDE_ALONG = {space: beside(space, ALONG) for space in SPACES}
BESIDE_AROUND = {space: beside(space, AROUND) for space in SPACES}


# ---- the development board ---------------------------------------------------------------------


def taken_by(components: GoaComponents, player: GoaPlayer, column: str) -> int:
    """Return the column's number in the row of the seat's success marker (GO-4.1)."""
    return components.takes[column][player.markers[COLUMNS.index(column)] - 1]


def hand_limit(components: GoaComponents, player: GoaPlayer) -> int:
    """Return the right number of the expedition column (GO-4.6)."""
    row = player.markers[COLUMNS.index("expedition")]
    return components.development.expedition.hand_limit[row - 1]


def next_step(components: GoaComponents, player: GoaPlayer, column: str) -> tuple[str, ...] | None:
    """Return the spices for the next step in a column; None after the last (GO-4.2)."""
    steps = components.costs[column]
    row = player.markers[COLUMNS.index(column)]
    return steps[row - 1] if row <= len(steps) else None


# ---- cards -------------------------------------------------------------------------------------


def current_turn(state: GoaState) -> TurnSoFar:
    """Return the turn in progress."""
    if state.turn is None:
        raise AssertionError("no turn is under way")
    return state.turn


def playable(components: GoaComponents, state: GoaState, player: GoaPlayer) -> list[Card]:
    """Return the cards in hand, if none has been played in this turn (GO-7.1)."""
    if current_turn(state).card_played:
        return []
    return [components.cards[number] for number in player.hand]


def card_in_hand(components: GoaComponents, state: GoaState, seat: Seat, number: int) -> Card:
    """Return the card of this number (GO-7.1).

    Raise IllegalMove if the seat does not hold it, or has played a card in this turn.
    """
    if number not in state.players[seat].hand:
        raise IllegalMove("not_in_hand", rule="GO-7.1", card=number)
    if current_turn(state).card_played:
        raise IllegalMove("card_played_already", rule="GO-7.1")
    return components.cards[number]


# ---- tiles -------------------------------------------------------------------------------------


def unused(components: GoaComponents, player: GoaPlayer, kind: str) -> list[Tile]:
    """Return the seat's tiles of a kind that are not used up for this round (GO-8.3)."""
    return [
        components.by_id[tile] for tile in player.tiles
        if tile not in player.used and components.by_id[tile].kind == kind
    ]


def once_a_round(components: GoaComponents, player: GoaPlayer, word: str) -> Tile | None:
    """Return the first unused once-a-round tile for these goods, or None (GO-8.3)."""
    goods = ONCE_A_ROUND[word]
    for tile in unused(components, player, "once_a_round"):
        if getattr(tile.gain, goods):
            return tile
    return None


def has_ready_tile(components: GoaComponents, state: GoaState, seat: Seat) -> bool:
    """Tell whether some `use` order is legal now in the seat's turn (GO-8.3)."""
    player = state.players[seat]
    return any(is_ready(components, state, player, tile) for tile in player.tiles)


def is_ready(components: GoaComponents, state: GoaState, player: GoaPlayer, name: str) -> bool:
    """Tell whether this tile in front of its seat could be used now (GO-8.3)."""
    tile = components.by_id[name]
    question = state.awaiting
    is_being_settled = isinstance(question, AwaitDrop | AwaitGoods) and question.tile == name
    if name in player.used or is_being_settled:
        return False
    if tile.kind == "additional_harvest" or tile.gain.spices_of_choice:
        return bool(empty_of(player))
    if tile.kind == "duty":
        return number_of(sacks_of(player)) >= tile.spices
    if tile.kind == "trade":
        return any(each is not None for each in state.grid)
    return True


def gives_colonists(tile: Tile) -> bool:
    """Tell whether using the tile itself gives colonists (GO-5.4)."""
    return bool(tile.gain.colonists) or any(gain.colonists for _, gain in tile.choices)


def free_place(player: GoaPlayer) -> int | None:
    """Return the lowest empty plantation place, 1 to 4; None if all are full (GO-8.1)."""
    for place in range(len(PLANTATIONS)):
        if player.plantations[place] is None:
            return place + 1
    return None


def open_colonies(state: GoaState, player: GoaPlayer) -> list[str]:
    """Return the colonies that the seat could try to found (GO-5.1).

    They are not its own and have a tile left.
    """
    return [
        name for place, name in enumerate(COLONIES)
        if player.colonies[place] is None and state.colony_tiles[place]
    ]
