"""The archive: which games are listed for whom, and the record of those that are over."""

from __future__ import annotations

import html
import re

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import Session, select

from pbem.archive import closing, search
from pbem.models import Game, GameState, stored_id
from pbem.models.archive import Happening
from pbem.record import verify
from pbem.service import Service
from tests.conftest import NOON
from tests.support import tables
from tests.support.at_table import play_on, sign_in
from tests.support.tables import ANA


def game_of(session: Session, service: Service, *names: str) -> Game:
    """A running game of these people."""
    return tables.started_game(session, service.clock.now(), names)


def ended(session: Session, game: Game, *places: int) -> Game:
    """The game as if it had been played to these places, and found by the worker."""
    game.state, game.ended = GameState.FINISHED, game.started
    session.add(game)
    for number, place in enumerate(places):
        seat = tables.seat(session, game, number)
        seat.place, seat.points = place, 50 - place
        session.add(seat)
    session.commit()
    closing.close_game(session, stored_id(game), NOON)
    return game


def listed(page: str) -> list[int]:
    """The numbers of the games in the list."""
    return [int(n) for n in re.findall(r'<h3><a href="/games/(\d+)"', page)]


def test_the_archive_lists_finished_games_newest_first(
    client: FlaskClient, session: Session, service: Service
) -> None:
    older = ended(session, game_of(session, service, "Ana", "Bento"), 1, 2)
    newer = ended(session, game_of(session, service, "Catarina", "Duarte"), 1, 2)
    game_of(session, service, "Eszter", "Fedor")

    assert listed(client.get("/archive").text) == [newer.id, older.id]
    assert listed(client.get("/archive?state=finished").text) == [newer.id, older.id]


def test_games_in_other_states_have_lists_of_their_own(
    client: FlaskClient, session: Session, service: Service
) -> None:
    ended(session, game_of(session, service, "Ana", "Bento"), 1, 2)
    running = game_of(session, service, "Catarina", "Duarte")

    assert listed(client.get("/archive?state=running").text) == [running.id]
    assert listed(client.get("/archive?state=running&player=catarina").text) == [running.id]
    assert listed(client.get("/archive?state=running&player=Ana").text) == []
    assert listed(client.get("/archive?state=cancelled").text) == []


@pytest.mark.parametrize("state", ["running", "finished"])
def test_a_private_game_is_listed_for_its_players_alone(
    flask_app: Flask, client: FlaskClient, session: Session, service: Service, state: str
) -> None:
    game = game_of(session, service, "Ana", "Bento")
    game.private = True
    session.add(game)
    session.commit()
    if state == "finished":
        ended(session, game, 1, 2)
    browser = flask_app.test_client()
    sign_in(service, browser, session, game, ANA)

    assert listed(client.get(f"/archive?state={state}").text) == []
    assert listed(browser.get(f"/archive?state={state}").text) == [game.id]


def test_the_search_is_in_the_address(
    client: FlaskClient, session: Session, service: Service
) -> None:
    game = ended(session, game_of(session, service, "Ana", "Bento"), 1, 2)
    ended(session, game_of(session, service, "Catarina", "Duarte"), 1, 2)

    for asked in ("player=ana", "winner=Ana", "other=Bento&player=Ana", "player=Ana&seats=2"):
        assert listed(client.get(f"/archive?{asked}").text) == [game.id], asked
    for asked in ("player=Nobody", "winner=Bento", "player=Ana&seats=3", "since=2027-01-01",
                  "until=2026-03-01", "longer=100"):
        assert listed(client.get(f"/archive?{asked}").text) == [], asked
    assert len(listed(client.get("/archive?since=2026-03-02&until=2026-03-02").text)) == 2


def test_a_result_tells_places_points_and_where_it_happened(
    client: FlaskClient, session: Session, service: Service
) -> None:
    game = game_of(session, service, "Ana", "Bento")
    play_on(service, session, game, lambda state: False)
    closing.close_game(session, stored_id(game), NOON)
    hosted = session.exec(select(Happening).where(Happening.key == "hosted:manuel")).first()
    assert hosted is not None
    name = tables.seat(session, game, hosted.seat).name

    page = client.get(f"/archive?happened={game.game}:hosted:manuel&round={hosted.round}").text

    assert listed(page) == [game.id]
    line = f'<a href="/games/{game.id}/{hosted.entry}">{name}: hosted Manuel I'
    assert line in page
    for number in range(2):
        seat = tables.seat(session, game, number)
        assert (f'<a href="/players/{seat.person_id}">{seat.name}</a> <b>{seat.points}</b>'
                in page)


def test_the_next_page_keeps_the_filters(
    client: FlaskClient, session: Session, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "A_PAGE", 1)
    first = ended(session, game_of(session, service, "Ana", "Bento"), 1, 2)
    second = ended(session, game_of(session, service, "Catarina", "Duarte"), 1, 2)

    page = client.get("/archive?seats=2").text
    link = re.search(r'<a class="touch" href="(/archive\?before=[^"]*)">Older games', page)

    assert listed(page) == [second.id]
    assert link is not None
    assert "seats=2" in link.group(1)
    assert listed(client.get(html.unescape(link.group(1))).text) == [first.id]


def test_filters_that_are_none_narrow_nothing(
    client: FlaskClient, session: Session, service: Service
) -> None:
    game = ended(session, game_of(session, service, "Ana", "Bento"), 1, 2)

    for asked in ("state=drowned&before=x&player=", "seats=99&margin=-1&own=what&option=a:b=c",
                  "happened=nothing&since=yesterday&until=0000-00-00&before=" + "9" * 40,
                  "until=9999-12-31", "words=%22"):
        assert listed(client.get(f"/archive?{asked}").text) == [game.id], asked


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
