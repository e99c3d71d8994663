"""Moves sent by form, a second, against a bare Flask route on the same web server.

Eight clients, a game each; a move is sent as soon as the game asks for it, so that what the worker
does between two moves counts as well. The floor's clients send one behind the other.
"""

from __future__ import annotations

import re
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.client import HTTPConnection
from itertools import islice
from pathlib import Path
from random import Random
from urllib.parse import urlencode

from pbem import auth
from pbem.models import Game, stored_id
from pbem.processes import Child, stop
from pbem.service import Service
from pbem.supervisor import reserved, web
from pbem.web.current import COOKIE
from tests.bench import stage
from tests.bench.harness import RUNS, Figure, ratio
from tests.bench.move_to_letter import noop_worker
from tests.pbem.postbox import free_port
from tests.servers import Running, private_valkey

CLIENTS = 8
MOVES = 20  # a client and run
SECONDS_TO_ADVANCE = 20


def measure() -> list[Figure]:
    """The whole service as `make run` starts it, and the floor beside it."""
    with stage.folder() as folder, floor(folder / "floor") as floor_port:
        environ = stage.environment(folder / "var", PORT=str(free_port()))
        with stage.service(environ) as service:
            players = seated(service)
        running = Running(environ)
        try:
            running.wait_for_line("Carreira is at")
            port = int(environ["CARREIRA_PORT"])
            pairs = compared(players, port, floor_port, folder / "var" / "carreira.db")
        finally:
            running.stop()
    said = "{0} moves/s sent by form and played; bare Flask insert and no-op {1}/s"
    return [ratio("post-rate", pairs, ">= 0.4", said)]


# ---- the two sides ------------------------------------------------------------------------------


@dataclass
class Table:
    """One client's game: its orders, and the cookie of each of its players."""

    game_id: int
    orders: Iterator[stage.Order]
    cookies: list[str]
    tokens: dict[int, tuple[str, str]] = field(default_factory=dict)  # seat: cookies, CSRF token


def seated(service: Service) -> list[Table]:
    """Eight games and their orders."""
    with service.writing() as session:
        games = stage.started_games(session, CLIENTS, datetime.now(UTC))
        tables = [table_of(service, game) for game in games]
        for table, game in zip(tables, games, strict=True):
            for seat in stage.seats(session, game):
                now = datetime.now(UTC)
                cookie = auth.open_session(session, seat.person_id, agent="bench", now=now)
                table.cookies.append(cookie)
        session.commit()
    return tables


def table_of(service: Service, game: Game) -> Table:
    """A game with more orders than its client will send."""
    with service.reading() as session:
        whole = stage.orders(session, game, Random(0))
        return Table(stored_id(game), iter(list(islice(whole, MOVES * (RUNS + 1)))), [])


@contextmanager
def floor(var: Path) -> Iterator[int]:
    """The port of the bare route: the same gunicorn, a database, broker and worker of its own."""
    var.mkdir()
    with private_valkey() as valkey, reserved("127.0.0.1", free_port()) as listener:
        database = f"sqlite:///{var / 'floor.db'}"
        surroundings = stage.process_environment(
            stage.environment(var) | {"BENCH_BROKER": valkey.url, "BENCH_DATABASE": database}
        )
        command = web(listener.fileno())
        command[command.index("app:create_app()")] = "tests.bench.noop:create_app()"
        family = [
            Child("web", command, surroundings, var, (listener.fileno(),)),
            Child("worker", noop_worker(), surroundings, var),
        ]
        for child in family:
            child.start()
        try:
            yield int(listener.getsockname()[1])
        finally:
            stop(family, 10, hurry=lambda: False)


# ---- the clients --------------------------------------------------------------------------------


