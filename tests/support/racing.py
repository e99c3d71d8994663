"""Several who act at once on one database, each in a thread and a transaction of his own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlmodel import Session, select

from engine.errors import MoveRefused
from pbem.accounts import auth
from pbem.models import Game, SeatRow, stored_id
from pbem.play import advance, submit
from pbem.play.refusals import TableRefused
from pbem.record import export
from pbem.record.verify import verify
from pbem.service import Service
from pbem.tables.lobby import LobbyRefused
from tests.support.tables import started_game

TIMES = 3  # each race is run: what is first differs
Act = Callable[[Session], Any]
OTHERS_PART = 10.0  # seconds that a thread waits for the others to be there


@pytest.fixture(params=["service", "postgres_service"], ids=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest) -> Service:
    """A service on each of the two databases."""
    found: Service = request.getfixturevalue(request.param)
    return found


def at_once(store: Service, *acts: Act) -> list[str]:
    """What became of each: "done", or the key of a refusal; any other error fails the test."""
    line = threading.Barrier(len(acts))

    def run(act: Act) -> str:
        with store.writing() as session:
            line.wait(OTHERS_PART)
            try:
                act(session)
                session.commit()
            except (LobbyRefused, TableRefused) as refused:
                return refused.key
            except MoveRefused as refused:
                return refused.key
            except auth.NotProved:
                return "not_proved"
        return "done"

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def sound(store: Service, game_id: int) -> Game:
    """The game, whose record verifies."""
    with store.reading() as session:
        game = session.get_one(Game, game_id)
        assert verify(export.record_lines(session, game)).ok
    return game


def several(store: Service) -> range:
    """Times, so that now one is first and now the other."""
    return range(TIMES)


def send(store: Service, game_id: int, number: int, line: str, source: str) -> Act:
    """An order as page or letter bring it, played by a worker."""
    def act(session: Session) -> None:
        row = session.exec(select(SeatRow).where(
            SeatRow.game_id == game_id, SeatRow.number == number)).one()
        with store.reading() as reading:
            seen = reading.get_one(Game, game_id).last_entry
            submit.record(session, row, line, seen=seen, source=source, key=source,
                          now=store.clock.now(), enqueue=lambda _game_id: None, reading=reading)
        advance.advance(session, game_id, store.clock.now())

    return act


def a_game(store: Service, **terms: Any) -> int:
    with store.writing() as session:
        game = started_game(session, store.clock.now(), **terms)
        session.commit()
        return stored_id(game)
