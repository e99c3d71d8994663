"""The page with a game's statistics."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from pbem.archive import closing
from pbem.models import Game, stored_id
from pbem.service import Service
from tests.conftest import NOON
from tests.support.finished import finished_game


@pytest.fixture
def game(service: Service) -> Game:
    """A finished game that is closed."""
    with service.writing() as session:
        found = finished_game(service, session)
        closing.close_game(session, stored_id(found), NOON)
        session.refresh(found)
        session.expunge(found)
        return found


def test_statistics_name_the_games_that_they_are_about(client: FlaskClient, game: Game) -> None:
    page = client.get("/statistics/vasco-da-gama").text

    assert ">1 game</a>" in page
    assert "Points by source" in page
    assert 'href="/archive?happened=vasco-da-gama:hosted:' in page


def test_a_period_without_games_says_so(client: FlaskClient, game: Game) -> None:
    page = client.get("/statistics/vasco-da-gama?seats=4").text

    assert "No game of this kind has been finished yet." in page


def test_filters_that_make_no_sense_are_ignored(client: FlaskClient, game: Game) -> None:
    page = client.get("/statistics/vasco-da-gama?seats=99&year=x&rated=perhaps")

    assert page.status_code == 200
    assert ">1 game</a>" in page.text


def test_an_unknown_game_has_no_statistics(client: FlaskClient) -> None:
    assert client.get("/statistics/chess").status_code == 404
