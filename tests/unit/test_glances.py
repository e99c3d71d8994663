"""What lists show of a game: its points, its question, its picture; and pictures of ended games."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta

import pytest
from sqlalchemy import text
from sqlmodel import Session, col, select

from engine import registry
from pbem.archive import closing, pictures
from pbem.models import Entry, Game, SeatRow, stored_id
from pbem.models.archive import FoundGame
from pbem.play import positions
from pbem.service import Service
from pbem.tables import glances
from tests.conftest import NOON
from tests.support import tables
from tests.support.at_table import play_on

GAMES = list(registry.GAMES)


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    """A database session, with nothing remembered from other tests."""
    glances.after.cache.clear()
    with service.writing() as session:
        yield session


def seats(session: Session) -> list[SeatRow]:
    """All seats."""
    return list(session.exec(select(SeatRow)))


def glance_of(session: Session, game: Game) -> glances.Glance:
    """What a list shows of the game."""
    return glances.of_games(session, [game], seats(session))[stored_id(game)].glance


@pytest.mark.parametrize("key", GAMES)
def test_a_list_shows_what_a_spectator_sees(service: Service, session: Session, key: str) -> None:
    game = tables.started_game(session, NOON, game_key=key)
    play_on(service, session, game, lambda state: state.round == 2)
    table = positions.table(session, game)
    view = table.rules.observation(table.state, None)

    glance = glance_of(session, game)

    assert (glance.round, glance.phase) == table.rules.chapter(table.state)
    assert glance.question == view.question
    assert glance.points == tuple(
        sum(each.points.values()) for each in table.rules.tallies(view))


@pytest.mark.parametrize("key", GAMES)
@pytest.mark.parametrize("stop", [2, None])
def test_a_thumbnail_is_kept_as_json(
    service: Service, session: Session, key: str, stop: int | None
) -> None:
    game = tables.started_game(session, NOON, game_key=key)
    play_on(service, session, game, lambda state: state.round == stop)

    thumbnail = glance_of(session, game).thumbnail

    assert thumbnail
    assert json.loads(json.dumps(thumbnail)) == json.loads(pictures.stored(
        pictures.Pictures(thumbnail, [])))["thumbnail"]


def test_a_question_waits_since_the_entry_that_asked_it(
    service: Service, session: Session
) -> None:
    game = tables.started_game(session, NOON, ["Ana", "Bento"])
    later = NOON + timedelta(hours=3)
    entry = session.exec(select(Entry).order_by(col(Entry.number).desc())).first()
    assert entry is not None
    entry.at = later
    session.add(entry)
    session.commit()

    shown = glances.of_games(session, [game], seats(session))[stored_id(game)]

    assert shown.since == later


def test_a_new_entry_is_shown_at_once(service: Service, session: Session) -> None:
    game = tables.started_game(session, NOON)
    before = glance_of(session, game)

    play_on(service, session, game, lambda state: state.round == 2)

    assert glance_of(session, game) != before


def test_a_damaged_game_spoils_no_list(service: Service, session: Session) -> None:
    good = tables.started_game(session, NOON, ["Ana", "Bento"])
    bad = tables.started_game(session, NOON, ["Catarina", "Duarte"], game_key=GAMES[1])
    session.connection().execute(text("delete from snapshot where game_id = 2"))
    session.connection().execute(text("update entry set body = '[]' where game_id = 2"))

    shown = glances.of_games(session, [good, bad], seats(session))

    assert list(shown) == [good.id]


@pytest.mark.parametrize("key", GAMES)
def test_an_ended_game_keeps_a_curve_of_each_seats_points(
    service: Service, session: Session, key: str
) -> None:
    game = tables.started_game(session, NOON, game_key=key)
    play_on(service, session, game, lambda state: False)
    closing.close_game(session, stored_id(game), NOON)

    kept = pictures.read(session.get_one(FoundGame, game.id).pictures or "")

    points = [seat.points for seat in sorted(seats(session), key=lambda seat: seat.number or 0)]
    assert [line[-1] for line in kept.curves] == points
    assert len({len(line) for line in kept.curves}) == 1
    assert kept.thumbnail == json.loads(json.dumps(glance_of(session, game).thumbnail))
