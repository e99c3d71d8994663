"""Some of the orders that a player could send, few enough to read and unlike each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from engine.api import Game

MOST = 12  # orders in a letter
LOOKED_AT = 1000  # of the answers; an expedition can have many more


@dataclass(frozen=True)
class Samples:
    """Order lines and their moves, and how many others there are; `many`: not all were counted."""

    lines: list[str]
    moves: list[Any]
    others: int
    many: bool = False


def samples(rules: Game, state: Any, seat: int, most: int = MOST) -> Samples:
    """Answers of every kind in turn, spread over all there are of it, in the game's order."""
    answers = list(islice(rules.answers(state, seat), LOOKED_AT + 1))
    many = len(answers) > LOOKED_AT
    kinds: dict[type, list[int]] = defaultdict(list)
    for place, move in enumerate(answers[:LOOKED_AT]):
        kinds[type(move)].append(place)
    shares = fair_shares([len(places) for places in kinds.values()], most)
    chosen = [
        place
        for places, share in zip(kinds.values(), shares, strict=True)
        for place in spread(places, share)
    ]
    moves = [answers[place] for place in sorted(chosen)]
    lines = [rules.to_text(move) for move in moves]
    return Samples(lines, moves, min(len(answers), LOOKED_AT) - len(lines), many)


def fair_shares(sizes: Sequence[int], most: int) -> list[int]:
    """How many of each kind: as even as the kinds are large enough for."""
    shares, left = [0] * len(sizes), min(most, sum(sizes))
    while left:
        for place, size in enumerate(sizes):
            if left and shares[place] < size:
                shares[place] += 1
                left -= 1
    return shares


def spread(places: Sequence[int], share: int) -> list[int]:
    """`share` of the places, evenly from the first to the last."""
    if share <= 1:
        return list(places[:share])
    step = (len(places) - 1) / (share - 1)
    return [places[round(step * number)] for number in range(share)]
