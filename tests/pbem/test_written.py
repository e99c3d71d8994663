"""Rows written by plain statements: what has changed and nothing else, and they are clean then."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import event
from sqlmodel import Session

from pbem.models import Game, GameState, stored_id
from pbem.service import Service
from pbem.written import write
from tests.pbem.tables import CATARINA, seat, started_game


@pytest.fixture
def updates(service: Service) -> Iterator[list[str]]:
    """The changes that the database is asked for."""
    seen: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith("UPDATE"):
            seen.append(statement)

    event.listen(service.engine, "before_cursor_execute", note)
    yield seen
    event.remove(service.engine, "before_cursor_execute", note)


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


@pytest.fixture
def game(session: Session, service: Service, updates: list[str]) -> Game:
    made = started_game(session, service.clock.now())
    session.commit()
    updates.clear()
    return made


def test_what_was_changed_is_in_the_database_and_what_was_not_stays(
    session: Session, service: Service, game: Game
) -> None:
    row = seat(session, game, CATARINA)
    session.commit()
    with service.writing() as other:
        seat(other, game, CATARINA).letters = "none"
        other.commit()
    row.moved_at, game.failed = 7, service.clock.now()

    write(session, game, row)
    session.commit()

    with service.reading() as fresh:
        found = seat(fresh, game, CATARINA)
        assert (found.moved_at, found.letters, found.asked_since) == (7, "none", row.asked_since)
        assert fresh.get_one(Game, stored_id(game)).failed == service.clock.now()


def test_what_is_written_is_written_once(session: Session, game: Game, updates: list[str]) -> None:
    row = seat(session, game, CATARINA)
    row.moved_at = 7

    write(session, row)
    write(session, row)
    session.commit()

    assert len(updates) == 1


def test_a_value_that_was_there_before_is_no_change(
    session: Session, game: Game, updates: list[str]
) -> None:
    game.state, game.last_entry = GameState.RUNNING, game.last_entry

    write(session, game)
    session.commit()

    assert updates == []
    assert not session.dirty


def test_what_is_changed_behind_that_is_flushed_as_always(
    session: Session, service: Service, game: Game
) -> None:
    row = seat(session, game, CATARINA)
    row.moved_at = 7
    write(session, row)
    row.misses = 2
    session.commit()

    with service.reading() as fresh:
        found = seat(fresh, game, CATARINA)
        assert (found.moved_at, found.misses) == (7, 2)
