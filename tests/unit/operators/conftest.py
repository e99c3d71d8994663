"""A table with Ana, Bento, Catarina and Duarte, and Olga, who runs the site and plays nowhere."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import Session

from pbem.accounts import auth
from pbem.models import Game, Person, stored_id
from pbem.operators import people
from pbem.service import Service
from pbem.web.context import COOKIE
from tests.support import tables


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


@pytest.fixture
def game(service: Service, session: Session) -> Game:
    return tables.started_game(session, service.clock.now())


@pytest.fixture
def olga(service: Service, session: Session) -> Person:
    made = tables.person(session, "Olga", service.clock.now())
    people.make(session, made, service.clock.now())
    session.commit()
    return made


@pytest.fixture
def desk(flask_app: Flask, service: Service, session: Session, olga: Person) -> FlaskClient:
    """Olga's browser."""
    browser = flask_app.test_client()
    cookie = auth.open_session(session, stored_id(olga), agent="test", now=service.clock.now())
    session.commit()
    browser.set_cookie(COOKIE, cookie)
    return browser
