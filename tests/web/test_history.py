"""Every entry of a game has an address of its own: first, back, next, last, and by number."""

from __future__ import annotations

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import Session, col, select

from pbem.models import Entry, Game
from pbem.play import positions
from pbem.service import Service
from tests.support import tables
from tests.support.at_table import play_on, sign_in
from tests.support.tables import ANA


@pytest.fixture
def game(service: Service, session: Session) -> Game:
    """A game in round 2, some 70 entries long."""
    started = tables.started_game(session, service.clock.now())
    play_on(service, session, started, lambda state: state.round == 2 and state.phase == 2)
    assert started.last_entry > 45
    return started


@pytest.fixture
def ana(flask_app: Flask, service: Service, session: Session, game: Game) -> FlaskClient:
    browser = flask_app.test_client()
    sign_in(service, browser, session, game, ANA)
    return browser


def links(page: str) -> dict[str, str]:
    """The history bar's links by their key."""
    found = re.findall(r'<a class="st" href="([^"]+)" data-key="(\w+)"', page)
    return {key: href.partition("#")[0] for href, key in found}


def test_every_entry_has_its_page(client: FlaskClient, game: Game) -> None:
    for number in (1, 2, 20, game.last_entry):
        page = client.get(f"/games/{game.id}/{number}")
        assert page.status_code == 200
        assert f"after entry {number}</h2>" in page.text


@pytest.mark.parametrize("language", ["en", "hu", "ru", "pt"])
def test_the_day_of_an_entry_ends_with_one_full_stop(
    client: FlaskClient, game: Game, language: str
) -> None:
    said = client.get(f"/games/{game.id}/20", headers={"Accept-Language": language}).text
    made = said.split('<p class="made" data-live>')[1].split("</p>")[0]
    assert "." in made
    assert ".." not in made


def test_an_entry_that_is_not_there_is_not_found(client: FlaskClient, game: Game) -> None:
    assert client.get(f"/games/{game.id}/0").status_code == 404
    assert client.get(f"/games/{game.id}/{game.last_entry + 1}").status_code == 404


def test_the_bar_leads_to_the_first_and_the_neighbouring_entries(
    client: FlaskClient, game: Game
) -> None:
    found = links(client.get(f"/games/{game.id}/20").text)

    assert found == {
        "Home": f"/games/{game.id}/1",
        "ArrowLeft": f"/games/{game.id}/19",
        "ArrowRight": f"/games/{game.id}/21",
        "End": f"/games/{game.id}",
    }


def test_in_the_present_nothing_leads_forward(client: FlaskClient, game: Game) -> None:
    found = links(client.get(f"/games/{game.id}").text)

    assert set(found) == {"Home", "ArrowLeft"}


def test_at_the_first_entry_nothing_leads_back(client: FlaskClient, game: Game) -> None:
    found = links(client.get(f"/games/{game.id}/1").text)

    assert set(found) == {"ArrowRight", "End"}


def test_each_round_has_a_link_to_its_first_entry(client: FlaskClient, game: Game) -> None:
    page = client.get(f"/games/{game.id}").text
    rounds = re.findall(r'aria-label="Round (\d), entries (\d+)–(\d+)"', page)

    assert [number for number, _, _ in rounds] == ["1", "2"]
    assert int(rounds[0][2]) + 1 == int(rounds[1][1])
    assert int(rounds[1][2]) == game.last_entry


def test_a_number_typed_into_the_bar_leads_to_that_entry(client: FlaskClient, game: Game) -> None:
    answer = client.get(f"/games/{game.id}?entry=17")

    assert answer.status_code == 302
    assert answer.location == f"/games/{game.id}/17"


def test_a_number_that_is_none_leads_to_the_newest_entry(
    client: FlaskClient, game: Game
) -> None:
    answer = client.get(f"/games/{game.id}?entry=seventeen")

    assert answer.location == f"/games/{game.id}/{game.last_entry}"


