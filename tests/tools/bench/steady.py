"""How often `steady` comes first against three `random`, seats rotated, 400 games of each game."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from functools import partial

from engine import bots, registry
from engine.chance import Stream
from tests.tools.bench.harness import Figure, figure

GAMES = 400
SEATS = 4
PROCESSES = 2


def measure() -> list[Figure]:
    """The share of first places, shared ones too, for every game."""
    return [share_of_firsts(key) for key in registry.GAMES]


def share_of_firsts(key: str) -> Figure:
    """One game's figure."""
    with ProcessPoolExecutor(PROCESSES) as pool:
        firsts = sum(pool.map(partial(is_first, key), range(GAMES), chunksize=10))
    return figure(
        f"{key}: steady-first", firsts / GAMES, ">= 0.9",
        f"{firsts} of {GAMES} games, one steady against three random",
    )  # fmt: skip


def is_first(key: str, number: int) -> bool:
    """Whether `steady` wins the game of this number, from the seat whose turn it is to be his."""
    rules = registry.game(key)
    own = number % SEATS
    chance = Stream(number.to_bytes(32, "big"), "steady")
    state = rules.new_initial_state(SEATS, {}, chance).state
    whim = Stream(number.to_bytes(32, "big"), "whims")
    while asked := rules.current_players(state):
        kind = "steady" if asked[0] == own else "random"
        for move in bots.choose(rules, state, asked[0], kind, whim):
            state = rules.apply_action(state, asked[0], move, chance).state
    return rules.returns(state)[own].place == 1
