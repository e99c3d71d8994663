"""Moves sent by form, a second, against a bare Flask route on the same web server.

Eight clients at once, two ways. `post-rate`: each request goes to a game that asks for that move,
so that only the requests are timed, while the worker plays what they leave behind.
`post-rate-8-games`: each client stays in one game and must wait until the worker has played its
move; this counts the moves that are played, more than the requests of a busy evening.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from http.client import HTTPConnection
from itertools import islice
from pathlib import Path
from random import Random
from urllib.parse import urlencode

from sqlalchemy import update

from pbem.accounts import auth
from pbem.models import Game, LetterState, Outbox, stored_id
from pbem.run.processes import Child, stop
from pbem.run.supervisor import reserved, web
from pbem.service import Service
from pbem.web.context import COOKIE
from tests.bench import stage
from tests.bench.harness import RUNS, Figure, ratio
from tests.bench.move_to_letter import noop_worker
from tests.bench.noop import QUEUE
from tests.servers import Running, Valkey, eventually, free_port, private_valkey

CLIENTS = 8
GAMES = 25  # a client, for one move a run in each
MOVES = 10  # a client and run, in the one game that it stays in
SECONDS_TO_PLAY = 60


def measure() -> list[Figure]:
    """The whole service as `make run` starts it, and the floor beside it."""
    with stage.folder() as folder, private_valkey() as valkey:
        environ = stage.environment(folder / "var", PORT=str(free_port()))
        with stage.service(environ) as service:
            crowd = seated(service)
        running = Running(environ)
        try:
            running.wait_for_line("Carreira is at")
            with floor(folder / "floor", valkey) as floor_port:
                crowd.sign_in(int(environ["CARREIRA_PORT"]))
                sides = Sides(crowd, folder / "var" / "carreira.db", floor_port, valkey)
                posted = [sides.run(crowd.many) for _ in range(RUNS + 1)]
                played = [sides.run(crowd.few) for _ in range(RUNS + 1)]
        finally:
            running.stop()
    bare = "; bare Flask insert and no-op {1}/s"
    return [  # the first run of each warms both sides
        ratio("post-rate", posted[1:], ">= 0.4", "{0} moves/s sent by form" + bare),
        ratio(
            "post-rate-8-games", played[1:], ">= 0.4",
            "{0} moves/s sent and played, one behind the other in 8 games" + bare,
        ),
    ]  # fmt: skip


# ---- who plays ----------------------------------------------------------------------------------


@dataclass
class Table:
    """A game, and the orders that it will ask for."""

    game_id: int
    orders: Iterator[stage.Order]


@dataclass
class Crowd:
    """Four people with browsers, who sit in all games."""

    cookies: list[str]
    many: list[list[Table]]  # by client: a move in each
    few: list[list[Table]]  # by client: the same one over and over
    port: int = 0
    tokens: list[tuple[str, str]] = field(default_factory=list)  # by seat: cookies, CSRF token

    def sign_in(self, port: int) -> None:
        """Get each one's form token from the running site."""
        self.port = port
        self.tokens = [form_token(port, cookie) for cookie in self.cookies]


def seated(service: Service) -> Crowd:
    """All games, their orders, and the four's cookies."""
    now = datetime.now(UTC)
    with service.writing() as session:
        four = stage.people(session, 0)
        number = CLIENTS * (GAMES + 1)
        games = [stage.started_game(session, four, now) for _ in range(number)]
        cookies = [
            auth.open_session(session, stored_id(one), agent="bench", now=now) for one in four
        ]
        # Eight hundred letters about the start would keep a worker busy for half a minute.
        session.connection().execute(update(Outbox).values(state=LetterState.SENT, settled=now))
        session.commit()
    few = [table_of(service, game, MOVES * (RUNS + 1)) for game in games[:CLIENTS]]
    many = [table_of(service, game, RUNS + 1) for game in games[CLIENTS:]]
    return Crowd(
        cookies, [many[client::CLIENTS] for client in range(CLIENTS)],
        [[table] * MOVES for table in few],
    )  # fmt: skip


