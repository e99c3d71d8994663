"""Some of the orders that a player could send: few, sensible, unlike each other, in their words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import Any

from engine import bots
from engine.api import GameRules
from engine.errors import MoveRefused
from pbem.i18n import words

MOST = 5  # orders in a letter
FEWEST = 3  # where there are so many, even if they differ in numbers alone
LOOKED_AT = 1000  # of the answers; an expedition can have many more


@dataclass(frozen=True)
class Samples:
    """Orders, their lines, and how many others there are; `many`: not all were counted."""

    moves: list[Any]
    lines: list[str]
    others: int
    many: bool = False


def samples(rules: GameRules, state: Any, seat: int, most: int = MOST) -> Samples:
    """The answers that promise most, one of each kind."""
    answers = list(islice(rules.answers(state, seat), LOOKED_AT + 1))
    many = len(answers) > LOOKED_AT
    ranked = bots.ranked(rules, state, seat, answers[:LOOKED_AT])
    moves = unlike([(move, rules.to_text(move)) for move in ranked])[:most]
    lines = [rules.to_text(move) for move in moves]
    return Samples(moves, lines, min(len(answers), LOOKED_AT) - len(lines), many)


def unlike(ranked: Sequence[tuple[Any, str]]) -> list[Any]:
    """The best of each kind; kinds are told apart by the words of their lines, not the numbers."""
    kinds: dict[tuple[str, ...], list[Any]] = {}
    for move, line in ranked:
        kinds.setdefault(kind_of(line), []).append(move)
    chosen: list[Any] = []
    for row in zip_longest(*kinds.values()):
        if len(chosen) >= FEWEST:
            break
        chosen += [move for move in row if move is not None]
    return chosen


def kind_of(line: str) -> tuple[str, ...]:
    """What a line orders, whichever number, card or space it names."""
    return tuple(word for word in line.split() if not any(map(str.isdigit, word)))


def in_own_words(rules: GameRules, state: Any, seat: int, move: Any, language: str) -> str:
    """A move's line with its reader's words for orders, as long as it is read as the same move."""
    line = rules.to_text(move)
    aliases = words.aliases(rules.key, language)
    own: dict[str, str] = {}
    for alias, meaning in words.game_words(rules.key, language).aliases.items():
        own.setdefault(meaning, alias)
    said = " ".join(own.get(word, word) for word in line.split(" "))
    try:
        return said if rules.from_text(said, state, seat, aliases) == [move] else line
    except MoveRefused:
        return line
