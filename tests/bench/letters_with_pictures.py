"""A move's letter as players get it, with its picture: how long it takes, how many leave a second.

With workers, broker and mail server as processes; letters at once, each game on both databases.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime

from tests.bench import chain, stage
from tests.bench.harness import Figure, figure, p95
from tests.bench.move_to_letter import Arrivals, Moves, all_sent, paced, workers
from tests.pbem.postbox import postbox
from tests.servers import eventually, private_valkey

GAMES = 40
BLOCKS = 5  # of twenty moves


def measure() -> list[Figure]:
    """Each game on each database."""
    return [each for kind in chain.DATABASES for key in stage.KEYS for each in of(kind, key)]


def of(kind: str, key: str) -> list[Figure]:
    """Ten moves a second, then a move of every game at once."""
    with (stage.folder() as var, private_valkey() as valkey, postbox() as box,
          chain.database_of(kind, var) as url):
        environ = stage.environment(
            var, DATABASE_URL=url, REDIS_URL=valkey.url, SMTP_URL=box.url, LETTER_DELAY="0",
            BASE_URL="http://localhost", PICTURES="on",
        )  # fmt: skip
        with stage.service(environ) as service, workers(environ, var, valkey.url):
            with service.writing() as session:
                games = stage.started_games(session, GAMES, datetime.now(UTC), key)
            eventually(lambda: all_sent(service), 300)
            moves = Moves(service, Arrivals(box), valkey.url, games)
            paced(moves.one)  # the first ones draw parts that all need
            took = [each for _ in range(BLOCKS) for each in paced(moves.one)]
            rate = at_once(moves)
            pictured = sum(b"image/png" in letter for letter in box.letters) / len(box.letters)
    said = f"ms from the commit at 10 moves a second; {pictured:.0%} of the letters have one"
    return [
        figure(f"move-to-letter-with-picture: {key}, {kind}", p95(took), "<= 500", said),
        figure(f"letters-with-picture: {key}, {kind}", rate, ">= 25", "a second, of moves at once"),
    ]


def at_once(moves: Moves) -> float:
    """Letters a second, each of a move in a game of its own."""
    began = time.perf_counter()
    for waits in [moves.one() for _ in range(GAMES)]:
        waits()
    return GAMES / (time.perf_counter() - began)
