"""What a link to a game's page shows in a chat: title, summary and picture of public games."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient
from sqlmodel import Session

from pbem.models import Game
from pbem.service import Service
from tests.conftest import NOON
from tests.support import tables
from tests.support.at_table import play_on


def tags(page: str) -> dict[str, str]:
    """The Open Graph tags of a page."""
    return dict(re.findall(r'<meta property="og:(\w+)" content="([^"]*)">', page))


@pytest.fixture(params=["vasco-da-gama", "goa"])
def game(request: pytest.FixtureRequest, service: Service, session: Session) -> Game:
    """A public game that has begun."""
    started = tables.started_game(session, NOON, game_key=request.param)
    play_on(service, session, started, lambda state: state.round >= 1)
    return started


def picture_of(client: FlaskClient, game: Game) -> str:
    """The address of the picture on this site."""
    return tags(client.get(f"/games/{game.id}").text)["image"].removeprefix("http://localhost")


def test_a_public_game_has_title_summary_and_picture(client: FlaskClient, game: Game) -> None:
    found = tags(client.get(f"/games/{game.id}").text)

    assert found["title"] == game.title or found["title"] in ("Vasco da Gama", "Goa")
    assert "Ana " in found["description"]
    assert found["image"].endswith(f"/games/{game.id}/{game.last_entry}/picture.png")


def test_the_picture_is_a_png_that_is_not_sent_twice(client: FlaskClient, game: Game) -> None:
    address = picture_of(client, game)

    first = client.get(address)
    second = client.get(address, headers={"If-None-Match": first.headers["ETag"]})

    assert first.data.startswith(b"\x89PNG")
    assert first.headers["Cache-Control"] == "public, max-age=300"
    assert (second.status_code, second.data) == (304, b"")


def test_a_player_sees_the_picture_that_everybody_sees(
    client: FlaskClient, ana: FlaskClient, game: Game
) -> None:
    address = picture_of(client, game)

    assert ana.get(address).data == client.get(address).data


def test_a_private_game_has_neither_tags_nor_picture(
    ana: FlaskClient, session: Session, game: Game
) -> None:
    game.private = True
    session.commit()

    page = ana.get(f"/games/{game.id}").text
    picture = ana.get(f"/games/{game.id}/{game.last_entry}/picture.png")

    assert "og:title" not in page
    assert picture.status_code == 404


def test_an_entry_that_is_not_there_has_no_picture(client: FlaskClient, game: Game) -> None:
    address = f"/games/{game.id}/{game.last_entry + 1}/picture.png"

    assert client.get(address).status_code == 404
