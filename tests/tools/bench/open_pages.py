"""1,000 open game pages that ask what is newest, as their script does, beside the bare Flask page.

Half of them belong to waiting players, who ask every 2 s; the others ask every 4 s.
"""

from __future__ import annotations

import threading
import time
from http.client import HTTPConnection

from pbem.web.context import COOKIE
from tests.support.servers import eventually
from tests.tools.bench import chain, first_page, stage
from tests.tools.bench.harness import Figure, figure, p95, shown

PAGES, SECONDS = 1_000, 10
A_SECOND = PAGES / 2 / 2 + PAGES / 2 / 4
CLIENTS = 8
GOAL = "<= 100"


def measure() -> list[Figure]:
    """The answer's p95 while all pages ask."""
    with stage.folder() as folder:
        environ = stage.environment(folder / "var", BASE_URL="http://localhost")
        with stage.service(environ) as service:
            table = first_page.table_of(service, stage.KEYS[0])
            with chain.serving(environ, service.settings.var) as port:
                eventually(lambda: chain.answers(port), chain.SECONDS_TO_START)
                alone = [ask(HTTPConnection("127.0.0.1", port), table) for _ in range(50)]
                took = asked_by_all(port, table)
    return [figure("open-pages", p95(took), GOAL,
                   f"ms p95, {len(took) / SECONDS:.0f} of {A_SECOND:.0f} questions a second"
                   f" answered; one page alone {shown(p95(alone[10:]))} ms")]


def asked_by_all(port: int, table: first_page.Table) -> list[float]:
    """How long each answer took, in milliseconds, from when its question was due."""
    took: list[float] = []
    began = time.perf_counter()
    clients = [threading.Thread(target=client, args=(number, began, port, table, took))
               for number in range(CLIENTS)]
    for each in clients:
        each.start()
    for each in clients:
        each.join()
    return took


def client(
    number: int, began: float, port: int, table: first_page.Table, took: list[float]
) -> None:
    """Ask in turn with the other clients, on a connection that is kept."""
    line = HTTPConnection("127.0.0.1", port, timeout=60)
    for turn in range(int(A_SECOND * SECONDS / CLIENTS)):
        due = began + (turn * CLIENTS + number) / A_SECOND
        time.sleep(max(0.0, due - time.perf_counter()))
        ask(line, table)
        took.append((time.perf_counter() - due) * 1000)


def ask(line: HTTPConnection, table: first_page.Table) -> float:
    """Ask what is newest; how long the answer takes, in milliseconds."""
    began = time.perf_counter()
    line.request("GET", f"/games/{table.game_id}/newest",
                 headers={"Cookie": f"{COOKIE}={table.cookie}"})
    answer = line.getresponse()
    answer.read()
    if answer.status != 200:
        raise AssertionError(f"game {table.game_id}: {answer.status}")
    return (time.perf_counter() - began) * 1000
