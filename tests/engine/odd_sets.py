"""Component sets with one figure at an extreme, or one list cut short, as a stranger may try."""

from __future__ import annotations

import json
import random
import tomllib
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from engine import bots, registry
from engine.api import GameRules
from engine.errors import BadComponents
from tests.engine.play_outs import drawn_move, played_on, stream

EXTREMES = (0, 1, 2, 99)


def toml(value: Any) -> str:
    """A value of TOML, tables inline."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(k)} = {toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


def written(tables: dict[str, Any]) -> str:
    """A whole set."""
    return "\n".join(f"{name} = {toml(table)}" for name, table in tables.items())


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every figure and every list; of many rows alike the first and the last."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from paths(each, (*path, key))
    elif isinstance(value, list):
        yield path
        for place in sorted({0, len(value) - 1} if value else ()):
            yield from paths(value[place], (*path, place))
    elif isinstance(value, int) and not isinstance(value, bool):
        yield path


def others(value: Any) -> list[Any]:
    """What could stand there instead."""
    if isinstance(value, list):
        return [value[:1], value[:-1], [*value, *value[-1:]]]
    return [each for each in EXTREMES if each != value]


def odd_sets(key: str) -> Iterator[tuple[str, str]]:
    """Each odd set, with what is odd in it."""
    components = registry.KINDS[key].components
    tables = tomllib.loads(components.STANDARD.read_text("utf-8"))
    for path in paths(tables):
        parent = tables
        for step in path[:-1]:
            parent = parent[step]
        for other in others(parent[path[-1]]):
            changed = deepcopy(tables)
            place: Any = changed
            for step in path[:-1]:
                place = place[step]
            place[path[-1]] = other
            yield f"{'.'.join(map(str, path))} = {toml(other)[:60]}", written(changed)


def accepted(key: str) -> Iterator[tuple[str, GameRules]]:
    """The odd sets that can be played with."""
    for name, text in odd_sets(key):
        try:
            yield name, registry.game(key, text)
        except BadComponents:
            continue


def play(game: GameRules, seed: int, looks: float = 1) -> None:
    """A whole random game, looked at as pages, letters and bots do at a share of its questions."""
    dice = random.Random(seed)
    sample = random.Random(seed)
    seats = dice.choice(game.seats)
    options = {name: dice.choice(values) for name, values in game.options.items()}
    start = game.new_initial_state(seats, options, stream(seed, 0))
    look(game, start.state, seed)
    for step in played_on(game, start.state, seats, seed, drawn_move):
        if sample.random() < looks:
            look(game, step.turn.state, seed)
    game.returns(step.turn.state)


def look(game: GameRules, state: Any, seed: int) -> None:
    """All that is read off a position: view, form, page, words, mildest and own players' moves."""
    for seat in game.current_players(state):
        view = game.observation(state, seat)
        game.form(state, seat)
        game.page(view, None)
        game.tallies(view)
        list(game.lessons_of_question(view, seat))
        game.question_phrase(state.awaiting)
        game.apply_action(state, seat, game.default_action(state, seat), stream(seed, 1))
        for kind in bots.bots_of(game.key):
            bots.choose(game, state, seat, kind, stream(seed, 2))
        for move in game.answers(state, seat):
            assert game.from_text(game.to_text(move), state, seat, {})[0] == move
            break
