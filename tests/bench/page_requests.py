"""Pages of tables a second, against a bare Jinja page of as many bytes on the same web server.

`page-requests`: visitors leaf through a finished game. `page-requests-first`: the first time that
anybody does. `page-requests-running`: whoever is asked looks at a running table that has moved on
since anybody saw it, as players find theirs; every page is one that was never built before.
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

from sqlmodel import Session, col, func, select

from pbem.accounts import auth
from pbem.clock import SystemClock
from pbem.models import Game, GameState, SeatRow, stored_id
from pbem.play import positions
from pbem.run.processes import Child, stop
from pbem.run.supervisor import reserved, web
from pbem.service import Service
from pbem.web.context import COOKIE
from tests.bench import stage
from tests.bench.harness import RUNS, Figure, ratio
from tests.servers import eventually, free_port

REQUESTS = 40  # of each side in a run
MIDDLE = 120  # the entry at which a game still runs
SECONDS_TO_START = 60
SAID = "{0} pages/s; a bare Jinja page of as many bytes {1}/s"


class Tables(NamedTuple):
    """Finished games with their last entries, and running ones that the measurer moves on."""

    finished: list[tuple[int, int]]
    service: Service
    running: list[Game]


class Asking(NamedTuple):
    """What a browser asks for, and what status is expected."""

    path: str
    status: int = 200
    headers: Mapping[str, str] = {}


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
    """A finished game of each kind, and one of each in its middle."""
    finished = []
    for place, key in enumerate(stage.KEYS):
        with service.writing() as session:
            game = stage.started_game(session, stage.people(session, place), stage.START, key)
            session.commit()
        finished.append((stored_id(game), stage.play_game(service, game, random.Random(0))))
    return Tables(finished, service, [running(service, key) for key in stage.KEYS])


def running(service: Service, key: str) -> Game:
    """A game in its middle."""
    with service.writing() as session:
        made = session.exec(select(func.count()).select_from(Game)).one()
        game = stage.started_game(session, stage.people(session, made), stage.START, key)
        session.commit()
    stage.play_game(service, game, random.Random(made), upto=MIDDLE)
    return game


def moved_on(tables: Tables, step: int) -> Asking:
    """One more order at a running table, and how whoever is asked then looks at it."""
    place = step % len(tables.running)
    service, game = tables.service, tables.running[place]
    with service.reading() as session:
        table = positions.table(session, session.get_one(Game, game.id))
        chairs = stage.seats(session, game)
    if table.rules.is_terminal(table.state):
        tables.running[place] = running(service, game.game)
        return moved_on(tables, step)
    seat, move = stage.chosen(table.rules, table.state, random.Random(step), stage.ODDS_OF_LAUNCH)
    order = stage.Order(seat, table.rules.to_text(move), table.number)
    now = stage.START + table.number * stage.BETWEEN_MOVES
    stage.play_order(service, chairs[seat], order, f"measured {table.number}", now)
    with service.reading() as session:
        if session.get_one(Game, game.id).state != GameState.RUNNING:
            return moved_on(tables, step)
    with service.writing() as session:
        cookie = cookie_of_the_asked(session, game)
        session.commit()
    return Asking(f"/games/{game.id}", headers={"Cookie": f"{COOKIE}={cookie}"})


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

    def get(
        self, path: str, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> tuple[int, str]:
        """How long the page is, and its tag."""
        self.http.request("GET", path, headers=headers or {})
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
    eventually(lambda: [ours.get("/"), bare.get("/bare?bytes=1000")], SECONDS_TO_START)
    for game, last in tables.finished:
        ours.get(f"/games/{game}/{last}")  # compiles the templates
    size = sum(ours.get(path)[0] for path in history[::8]) // len(history[::8])
    tags = {path: ours.get(path)[1] for path in history}
    bare.http.close()
    own_size = sum(ours.get(*moved_on(tables, step))[0] for step in range(6)) // 6

    def first(step: int) -> Asking:
        return Asking(f"{history[step % len(history)]}?log={1 + step // len(history)}")

    def again(step: int) -> Asking:
        return Asking(history[step % len(history)])

    def has_it(step: int) -> Asking:
        path = history[step % len(history)]
        return Asking(path, 304, {"If-None-Match": tags[path]})

    def asked(step: int) -> Asking:
        return moved_on(tables, step)

    lines = ours, bare
    return [
        compared("page-requests", again, lines, size, ">= 0.35"),
        compared("page-requests-first", first, lines, size, ">= 0.35"),
        compared("page-requests-running", asked, lines, own_size, ">= 0.35"),
        compared("page-etag", has_it, lines, size, ">= 0.9"),
    ]


def compared(
    name: str, kind: Callable[[int], Asking], lines: tuple[Line, Line], size: int, goal: str
) -> Figure:
    """Requests a second of both sides; the first run warms them."""
    ours, bare = lines
    steps = count()
    pairs = []
    for _ in range(RUNS + 1):
        pairs.append((rate(ours, lambda: kind(next(steps))),
                      rate(bare, lambda: Asking(f"/bare?bytes={size}"))))
    return ratio(name, pairs[1:], goal, SAID)


def rate(line: Line, asking: Callable[[], Asking]) -> float:
    """Requests a second; what goes before a request is not counted.

    A connection of its own for each run, as the server has left one that was idle.
    """
    line.http.close()
    seconds = 0.0
    for _ in range(REQUESTS):
        request = asking()
        began = time.perf_counter()
        line.get(*request)
        seconds += time.perf_counter() - began
    return REQUESTS / seconds
