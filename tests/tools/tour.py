"""`make tour`: one move of Vasco da Gama, and every function of ours that it enters, in order.

Three legs: the form is posted, the worker advances the game, the letter to the next player leaves.
Each function is listed once a leg, indented by its depth among ours. Each leg ends with its counts;
the last line is JSON.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import event
from sqlmodel import select

from pbem.clock import FixedClock
from pbem.config import Settings
from pbem.db import make_engine, migrate
from pbem.mail.delivery import sending
from pbem.mail.letters import build as letters_build
from pbem.mail.transport import transport_of
from pbem.models import Game, LetterState, Outbox, stored_id
from pbem.play import advance, positions
from pbem.service import Service
from pbem.web import enqueue
from pbem.web.app import build
from tests.support import tables
from tests.support.at_table import fields, play_on, sign_in
from tests.support.postbox import postbox

ROOT = Path(__file__).parents[2]
OURS = tuple(f"{ROOT / folder}/" for folder in ("app.py", "engine", "pbem", "workers"))
MADE_UP = ("<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>", "<lambda>")
NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


@dataclass
class Tour:
    """The functions that are entered while it goes on."""

    files: set[str] = field(default_factory=set)
    functions: set[CodeType] = field(default_factory=set)
    commits: int = 0
    is_listed: bool = False
    _leg: set[CodeType] = field(default_factory=set)
    _depth: int = 0

    def begin(self, title: str) -> None:
        """Count from here on; without a title nothing is listed: what is made once is made."""
        self.is_listed = bool(title)
        self.files, self.functions, self.commits = set(), set(), 0
        if title:
            print(f"{title}: every function of ours that it enters")

    @contextmanager
    def leg(self, title: str) -> Iterator[None]:
        """List what one step of the way enters."""
        if self.is_listed:
            print(f"\n== {title}")
        self._leg, self._depth = set(), 0
        sys.setprofile(self._look)
        try:
            yield
        finally:
            sys.setprofile(None)
        if self.is_listed:
            files = {code.co_filename for code in self._leg}
            print(f"-- this leg: {len(files)} files, {len(self._leg)} functions")

    def _look(self, frame: FrameType, what: str, _argument: Any) -> None:
        code = frame.f_code
        if not code.co_filename.startswith(OURS):
            return
        if what == "return":
            self._depth = max(0, self._depth - 1)
        elif what == "call":
            if code not in self._leg and code.co_name not in MADE_UP:
                self._list(code)
            self._depth += 1

    def _list(self, code: CodeType) -> None:
        file = str(Path(code.co_filename).relative_to(ROOT))
        self._leg.add(code)
        self.functions.add(code)
        self.files.add(file)
        if self.is_listed:
            indent = "  " * min(self._depth, 12)
            print(f"{indent}{code.co_qualname}  {file}:{code.co_firstlineno}")

    def result(self) -> str:
        """The last line: how much a move enters."""
        return json.dumps({"files": len(self.files), "functions": len(self.functions),
                           "commits": self.commits})  # fmt: skip


@contextmanager
def service_in(folder: Path, smtp_url: str) -> Iterator[Service]:
    """A service on a database of its own, whose letters leave at once."""
    settings = Settings.from_environment({
        "CARREIRA_VAR": str(folder), "CARREIRA_LETTER_DELAY": "0", "CARREIRA_SMTP_URL": smtp_url,
        "CARREIRA_BASE_URL": "http://localhost",
        "CARREIRA_SECRET_KEY": "a secret key that only the tour knows",
    })  # fmt: skip
    engine = make_engine(settings.database_url)
    migrate(engine)
    yield Service(settings, engine, FixedClock(NOON))
    engine.dispose()


def running_game(service: Service) -> int:
    """A game of four that waits for a placement."""
    with service.writing() as session:
        game = tables.started_game(session, service.clock.now())
        play_on(service, session, game, lambda state: state.phase == 1)
        return stored_id(game)


def site(service: Service) -> Flask:
    """The pages, whose tasks the tour does itself."""
    app = build(service)
    app.config["WTF_CSRF_ENABLED"] = False
    app.extensions[enqueue.EXTENSION] = Enqueued()
    return app


def form_of(
    service: Service, app: Flask, number: int, place: int
) -> tuple[FlaskClient, dict[str, Any]]:
    """The browser of the player who is asked, and the form that they send."""
    browser = app.test_client()
    with service.writing() as session:
        game = session.get_one(Game, number)
        seat = positions.table(session, game).state.awaiting.seat
        sign_in(service, browser, session, game, seat)
    page = browser.get(f"/games/{number}").text
    return browser, fields(page, number=str(place), area="recruiting")


class Enqueued:
    """Takes tasks instead of a broker: the tour does them itself."""

    def put(self, _task: str, *_arguments: int) -> None:
        """Forget the task."""


def walk(service: Service, tour: Tour) -> None:
    """One move of a service that has been running, from the form to the mail server."""
    number, app = running_game(service), site(service)
    transport = transport_of(service.settings)
    event.listen(service.engine, "commit", lambda _: count(tour))
    for title, place in (("", 11), ("a move of Vasco da Gama", 12)):
        browser, form = form_of(service, app, number, place)
        quiet(service)
        tour.begin(title)
        with tour.leg("post: the form's orders are recorded"):
            answer = browser.post(f"/games/{number}/orders", data=form)
        assert answer.status_code in (302, 303), answer.text
        with tour.leg("advance: the worker plays them"), service.writing() as session:
            letters = advance.advance(session, number, service.clock.now())
        [letter] = letters
        with tour.leg("letter: the next player is told"):
            state = sending.deliver(letters_build, service, letter, transport)
        assert state == LetterState.SENT, state


def count(tour: Tour) -> None:
    """One more commit."""
    tour.commits += 1


def quiet(service: Service) -> None:
    """Letters of the game's beginning are told already."""
    with service.writing() as session:
        for row in session.exec(select(Outbox)):
            row.state, row.settled = LetterState.SENT, service.clock.now()
        session.commit()


def main() -> None:
    """Print the tour."""
    folder = Path(tempfile.mkdtemp())
    tour = Tour()
    try:
        with postbox() as box, service_in(folder, box.url) as service:
            walk(service, tour)
        print(f"\n{tour.result()}")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
