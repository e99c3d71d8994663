"""The page of every later entry, against the page of entry 60 of the same game of 400 entries."""

from __future__ import annotations

import random
import time

from flask.testing import FlaskClient

from pbem.accounts import auth
from pbem.models import stored_id
from pbem.service import Service
from pbem.web.app import build
from pbem.web.context import COOKIE
from tests.tools.bench import stage
from tests.tools.bench.harness import RUNS, Figure, p95, ratio

LONG = stage.KEYS[1]
FIRST = 60
PAGES = 60  # a run, spread over the entries from FIRST to the last
GOAL = "<= 1.15"


def measure() -> list[Figure]:
    """One of the players leafs through a whole game."""
    with stage.folder() as var, stage.service(stage.environment(var)) as service:
        game_id, last, cookie = finished_game(service)
        client = build(service).test_client()
        client.set_cookie(COOKIE, cookie)
        milliseconds(client, f"/games/{game_id}/{FIRST}")
        pairs = [one_run(client, game_id, last, random.Random(seed)) for seed in range(RUNS)]
    said = "p95 {0} ms" + f" over entries {FIRST} to {last}; entry {FIRST} " + "{1} ms"
    return [ratio("page-any-entry", pairs, GOAL, said)]


def finished_game(service: Service) -> tuple[int, int, str]:
    """A whole game, its last entry, and the cookie of one of its players."""
    with service.writing() as session:
        game = stage.started_game(session, stage.people(session, 0), stage.START, LONG)
        cookie = auth.open_session(session, game.host_id, agent="bench", now=stage.START)
        session.commit()
    last = stage.play_game(service, game, random.Random(0))
    return stored_id(game), last, cookie


def one_run(
    client: FlaskClient, game_id: int, last: int, choice: random.Random
) -> tuple[float, float]:
    """The p95 of both, in milliseconds; a page at entry 60 behind each of the others."""
    ours: list[float] = []
    floor: list[float] = []
    for step in range(PAGES):
        number = FIRST + round(step * (last - FIRST) / (PAGES - 1))
        sides = [(ours, number), (floor, FIRST)]
        choice.shuffle(sides)  # whichever comes first finds the caches colder
        for times, entry in sides:
            times.append(milliseconds(client, f"/games/{game_id}/{entry}"))
    return p95(ours), p95(floor)


def milliseconds(client: FlaskClient, path: str) -> float:
    """How long the page takes, its last byte included."""
    began = time.perf_counter()
    answer = client.get(path)
    took = time.perf_counter() - began
    if answer.status_code != 200:
        raise AssertionError(f"{path}: {answer.status}")
    return took * 1000
