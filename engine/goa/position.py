"""Builds positions of Goa for worked examples, and names the rows of their JSON.

The JSON of a position is that of the state (docs/record.md). Its rows can be addressed by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine import journal
from engine.chance import Unshuffled
from engine.goa import auction, defaults, driver, flow, placing, preparation
from engine.goa.components import GoaComponents
from engine.goa.state import (
    ACTIONS,
    ADDITIONAL,
    AUCTIONS,
    COLONIES,
    COLUMNS,
    GRID,
    PLACING,
    PLANTATIONS,
    SOURCES,
    SPICES,
    GoaPlayer,
    GoaState,
    TurnSoFar,
)

SEATS = ("red", "blue", "green", "yellow")
ROWS: Mapping[str, Sequence[str]] = {
    "players": SEATS,
    "markers": COLUMNS,
    "plantations": PLANTATIONS,
    "colonies": COLONIES,
    "colony_tiles": COLONIES,
    "sacks": SPICES,
    "grid": GRID,
    "points": SOURCES,
}
"""The names for the positions of each array."""
ROWS_WITHIN: Mapping[str, Sequence[str]] = {}
BY_NUMBER = ("markers", "sold")
"""The arrays sorted by number: lots come in the order of their markers (GO-3.1)."""
LEFT_OUT: Sequence[str] = ()


def begun(
    components: GoaComponents, players: int, first: int, chance: Any, *, quick_start: bool
) -> GoaState:
    """Return the table after set-up; without chance it is in the order of the set (GO-1)."""
    empty = GoaState(players=(GoaPlayer(),) * players, first_player=first, quick_start=quick_start)

    def prepare(records: journal.Journal) -> None:
        preparation.prepare(components, records)
        flow.go_on(components, records)

    return journal.turn(empty, chance or Unshuffled(), prepare).state  # type: ignore[no-any-return]


def set_up(components: GoaComponents, players: int, first: int, chance: Any) -> GoaState:
    """Return round 1 of part A, before the flag is placed (GO-2.1)."""
    return begun(components, players, first, chance, quick_start=False)


def quick_start(components: GoaComponents, players: int, first: int, chance: Any) -> GoaState:
    """Return the table before the choices of the quick start (GO-1.5)."""
    return begun(components, players, first, chance, quick_start=True)


def auctions(components: GoaComponents, players: int, first: int, chance: Any) -> GoaState:
    """Return flag and markers on the first legal spaces, with the flag's auction open."""
    table = set_up(components, players, first, chance)
    while table.phase == PLACING and table.awaiting is not None:
        (seat,) = table.awaiting.seats
        move = defaults.default_action(components, table, seat)
        table = moved(components, table, seat, move)
    return table


def moved(components: GoaComponents, table: GoaState, seat: int, move: Any) -> GoaState:
    """Return the table after one move that draws nothing."""
    turn = journal.turn(
        table, Unshuffled(), lambda records: driver.play(components, records, seat, move)
    )
    return turn.state  # type: ignore[no-any-return]


def actions(components: GoaComponents, players: int, first: int, chance: Any) -> GoaState:
    """Return the start player's first action of round 1; nothing was auctioned (GO-4.1)."""
    table = set_up(components, players, first, chance)
    table.phase = ACTIONS
    table.turn = TurnSoFar(table.start_player, 1)
    return table


def additional(components: GoaComponents, players: int, first: int, chance: Any) -> GoaState:
    """Return the start player's first additional action; every seat has a card (GO-6.1)."""
    table = actions(components, players, first, chance)
    table.phase = ADDITIONAL
    for seat in range(players):
        table.change(seat, additional_cards=1)
    return table


BASES: dict[str, Callable[[GoaComponents, int, int, Any], GoaState]] = {
    "placing": set_up,
    "quick_start": quick_start,
    "auctions": auctions,
    "actions": actions,
    "additional": additional,
}


def questioned(components: GoaComponents, state: GoaState) -> GoaState:
    """Return the position with its phase's question; a seat's things lie nowhere else."""
    held = [card for player in state.players for card in player.hand]
    state.deck = tuple(card for card in state.deck if card not in (*held, *state.discards))
    tiles = {tile for player in state.players for tile in tiles_of(player)}
    state.grid = tuple(None if tile in tiles else tile for tile in state.grid)

    def ask(records: journal.Journal) -> None:
        if state.phase == PLACING:
            placing.ask_for_marker(components, records)
        elif state.phase == AUCTIONS:
            auction.open_lot(components, records)
        else:
            flow.go_on_in_turn(components, records)

    if state.phase not in (PLACING, AUCTIONS, ACTIONS, ADDITIONAL):
        return state
    return journal.turn(state, Unshuffled(), ask).state  # type: ignore[no-any-return]


def tiles_of(player: GoaPlayer) -> list[str]:
    """Return all tiles that a seat has."""
    laid = [plantation.tile for plantation in player.plantations if plantation is not None]
    return [*laid, *player.tiles, *player.face_down]
