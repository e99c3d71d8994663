"""The game page: who sees what, and what happens to orders that are sent from it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import Session, select

from pbem.games import advance
from pbem.models import Game, GameState, Submission, SubmissionState, stored_id
from pbem.service import Service
from tests.conftest import Pokes
from tests.pbem import tables
from tests.pbem.tables import ANA, BENTO
from tests.web.at_table import order, play_on, sign_in


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


@pytest.fixture
def game(service: Service, session: Session) -> Game:
    """Round 1, phase 1: Ana is asked."""
    started = tables.started_game(session, service.clock.now())
    play_on(service, session, started, lambda state: state.phase == 1)
    return started


@pytest.fixture
def ana(flask_app: Flask, service: Service, session: Session, game: Game) -> FlaskClient:
    browser = flask_app.test_client()
    sign_in(service, browser, session, game, ANA)
    return browser


@pytest.fixture
def bento(flask_app: Flask, service: Service, session: Session, game: Game) -> FlaskClient:
    browser = flask_app.test_client()
    sign_in(service, browser, session, game, BENTO)
    return browser


def fields(page: str, **more: Any) -> dict[str, Any]:
    """The form's hidden fields, as a browser would send them, and what was chosen."""
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))
    line = re.search(r'id="order" name="order" value="([^"]*)"', page)
    return {**hidden, "order": line.group(1) if line else "", **more}


def sent(service: Service) -> list[Submission]:
    """All orders of players, those of `steady` before the test left out."""
    with service.reading() as session:
        found = session.exec(select(Submission).where(Submission.key.not_like("%-%-steady")))
        return list(found.all())


def play(service: Service, session: Session, game: Game) -> None:
    advance.advance(session, stored_id(game), service.clock.now())


# ---- looking -----------------------------------------------------------------------------------


def test_a_spectator_sees_the_table_and_no_form(client: FlaskClient, game: Game) -> None:
    page = client.get(f"/games/{game.id}").text

    assert "Waiting for Ana" in page
    assert "Chart of the landings" in page
    assert "order-form" not in page


def test_the_asked_player_gets_the_steps_of_his_decision(ana: FlaskClient, game: Game) -> None:
    page = ana.get(f"/games/{game.id}").text

    assert "Your decision, Ana" in page
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


def test_the_chart_says_its_content_again_as_a_table(client: FlaskClient, game: Game) -> None:
    page = client.get(f"/games/{game.id}").text

    assert "The chart as a table" in page
    assert page.count('<th scope="rowgroup"') == 6


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
    from pbem.games import load

    state = load.table(session, game).state
    below = {tile for deck in state.decks for tile in deck[1:]}
    page = ana.get(f"/games/{game.id}").text
    number = game.last_entry

    assert below
    assert not [tile for tile in below if re.search(rf"\b{tile}\b", page)]
    early = ana.get(f"/games/{game.id}/1").text
    assert number > 1
    assert not [tile for tile in below if re.search(rf"\b{tile}\b", early)]


# ---- preview -----------------------------------------------------------------------------------


def test_a_preview_shows_the_order_line_and_sends_nothing(
    ana: FlaskClient, service: Service, game: Game, pokes: Pokes
) -> None:
    page = ana.get(f"/games/{game.id}").text

    answer = ana.post(f"/games/{game.id}/preview",
                      data=fields(page, number="12", area="recruiting"))

    assert "Preview: not sent yet" in answer.text
    assert 'value="place 12 recruiting"' in answer.text
    assert 'name="number" value="12" checked' in answer.text
    assert sent(service) == []
    assert pokes.put_in == []


def test_a_previewed_expedition_lies_on_the_chart_as_a_plan(
    flask_app: Flask, service: Service, session: Session, game: Game
) -> None:
    state = play_on(service, session, game, can_sail)
    seat = state.awaiting.seat
    browser = flask_app.test_client()
    sign_in(service, browser, session, game, seat)
    page = browser.get(f"/games/{game.id}").text
    lines = re.findall(r'name="to" value="(\w+)"(?! disabled)', page)
    ship = re.findall(r'name="ship" value="([^"]+)"', page)[0]

    answer = browser.post(f"/games/{game.id}/preview",
                          data=fields(page, act="take", to=lines[-1], ship=ship))

    assert 'class="plan"' in answer.text
    assert f"send {lines[-1]}: {ship}&gt;" in answer.text