def table_of(service: Service, game: Game, number: int) -> Table:
    """A game and so many of its orders."""
    with service.reading() as session:
        whole = stage.orders(session, game, Random(stored_id(game)))
        return Table(stored_id(game), iter(list(islice(whole, number))))


def form_token(port: int, cookie: str) -> tuple[str, str]:
    """The cookies of a player's browser, and the token of a form that everybody has."""
    line = HTTPConnection("127.0.0.1", port, timeout=60)
    own = f"{COOKIE}={cookie}"
    line.request("GET", "/account", headers={"Cookie": own})
    answer = line.getresponse()
    found = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', answer.read().decode())
    if found is None:
        raise AssertionError(f"/account has no form ({answer.status})")
    given = [value.split(";")[0] for value in answer.headers.get_all("Set-Cookie", [])]
    line.close()
    return "; ".join([own, *given]), found[1]


# ---- the two sides ------------------------------------------------------------------------------


@contextmanager
def floor(var: Path, valkey: Valkey) -> Iterator[int]:
    """The port of the bare route: the same gunicorn, a database and worker of its own."""
    var.mkdir()
    with reserved("127.0.0.1", free_port()) as listener:
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


@dataclass
class Sides:
    """Lets both sides run in turn, each until its worker has nothing left."""

    crowd: Crowd
    database: Path
    floor_port: int
    valkey: Valkey

    def run(self, clients: list[list[Table]]) -> tuple[float, float]:
        """Requests a second of both sides, which send equally many."""
        ours = rate([partial(self.move, tables) for tables in clients], len(clients[0]))
        eventually(self.all_played, SECONDS_TO_PLAY)
        bare = rate([partial(self.insert, len(tables)) for tables in clients], len(clients[0]))
        eventually(lambda: self.valkey.length(QUEUE) == 0, SECONDS_TO_PLAY)
        return ours, bare

    def move(self, tables: list[Table]) -> None:
        """Send the next move of each table, as soon as its game asks for it."""
        line = HTTPConnection("127.0.0.1", self.crowd.port, timeout=60)
        # A look into the file costs the service nothing; a browser would be told by its page.
        with closing(self.look()) as look:
            for table in tables:
                order = next(table.orders)
                wait_for_entry(look, table.game_id, order.behind)
                cookies, csrf = self.crowd.tokens[order.seat]
                fields = {
                    "csrf_token": csrf, "token": f"bench-{order.behind}",
                    "seen": str(order.behind), "order": order.line,
                }  # fmt: skip
                send(line, table.game_id, fields, cookies, 303)

    def insert(self, number: int) -> None:
        """Send as many forms to the bare route."""
        line = HTTPConnection("127.0.0.1", self.floor_port, timeout=60)
        for place in range(number):
            fields = {"token": f"bench-{place}", "seen": str(place), "order": "place 3 projects"}
            send(line, 1, fields, "", 201)

    def all_played(self) -> bool:
        """Whether no order waits for the worker."""
        with closing(self.look()) as look:
            pending = "select count(*) from submission where state = 'pending'"
            return bool(look.execute(pending).fetchone() == (0,))

    def look(self) -> sqlite3.Connection:
        """The service's database, for reading."""
        return sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)


def rate(clients: Sequence[Callable[[], None]], each: int) -> float:
    """Requests a second of clients that run at once and send so many each."""
    with ThreadPoolExecutor(len(clients)) as threads:
        began = time.perf_counter()
        for running in [threads.submit(client) for client in clients]:
            running.result()
        return each * len(clients) / (time.perf_counter() - began)


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


def wait_for_entry(look: sqlite3.Connection, game_id: int, entry: int) -> None:
    """Wait until the game has come to an entry."""
    ends = time.monotonic() + SECONDS_TO_PLAY
    while True:
        (last,) = look.execute("select last_entry from game where id = ?", (game_id,)).fetchone()
        if last >= entry:
            return
        if time.monotonic() > ends:
            raise AssertionError(f"game {game_id} stays at entry {last} and never asks at {entry}")
        time.sleep(0.002)
