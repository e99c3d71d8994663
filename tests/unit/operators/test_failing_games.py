"""Games that cannot be advanced: remembered, tried ever more seldom, forgotten once they can."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy.exc import OperationalError
from sqlmodel import Session

from pbem import health
from pbem.clock import FixedClock
from pbem.models import Game, Submission, stored_id
from pbem.play import advance, stuck, upkeep
from pbem.service import Service
from pbem.timeouts import expiry
from tests.support import tables
from workers import context, tasks


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


@pytest.fixture
def game(service: Service, session: Session, monkeypatch: pytest.MonkeyPatch) -> Game:
    """A game with an order that waits."""
    monkeypatch.setattr(context, "service", lambda: service)
    monkeypatch.setattr(context, "enqueue_letters", lambda letters: None)
    started = tables.started_game(session, service.clock.now())
    session.add(Submission(
        game_id=stored_id(started), person_id=started.host_id, seat=0, source="page", key="k",
        orders="no order at all", seen=started.last_entry, created=service.clock.now()))
    session.commit()
    return started


@pytest.fixture
def poison(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Playing orders fails as long as this is not undone."""
    def fail(*_: Any) -> None:
        raise ZeroDivisionError("Bento holds the seven of hearts")

    with monkeypatch.context() as patch:
        patch.setattr(advance, "play_pending", fail)
        yield patch


def as_stored(service: Service, game: Game) -> Game:
    with service.reading() as session:
        return session.get_one(Game, game.id)


def failing_try(game: Game) -> None:
    with pytest.raises(ZeroDivisionError):
        tasks.advance.run(stored_id(game))


def test_a_failure_is_kept_by_its_class_and_never_by_its_words(
    service: Service, game: Game, poison: Any
) -> None:
    failing_try(game)
    kept = as_stored(service, game)

    assert (kept.failed, kept.failure) == (service.clock.now(), "ZeroDivisionError")
    with service.reading() as session:
        assert stuck.failing(session) == 1


def test_a_database_that_is_away_is_no_game_s_failure(
    service: Service, game: Game
) -> None:
    away = OperationalError("select", None, Exception("server closed the connection"))
    stuck.note_fault(service, stored_id(game), away)

    assert as_stored(service, game).failed is None


def test_the_sweep_tries_a_failing_game_after_waits_that_double_up_to_an_hour(
    service: Service, clock: FixedClock, game: Game, poison: Any
) -> None:
    begun, tries = clock.now(), []
    while clock.now() < begun + timedelta(hours=6):
        with service.reading() as reading:
            behind = upkeep.games_to_advance(reading, clock.now())
        if behind:
            tries.append((clock.now() - begun).total_seconds())
            failing_try(game)
        clock.forward(timedelta(seconds=15))

    waits = [later - earlier for earlier, later in itertools.pairwise(tries)]
    assert waits[:7] == [30, 60, 120, 240, 480, 960, 1920]
    assert set(waits[7:]) == {3600}


def test_the_clocks_leave_a_failing_game_alone_for_as_long(
    service: Service, session: Session, clock: FixedClock, caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started = tables.started_game(session, clock.now(), clock="each 1")
    monkeypatch.setattr(expiry, "expire", lambda *_args, **_named: 1 / 0)
    clock.forward(timedelta(hours=1))
    with caplog.at_level(logging.ERROR, logger="carreira.clocks"):
        for _ in range(40):  # ten minutes
            expiry.sweep(service)
            clock.forward(timedelta(seconds=15))

    said = [line for line in caplog.messages if f"game {started.id} " in line]
    assert 2 < len(said) < 6  # after 30, 60, 120 and 240 seconds; it was 40 times


def test_orders_of_players_are_tried_at_once_and_do_not_lengthen_the_wait(
    service: Service, game: Game, poison: Any
) -> None:
    failing_try(game)
    until = as_stored(service, game).retry
    for _ in range(5):
        failing_try(game)

    assert as_stored(service, game).retry == until


def test_a_game_that_can_be_advanced_again_is_forgotten(
    service: Service, game: Game, poison: Any
) -> None:
    failing_try(game)
    poison.undo()
    tasks.advance.run(stored_id(game))
    kept = as_stored(service, game)

    assert (kept.failed, kept.failure, kept.retry) == (None, None, None)
    with service.reading() as session:
        assert stuck.failing(session) == 0


def test_monitors_count_failing_games_and_do_not_call_the_site_away_for_them(
    service: Service, clock: FixedClock, game: Game, poison: Any,
    client: FlaskClient,
) -> None:
    failing_try(game)
    clock.forward(timedelta(hours=1))

    assert client.get("/readyz").get_json()["failing_games"] == 1
    assert "carreira_failing_games 1.0" in client.get("/metrics").text
    with service.reading() as session:
        found = health.vitals(session, clock.now())
    assert not any("orders" in line for line in health.complaints(found))


def test_rules_that_this_server_does_not_have_count_as_a_failure_too(
    service: Service, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbem.play.positions.is_playable", lambda *_: False)
    tasks.advance.run(stored_id(game))

    assert as_stored(service, game).failure == "other_rules"
