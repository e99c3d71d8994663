"""How long a player waits for his table while moves are made, half as many as can be.

Against the same pages while nothing else happens; on SQLite and on PostgreSQL.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from http.client import HTTPConnection
from threading import Event

from sqlalchemy import text

from pbem.web.context import COOKIE
from tests.bench import chain, stage
from tests.bench.harness import RUNS, Figure, median, p95, ratio
from tests.bench.load import GAMES, MOVES
from tests.servers import eventually

PAGES = 60  # a run


def measure() -> list[Figure]:
    """Both databases, one after the other."""
    return [page_under_load(kind) for kind in chain.DATABASES]


def page_under_load(kind: str) -> Figure:
    """The tables of the asked, while nothing happens and while moves are made, in turn."""
    with stage.folder() as folder, ExitStack() as stack:
        orders = 2 + RUNS * 4
        site, _ = stack.enter_context(
            chain.running(kind, folder / "var", games=GAMES, orders=orders))
        site.moves(MOVES)
        half = site.moves(MOVES) / 2
        looks = partial(look, site)
        looks()
        pairs = []
        for _ in range(RUNS):
            idle = median(looks())
            pairs.append((p95(beside(partial(paced, site, half), looks)), idle))
            eventually(lambda: has_settled(site), chain.SECONDS_TO_ARRIVE)
    said = f"p95 {{0}} ms beside {half:.0f} moves/s; median {{1}} ms when idle"
    return ratio(f"page-under-load: {kind}", pairs, "<= 3", said)


def look(site: chain.Site) -> list[float]:
    """How long the tables of some players take, one behind the other, in milliseconds."""
    line = HTTPConnection("127.0.0.1", site.port, timeout=60)
    took = []
    for game in site.games[:PAGES]:
        seat = game.orders[site.turn].seat
        began = time.perf_counter()
        line.request("GET", f"/games/{game.game_id}",
                     headers={"Cookie": f"{COOKIE}={game.cookie(seat)}; {site.token[0]}"})
        answer = line.getresponse()
        answer.read()
        took.append((time.perf_counter() - began) * 1000)
        if answer.status != 200:
            raise AssertionError(f"game {game.game_id}: {answer.status}")
    return took


def beside(load: Callable[[Event], None], measured: Callable[[], list[float]]) -> list[float]:
    """What is measured while the load goes on."""
    ended = Event()
    with ThreadPoolExecutor(1) as thread:
        loading = thread.submit(load, ended)
        time.sleep(1)
        try:
            found = measured()
        finally:
            ended.set()
        loading.result()
    return found


def paced(site: chain.Site, a_second: float, ended: Event) -> None:
    """Make so many moves a second until it is over."""
    line = HTTPConnection("127.0.0.1", site.port, timeout=60)
    began = time.perf_counter()
    made = 0
    others = site.games[PAGES:MOVES]  # who have taken as many orders as the site's turn says
    while not ended.wait(max(0.0, began + made / a_second - time.perf_counter())):
        game, turn = others[site.made % len(others)], site.turn + site.made // len(others)
        site.post(line, game, turn)
        made += 1
        site.made += 1


def has_settled(site: chain.Site) -> bool:
    """Whether no letter is due any more."""
    with site.service.reading() as session:
        due = session.execute(text("select count(*) from outbox where settled is null"))
        return due.scalar_one() == 0