def test_in_the_past_the_decision_gives_way_to_the_entrys_number(
    flask_app: Flask, service: Service, session: Session, game: Game
) -> None:
    state = play_on(service, session, game, lambda s: True)
    browser = flask_app.test_client()
    sign_in(service, browser, session, game, state.awaiting.seats[0])

    past = browser.get(f"/games/{game.id}/{game.last_entry - 1}").text
    present = browser.get(f"/games/{game.id}").text

    assert f"Entry {game.last_entry - 1} of {game.last_entry}" in past
    assert "Back to the present" in past
    assert "order-form" not in past
    assert "order-form" in present


def test_the_newest_entrys_own_address_is_the_present(
    flask_app: Flask, service: Service, session: Session, game: Game
) -> None:
    state = play_on(service, session, game, lambda s: True)
    browser = flask_app.test_client()
    sign_in(service, browser, session, game, state.awaiting.seats[0])

    assert "order-form" in browser.get(f"/games/{game.id}/{game.last_entry}").text


def test_the_table_is_drawn_as_it_stood_then(
    client: FlaskClient, session: Session, game: Game
) -> None:
    for number in (1, 10, 30):
        state = positions.table(session, game, number).state
        page = client.get(f"/games/{game.id}/{number}").text
        seats = page.partition('id="seats"')[2]
        reals = re.findall(r'class="op s-\d.*?aria-label="(\d+) Reals"', seats, re.S)
        assert reals == [str(player.reals) for player in state.players]


def test_the_log_of_an_entry_ends_there(client: FlaskClient, game: Game) -> None:
    page = client.get(f"/games/{game.id}/20").text
    log = page.partition('id="log"')[2]
    numbers = [int(n) for n in re.findall(rf'href="/games/{game.id}/(\d+)#table"', log)]

    assert max(numbers) == 20
    assert numbers == sorted(numbers, reverse=True)


def test_the_log_shows_sixty_entries_and_leads_to_the_rest(
    client: FlaskClient, service: Service, session: Session, game: Game
) -> None:
    play_on(service, session, game, lambda state: state.round == 3 and state.phase == 1)
    last = game.last_entry
    page = client.get(f"/games/{game.id}").text
    older = re.search(r'href="\?log=(\d+)#log"', page)

    assert older is not None
    assert int(older.group(1)) == last - 60
    log = client.get(f"/games/{game.id}?log={older.group(1)}").text.partition('id="log"')[2]
    numbers = [int(n) for n in re.findall(rf'href="/games/{game.id}/(\d+)#table"', log)]
    assert max(numbers) <= last - 60
    assert min(numbers) == 1


def test_a_player_alone_is_told_which_of_his_moves_made_themselves(
    client: FlaskClient, ana: FlaskClient, session: Session, game: Game
) -> None:
    own = select(Entry.number).where(
        Entry.game_id == game.id, Entry.seat == ANA, Entry.cause == "forced"
    )
    forced = session.exec(own.order_by(col(Entry.number).desc())).first()
    assert forced is not None
    address = f"/games/{game.id}/{forced}"

    assert "Played by itself" in ana.get(address).text
    assert "Played by itself" not in client.get(address).text


def test_the_log_leads_every_rule_to_the_rules_page(client: FlaskClient, game: Game) -> None:
    log = client.get(f"/games/{game.id}").text.partition('id="log"')[2]
    cited = set(re.findall(r'href="/rules/vasco-da-gama#(VG-[\d.]+)"', log))
    rules = client.get("/rules/vasco-da-gama").text

    assert len(cited) > 3
    assert all(f'id="{rule}"' in rules for rule in cited)


def test_a_pages_size_does_not_grow_with_the_entrys_number(
    client: FlaskClient, service: Service, session: Session, game: Game
) -> None:
    play_on(service, session, game, lambda state: state.round == 5 and state.phase == 1)
    at_sixty = len(client.get(f"/games/{game.id}/60").data)
    late = len(client.get(f"/games/{game.id}/{game.last_entry - 1}").data)

    assert late < 1.3 * at_sixty
