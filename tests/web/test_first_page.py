"""The first page: a finished game to step through, and ways into a game of one's own."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient
from sqlmodel import Session

from engine import registry
from pbem.archive import closing
from pbem.models import Game, stored_id
from pbem.play import narration
from pbem.service import Service
from tests.conftest import NOON
from tests.support import tables
from tests.support.at_table import play_on


def finished(service: Service, session: Session, key: str) -> Game:
    """A finished public game that the archive knows."""
    game = tables.started_game(session, NOON, ["Ana", "Bento"], game_key=key)
    play_on(service, session, game, lambda state: False)
    closing.close_game(session, stored_id(game), NOON)
    return game


def steps(page: str) -> list[int]:
    """The entries that the board on the first page can step to."""
    return [int(number) for number in re.findall(r'href="/\?entry=(\d+)#stage"', page)]


def test_without_a_finished_game_the_page_leads_into_one(client: FlaskClient) -> None:
    page = client.get("/").text

    assert 'id="stage"' not in page
    for path in ("/learn", "/solo", "/friends", "/seats"):
        assert f'href="{path}"' in page


@pytest.mark.parametrize("key", registry.GAMES)
def test_a_finished_game_can_be_stepped_through_phase_by_phase(
    client: FlaskClient, service: Service, session: Session, key: str
) -> None:
    spans = narration.chapters(session, finished(service, session, key))
    seen, page = [spans[0].last], client.get(f"/?entry={spans[0].first}").text
    while onward := [number for number in steps(page) if number > seen[-1]]:
        seen.append(min(onward))
        page = client.get(f"/?entry={seen[-1]}").text

    assert seen == [span.last for span in spans]


@pytest.mark.parametrize("entry", ["0", "99999", "x", "-1"])
def test_an_entry_that_there_is_not_shows_the_middle(
    client: FlaskClient, service: Service, session: Session, entry: str
) -> None:
    finished(service, session, "goa")

    assert steps(client.get(f"/?entry={entry}").text) == steps(client.get("/").text)


def test_a_private_game_is_not_shown_to_visitors(
    client: FlaskClient, service: Service, session: Session
) -> None:
    game = tables.started_game(session, NOON, ["Ana", "Bento"])
    game.private = True
    session.add(game)
    session.commit()
    play_on(service, session, game, lambda state: False)
    closing.close_game(session, stored_id(game), NOON)

    assert 'id="stage"' not in client.get("/").text
