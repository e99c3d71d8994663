"""The service's processes beside their floor: the same chain of processes without a game.

The floor's chain: a bare route inserts a row and publishes a task, a worker publishes that of a
letter, another worker hands the letter to the mail server.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path

from pbem.clock import SystemClock
from pbem.run.processes import Child, stop
from pbem.run.supervisor import WORKERS, beat, reserved, web, worker
from pbem.service import Service
from tests.support.servers import eventually, free_port, private_postgres, private_valkey
from tests.tools.bench import noop, stage
from tests.tools.bench.going import going
from tests.tools.bench.receiver import Receiver, receiver
from tests.tools.bench.site import Floor, Site

DATABASES = ("sqlite", "postgresql")
SECONDS_TO_START = 120


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
def serving(
    environ: Mapping[str, str], var: Path, app: str = "app:create_app()"
) -> Iterator[int]:
    """The port of an app on the service's web server, alone; it may not answer yet."""
    var.mkdir(parents=True, exist_ok=True)
    with reserved("127.0.0.1", free_port()) as listener:
        at = listener.fileno()
        command = [app if word == "app:create_app()" else word for word in web(at)]
        surroundings = stage.process_environment(dict(environ))
        with family([Child("web", command, surroundings, var, (at,))]):
            yield int(listener.getsockname()[1])


@contextmanager
def processes(environ: dict[str, str], var: Path) -> Iterator[int]:
    """The service's web, workers and beat; the site's port."""
    surroundings = stage.process_environment(environ)
    children = [*(Child(name, worker(name, queues), surroundings, var)
                  for name, queues in WORKERS.items()),
                Child("beat", beat(), surroundings, var)]
    with serving(environ, var) as port, family(children):
        yield port


@contextmanager
def floor(var: Path, database: str, broker_url: str, mail: Receiver) -> Iterator[Floor]:
    """The floor's web and workers; its letters are as long as those that have arrived."""
    size = mail.told().size // mail.accepted()
    environ = stage.environment(var) | {
        "BENCH_BROKER": broker_url, "BENCH_DATABASE": database,
        "BENCH_SMTP": str(mail.port), "BENCH_SIZE": str(size),
    }  # fmt: skip
    surroundings = stage.process_environment(environ)
    with serving(environ, var, "tests.tools.bench.noop:create_app()") as port:
        workers = [Child(queue, bare(worker(queue, queue)), surroundings, var)
                   for queue in (noop.QUEUE, noop.QUEUE_OUT)]
        with family(workers):
            eventually(lambda: answers(port), SECONDS_TO_START)
            yield Floor(port, mail, noop.publisher(broker_url), size)


def bare(command: list[str]) -> list[str]:
    """A worker's command, with the floor's app."""
    return ["tests.tools.bench.noop" if word == "workers.celery_app" else word for word in command]


def nothing(_service: Service) -> None:
    """No other games."""


@contextmanager
def running(
    kind: str, var: Path, *, games: int, orders: int, key: str = stage.KEY,
    pictures: str = "off", fill: Callable[[Service], None] = nothing,
) -> Iterator[tuple[Site, str]]:
    """The service on a database of this kind with so many games going; and its broker's URL."""
    with ExitStack() as stack:
        url = stack.enter_context(database_of(kind, var))
        valkey, mail = stack.enter_context(private_valkey()), stack.enter_context(receiver())
        environ = stage.environment(
            var, DATABASE_URL=url, REDIS_URL=valkey.url, SMTP_URL=f"smtp://127.0.0.1:{mail.port}",
            LETTER_DELAY="0", BASE_URL="http://localhost", PICTURES=pictures,
        )  # fmt: skip
        service = stack.enter_context(stage.service(environ))
        fill(service)
        some = going(service, games, orders, key)
        port = stack.enter_context(processes(environ, var))
        site = Site(replace(service, clock=SystemClock()), some, port, mail, environ)
        eventually(lambda: answers(port), SECONDS_TO_START)
        site.sign_in()
        eventually(lambda: site.waiting() == 0, SECONDS_TO_START)  # the originals' letters
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