def can_sail(state: Any) -> bool:
    """Whether an expedition is asked of somebody with a ship and a captain."""
    question = state.awaiting
    if state.phase != 2 or getattr(question, "area", "") != "navigation":
        return False
    player = state.players[question.seat]
    return bool(player.ships and player.captains and player.reals >= question.price)


# ---- sending -----------------------------------------------------------------------------------


def test_a_sent_order_is_recorded_and_the_worker_is_poked(
    ana: FlaskClient, service: Service, game: Game, pokes: Pokes
) -> None:
    page = ana.get(f"/games/{game.id}").text

    answer = ana.post(f"/games/{game.id}/orders",
                      data=fields(page, number="12", area="recruiting"))

    assert answer.status_code == 303
    assert [each.orders for each in sent(service)] == ["place 12 recruiting"]
    assert [arguments for _task, arguments in pokes.put_in] == [(game.id,)]


def test_while_an_order_waits_the_page_looks_again_by_itself(
    ana: FlaskClient, game: Game
) -> None:
    page = ana.get(f"/games/{game.id}").text
    ana.post(f"/games/{game.id}/orders", data=fields(page, number="12", area="recruiting"))

    after = ana.get(f"/games/{game.id}").text

    assert f'<meta http-equiv="refresh" content="2; url=/games/{game.id}">' in after
    assert "Your order is recorded" in after
    assert "place 12 recruiting" in after


def test_a_double_click_is_one_sending(ana: FlaskClient, service: Service, game: Game) -> None:
    data = fields(ana.get(f"/games/{game.id}").text, number="12", area="recruiting")

    first = ana.post(f"/games/{game.id}/orders", data=data)
    second = ana.post(f"/games/{game.id}/orders", data=data)

    assert (first.status_code, second.status_code) == (303, 303)
    assert len(sent(service)) == 1


def test_an_order_line_that_was_typed_wins_over_the_steps(
    ana: FlaskClient, service: Service, game: Game
) -> None:
    data = fields(ana.get(f"/games/{game.id}").text, number="12", area="recruiting")
    data["order"] = "place 15 projects"

    ana.post(f"/games/{game.id}/orders", data=data)

    assert [each.orders for each in sent(service)] == ["place 15 projects"]


def test_a_typed_line_still_wins_after_its_preview(
    ana: FlaskClient, service: Service, game: Game
) -> None:
    data = fields(ana.get(f"/games/{game.id}").text, number="12", area="recruiting")
    preview = ana.post(f"/games/{game.id}/preview", data={**data, "order": "place 15 projects"})

    ana.post(f"/games/{game.id}/orders",
             data=fields(preview.text, number="12", area="recruiting"))

    assert [each.orders for each in sent(service)] == ["place 15 projects"]


def test_steps_changed_after_a_preview_win_over_the_line_it_wrote(
    ana: FlaskClient, service: Service, game: Game
) -> None:
    data = fields(ana.get(f"/games/{game.id}").text, number="12", area="recruiting")
    preview = ana.post(f"/games/{game.id}/preview", data=data)

    ana.post(f"/games/{game.id}/orders",
             data=fields(preview.text, number="13", area="recruiting"))

    assert [each.orders for each in sent(service)] == ["place 13 recruiting"]


def test_an_incomplete_form_is_refused_with_the_input_kept(
    ana: FlaskClient, service: Service, game: Game
) -> None:
    page = ana.get(f"/games/{game.id}").text

    answer = ana.post(f"/games/{game.id}/orders", data=fields(page, number="12"))

    assert answer.status_code == 422
    assert "Choose an area as well." in answer.text
    assert 'name="number" value="12" checked' in answer.text
    assert sent(service) == []


def test_an_illegal_order_is_refused_with_its_rule_and_lines_that_would_do(
    ana: FlaskClient, service: Service, game: Game
) -> None:
    page = ana.get(f"/games/{game.id}").text

    answer = ana.post(f"/games/{game.id}/orders", data=fields(page, order="place 21 projects"))

    assert answer.status_code == 422
    assert '<div class="refused" role="alert"' in answer.text
    assert re.search(r'id="refused".*?href="/rules/vasco-da-gama#VG-2\.3"', answer.text, re.S)
    assert re.search(r"<li><code>place \d+ \w+</code></li>", answer.text)
    assert 'name="order" value="place 21 projects"' in answer.text
    assert sent(service) == []


