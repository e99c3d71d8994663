"""Positions are folded from the newest snapshot before them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import delete, event
from sqlmodel import Session, col, select

from engine import codec
from pbem.models import Entry, Game, Snapshot
from pbem.play import positions
from pbem.service import Service
from tests.support.finished import finished_game


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


@pytest.fixture
def game(service: Service, session: Session) -> Game:
    """A whole game in which each player has taken an order back."""
    made = finished_game(service, session)
    session.commit()
    return made


def entries_of(session: Session, game: Game) -> list[Entry]:
    found = select(Entry).where(Entry.game_id == game.id).order_by(col(Entry.number))
    return list(session.exec(found))


def check_every_position(session: Session, game: Game) -> None:
    for entry in entries_of(session, game):
        state = positions.position(session, game, entry.number)
        assert codec.digest(state) == entry.state_hash, entry.number


def test_every_25th_entry_has_a_snapshot_and_each_taking_back(
    session: Session, game: Game
) -> None:
    kept = session.exec(select(Snapshot.number).where(Snapshot.game_id == game.id)).all()

    expected = {entry.number for entry in entries_of(session, game)
                if entry.number in (1, 26, 51, 76) or entry.cause == "undo"}
    assert set(kept) == expected
    assert any(entry.cause == "undo" for entry in entries_of(session, game))


def test_a_position_reads_the_entries_behind_its_snapshot_alone(
    service: Service, session: Session, game: Game
) -> None:
    read: list[Any] = []
    event.listen(service.engine, "before_cursor_execute",
                 lambda _c, _cursor, text, given, *_: read.append((text, given)))

    positions.position(session, game, 24)

    [(_, (_, first, last))] = [each for each in read if "FROM entry" in each[0]]
    newest = session.exec(select(Snapshot.number).where(
        Snapshot.game_id == game.id, Snapshot.number <= 24).order_by(
            col(Snapshot.number).desc())).first()
    assert (first, last) == ((newest or 0) + 1, 24)


def test_a_position_behind_a_taking_back_is_found_without_any_snapshot(
    session: Session, game: Game
) -> None:
    session.exec(delete(Snapshot))
    session.commit()

    check_every_position(session, game)


def test_a_position_whose_taking_back_has_lost_its_snapshot_goes_on_from_the_entry_before_it(
    session: Session, game: Game
) -> None:
    for entry in entries_of(session, game):
        if entry.cause == "undo":
            session.exec(delete(Snapshot).where(
                col(Snapshot.game_id) == game.id, col(Snapshot.number) == entry.number))
    session.commit()

    check_every_position(session, game)


def test_an_entry_that_is_not_there_has_no_position(session: Session, game: Game) -> None:
    with pytest.raises(LookupError, match=f"has no entry {game.last_entry + 1}"):
        positions.position(session, game, game.last_entry + 1)


def test_what_the_database_holds_of_an_entry_can_be_read_as_it_stands(
    session: Session, game: Game
) -> None:
    stored = session.connection().exec_driver_sql(
        "select body from entry where number = 2").scalar_one()

    assert json.loads(stored)["events"]
