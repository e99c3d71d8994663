"""Every game of the registry can be opened with its options, found again, and read about."""

from __future__ import annotations

import json
import re

import pytest
from flask.testing import FlaskClient
from sqlmodel import Session

from engine import registry
from pbem.i18n import rulebook
from pbem.models import Game
from pbem.service import Service
from pbem.tables.options import value_text
from tests.support import tables
from tests.support.doors import enter, somebody

GAMES = list(registry.GAMES)
FORM = {"title": "", "seats": "2", "order": "random", "visibility": "public", "set": "standard",
        "components": "", "phrase": ""}


@pytest.fixture
def host(client: FlaskClient, service: Service) -> FlaskClient:
    """A browser that somebody is signed in with."""
    enter(client, service, somebody(service, "Ana"))
    return client


def opened(session: Session, client: FlaskClient, **fields: str) -> Game:
    answer = client.post("/games/new", data=FORM | fields)
    assert answer.status_code == 303, answer.text
    return session.get_one(Game, int(answer.headers["Location"].rpartition("/")[2]))


@pytest.mark.parametrize("key", GAMES)
def test_the_form_for_a_new_game_offers_its_seats_and_options(host: FlaskClient, key: str) -> None:
    page = host.get(f"/games/new?game={key}").text
    offered = re.findall(r'name="([\w-]+)" value="([^"]+)"', page)

    rules = registry.game(key)
    assert {int(v) for name, v in offered if name == "seats"} == set(rules.seats)
    for option, values in rules.options.items():
        shown = [v for name, v in offered if name == f"option-{option}"]
        assert shown == [*map(value_text, values)]
    assert ("game", key) in offered


@pytest.mark.parametrize("key", GAMES)
def test_a_game_is_opened_with_the_options_that_its_host_chose(
    host: FlaskClient, session: Session, key: str
) -> None:
    options = registry.game(key).options
    chosen = {option: values[-1] for option, values in options.items()}

    fields = {f"option-{option}": value_text(value) for option, value in chosen.items()}
    game = opened(session, host, game=key, **fields)

    assert (game.game, json.loads(game.options)) == (key, chosen)


@pytest.mark.parametrize("key", GAMES)
def test_an_option_that_the_form_leaves_open_or_garbles_has_its_usual_value(
    host: FlaskClient, session: Session, key: str
) -> None:
    options = registry.game(key).options

    game = opened(session, host, game=key, **{f"option-{option}": "?" for option in options})

    assert json.loads(game.options) == {option: values[0] for option, values in options.items()}


def test_no_form_opens_a_game_that_there_is_not(host: FlaskClient) -> None:
    assert host.get("/games/new?game=chess").status_code == 404
    assert host.post("/games/new", data=FORM | {"game": "chess"}).status_code == 400


def test_the_archive_can_be_narrowed_to_one_game(
    client: FlaskClient, session: Session, service: Service
) -> None:
    game = tables.started_game(session, service.clock.now(), ("Ana", "Bento"))
    session.commit()
    others = [key for key in GAMES if key != game.game]

    assert f'"/games/{game.id}"' in client.get(f"/archive?state=running&game={game.game}").text
    for other in others:
        assert f'"/games/{game.id}"' not in client.get(f"/archive?state=running&game={other}").text
    assert f'"/games/{game.id}"' in client.get("/archive?state=running&game=chess").text


@pytest.mark.parametrize("key", GAMES)
def test_the_rules_of_every_game_can_be_read_and_every_rule_has_its_place(
    client: FlaskClient, key: str
) -> None:
    text = rulebook.rules_file(key).read_text("utf-8")
    numbered = set(re.findall(r"^- \*\*([A-Z]{2}-\d+\.\d+[a-z]?)\*\*", text, re.MULTILINE))

    page = client.get(f"/rules/{key}").text

    assert len(numbered) > 20
    assert numbered <= set(re.findall(r'<li id="([^"]+)">', page))
    assert 'id="orders"' in page


def test_the_rules_list_all_games(client: FlaskClient) -> None:
    page = client.get("/rules", follow_redirects=True).text

    if len(GAMES) > 1:
        assert all(f'href="/rules/{key}"' in page for key in GAMES)
    assert client.get("/rules/chess").status_code == 404
