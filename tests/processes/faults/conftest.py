"""A table at which Ana is asked, and a database that says quickly that it cannot."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import Session

from pbem import db
from pbem.models import Game
from pbem.service import Service
from tests.support import tables
from tests.support.at_table import play_on, sign_in
from tests.support.tables import ANA


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits ten seconds for a lock here."""
    monkeypatch.setattr(db, "BUSY_MILLISECONDS", 100)


@pytest.fixture
def service(_impatient: None, service: Service) -> Service:
    return service


@pytest.fixture
def game(service: Service) -> Game:
    """Round 1, phase 1: Ana is asked."""
    with service.writing() as session:
        started = tables.started_game(session, service.clock.now())
        play_on(service, session, started, lambda state: state.phase == 1)
        return started


@pytest.fixture
def ana(flask_app: Flask, service: Service, game: Game) -> Iterator[FlaskClient]:
    browser = flask_app.test_client()
    with Session(service.engine) as session:
        sign_in(service, browser, session, game, ANA)
    yield browser