def compared(
    tables: list[Table], port: int, floor_port: int, database: Path
) -> list[tuple[float, float]]:
    """Requests a second of both sides in each run; a first run warms them."""
    for table in tables:
        table.tokens = {seat: form_token(port, table, seat) for seat in range(len(table.cookies))}
    pairs = []
    for _ in range(RUNS + 1):
        ours = rate([Mover(table, port, database).run for table in tables])
        bare = rate([Bare(table.game_id, floor_port).run for table in tables])
        pairs.append((ours, bare))
    return pairs[1:]


def rate(clients: list[Callable[[], None]]) -> float:
    """Requests a second of clients that run at once."""
    problems: list[BaseException] = []
    threads = [threading.Thread(target=noting, args=(run, problems)) for run in clients]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if problems:
        raise problems[0]
    return MOVES * len(clients) / (time.perf_counter() - began)


def noting(run: Callable[[], None], problems: list[BaseException]) -> None:
    """Run, and note what goes wrong for the thread that waits."""
    try:
        run()
    except BaseException as problem:  # noqa: BLE001  (raised again by who waits)
        problems.append(problem)


def form_token(port: int, table: Table, seat: int) -> tuple[str, str]:
    """The cookies of a player's browser, and the token of the form on his game's page."""
    line = HTTPConnection("127.0.0.1", port, timeout=60)
    cookie = f"{COOKIE}={table.cookies[seat]}"
    # The account page has a form for everybody who is signed in.
    line.request("GET", "/account", headers={"Cookie": cookie})
    answer = line.getresponse()
    page = answer.read().decode()
    found = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', page)
    if found is None:
        raise AssertionError(f"/account has no form ({answer.status})")
    given = [value.split(";")[0] for value in answer.headers.get_all("Set-Cookie", [])]
    line.close()
    return "; ".join([cookie, *given]), found[1]


class Mover:
    """Sends one game's moves, each as soon as the game asks for it."""

    def __init__(self, table: Table, port: int, database: Path) -> None:
        self._table = table
        self._line = HTTPConnection("127.0.0.1", port, timeout=60)
        self._database = database

    def run(self) -> None:
        """The next moves of this game."""
        # A look into the file costs the service nothing; a browser would be told by its page.
        look = sqlite3.connect(f"file:{self._database}?mode=ro", uri=True)
        for order in islice(self._table.orders, MOVES):
            eventually_at(look, self._table.game_id, order.behind)
            self._send(order)
        look.close()

    def _send(self, order: stage.Order) -> None:
        cookies, csrf = self._table.tokens[order.seat]
        fields = {
            "csrf_token": csrf, "token": f"bench-{order.behind}", "seen": str(order.behind),
            "order": order.line,
        }  # fmt: skip
        send(self._line, self._table.game_id, fields, cookies, 303)


class Bare:
    """Sends the same to the bare route."""

    def __init__(self, game_id: int, port: int) -> None:
        self._game_id = game_id
        self._line = HTTPConnection("127.0.0.1", port, timeout=60)

    def run(self) -> None:
        """As many requests as the other side has moves."""
        for number in range(MOVES):
            fields = {"token": f"bench-{number}", "seen": str(number), "order": "place 3 projects"}
            send(self._line, self._game_id, fields, "", 201)


def send(
    line: HTTPConnection, game_id: int, fields: dict[str, str], cookies: str, good: int
) -> None:
    """Post a form and read the answer."""
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": cookies}
    line.request("POST", f"/games/{game_id}/orders", urlencode(fields), headers)
    answer = line.getresponse()
    body = answer.read()
    if answer.status != good:
        raise AssertionError(f"{answer.status} for {fields}: {body[-3000:].decode()}")


def eventually_at(look: sqlite3.Connection, game_id: int, entry: int) -> None:
    """Wait until the game has come to an entry."""
    ends = time.monotonic() + SECONDS_TO_ADVANCE
    while True:
        (last,) = look.execute("select last_entry from game where id = ?", (game_id,)).fetchone()
        if last >= entry:
            return
        if time.monotonic() > ends:
            raise AssertionError(f"game {game_id} stays at entry {last} and never asks at {entry}")
        time.sleep(0.002)
