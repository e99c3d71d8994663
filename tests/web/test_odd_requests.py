"""Requests that no page of ours leads to: huge numbers, odd characters, forms of another time."""

from __future__ import annotations

import re
from html import unescape

import pytest
from flask.testing import FlaskClient

from pbem.models import Game, Person
from pbem.service import Service
from pbem.web.table.forms import GameReader
from pbem.web.table.history import Names
from tests.support.doors import enter, somebody

HUGE = "9" * 20  # more than a database's integer holds
OPEN = {"game": "vasco-da-gama", "title": "The winter fleet", "seats": "4", "order": "random",
        "visibility": "public", "set": "standard", "components": "", "phrase": ""}


@pytest.fixture
def host(client: FlaskClient, service: Service) -> Person:
    """Ana, signed in with `client`, who has opened game 1."""
    made = somebody(service, "Ana")
    enter(client, service, made)
    assert client.post("/games/new", data=OPEN).status_code == 303
    return made


@pytest.mark.parametrize("path", [
    "/games/{}", "/games/{}/1", "/games/1/{}", "/games/{}/components.toml", "/games/{}/record",
    "/games/{}/cancel", "/invitations/{}-x", "/join/{}-x",
])
@pytest.mark.parametrize("number", [HUGE, "0", "1" * 1_000, "\u0661"])
def test_a_number_that_no_row_can_have_is_no_page(
    client: FlaskClient, host: Person, path: str, number: str
) -> None:
    assert client.get(path.format(number)).status_code == 404


@pytest.mark.parametrize("action, field", [("remove", "seat"), ("withdraw", "invitation")])
@pytest.mark.parametrize("number", [HUGE, "-1", "", "one"])
def test_a_button_that_names_no_row_changes_nothing(
    client: FlaskClient, host: Person, action: str, field: str, number: str
) -> None:
    assert client.post(f"/games/1/{action}", data={field: number}).status_code == 400


@pytest.mark.parametrize("action", ["orders", "preview"])
def test_orders_for_a_game_that_has_not_begun_get_a_page(
    client: FlaskClient, host: Person, action: str
) -> None:
    answer = client.post(f"/games/1/{action}", data={"seen": "1", "token": "t", "order": "pass"})

    assert answer.status_code == 403
    assert "<h1>" in answer.text


def test_a_nul_in_a_field_or_an_address_is_refused(ana: FlaskClient, game: Game) -> None:
    orders = {"seen": str(game.last_entry), "token": "a\0b", "order": "place 12 recruiting"}

    assert ana.post(f"/games/{game.id}/orders", data=orders).status_code == 400
    assert ana.post("/account/browsers", data={"browser": "\0"}).status_code == 400
    assert ana.get("/archive?player=%00").status_code == 400


def test_a_name_that_is_part_of_an_escaped_sign_leaves_the_sign_whole() -> None:
    named = Names(GameReader("en", "vasco-da-gama", ["39", "lt", "O'Neil", "<b>"]))

    line = named("O'Neil takes 39's ship, lt <b>.")

    assert unescape(re.sub("</?span[^>]*>", "", line)) == "O'Neil takes 39's ship, lt <b>."
    assert line.count('class="name ') == 4
