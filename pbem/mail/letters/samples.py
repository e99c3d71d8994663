"""Picks sample orders for a player: few, sensible, different from each other, in their words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, zip_longest
from typing import Any

from engine import bots
from engine.api import GameRules
from engine.errors import MoveRefused
from pbem.i18n import words

MOST = 5  # orders in a letter
FEWEST = 3  # where there are so many, even if only their numbers differ
LOOKED_AT = 1000  # of the answers; an expedition can have many more


@dataclass(frozen=True)
class Samples:
    """Orders, their lines, and how many others there are (`many`: not all were counted)."""

    moves: list[Any]
    lines: list[str]
    others: int
    many: bool = False


def samples(rules: GameRules, state: Any, seat: int, most: int = MOST) -> Samples:
    """Return the most promising answers, one of each kind."""
    answers = list(islice(rules.answers(state, seat), LOOKED_AT + 1))
    many = len(answers) > LOOKED_AT
    ranked = bots.ranked(rules, state, seat, answers[:LOOKED_AT])
    moves = unlike([(move, rules.to_text(move)) for move in ranked])[:most]
    lines = [rules.to_text(move) for move in moves]
    return Samples(moves, lines, min(len(answers), LOOKED_AT) - len(lines), many)


def unlike(ranked: Sequence[tuple[Any, str]]) -> list[Any]:
    """Return the best of each kind.

    Kinds differ in the words of their lines, not in the numbers.
    """
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
    """Return the kind of a line, without its numbers, cards and spaces."""
    return tuple(word for word in line.split() if not any(map(str.isdigit, word)))


def in_own_words(rules: GameRules, state: Any, seat: int, line: str, language: str) -> str:
    """Return a line in its reader's words, if it still parses to the same moves."""
    own = own_words(rules.key, language)
    said = " ".join(own.get(word, word) for word in line.split(" "))
    aliases = words.aliases(rules.key, language)
    try:
        meant = rules.from_text(line, state, seat, {})
        return said if rules.from_text(said, state, seat, aliases) == meant else line
    except MoveRefused:
        return line


@cache
def own_words(game: str, language: str) -> Mapping[str, str]:
    """Return a language's words for orders.

    Words that the table also uses, such as places, stay.
    """
    said = words.game_words(game, language)
    shown = {term.lower() for term in said.terms.values() if isinstance(term, str)}
    own: dict[str, str] = {}
    for alias, meaning in said.aliases.items():
        own.setdefault(meaning, meaning if meaning in shown else alias)
    return own
