"""Seeded random play of any game, kept for the session, and well-formed moves that nobody offered.

Every class of legal moves is as likely as every other one, so that rare ones are made too; free
moves are made by any seat, asked or not.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from engine import codec, registry
from engine.api import GameRules, Seat, Transition
from engine.chance import Stream
from engine.errors import MoveRefused

MOST_ENTRIES = 2_000  # no game of ours has a tenth of that
SEEDS = (1, 2, 3)
EAGER = {1: 0.5, 2: 0.05, 3: 0.02}
"""How often somebody makes a free move, by seed: late ones leave moves that they would allow."""


class Step(NamedTuple):
    """One entry: the position it continues, whose move it was (None: set-up), what came of it."""

    before: Any
    seat: Seat | None
    move: Any
    turn: Transition


class PlayOut(NamedTuple):
    """A whole game."""

    game: GameRules
    seats: int
    options: dict[str, Any]
    steps: tuple[Step, ...]

    @property
    def turns(self) -> list[Transition]:
        """Its history, as `redealt` takes it."""
        return [step.turn for step in self.steps]

    @property
    def states(self) -> list[Any]:
        """The position behind each entry."""
        return [step.turn.state for step in self.steps]

    def questions(self) -> Iterator[tuple[Any, Seat]]:
        """Every position with each of its asked seats."""
        for state in self.states:
            for seat in self.game.current_players(state):
                yield state, seat


def tables() -> list[tuple[str, int, int]]:
    """Game, number of players and seed of every play-out."""
    return [
        (key, seats, seed)
        for key in registry.GAMES
        for seats in registry.game(key).seats
        for seed in SEEDS
    ]


@cache
def play_out(key: str, seats: int, seed: int) -> PlayOut:
    """The whole game that this seed gives."""
    game = registry.game(key)
    options = options_of(game, seed)
    turn = game.new_initial_state(seats, options, stream(seed, 0))
    steps = [Step(None, None, None, turn)]
    choose = partial(drawn_move, eager=EAGER.get(seed, EAGER[2]))
    steps += played_on(game, turn.state, seats, seed, choose)
    return PlayOut(game, seats, options, tuple(steps))


def options_of(game: GameRules, seed: int) -> dict[str, Any]:
    """The usual options with the first seed, all others with the second, then a mixture."""
    return {
        name: values[0] if seed == 1 or (seed > 2 and place % 2) else values[-1]
        for place, (name, values) in enumerate(game.options.items())
    }


Choose = Callable[[GameRules, Any, int, random.Random], tuple[Seat, Any]]


def played_on(game: GameRules, state: Any, seats: int, seed: int, choose: Choose) -> Iterator[Step]:
    """Play from a position to the game's end, which must come."""
    dice = random.Random(seed)
    for number in range(1, MOST_ENTRIES):
        if game.is_terminal(state):
            return
        seat, move = choose(game, state, seats, dice)
        turn = game.apply_action(state, seat, move, stream(seed, number))
        yield Step(state, seat, move, turn)
        state = turn.state
    raise AssertionError(f"{game.key} does not end")


def stream(seed: int, number: int) -> Stream:
    """The chance of one entry."""
    return Stream(f"secret {seed}".encode(), str(number))


def drawn_move(
    game: GameRules, state: Any, seats: int, dice: random.Random, eager: float = 0.3
) -> tuple[Seat, Any]:
    """A free move of anybody, else an answer of somebody who is asked; its class comes first."""
    free = [
        (seat, move) for seat in range(seats) for move in game.legal_actions(state, seat)
        if move.free
    ]
    if free and dice.random() < eager:
        return dice.choice(free)
    seat = dice.choice(game.current_players(state))
    return seat, of_any_class(list(game.answers(state, seat)), dice)


def of_any_class(moves: Sequence[Any], dice: random.Random) -> Any:
    """One of the moves; each class that is among them is as likely as the others."""
    kinds = list(dict.fromkeys(type(move) for move in moves))
    kind = dice.choice(kinds)
    return dice.choice([move for move in moves if type(move) is kind])


def play_outs_of(key: str) -> Iterator[PlayOut]:
    """All play-outs of a game."""
    return (play_out(*table) for table in tables() if table[0] == key)


def spread(row: list[Any], number: int) -> list[Any]:
    """So many of the row, from the first to the last at even distances."""
    return row if len(row) <= number else [
        row[place * (len(row) - 1) // (number - 1)] for place in range(number)
    ]


def is_accepted(game: GameRules, state: Any, seat: int, move: Any) -> bool:
    """Whether the move is played; a refusal says by which rule."""
    try:
        game.apply_action(state, seat, move, stream(0, 0))
    except MoveRefused as refused:
        assert refused.key and refused.rule
        return False
    return True


# ---- moves that nobody offered -----------------------------------------------------------------


@cache
def known_moves(key: str) -> tuple[Any, ...]:
    """Moves that were legal somewhere in some play-out of this game, in a fixed order."""
    found: dict[Any, None] = {}
    for seed in SEEDS:
        kinds = {type(move) for move in found}  # later seeds add the classes that are rare
        for seats in registry.game(key).seats:
            found |= {
                move: None for move in legal_in(play_out(key, seats, seed))
                if type(move) not in kinds
            }
    return tuple(found)


def legal_in(played: PlayOut) -> Iterator[Any]:
    """Every move that was legal in any position of a game."""
    for state in played.states:
        for seat in range(played.seats):
            yield from played.game.legal_actions(state, seat)


@cache
def kinds_of_known(key: str) -> dict[type, tuple[Any, ...]]:
    """The known moves by class."""
    kinds: dict[type, list[Any]] = {}
    for move in known_moves(key):
        kinds.setdefault(type(move), []).append(move)
    return {kind: tuple(moves) for kind, moves in kinds.items()}


def other_moves(game: GameRules, legal: Sequence[Any], dice: random.Random) -> list[Any]:
    """Well-formed moves of every class: from other positions, and near misses of legal ones."""
    kinds = kinds_of_known(game.key)
    found = [dice.choice(moves) for moves in kinds.values()]
    found += [mutated(game, move, dice) for move in found]
    found += [mutated(game, dice.choice(legal), dice) for _ in range(8 if legal else 0)]
    return found


def mutated(game: GameRules, move: Any, dice: random.Random) -> Any:
    """The move with one of its fields changed, still of its type."""
    for _ in range(4):
        if not move.__struct_fields__:
            return move
        name = dice.choice(move.__struct_fields__)
        alike = dice.choice(kinds_of_known(game.key)[type(move)])
        other = changed(getattr(move, name), getattr(alike, name), dice)
        near = replace(move, **{name: other})
        try:
            return codec.decode(codec.encode(near), game.move_type)
        except msgspec.ValidationError:
            continue  # a value that no reader of orders could make
    return move


def changed(value: Any, alike: Any, dice: random.Random) -> Any:
    """Another value of the same kind; `alike` stood in that field of another move."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return dice.choice([value - 1, value + 1, -value, 0, value + 17])
    if isinstance(value, str):
        return dice.choice([value.upper(), "", "nonsense", alike])
    if isinstance(value, tuple):
        return dice.choice(
            [
                value[::-1],
                value[1:],
                (),
                value + value[:1],
                alike,
                *(changed_at(value, place, alike, dice) for place in range(len(value))),
            ]
        )
    return alike


def changed_at(row: tuple[Any, ...], place: int, alike: Any, dice: random.Random) -> Any:
    """The row with another value at one place."""
    other = alike[place] if isinstance(alike, tuple) and place < len(alike) else row[place]
    return (*row[:place], changed(row[place], other, dice), *row[place + 1 :])
