"""The archive: which games are listed for whom, and the record of those that are over."""

from __future__ import annotations

import re

from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import Session

from pbem.games import verify
from pbem.models import Game, GameState
from pbem.service import Service
from tests.pbem import tables
from tests.pbem.tables import ANA
from tests.web.at_table import play_on, sign_in


def game_of(session: Session, service: Service, *names: str) -> Game:
    """A running game of these people."""
    return tables.started_game(session, service.clock.now(), names)


def ended(session: Session, game: Game, *places: int) -> Game:
    """The game as if it had been played to these places."""
    game.state = GameState.FINISHED
    session.add(game)
    for number, place in enumerate(places):
        seat = tables.seat(session, game, number)
        seat.place, seat.points = place, 50 - place
        session.add(seat)
    session.commit()
    return game


def listed(page: str) -> list[int]:
    """The numbers of the games in the list."""
    return [int(n) for n in re.findall(r'<div class="what"><a href="/games/(\d+)"', page)]


def test_the_archive_lists_games_newest_first(
    client: FlaskClient, session: Session, service: Service
) -> None:
    older = game_of(session, service, "Ana", "Bento")
    newer = game_of(session, service, "Catarina", "Duarte")

    assert listed(client.get("/archive").text) == [newer.id, older.id]


def test_a_private_game_is_listed_for_its_players_alone(
    flask_app: Flask, client: FlaskClient, session: Session, service: Service
) -> None:
    game = game_of(session, service, "Ana", "Bento")
    game.private = True
    session.add(game)
    session.commit()
    browser = flask_app.test_client()
    sign_in(service, browser, session, game, ANA)

    assert listed(client.get("/archive").text) == []
    assert listed(browser.get("/archive").text) == [game.id]


def test_the_list_can_be_narrowed_to_a_player(
    client: FlaskClient, session: Session, service: Service
) -> None:
    hers = game_of(session, service, "Ana", "Bento")
    game_of(session, service, "Catarina", "Duarte")

    assert listed(client.get("/archive?player=ana").text) == [hers.id]
    assert listed(client.get("/archive?player=Nobody").text) == []


def test_the_list_can_be_narrowed_to_a_state(
    client: FlaskClient, session: Session, service: Service
) -> None:
    over = ended(session, game_of(session, service, "Ana", "Bento"), 1, 2)
    running = game_of(session, service, "Catarina", "Duarte")

    assert listed(client.get("/archive?state=finished").text) == [over.id]
    assert listed(client.get("/archive?state=running").text) == [running.id]


def test_the_result_is_that_of_the_player_named(
    client: FlaskClient, session: Session, service: Service
) -> None:
    game = ended(session, game_of(session, service, "Ana", "Bento"), 1, 2)

    assert listed(client.get("/archive?player=Ana&result=won").text) == [game.id]
    assert listed(client.get("/archive?player=Ana&result=lost").text) == []
    assert listed(client.get("/archive?player=Bento&result=lost").text) == [game.id]


def test_the_result_without_a_player_is_the_readers(
    flask_app: Flask, session: Session, service: Service
) -> None:
    game = ended(session, game_of(session, service, "Ana", "Bento"), 1, 2)
    browser = flask_app.test_client()
    sign_in(service, browser, session, game, ANA)

    assert listed(browser.get("/archive?result=won").text) == [game.id]
    assert listed(browser.get("/archive?result=lost").text) == []


def test_filters_that_are_none_narrow_nothing(
    client: FlaskClient, session: Session, service: Service
) -> None:
    game = game_of(session, service, "Ana", "Bento")

    answer = client.get("/archive?state=drowned&result=maybe&before=x&player=")

    assert listed(answer.text) == [game.id]


def test_a_finished_games_record_can_be_taken_home_and_verifies(
    client: FlaskClient, session: Session, service: Service
) -> None:
    game = game_of(session, service, "Ana", "Bento")
    play_on(service, session, game, lambda state: False)

    answer = client.get(f"/games/{game.id}/record")

    assert answer.status_code == 200
    assert f"game-{game.id}.jsonl" in answer.headers["Content-Disposition"]
    assert len(answer.data.splitlines()) == game.last_entry + 2
    assert verify.verify(answer.data.splitlines(keepends=True)).ok


def test_a_cancelled_games_record_tells_the_server_part_and_verifies(
    client: FlaskClient, session: Session, service: Service
) -> None:
    game = game_of(session, service, "Ana", "Bento")
    play_on(service, session, game, lambda state: state.phase == 1)
    game.state = GameState.CANCELLED
    session.add(game)
    session.commit()

    answer = client.get(f"/games/{game.id}/record")

    assert game.server_part.hex() in answer.text
    assert verify.verify(answer.data.splitlines(keepends=True)).ok
    assert f"/games/{game.id}/record" in client.get(f"/games/{game.id}/{game.last_entry}").text


def test_a_game_that_never_began_has_no_record(
    client: FlaskClient, session: Session, service: Service
) -> None:
    game = game_of(session, service, "Ana", "Bento")
    game.state, game.last_entry = GameState.CANCELLED, 0
    session.add(game)
    session.commit()

    assert client.get(f"/games/{game.id}/record").status_code == 404


def test_a_running_games_record_is_not_given_out(
    client: FlaskClient, session: Session, service: Service
) -> None:
    game = game_of(session, service, "Ana", "Bento")

    assert client.get(f"/games/{game.id}/record").status_code == 404


def test_a_private_games_record_is_for_its_players_alone(
    client: FlaskClient, session: Session, service: Service
) -> None:
    game = ended(session, game_of(session, service, "Ana", "Bento"), 1, 2)
    game.private = True
    session.add(game)
    session.commit()

    assert client.get(f"/games/{game.id}/record").status_code == 404
