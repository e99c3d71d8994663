"""Pages of tables a second, against a bare Jinja page of as many bytes on the same web server.

`page-requests`: visitors leaf through a finished game. `page-requests-first`: the first time that
anybody does. `page-requests-running`: the player who is asked looks at a running table.
`page-etag`: a browser asks whether its copy of a finished game's page is still good.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from typing import NamedTuple

from sqlmodel import Session, col, select

from pbem import auth
from pbem.clock import SystemClock
from pbem.models import Game, SeatRow, stored_id
from pbem.processes import Child, stop
from pbem.service import Service
from pbem.supervisor import reserved, web
from pbem.web.current import COOKIE
from tests.bench import stage
from tests.bench.harness import RUNS, Figure, ratio
from tests.servers import eventually, free_port

REQUESTS = 40  # of each side in a run
MIDDLE = 120  # the entry at which a game still runs
SECONDS_TO_START = 60
SAID = "{0} pages/s; a bare Jinja page of as many bytes {1}/s"


class Tables(NamedTuple):
    """Finished games with their last entries, and a running one with the cookie of the asked."""

    finished: list[tuple[int, int]]
    running: int
    cookie: str


def measure() -> list[Figure]:
    """One client, one connection to each server, in turn."""
    with stage.folder() as folder:
        environ = stage.environment(folder / "var")
        with stage.service(environ) as service:
            tables = prepared(service)
        bare_app = "tests.bench.bare_page:create_app()"
        with serving(environ, folder / "var") as port, \
                serving(environ, folder / "bare", bare_app) as bare_port:
            return figures(tables, Line(port), Line(bare_port))


def prepared(service: Service) -> Tables:
    """A finished game of each kind, and one in its middle."""
    finished = []
    for place, key in enumerate(stage.KEYS):
        with service.writing() as session:
            game = stage.started_game(session, stage.people(session, place), stage.START, key)
            session.commit()
        finished.append((stored_id(game), stage.play_game(service, game, random.Random(0))))
    with service.writing() as session:
        game = stage.started_game(session, stage.people(session, len(finished)), stage.START)
        session.commit()
    stage.play_game(service, game, random.Random(0), upto=MIDDLE)
    with service.writing() as session:
        cookie = cookie_of_the_asked(session, game)
        session.commit()
    return Tables(finished, stored_id(game), cookie)


def cookie_of_the_asked(session: Session, game: Game) -> str:
    """A browser of whoever is asked."""
    asked = select(SeatRow).where(SeatRow.game_id == game.id, col(SeatRow.asked_since).is_not(None))
    person_id = session.exec(asked).first().person_id  # type: ignore[union-attr]
    return auth.open_session(session, person_id, agent="bench", now=SystemClock().now())


@contextmanager
def serving(
    environ: Mapping[str, str], var: Path, app: str = "app:create_app()"
) -> Iterator[int]:
    """The port of an app on the service's web server, alone."""
    var.mkdir(exist_ok=True)
    with reserved("127.0.0.1", free_port()) as listener:
        command = web(listener.fileno())
        command[command.index("app:create_app()")] = app
        child = Child("web", command, stage.process_environment(dict(environ)), var,
                      (listener.fileno(),))
        child.start()
        try:
            yield int(listener.getsockname()[1])
        finally:
            stop([child], 10, hurry=lambda: False)


class Line:
    """A connection that asks for one page behind the other."""

    def __init__(self, port: int) -> None:
        self.http = HTTPConnection("127.0.0.1", port, timeout=SECONDS_TO_START)

    def get(self, path: str, status: int = 200, **headers: str) -> tuple[int, str]:
        """How long the page is, and its tag."""
        self.http.request("GET", path, headers={k.replace("_", "-"): v for k, v in headers.items()})
        answer = self.http.getresponse()
        body = answer.read()
        if answer.status != status:
            raise AssertionError(f"{path}: {answer.status}")
        return len(body), answer.headers.get("ETag", "")


def figures(tables: Tables, ours: Line, bare: Line) -> list[Figure]:
    """Each kind of asking, against the bare page."""
    history = [f"/games/{game}/{round(last * step / REQUESTS)}"
               for game, last in tables.finished for step in range(1, REQUESTS + 1)]
    random.Random(0).shuffle(history)
    running, cookie = f"/games/{tables.running}", f"{COOKIE}={tables.cookie}"
    eventually(lambda: [ours.get("/"), bare.get("/bare?bytes=1000")], SECONDS_TO_START)
    for game, last in tables.finished:
        ours.get(f"/games/{game}/{last}")  # compiles the templates
    size = sum(ours.get(path)[0] for path in history[::8]) // len(history[::8])
    tags = {path: ours.get(path)[1] for path in history}
    bare.http.close()
    own_size, _ = ours.get(running, Cookie=cookie)

    def first(step: int) -> None:
        ours.get(f"{history[step % len(history)]}?log={1 + step // len(history)}")

    def again(step: int) -> None:
        ours.get(history[step % len(history)])

    def has_it(step: int) -> None:
        path = history[step % len(history)]
        ours.get(path, 304, If_None_Match=tags[path])

    def asked(step: int) -> None:
        ours.get(running, Cookie=cookie)

    lines = ours, bare
    return [
        compared("page-requests", again, lines, size, ">= 0.35"),
        compared("page-requests-first", first, lines, size, ">= 0.35"),
        compared("page-requests-running", asked, lines, own_size, ">= 0.35"),
        compared("page-etag", has_it, lines, size, ">= 0.9"),
    ]


def compared(
    name: str, ask: Callable[[int], None], lines: tuple[Line, Line], size: int, goal: str
) -> Figure:
    """Requests a second of both sides; the first run warms them."""
    ours, bare = lines
    steps = count()
    pairs = []
    for _ in range(RUNS + 1):
        pairs.append((rate(ours, lambda: ask(next(steps))),
                      rate(bare, lambda: bare.get(f"/bare?bytes={size}"))))
    return ratio(name, pairs[1:], goal, SAID)


def rate(line: Line, ask: Callable[[], object]) -> float:
    """Requests a second over a new connection: the server has left one that was idle."""
    line.http.close()
    began = time.perf_counter()
    for _ in range(REQUESTS):
        ask()
    return REQUESTS / (time.perf_counter() - began)
