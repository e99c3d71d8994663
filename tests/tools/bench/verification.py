"""Nightly verification of a stored game, against its moves alone: apply_action and state hash."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from sqlmodel import Session

from engine import codec
from pbem.models import Game
from pbem.play import chance, positions
from pbem.record import nightly
from pbem.service import Service
from tests.tools.bench import stage
from tests.tools.bench.harness import RUNS, Figure, ratio

GAMES = 3  # verified a run, as in one night


class Played(NamedTuple):
    """A game's moves and the chance of each entry, for the floor to play it again."""

    rules: Any
    options: dict[str, Any]
    moves: list[tuple[int, Any]]
    chance: Callable[[int], Any]


def measure() -> list[Figure]:
    """Entries a second and core, the same games on both sides."""
    with stage.folder() as var, stage.service(stage.environment(var)) as service:
        games = prepared(service)
        with service.reading() as session:
            played = [played_of(session, game) for game in games]
            one_run(session, games, played)
            pairs = [one_run(session, games, played) for _ in range(RUNS)]
    said = "{0} entries/s; apply_action and state hash {1}/s"
    return [ratio("verification", pairs, ">= 0.5", said)]


def prepared(service: Service) -> list[Game]:
    """Finished games, as they are stored."""
    with service.writing() as session:
        games = stage.started_games(session, GAMES)
    for seed, game in enumerate(games):
        stage.play_game(service, game, random.Random(seed))
    with service.reading() as session:
        return [session.get_one(Game, game.id) for game in games]


def played_of(session: Session, game: Game) -> Played:
    """What the floor plays again, from the set-up on."""
    phrases = [seat.phrase or "" for seat in stage.seats(session, game)]
    secret = chance.secret_of(game.server_part, phrases)
    entries = positions.entries(session, game, 2, game.last_entry)
    return Played(
        positions.rules_of(session, game), codec.decode(game.options.encode(), dict),
        [(entry.seat or 0, entry.move) for entry in entries],
        partial(chance.stream, secret, game.commitment),
    )


def one_run(session: Session, games: list[Game], played: list[Played]) -> tuple[float, float]:
    """Entries a second of both, game by game in turn: a processor changes its speed by the way."""
    ours = floor = 0.0
    for game, again in zip(games, played, strict=True):
        begun = time.process_time()
        fault = nightly.fault_of(session, game)
        between = time.process_time()
        play_again(again)
        floor += time.process_time() - between
        ours += between - begun
        if fault is not None:
            raise AssertionError(fault)
    entries = sum(game.last_entry for game in games)
    return entries / ours, entries / floor


def play_again(played: Played) -> None:
    """The set-up and every move, with the hash of each position."""
    turn = played.rules.new_initial_state(len(stage.NAMES), played.options, played.chance(1))
    codec.digest(turn.state)
    for number, (seat, move) in enumerate(played.moves, start=2):
        turn = played.rules.apply_action(turn.state, seat, move, played.chance(number))
        codec.digest(turn.state)
