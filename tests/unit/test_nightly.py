"""Finished games are re-run as they are stored; one flipped byte names the entry that it breaks."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import Connection
from sqlmodel import Session, col, select

from engine import codec
from pbem import __version__
from pbem.clock import FixedClock
from pbem.models import Entry, Game, GameState, SeatRow, Snapshot, stored_id
from pbem.models.archive import Verification
from pbem.play import positions
from pbem.record import nightly
from pbem.record.replay import Rerun
from pbem.service import Service
from tests.support.finished import finished_game


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


@pytest.fixture
def game(service: Service, session: Session) -> Game:
    """A whole game in which each player has taken an order back, and Bento has resigned."""
    made = finished_game(service, session, resigning=1)
    keep_every_position(session, made)
    return made


def keep_every_position(session: Session, game: Game) -> None:
    """A snapshot behind each entry."""
    for number in range(1, game.last_entry + 1):
        state = codec.encode(positions.position(session, game, number)).decode()
        session.merge(Snapshot(game_id=stored_id(game), number=number, state=state))
    session.commit()


def stored(session: Session, game: Game, where: str, number: int) -> Any:
    """What stands in "table.column" for an entry, as it is stored."""
    table, column = plain(where)
    return session.execute(
        sa.select(table.c[column]).where(table.c.game_id == game.id, table.c.number == number)
    ).scalar_one()


def put(session: Session, game: Game, where: str, number: int, value: Any) -> None:
    """Store something else there."""
    table, column = plain(where)
    session.execute(
        sa.update(table).values({column: value})
        .where(table.c.game_id == game.id, table.c.number == number)
    )
    session.commit()


def plain(where: str) -> tuple[Any, str]:
    """The table without the types that read and write its columns."""
    name, column = where.split(".")
    return sa.table(name, *map(sa.column, ("game_id", "number", column))), column


def flipped(stored: Any, place: int) -> Any:
    """What is stored with one of its bytes, or letters, changed."""
    place %= len(stored)
    if isinstance(stored, str):
        return f"{stored[:place]}{chr(ord(stored[place]) ^ 1)}{stored[place + 1:]}"
    return stored[:place] + bytes([stored[place] ^ 0xFF]) + stored[place + 1:]


def verified(service: Service, game: Game) -> Verification:
    """What is noted of the game after one more verification."""
    nightly.verify_stored(service, stored_id(game))
    with service.reading() as session:
        return session.get_one(Verification, game.id)


def due(service: Service) -> list[int]:
    """Which games would be verified now."""
    with service.reading() as session:
        return nightly.due(session, service.clock.now())


def test_a_game_that_fits_is_noted_with_time_and_release(
    service: Service, clock: FixedClock, game: Game
) -> None:
    found = verified(service, game)

    assert (found.broken_at, found.fault) == (None, None)
    assert (found.at, found.release) == (clock.now(), __version__)


@pytest.mark.parametrize(
    "where", ["entry.body", "entry.hash", "entry.state_hash", "snapshot.state"])
def test_a_flipped_byte_names_the_entry_that_it_breaks(
    service: Service, session: Session, game: Game, where: str
) -> None:
    for number in (1, 2, game.last_entry // 2, game.last_entry):
        for place in (0, 1, 20, -1):
            was = stored(session, game, where, number)
            put(session, game, where, number, flipped(was, place))
            assert verified(service, game).broken_at == number, place
            put(session, game, where, number, was)

    assert verified(service, game).fault is None


def test_of_two_things_that_are_broken_the_earlier_entry_is_named(
    service: Service, session: Session, game: Game
) -> None:
    for first, second in (("snapshot.state", "entry.hash"), ("entry.hash", "snapshot.state"),
                          ("snapshot.state", "entry.body"), ("entry.body", "snapshot.state"),
                          ("entry.hash", "entry.body")):
        for where, number in ((first, 5), (second, 7)):
            put(session, game, where, number,
                flipped(stored(session, game, where, number), -1))

        assert verified(service, game).broken_at == 5, (first, second)

        for where, number in ((first, 5), (second, 7)):
            put(session, game, where, number,
                flipped(stored(session, game, where, number), -1))
    assert verified(service, game).fault is None


def test_whatever_else_is_changed_of_an_entry_is_found_there(
    service: Service, session: Session, game: Game
) -> None:
    changes = {"base": 3, "seat": 3, "cause": "sunk", "ruleset": "other 9"}
    for column, value in changes.items():
        was = stored(session, game, f"entry.{column}", 6)
        put(session, game, f"entry.{column}", 6, value)
        assert verified(service, game).broken_at == 6, column
        put(session, game, f"entry.{column}", 6, was)


def test_a_missing_entry_is_found_where_it_is_missing(
    service: Service, session: Session, game: Game
) -> None:
    for rows in (Snapshot, Entry):
        session.execute(sa.delete(rows).where(
            col(rows.game_id) == game.id, col(rows.number) == game.last_entry))
    session.commit()

    assert verified(service, game).broken_at == game.last_entry


def test_positions_are_a_cache_and_may_be_gone(
    service: Service, session: Session, game: Game
) -> None:
    session.execute(sa.delete(Snapshot).where(col(Snapshot.game_id) == game.id))
    session.commit()

    assert verified(service, game).fault is None


@pytest.mark.parametrize("what", ["server_part", "phrase", "place", "points"])
def test_what_stands_around_the_entries_is_checked_too(
    service: Service, session: Session, game: Game, what: str
) -> None:
    seat = session.exec(select(SeatRow).where(SeatRow.game_id == game.id)).first()
    assert seat is not None
    if what == "server_part":
        game.server_part = bytes(32)
    elif what == "phrase":
        seat.phrase = "another one"
    else:
        setattr(seat, what, 4)
    session.add(seat)
    session.commit()

    assert verified(service, game).fault is not None


def test_a_game_that_breaks_raises_the_alarm_in_the_log(
    service: Service, session: Session, game: Game, caplog: pytest.LogCaptureFixture
) -> None:
    was = stored(session, game, "entry.body", 7)
    put(session, game, "entry.body", 7, flipped(was, 5))

    with caplog.at_level(logging.ERROR, logger="carreira.nightly"):
        nightly.work_off(service, seconds=60)

    assert f"ALARM: game {game.id} does not fit at entry 7" in caplog.text


def test_each_game_is_checked_once_a_day_the_longest_unchecked_first(
    service: Service, session: Session, clock: FixedClock, game: Game
) -> None:
    other = finished_game(service, session, names=("Catarina", "Duarte"))

    assert nightly.work_off(service, seconds=0) == 1, "at least one, whatever the time"
    clock.forward(timedelta(hours=1))
    assert due(service) == [other.id]
    assert nightly.work_off(service, seconds=60) == 1
    assert nightly.work_off(service, seconds=60) == 0
    clock.forward(timedelta(hours=23))
    assert due(service) == [game.id]
    clock.forward(timedelta(hours=1))
    assert due(service) == [game.id, other.id]


def test_a_game_that_cannot_be_checked_at_all_keeps_no_other_from_it(
    service: Service, session: Session, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = finished_game(service, session, names=("Catarina", "Duarte"))
    really = nightly.followed

    def breaks_at_one(connection: Connection, row: Game) -> Rerun:
        if row.id == game.id:
            raise ZeroDivisionError
        return really(connection, row)

    monkeypatch.setattr(nightly, "followed", breaks_at_one)

    assert nightly.work_off(service, seconds=60) == 2
    with service.reading() as reading:
        noted = nightly.of_games(reading, [stored_id(game), stored_id(other)])
    assert noted[stored_id(game)].fault == "it cannot be re-run: ZeroDivisionError"
    assert noted[stored_id(other)].fault is None


def test_running_games_are_left_alone(service: Service, session: Session, game: Game) -> None:
    game.state = GameState.RUNNING
    session.add(game)
    session.commit()

    assert due(service) == []


def test_on_postgresql_a_flipped_byte_names_its_entry_too(postgres_service: Service) -> None:
    with postgres_service.writing() as session:
        game = finished_game(postgres_service, session, resigning=1)
        keep_every_position(session, game)
        assert verified(postgres_service, game).fault is None
        for where in ("entry.body", "snapshot.state"):
            was = stored(session, game, where, 7)
            put(session, game, where, 7, flipped(was, 20))
            assert verified(postgres_service, game).broken_at == 7
            put(session, game, where, 7, was)

        assert verified(postgres_service, game).fault is None
