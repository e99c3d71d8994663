"""Both sides of the measurements under load: the service's processes, and the same without a game.

The floor's chain: a bare route inserts a row and publishes a task, a worker publishes that of a
letter, another worker hands the letter to the mail server.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

from pbem.clock import SystemClock
from pbem.run.processes import Child, stop
from pbem.run.supervisor import WORKERS, beat, reserved, web, worker
from pbem.service import Service
from pbem.web.context import COOKIE
from tests.bench import noop, stage
from tests.bench.going import Going, going
from tests.bench.post_rate import form_token
from tests.bench.receiver import Receiver, receiver
from tests.servers import eventually, free_port, private_postgres, private_valkey

DATABASES = ("sqlite", "postgresql")
CLIENTS = 8
# Letters are half of the work: docs/deploy/several-machines.md has another process send them where
# they queue up, as they do here.
MORE_WORKERS = {"letters-2": WORKERS["letters"]}
SECONDS_TO_ARRIVE, SECONDS_TO_START = 120, 60


@contextmanager
def database_of(kind: str, var: Path, name: str = "carreira") -> Iterator[str]:
    """The URL of an empty database of this kind."""
    if kind == "sqlite":
        var.mkdir(parents=True, exist_ok=True)
        yield f"sqlite:///{var / name}.db"
        return
    with private_postgres() as url:
        yield url


@contextmanager
def family(children: list[Child]) -> Iterator[None]:
    """Processes that run, and are ended."""
    for child in children:
        child.start()
    try:
        yield
    finally:
        stop(children, 10, hurry=lambda: False)


@contextmanager
def processes(environ: dict[str, str], var: Path) -> Iterator[int]:
    """The service's web, workers and beat, with one more sender of letters; the site's port."""
    var.mkdir(parents=True, exist_ok=True)
    surroundings = stage.process_environment(environ)
    with reserved("127.0.0.1", free_port()) as listener:
        workers = [Child(name, worker(name, queues), surroundings, var)
                   for name, queues in (WORKERS | MORE_WORKERS).items()]
        at = listener.fileno()
        children = [Child("web", web(at), surroundings, var, (at,)), *workers,
                    Child("beat", beat(), surroundings, var)]
        with family(children):
            yield int(listener.getsockname()[1])


@contextmanager
def floor(var: Path, database: str, broker_url: str, mail: Receiver) -> Iterator[int]:
    """The floor's web and workers; the port of its bare route.

    Its letters are as long as those that have arrived, on the average.
    """
    var.mkdir(parents=True, exist_ok=True)
    surroundings = stage.process_environment(stage.environment(var)) | {
        "BENCH_BROKER": broker_url, "BENCH_DATABASE": database, "BENCH_TASK": noop.HAND_ON,
        "BENCH_SMTP": str(mail.port), "BENCH_SIZE": str(mail.mean_size()),
    }  # fmt: skip
    with reserved("127.0.0.1", free_port()) as listener:
        at = listener.fileno()
        commands = [bare(web(at)), bare(worker("floor", noop.QUEUE)),
                    bare(worker("floor-out", noop.QUEUE_OUT))]
        children = [Child(f"floor-{place}", command, surroundings, var, (at,))
                    for place, command in enumerate(commands)]
        with family(children):
            yield int(listener.getsockname()[1])


def bare(command: list[str]) -> list[str]:
    """A command of ours, with the floor's app."""
    apps = {"app:create_app()": "tests.bench.noop:create_app()",
            "workers.celery_app": "tests.bench.noop"}
    return [apps.get(word, word) for word in command]


