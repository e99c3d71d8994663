"""A table with Ana, Bento, Catarina and Duarte, and the browsers of two of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import Session

from pbem.models import Game
from pbem.service import Service
from tests.support import tables
from tests.support.at_table import play_on, sign_in
from tests.support.tables import ANA, BENTO


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


@pytest.fixture
def game(service: Service, session: Session) -> Game:
    """Round 1, phase 1: Ana is asked."""
    started = tables.started_game(session, service.clock.now())
    play_on(service, session, started, lambda state: state.phase == 1)
    return started


@pytest.fixture
def ana(flask_app: Flask, service: Service, session: Session, game: Game) -> FlaskClient:
    browser = flask_app.test_client()
    sign_in(service, browser, session, game, ANA)
    return browser


@pytest.fixture
def bento(flask_app: Flask, service: Service, session: Session, game: Game) -> FlaskClient:
    browser = flask_app.test_client()
    sign_in(service, browser, session, game, BENTO)
    return browser