def test_a_slip_is_answered_with_the_line_that_was_meant(ana: FlaskClient, game: Game) -> None:
    page = ana.get(f"/games/{game.id}").text

    answer = ana.post(f"/games/{game.id}/orders", data=fields(page, order="plaec 12 projects"))

    assert answer.status_code == 422
    assert "<code>place 12 projects</code>" in answer.text


def test_a_stale_page_is_told_what_happened_since(
    ana: FlaskClient, service: Service, session: Session, game: Game
) -> None:
    data = fields(ana.get(f"/games/{game.id}").text, number="12", area="recruiting")
    play_on(service, session, game,
            lambda s: s.awaiting.seats == (ANA,) and s.players[ANA].discs == 3)

    answer = ana.post(f"/games/{game.id}/orders", data=data)

    assert answer.status_code == 422
    assert "Since you looked, the game has moved on." in answer.text
    assert re.search(r'id="refused".*Bento.* places', answer.text, re.S)
    assert [each for each in sent(service) if each.state == SubmissionState.PENDING] == []


def test_a_forged_landing_is_no_landing(
    flask_app: Flask, service: Service, session: Session, game: Game
) -> None:
    state = play_on(service, session, game, can_sail)
    browser = flask_app.test_client()
    sign_in(service, browser, session, game, state.awaiting.seat)
    page = browser.get(f"/games/{game.id}").text

    answer = browser.post(f"/games/{game.id}/preview",
                          data=fields(page, act="take", to="atlantis", ship="I-01"))

    assert answer.status_code == 422
    assert "Choose a landing as well." in answer.text


def test_a_spectator_cannot_send(client: FlaskClient, game: Game) -> None:
    assert client.post(f"/games/{game.id}/orders", data={"order": "give up"}).status_code == 403


def test_a_form_without_its_hidden_fields_is_no_form(ana: FlaskClient, game: Game) -> None:
    assert ana.post(f"/games/{game.id}/orders", data={"order": "give up"}).status_code == 400


def test_an_order_that_the_worker_refuses_comes_back_on_the_page(
    ana: FlaskClient, service: Service, session: Session, game: Game
) -> None:
    page = ana.get(f"/games/{game.id}").text
    ana.post(f"/games/{game.id}/orders", data=fields(page, number="12", area="recruiting"))
    submission = session.get_one(Submission, sent(service)[-1].id)
    submission.orders = "place 21 projects"  # as if the table had changed in between
    session.add(submission)
    session.commit()

    play(service, session, game)
    after = ana.get(f"/games/{game.id}").text

    assert "Your last order was not played" in after
    assert 'name="order" value="place 21 projects"' in after


def test_launching_is_offered_when_it_is_anothers_turn(
    flask_app: Flask, service: Service, session: Session, game: Game
) -> None:
    state = play_on(service, session, game, lambda s: idle_launcher(s) is not None)
    browser = flask_app.test_client()
    sign_in(service, browser, session, game, idle_launcher(state))
    page = browser.get(f"/games/{game.id}").text
    launch, crew = re.search(
        r'name="(launch-[^"]+)"><option value="">[^<]*</option><option value="([^"]+)"', page
    ).groups()

    answer = browser.post(f"/games/{game.id}/orders", data=fields(page, **{launch: crew}))

    assert "Not your turn" in page
    assert answer.status_code == 303
    assert sent(service)[-1].orders.startswith("launch ")


def idle_launcher(state: Any) -> int | None:
    """A seat that is not asked and could launch a project with one crew member."""
    easy = {"I-01", "II-02", "III-01"}
    for seat, player in enumerate(state.players):
        if seat not in state.awaiting.seats and easy & {*player.projects} and any(player.crew):
            return seat
    return None


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

    assert "Your decision, Bento" in bento.get(f"/games/{game.id}").text
    assert "Waiting for Bento" in ana.get(f"/games/{game.id}").text


def test_news_since_the_last_move_is_on_top_of_the_log(
    ana: FlaskClient, service: Service, session: Session, game: Game
) -> None:
    order(service, session, game, ANA, "place 12 recruiting")
    order(service, session, game, BENTO, "place 9 navigation")

    page = ana.get(f"/games/{game.id}").text

    since = re.search(r'<details class="since card".*?</details>', page, re.S)
    assert since is not None
    assert "places 9" in since.group(0)
    assert "places 12" not in since.group(0)
