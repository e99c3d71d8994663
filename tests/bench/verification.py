"""Nightly verification of a stored game, against its moves alone: apply_action and state hash."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from sqlmodel import Session

from engine import codec
from pbem import chance
from pbem.games import load, nightly
from pbem.models import Game
from pbem.service import Service
from tests.bench import stage
from tests.bench.harness import RUNS, Figure, ratio

GAMES = 3  # verified a run, as in one night


class Step(NamedTuple):
    """A move of the game, where it was made."""

    state: Any
    seat: int
    move: Any
    chance: Callable[[], Any]


def measure() -> list[Figure]:
    """Entries a second and core, the same games on both sides."""
    with stage.folder() as var, stage.service(stage.environment(var)) as service:
        games = prepared(service)
        with service.reading() as session:
            steps = [step for game in games for step in steps_of(session, game)]
            one_run(session, games, steps)
            pairs = [one_run(session, games, steps) for _ in range(RUNS)]
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


def steps_of(session: Session, game: Game) -> list[Step]:
    """What the floor does again: every move but the set-up."""
    phrases = [seat.phrase or "" for seat in stage.seats(session, game)]
    secret = chance.secret_of(game.server_part, phrases)
    states = [load.position(session, game, n) for n in range(1, game.last_entry)]
    entries = load.entries(session, game, 2, game.last_entry)
    return [
        Step(state, entry.seat or 0, entry.move,
             partial(chance.stream, secret, game.commitment, entry.number))
        for state, entry in zip(states, entries, strict=True)
    ]


def one_run(session: Session, games: list[Game], steps: list[Step]) -> tuple[float, float]:
    """Entries a second of both, in turn."""
    marks = [time.process_time()]
    for game in games:
        fault = nightly.fault_of(session, game)
        if fault is not None:
            raise AssertionError(fault)
        session.expunge_all()
    marks.append(time.process_time())
    rules = load.rules_of(session, games[0])
    for step in steps:
        turn = rules.apply_action(step.state, step.seat, step.move, step.chance())
        codec.digest(turn.state)
    marks.append(time.process_time())
    ours, floor = (later - earlier for earlier, later in pairwise(marks))
    return sum(game.last_entry for game in games) / ours, len(steps) / floor
