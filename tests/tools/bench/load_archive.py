"""Moves a second, and the 15-second sweep, beside 100,000 finished games and beside 100.

Games, seats and all that the archive finds them by are 100 played games' rows, multiplied; 1,000
have the entries and positions of a played game. On SQLite and on PostgreSQL.
"""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import ExitStack
from datetime import timedelta
from functools import partial

from sqlalchemy import text
from sqlmodel import col, update

from pbem.archive.closing import INDEX_RELEASE
from pbem.clock import SystemClock
from pbem.models import Game, GameState
from pbem.service import Service
from tests.tools.bench import chain, search, stage
from tests.tools.bench.going import give_positions
from tests.tools.bench.harness import Extent, Figure, figure, median, ratio, shown
from tests.tools.bench.site import Site

RUNS = 3  # beside the one that warms
FEW = 100  # finished games
WITH_POSITIONS = 1_000
OF_FEW, SWEEP_MS = ">= 0.9", "<= 10"


def measure(extent: Extent) -> list[Figure]:
    """Both databases, one after the other."""
    return [each for kind in chain.DATABASES for each in on(kind, extent)]


def on(kind: str, extent: Extent) -> list[Figure]:
    """Two services in turn, which differ in the number of finished games."""
    stretch = extent.seconds / 12
    orders = 5 + int(1_200 * stretch) // extent.going * 2
    with stage.folder() as folder, ExitStack() as stack:
        sites = [
            stack.enter_context(chain.running(
                kind, folder / str(number), games=extent.going, orders=orders,
                fill=partial(fill, number)))[0]
            for number in (extent.finished, FEW)
        ]
        sides = [(sites[0].sustained(stretch), sites[1].sustained(stretch))
                 for _ in range(RUNS + 1)]
        many, few = (sweeps(site) for site in sites)
    said = f"{{0}} moves/s beside {extent.finished:,} finished games; {{1}}/s beside {FEW}"
    return [
        ratio(f"moves-beside-finished-games: {kind}", sides[1:], OF_FEW, said),
        figure(f"sweep-beside-finished-games: {kind}", many, SWEEP_MS,
               f"ms beside {extent.finished:,}; {shown(few)} ms beside {FEW}"),
    ]


def fill(number: int, service: Service) -> None:
    """So many finished games, indexed and verified, the first with entries and positions."""
    search.fill(service, number)
    with service.writing() as session:
        if session.get_bind().dialect.name == "postgresql":  # it has not numbered them itself
            for table in ("game", "person", "seat"):
                session.execute(text("select setval(pg_get_serial_sequence(:name, 'id'), 9000000)"),
                                {"name": table})
        tomorrow = SystemClock().now() + timedelta(days=1)
        session.exec(update(Game).where(col(Game.state) == GameState.FINISHED)
                     .values(index_release=INDEX_RELEASE, verify_at=tomorrow))
        session.commit()
    give_positions(service, range(1, 1 + min(number, WITH_POSITIONS)))


def sweeps(site: Site) -> float:
    """The median of some sweeps in a process of their own, in milliseconds."""
    done = subprocess.run([sys.executable, "-m", "tests.tools.bench.sweep"], check=True, text=True,
                          capture_output=True, env=stage.process_environment(site.environ))
    return median(json.loads(done.stdout))
