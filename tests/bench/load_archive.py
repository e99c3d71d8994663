"""Moves a second beside 100,000 finished games, against those beside 100.

Games, seats and all that the archive finds them by are 100 played games' rows, multiplied; 1,000
have the entries and positions of a played game. On SQLite and on PostgreSQL.
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial

from sqlalchemy import text

from pbem.service import Service
from tests.bench import chain, search, stage
from tests.bench.going import give_positions
from tests.bench.harness import Figure, ratio
from tests.bench.load import GAMES

RUNS = 3  # beside the one that warms
MOVES = 240  # a run
LARGE, SMALL = 100_000, 100  # finished games
WITH_POSITIONS = 1_000


def measure() -> list[Figure]:
    """Both databases, one after the other."""
    return [with_many_games(kind) for kind in chain.DATABASES]


def with_many_games(kind: str) -> Figure:
    """Two services in turn, which differ in the number of finished games."""
    with stage.folder() as folder, ExitStack() as stack:
        sites = [
            stack.enter_context(chain.running(
                kind, folder / str(number), games=GAMES, orders=RUNS + 1,
                fill=partial(fill, number)))[0]
            for number in (LARGE, SMALL)
        ]
        sides = [(sites[0].moves(MOVES), sites[1].moves(MOVES)) for _ in range(RUNS + 1)]
    said = f"{{0}} moves/s beside {LARGE:,} finished games; {{1}}/s beside {SMALL:,}"
    return ratio(f"moves-with-{LARGE}-games: {kind}", sides[1:], ">= 0.9", said)


def fill(number: int, service: Service) -> None:
    """So many finished games, the first of them with entries and positions."""
    search.fill(service, number)
    with service.writing() as session:
        if session.get_bind().dialect.name == "postgresql":  # it has not numbered them itself
            for table in ("game", "person", "seat"):
                session.execute(text("select setval(pg_get_serial_sequence(:name, 'id'), 9000000)"),
                                {"name": table})
        session.commit()
    give_positions(service, range(1, 1 + min(number, WITH_POSITIONS)))
