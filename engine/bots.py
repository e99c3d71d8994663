"""Bots, for demos, tests and empty seats.

A bot is a function of its seat's view and legal actions. It knows no more than a person there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from engine import registry
from engine.api import GameRules, Seat
from engine.chance import Chance, Forbidden

Pick = Callable[[Any, Seat, Sequence[Any], Sequence[Any], Chance], Any]
"""(observation, seat, answers, free moves, chance) -> one of the answers or free moves."""

Weigher = Callable[[Any, Seat, Sequence[Any]], Callable[[Any], float]]
"""(observation, seat, answers) -> the weight of one of the answers."""


def at_random(
    view: Any, seat: Seat, answers: Sequence[Any], free: Sequence[Any], chance: Chance
) -> Any:
    """Pick any legal action, each as likely as the others."""
    return chance.drawn((*answers, *free), why="bot")


def bots_of(key: str) -> dict[str, Pick]:
    """Return a game's bots by name."""
    return {"random": at_random, "steady": registry.KINDS[key].bots.steady}


def ranked(game: GameRules, state: Any, seat: Seat, answers: Sequence[Any]) -> list[Any]:
    """Sort the answers of an asked seat, first those that `steady` weighs highest."""
    weigher: Weigher = registry.KINDS[game.key].bots.weigher
    weigh = weigher(game.observation(state, seat), seat, answers)
    return sorted(answers, key=weigh, reverse=True)


def choose(game: GameRules, state: Any, seat: Seat, bot: str, chance: Chance) -> list[Any]:
    """Choose the moves of an asked seat: any free moves, then an answer."""
    pick = bots_of(game.key)[bot]
    moves: list[Any] = []
    while True:
        answers = list(game.answers(state, seat))
        free = list(game.legal_actions(state, seat))[len(answers) :]
        move = pick(game.observation(state, seat), seat, answers, free, chance)
        moves.append(move)
        if not move.free:
            return moves
        turn = game.apply_action(state, seat, move, Forbidden())
        state = turn.state
        if turn.stopped or seat not in game.current_players(state):
            return moves