@dataclass
class Site:
    """The running service, its games that go on, and a form's token that serves everybody."""

    service: Service
    games: list[Going]
    port: int
    mail: Receiver
    token: tuple[str, str] = ("", "")  # cookies, CSRF token
    turn: int = 0  # how many orders each game has taken, or is just taking
    made: int = 0  # moves beside pages

    def sign_in(self) -> None:
        """Get a form's token as a browser does that nobody has signed in with."""
        cookies, csrf = form_token(self.port, self.games[0].cookie(0))
        others = [each for each in cookies.split("; ") if not each.startswith(f"{COOKIE}=")]
        self.token = "; ".join(others), csrf

    def post(self, line: HTTPConnection, game: Going, turn: int) -> None:
        """Send a game's next order by form."""
        order = game.orders[turn]
        others, csrf = self.token
        fields = {"csrf_token": csrf, "token": f"bench-{order.behind}", "seen": str(order.behind),
                  "order": order.line}
        cookies = f"{COOKIE}={game.cookie(order.seat)}; {others}"
        send(line, f"/games/{game.game_id}/orders", fields, cookies, 303)

    def moves(self, number: int) -> float:
        """Moves a second of so many games, until the last letter has arrived."""
        games = self.games[:number]
        turn, self.turn = self.turn, self.turn + 1
        clients = [partial(self.client, games[place::CLIENTS], turn) for place in range(CLIENTS)]
        return timed(clients, self.mail, len(games))

    def client(self, games: list[Going], turn: int) -> None:
        """Send one game's order after the other."""
        line = HTTPConnection("127.0.0.1", self.port, timeout=60)
        for game in games:
            self.post(line, game, turn)


def send(
    line: HTTPConnection, path: str, fields: dict[str, str], cookies: str, good: int
) -> None:
    """Post a form and read the answer."""
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": cookies}
    line.request("POST", path, urlencode(fields), headers)
    answer = line.getresponse()
    body = answer.read()
    if answer.status != good:
        raise AssertionError(f"{answer.status} for {fields}: {body[-3000:].decode()}")


def bare_moves(port: int, mail: Receiver, number: int) -> float:
    """Rows, tasks and letters of the floor a second, until the last letter has arrived."""
    each = number // CLIENTS
    return timed([partial(bare_client, port, each)] * CLIENTS, mail, each * CLIENTS)


def bare_client(port: int, number: int) -> None:
    """Send so many forms to the bare route."""
    line = HTTPConnection("127.0.0.1", port, timeout=60)
    for place in range(number):
        fields = {"csrf_token": "x" * 91, "token": f"bench-{place}", "seen": str(place),
                  "order": "place 3 projects"}
        send(line, "/games/1/orders", fields, "", 201)


def timed(clients: Sequence[Callable[[], None]], mail: Receiver, letters: int) -> float:
    """So many letters a second, from the first request to the last letter."""
    before = mail.accepted()
    with ThreadPoolExecutor(len(clients)) as threads:
        began = time.perf_counter()
        for running in [threads.submit(client) for client in clients]:
            running.result()
        eventually(lambda: mail.accepted() - before >= letters, SECONDS_TO_ARRIVE)
        return letters / (time.perf_counter() - began)


def nothing(_service: Service) -> None:
    """No other games."""


@contextmanager
def running(
    kind: str, var: Path, *, games: int, orders: int, fill: Callable[[Service], None] = nothing
) -> Iterator[tuple[Site, str]]:
    """The service on a database of this kind with so many games going; and its broker's URL."""
    with ExitStack() as stack:
        url = stack.enter_context(database_of(kind, var))
        valkey, mail = stack.enter_context(private_valkey()), stack.enter_context(receiver())
        environ = stage.environment(
            var, DATABASE_URL=url, REDIS_URL=valkey.url, SMTP_URL=f"smtp://127.0.0.1:{mail.port}",
            LETTER_DELAY="0", BASE_URL="http://localhost",
        )  # fmt: skip
        service = stack.enter_context(stage.service(environ))
        fill(service)
        some = going(service, games, orders)
        port = stack.enter_context(processes(environ, var))
        site = Site(replace(service, clock=SystemClock()), some, port, mail)
        eventually(lambda: answers(port), SECONDS_TO_START)
        site.sign_in()
        yield site, valkey.url


def answers(port: int) -> bool:
    """Whether a web server is there."""
    line = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        line.request("GET", "/healthz")
        line.getresponse().read()
    except OSError:
        return False
    return True
