"""The engine's decisions and moves a second, against python-chess on random games of its own."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, NamedTuple, TypeVar

import chess

from engine import registry
from engine.chance import Stream
from tests.tools.bench.harness import RUNS, Figure, ratio

GAMES = 20
SEATS = 4


class Step(NamedTuple):
    """A move where it was made, and the position in which it was."""

    state: Any
    seat: int
    move: Any


def measure() -> list[Figure]:
    """All figures of all games; the same games are played anew in each run."""
    return [figure for key in registry.GAMES for figure in measured(key)]


def measured(key: str) -> list[Figure]:
    """The figures of one game."""
    rules = registry.game(key)
    plies = sum(chess_lengths())
    decisions, launching, applied = [], [], []
    for _ in range(RUNS):
        steps, ours = timed(lambda: played(rules, free=False))
        games, floor = timed(chess_played)
        decisions.append((len(steps) / ours, plies / floor))
        with_free, ours = timed(lambda: played(rules, free=True))
        launching.append((len(with_free) / ours, plies / floor))
        in_uci = [[move.uci() for move in game] for game in games]
        _, ours = timed(partial(applied_again, rules, steps))
        _, floor = timed(partial(chess_pushed, in_uci))
        applied.append((len(steps) / ours, plies / floor))
    return [
        ratio(f"{key}: engine-decisions", decisions, ">= 0.5",
              "{0} decisions/s; python-chess {1} plies/s"),
        ratio(f"{key}: engine-decisions-with-free-moves", launching, ">= 0.5",
              "{0} decisions/s, free moves listed and chosen too; python-chess {1} plies/s"),
        ratio(f"{key}: engine-apply", applied, ">= 0.3",
              "{0} moves/s; python-chess push_uci {1}/s"),
    ]  # fmt: skip


T = TypeVar("T")


def timed(what: Callable[[], T]) -> tuple[T, float]:
    """What it returns, and the seconds that it took."""
    began = time.perf_counter()
    result = what()
    return result, time.perf_counter() - began


# ---- ours ---------------------------------------------------------------------------------------


def played(rules: Any, *, free: bool) -> list[Step]:
    """Twenty games from their seeds: list what the asked seat can answer, choose one, apply it.

    Free moves are no answers; with `free` they are listed behind them and chosen as often.
    """
    listed = rules.legal_actions if free else rules.answers
    return [step for seed in range(GAMES) for step in one_game(rules, seed, listed)]


def one_game(rules: Any, seed: int, listed: Any) -> Iterator[Step]:
    """The steps of one random game."""
    choice = random.Random(seed)
    chance = Stream(seed.to_bytes(32, "big"), "bench")
    state = rules.new_initial_state(SEATS, {}, chance).state
    while asked := rules.current_players(state):
        seat = asked[0]
        move = choice.choice(list(listed(state, seat)))
        yield Step(state, seat, move)
        state = rules.apply_action(state, seat, move, chance).state


def applied_again(rules: Any, steps: list[Step]) -> None:
    """Every move of those games once more, from the position in which it was made."""
    chance = Stream(bytes(32), "bench")
    apply = rules.apply_action
    for state, seat, move in steps:
        apply(state, seat, move, chance)


# ---- python-chess -------------------------------------------------------------------------------


@cache
def chess_lengths() -> tuple[int, ...]:
    """How many plies each game has until it is over; asking that is no part of what is timed."""
    return tuple(chess_length(seed) for seed in range(GAMES))


def chess_length(seed: int) -> int:
    """The plies of one random game until mate, stalemate, bare kings or seventy-five moves."""
    choice = random.Random(seed)
    board = chess.Board()
    while not board.is_game_over():
        board.push(choice.choice(list(board.legal_moves)))
    return board.ply()


def chess_played() -> list[list[chess.Move]]:
    """Twenty random games of chess: list the legal moves, choose one, push it."""
    return [one_chess_game(seed, plies) for seed, plies in enumerate(chess_lengths())]


def one_chess_game(seed: int, plies: int) -> list[chess.Move]:
    """The moves of one random game."""
    choice = random.Random(seed)
    board = chess.Board()
    for _ in range(plies):
        board.push(choice.choice(list(board.legal_moves)))
    return board.move_stack


def chess_pushed(games: list[list[str]]) -> None:
    """Every move of those games once more, in UCI notation: read, checked and pushed."""
    for game in games:
        board = chess.Board()
        for ply in game:
            board.push_uci(ply)
