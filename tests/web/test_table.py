"""The game page: who sees what, and what happens to orders that are sent from it."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient
from sqlmodel import Session

from pbem.models import Game, GameState
from pbem.service import Service
from tests.support import tables
from tests.support.at_table import order, play_on
from tests.support.tables import ANA, BENTO, CATARINA

# ---- looking -----------------------------------------------------------------------------------


def test_a_spectator_sees_the_table_and_no_form(client: FlaskClient, game: Game) -> None:
    page = client.get(f"/games/{game.id}").text

    assert "Waiting for Ana" in page
    assert "Chart of the landings" in page
    assert "order-form" not in page


def test_the_asked_player_gets_the_steps_of_his_decision(ana: FlaskClient, game: Game) -> None:
    page = ana.get(f"/games/{game.id}").text

    assert 'class="turn yours"' in page
    assert 'name="number" value="20"' in page
    assert 'name="area" value="navigation"' in page


def test_who_is_not_asked_is_told_whom_the_game_waits_for(bento: FlaskClient, game: Game) -> None:
    page = bento.get(f"/games/{game.id}").text

    assert "Waiting for Ana" in page
    assert 'name="number"' not in page


def test_a_stranger_finds_no_private_game(
    client: FlaskClient, session: Session, game: Game
) -> None:
    game.private = True
    session.add(game)
    session.commit()

    assert client.get(f"/games/{game.id}").status_code == 404
    assert client.get(f"/games/{game.id}/1").status_code == 404
    assert client.post(f"/games/{game.id}/orders").status_code == 404


def test_a_player_finds_his_private_game(ana: FlaskClient, session: Session, game: Game) -> None:
    game.private = True
    session.add(game)
    session.commit()

    assert ana.get(f"/games/{game.id}").status_code == 200


def test_the_chart_is_a_list_of_landings_with_slots_that_say_what_they_hold(
    client: FlaskClient, game: Game
) -> None:
    page = client.get(f"/games/{game.id}").text

    assert page.count('<li class="harbour">') == 6
    slots = re.findall(r'<li class="slot[^"]*"><svg [^>]*role="img" aria-label="([^"]*)"', page)
    assert len(slots) == page.count('<li class="slot')
    assert all(slots)


def test_the_page_needs_no_inline_style_or_script(ana: FlaskClient, game: Game) -> None:
    page = ana.get(f"/games/{game.id}").text

    assert " style=" not in page
    assert "<style" not in page
    assert not re.search(r"<script(?![^>]* src=)", page)
    assert not re.search(r"\son\w+=", page)


def test_every_id_on_the_page_is_there_once(ana: FlaskClient, game: Game) -> None:
    ids = re.findall(r'\sid="([^"]+)"', ana.get(f"/games/{game.id}").text)

    assert len(ids) == len(set(ids))


def test_every_picture_that_is_used_is_on_the_page(ana: FlaskClient, game: Game) -> None:
    page = ana.get(f"/games/{game.id}").text
    ids = set(re.findall(r'\sid="([^"]+)"', page))
    used = set(re.findall(r'href="#([^"]+)"', page)) | set(re.findall(r"url\(#([^)]+)\)", page))

    assert used
    assert used <= ids


@pytest.mark.parametrize("language", ["en", "hu", "ru", "pt"])
def test_the_page_is_there_in_every_language(
    ana: FlaskClient, session: Session, game: Game, language: str
) -> None:
    from pbem.models import Person

    person = session.get_one(Person, tables.seat(session, game, ANA).person_id)
    person.language = language
    session.add(person)
    session.commit()

    answer = ana.get(f"/games/{game.id}")

    assert answer.status_code == 200
    assert f'<html lang="{language}">' in answer.text


def test_the_undrawn_tiles_are_on_nobodys_page(
    ana: FlaskClient, service: Service, session: Session, game: Game
) -> None:
    from pbem.play import positions

    state = positions.table(session, game).state
    below = {tile for deck in state.decks for tile in deck[1:]}
    page = ana.get(f"/games/{game.id}").text
    number = game.last_entry

    assert below
    assert not [tile for tile in below if re.search(rf"\b{tile}\b", page)]
    early = ana.get(f"/games/{game.id}/1").text
    assert number > 1
    assert not [tile for tile in below if re.search(rf"\b{tile}\b", early)]


# ---- the end -----------------------------------------------------------------------------------


def test_a_finished_game_shows_points_by_source_and_places(
    client: FlaskClient, service: Service, session: Session, game: Game
) -> None:
    state = play_on(service, session, game, lambda s: False)
    page = client.get(f"/games/{game.id}").text

    assert game.state == GameState.FINISHED
    assert "The final count" in page
    for player in state.players:
        assert f"<td>{player.vp}</td>" in page
    assert page.count('class="winner"') == state.places.count(1)
    assert f'href="/games/{game.id}/record"' in page
    assert "order-form" not in page


def test_a_running_game_asks_the_next_player_after_an_order(
    ana: FlaskClient, bento: FlaskClient, service: Service, session: Session, game: Game
) -> None:
    order(service, session, game, ANA, "place 12 recruiting")

    assert 'class="turn yours"' in bento.get(f"/games/{game.id}").text
    assert "Waiting for Bento" in ana.get(f"/games/{game.id}").text


def test_news_of_one_kind_in_a_row_share_a_line(
    ana: FlaskClient, service: Service, session: Session, game: Game
) -> None:
    order(service, session, game, ANA, "place 12 recruiting")
    first = game.last_entry + 1
    order(service, session, game, BENTO, "place 9 navigation")
    order(service, session, game, CATARINA, "place 8 navigation")

    page = ana.get(f"/games/{game.id}").text

    assert f'href="/games/{game.id}/{first + 1}">{first}–{first + 1}</a>' in page


def test_news_since_the_last_move_is_on_top_of_the_log(
    ana: FlaskClient, service: Service, session: Session, game: Game
) -> None:
    order(service, session, game, ANA, "place 12 recruiting")
    order(service, session, game, BENTO, "place 9 navigation")

    page = ana.get(f"/games/{game.id}").text

    since = re.search(r'id="since".*?</details>', page, re.S)
    assert since is not None
    assert "places 9" in since.group(0)
    assert "places 12" not in since.group(0)
