"""Builds positions of Vasco da Gama for worked examples, and names the rows of their JSON.

The JSON of a position is that of the state (docs/record.md). Its rows can be addressed by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine import journal
from engine.chance import Unshuffled
from engine.vasco_da_gama import flow, preparation
from engine.vasco_da_gama.components import VascoComponents
from engine.vasco_da_gama.state import (
    ACTIONS,
    CHARACTERS,
    CREW,
    LANDINGS,
    PLACING,
    SAILORS,
    SOURCES,
    SPACES,
    AwaitCalledAction,
    AwaitPlacement,
    VascoPlayer,
    VascoState,
)

SEATS = ("yellow", "red", "black", "blue")
ROWS: Mapping[str, Sequence[str]] = {
    "players": SEATS,
    "landings": LANDINGS,
    "crew": CREW,
    "bag": SAILORS,
    "points": SOURCES,
    "money": SPACES,
    "owners": CHARACTERS,
    "hosts": CHARACTERS,
    "decks": ("I", "II", "III"),
}
"""The names for the positions of each array."""
ROWS_WITHIN: Mapping[str, Sequence[str]] = {"sections": SAILORS}
"""The names for the positions of arrays within an array."""
BY_NUMBER = ("discs",)
"""The arrays sorted by number: the lowest disc is called first (VG-3.2)."""
LEFT_OUT = ("owner", "tile")
"""The fields that the JSON leaves out if they are null: those of a merchant ship."""


def setup(components: VascoComponents, players: int, first: int, chance: Any) -> VascoState:
    """Return the table after set-up; without chance it is in the order of the set (VG-1)."""
    empty = VascoState(players=(VascoPlayer(),) * players, first_player=first)
    turn = journal.turn(
        empty,
        chance or Unshuffled(),
        lambda records: preparation.prepare(components, records, players, first),
    )
    return turn.state  # type: ignore[no-any-return]


def placing(components: VascoComponents, players: int, first: int, chance: Any) -> VascoState:
    """Return phase 1 of round 1; no ship is at sea (VG-2.1)."""
    table = setup(components, players, first, chance)
    table.merchant = None
    turn = journal.turn(
        table, Unshuffled(), lambda records: flow.begin_round(components, records, first)
    )
    return turn.state  # type: ignore[no-any-return]


def actions(components: VascoComponents, players: int, first: int, chance: Any) -> VascoState:
    """Return phase 2 of round 1: no disc placed, all actions free, no merchant ship to send."""
    table = placing(components, players, first, chance)
    table.phase = ACTIONS
    table.marker = 1
    table.upcoming, table.tiles = table.tiles[0], table.tiles[1:]
    table.merchant = None
    for seat in range(players):
        table.change(seat, discs=0)
    return table


BASES: dict[str, Callable[[VascoComponents, int, int, Any], VascoState]] = {
    "setup": setup,
    "placing": placing,
    "actions": actions,
}


def questioned(components: VascoComponents, state: VascoState) -> VascoState:
    """Return the position with its phase's question: the seat to place, or the called number."""
    if state.phase == PLACING:
        state.awaiting = AwaitPlacement(state.first_player)
    elif state.phase == ACTIONS:
        disc = next((each for each in state.discs if each.status == "placed"), None)
        if disc is None:
            raise ValueError("no disc is placed: nothing is asked")
        price = max(0, state.marker - disc.number)
        gain = components.gains[disc.number]
        state.awaiting = AwaitCalledAction(disc.seat, disc.number, disc.area, price, gain)
    return state
