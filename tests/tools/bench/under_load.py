"""A service with 1,000 games going, without pictures: moves, their letters, and pages beside them.

On SQLite and on PostgreSQL; web, workers, beat, broker and mail server as processes; letters at
once. The floors are a Celery task with one SMTP transaction, and the chain of a row, two tasks and
one SMTP transaction.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from http.client import HTTPConnection

from pbem.web.context import COOKIE
from tests.tools.bench import chain, stage
from tests.tools.bench.harness import Extent, Figure, figure, median, p95, ratio
from tests.tools.bench.site import Floor, Site

MOVES_A_SECOND_AT_MOST = 300  # for so many every game has orders
PAGES_A_SECOND = 10
MS, TO_FLOOR, OF_FLOOR = "<= 60", "<= 4", ">= 0.3"
PAGE_MS, TO_IDLE = "<= 100", "<= 4"


def measure(extent: Extent) -> list[Figure]:
    """Both databases, one after the other."""
    return [each for kind in chain.DATABASES for each in on(kind, extent)]


def on(kind: str, extent: Extent) -> list[Figure]:
    """One running service, and its floor beside it."""
    orders = 10 + MOVES_A_SECOND_AT_MOST * extent.seconds * 2 // extent.going
    with stage.folder() as folder, ExitStack() as stack:
        site, broker_url = stack.enter_context(
            chain.running(kind, folder / "var", games=extent.going, orders=orders))
        site.paced(extent.seconds / 12)  # opens connections, loads templates, shows letters' sizes
        url = stack.enter_context(chain.database_of(kind, folder / "floor", "floor"))
        floor = stack.enter_context(chain.floor(folder / "floor", url, broker_url, site.mail))
        floor.paced(1)
        return [*letters(kind, site, floor, extent), *pages(kind, site, extent),
                *most(kind, site, floor, extent)]


def letters(kind: str, site: Site, floor: Floor, extent: Extent) -> list[Figure]:
    """From form to mail server at ten moves a second."""
    sides = []
    for _ in range(3):
        sides.append((p95(site.paced(extent.seconds / 6)), p95(floor.paced(extent.seconds / 12))))
    said = "p95 {0} ms; a Celery task and one SMTP transaction {1} ms"
    games = f"with {extent.going:,} games going; the highest of {len(sides)} stretches"
    return [
        figure(f"move-to-letter: {kind}", max(ours for ours, _ in sides), MS,
               f"ms, p95 at 10 moves a second {games}"),
        ratio(f"move-to-letter-to-floor: {kind}", sides, TO_FLOOR, said),
    ]


def pages(kind: str, site: Site, extent: Extent) -> list[Figure]:
    """A player's table beside ten moves a second, and while nothing else happens."""
    look(site, 1)
    pairs = []
    for _ in range(3):
        idle = median(look(site, extent.seconds / 24))
        with ThreadPoolExecutor(1) as thread:
            moves = thread.submit(site.paced, extent.seconds / 8)
            beside = p95(look(site, extent.seconds / 8))
            moves.result()
        pairs.append((beside, idle))
    said = "p95 {0} ms beside 10 moves a second; median {1} ms when idle"
    return [
        figure(f"page-under-load: {kind}", max(beside for beside, _ in pairs), PAGE_MS,
               f"ms, p95 beside 10 moves a second; the highest of {len(pairs)} stretches"),
        ratio(f"page-under-load-to-idle: {kind}", pairs, TO_IDLE, said),
    ]


def look(site: Site, seconds: float) -> list[float]:
    """How long players' tables take, one behind the other, in milliseconds."""
    line = HTTPConnection("127.0.0.1", site.port, timeout=60)
    began, took = time.monotonic(), []
    for step in range(max(2, round(seconds * PAGES_A_SECOND))):
        time.sleep(max(0.0, began + step / PAGES_A_SECOND - time.monotonic()))
        # Half a round ahead of the moves: nobody moves there now.
        game, turn = site.place(site.made + len(site.games) // 2)
        cookie = f"{COOKIE}={game.cookie(game.orders[turn].seat)}; {site.token[0]}"
        asked = time.perf_counter()
        line.request("GET", f"/games/{game.game_id}", headers={"Cookie": cookie})
        answer = line.getresponse()
        answer.read()
        took.append((time.perf_counter() - asked) * 1000)
        if answer.status != 200:
            raise AssertionError(f"game {game.game_id}: {answer.status}")
    return took


def most(kind: str, site: Site, floor: Floor, extent: Extent) -> list[Figure]:
    """As many moves as can be, for a minute, between two stretches of the floor."""
    first = floor.sustained(extent.seconds / 6)
    ours = site.sustained(extent.seconds)
    left = site.left()
    bare = median([first, floor.sustained(extent.seconds / 6)])
    size = f"{floor.size // 1000} KB"
    said = f"{{0}} moves/s for {extent.seconds} s; row, tasks and letter of {size} "
    return [
        ratio(f"moves-end-to-end: {kind}", [(ours, bare)], OF_FLOOR, said + "{1}/s"),
        figure(f"left-waiting: {kind}", left, "<= 0",
               "orders and letters, a second after the last move's letter"),
    ]
