"""The first table page after a start, in each language, against the same page again."""

from __future__ import annotations

import random
import time
from http.client import HTTPConnection
from typing import NamedTuple

from pbem.accounts import auth
from pbem.clock import SystemClock
from pbem.i18n.words import LANGUAGES
from pbem.models import Person, stored_id
from pbem.service import Service
from pbem.web.context import COOKIE
from tests.support.servers import eventually
from tests.tools.bench import chain, stage
from tests.tools.bench.harness import Figure, figure, shown

ENTRY = 60
GOAL = "<= 150"


def measure() -> list[Figure]:
    """The slowest of all languages, for each game."""
    with stage.folder() as folder:
        environ = stage.environment(folder / "var", BASE_URL="http://localhost")
        with stage.service(environ) as service:
            tables = {key: table_of(service, key) for key in stage.KEYS}
            return [of(key, service, environ, tables[key]) for key in stage.KEYS]


class Table(NamedTuple):
    """A game in its middle, and the cookie of its host, who looks at it."""

    game_id: int
    host: int
    cookie: str


def table_of(service: Service, key: str) -> Table:
    """A table of this game."""
    with service.writing() as session:
        game = stage.started_game(session, stage.people(session, stage.KEYS.index(key)),
                                  stage.START, key)
        cookie = auth.open_session(session, game.host_id, agent="bench", now=SystemClock().now())
        session.commit()
        found = Table(stored_id(game), game.host_id, cookie)
    stage.play_game(service, game, random.Random(0), upto=ENTRY)
    return found


def of(key: str, service: Service, environ: dict[str, str], table: Table) -> Figure:
    """One game's table; the site starts anew for each language."""
    took: dict[str, tuple[float, float]] = {}
    for language in LANGUAGES:
        with service.writing() as session:
            session.get_one(Person, table.host).language = language
            session.commit()
        with chain.serving(environ, service.settings.var) as port:
            eventually(lambda port=port: chain.answers(port), chain.SECONDS_TO_START)
            took[language] = milliseconds(port, table), milliseconds(port, table)
    slowest = max(LANGUAGES, key=took.__getitem__)
    first, again = took[slowest]
    return figure(f"first-page: {key}", first, GOAL,
                  f"ms in '{slowest}', the slowest; the same page again {shown(again)} ms")


def milliseconds(port: int, table: Table) -> float:
    """How long the page takes, its last byte included."""
    line = HTTPConnection("127.0.0.1", port, timeout=60)
    began = time.perf_counter()
    line.request("GET", f"/games/{table.game_id}", headers={"Cookie": f"{COOKIE}={table.cookie}"})
    answer = line.getresponse()
    answer.read()
    if answer.status != 200:
        raise AssertionError(f"game {table.game_id}: {answer.status}")
    return (time.perf_counter() - began) * 1000
