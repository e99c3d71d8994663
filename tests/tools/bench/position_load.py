"""Loading and decoding the position at any entry, against one row of 1 KB by the same engine."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import partial

from sqlalchemy import Column, Integer, LargeBinary, MetaData, Table, bindparam, insert, select
from sqlmodel import Session

from pbem.models import Game
from pbem.play import positions
from pbem.service import Service
from tests.tools.bench import stage
from tests.tools.bench.harness import RUNS, Figure, figure, median, ratio, shown

LOADS = 400  # of each kind a run, in turn
ROWS = 200
kilobytes = Table(
    "bench_kilobyte", MetaData(), Column("id", Integer, primary_key=True), Column("d", LargeBinary)
)

# Built once, like the statement that it is compared with.
KILOBYTE = select(kilobytes.c.d).where(kilobytes.c.id == bindparam("row"))


def measure() -> list[Figure]:
    """The median over all entries of a whole game."""
    with stage.folder() as var, stage.service(stage.environment(var)) as service:
        game = prepared(service)
        with service.reading() as session:
            positions.position(session, game, 1)
            pairs = [one_run(session, game, random.Random(seed)) for seed in range(RUNS)]
            halves = [halves_of(session, game, random.Random(seed)) for seed in range(RUNS)]
    milliseconds = median(ours for ours, _ in pairs) / 1000
    select = f"one-row SELECT of 1 KB {shown(median(floor for _, floor in pairs) / 1000)} ms"
    said = f"median of entries in the last half {{0}} us; in the first {{1}} us, {game.last_entry}"
    return [
        figure("position-load", milliseconds, "<= 3", f"ms, the median; {select}"),
        ratio("position-load-late-to-early", halves, "<= 1.15", f"{said} in all"),
    ]


def prepared(service: Service) -> Game:
    """A finished game, and rows of 1 KB beside it."""
    with service.writing() as session:
        game = stage.started_games(session, 1)[0]
    stage.play_game(service, game, random.Random(0))
    with service.engine.begin() as connection:
        kilobytes.create(connection)
        noise = random.Random(0)
        rows = [{"id": number, "d": noise.randbytes(1024)} for number in range(ROWS)]
        connection.execute(insert(kilobytes), rows)
    with service.reading() as session:
        return session.get_one(Game, game.id)


def one_run(session: Session, game: Game, choice: random.Random) -> tuple[float, float]:
    """Medians of both, in microseconds."""
    ours: list[float] = []
    floor: list[float] = []
    for _ in range(LOADS):
        number, row = choice.randint(1, game.last_entry), choice.randrange(ROWS)
        ours.append(microseconds(partial(positions.position, session, game, number)))
        floor.append(microseconds(partial(kilobyte, session, row)))
    return median(ours), median(floor)


def halves_of(session: Session, game: Game, choice: random.Random) -> tuple[float, float]:
    """Medians of the late and the early entries, in microseconds."""
    late: list[float] = []
    early: list[float] = []
    middle = game.last_entry // 2
    for _ in range(LOADS // 2):
        late.append(microseconds(partial(
            positions.position, session, game, choice.randint(middle + 1, game.last_entry))))
        early.append(microseconds(partial(
            positions.position, session, game, choice.randint(1, middle))))
    return median(late), median(early)


def kilobyte(session: Session, row: int) -> bytes:
    """One row of 1 KB."""
    return bytes(session.execute(KILOBYTE, {"row": row}).scalar_one())


def microseconds(what: Callable[[], object]) -> float:
    """How long it takes."""
    began = time.perf_counter_ns()
    what()
    return (time.perf_counter_ns() - began) / 1000
