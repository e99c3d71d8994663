"""Orders from the game page: previewed, sent, refused; by steps and by hand, without script."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import Session

from engine.vasco_da_gama import VascoDaGama
from pbem import logs
from pbem.models import Game, GameState, Submission, SubmissionState, stored_id
from pbem.play import advance
from pbem.service import Service
from tests.conftest import Enqueuer
from tests.support.at_table import can_sail, fields, play_on, sent, sign_in
from tests.support.tables import ANA

# ---- preview -----------------------------------------------------------------------------------


def test_a_preview_shows_the_order_line_and_sends_nothing(
    ana: FlaskClient, service: Service, game: Game, enqueuer: Enqueuer
) -> None:
    page = ana.get(f"/games/{game.id}").text

    answer = ana.post(f"/games/{game.id}/preview",
                      data=fields(page, number="12", area="recruiting"))

    assert 'id="preview"' in answer.text
    assert 'value="place 12 recruiting"' in answer.text
    assert 'name="number" value="12" checked' in answer.text
    assert sent(service) == []
    assert enqueuer.put_in == []


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

    assert '<rect class="pl"' in answer.text
    assert f"send {lines[-1]}: {ship}&gt;" in answer.text


# ---- sending -----------------------------------------------------------------------------------


def test_a_sent_order_is_recorded_and_the_task_is_enqueued(
    ana: FlaskClient, service: Service, game: Game, enqueuer: Enqueuer
) -> None:
    page = ana.get(f"/games/{game.id}").text

    answer = ana.post(f"/games/{game.id}/orders",
                      data=fields(page, number="12", area="recruiting"))

    assert answer.status_code == 303
    assert [each.orders for each in sent(service)] == ["place 12 recruiting"]
    assert [arguments for _task, arguments in enqueuer.put_in] == [(game.id,)]


def test_what_the_steps_choose_is_played_without_reading_its_line(
    ana: FlaskClient, service: Service, session: Session, game: Game,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = ana.get(f"/games/{game.id}").text
    monkeypatch.setattr(VascoDaGama, "from_text", None)  # calling it fails

    ana.post(f"/games/{game.id}/orders", data=fields(page, number="12", area="recruiting"))
    advance.advance(session, stored_id(game), service.clock.now())

    [played] = sent(service)
    assert (played.state, played.orders) == (SubmissionState.PLAYED, "place 12 recruiting")


def test_the_log_names_what_was_recorded_in_the_line_of_its_request_alone(
    ana: FlaskClient, service: Service, game: Game, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "carreira")
    caplog.handler.setFormatter(logs.formatter("web", as_json=True))
    page = ana.get(f"/games/{game.id}").text
    ana.post(f"/games/{game.id}/orders", data=fields(page, number="12", area="recruiting"))
    ana.get("/help")

    lines = [json.loads(line) for line in caplog.text.splitlines()]
    [recorded] = [line for line in lines if "submission_id" in line]
    assert recorded["submission_id"] == sent(service)[0].id
    assert recorded["game_id"] == game.id
    assert (recorded["event"], recorded["method"]) == ("request", "POST")


def test_while_an_order_waits_the_page_looks_again_by_itself(
    ana: FlaskClient, game: Game
) -> None:
    page = ana.get(f"/games/{game.id}").text
    ana.post(f"/games/{game.id}/orders", data=fields(page, number="12", area="recruiting"))

    after = ana.get(f"/games/{game.id}").text

    assert f'<noscript><meta http-equiv="refresh" content="2; url=/games/{game.id}">' in after
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


def test_an_order_that_the_worker_refuses_comes_back_on_the_page_as_one_line(
    ana: FlaskClient, service: Service, session: Session, game: Game
) -> None:
    page = ana.get(f"/games/{game.id}").text
    ana.post(f"/games/{game.id}/orders", data={**fields(page), "order": "place 12 recruiting"})
    submission = session.get_one(Submission, sent(service)[-1].id)
    submission.orders = "place 21 projects\ngive up"  # as if the table had changed in between
    session.add(submission)
    session.commit()

    advance.advance(session, stored_id(game), service.clock.now())
    after = ana.get(f"/games/{game.id}").text

    assert "Your last order was not played" in after
    assert 'name="order" value="place 21 projects; give up"' in after


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

    assert "Waiting for" in page
    assert answer.status_code == 303
    assert sent(service)[-1].orders.startswith("launch ")


def idle_launcher(state: Any) -> int | None:
    """A seat that is not asked and could launch a project with one crew member."""
    easy = {"I-01", "II-02", "III-01"}
    for seat, player in enumerate(state.players):
        if seat not in state.awaiting.seats and easy & {*player.projects} and any(player.crew):
            return seat
    return None


# ---- games that have ended in the meantime -----------------------------------------------------


def test_an_order_for_a_game_that_was_cancelled_meanwhile_is_told_so(
    ana: FlaskClient, service: Service, session: Session, game: Game
) -> None:
    page = ana.get(f"/games/{game.id}").text
    cancel(session, game)

    for action in ("orders", "preview"):
        answer = ana.post(f"/games/{game.id}/{action}", data=fields(page, order="place 3 projects"))

        assert (answer.status_code, answer.location) == (303, f"/games/{game.id}")
        assert "The game is over" in ana.get(answer.location).text
    assert sent(service) == []


def test_a_cancelled_game_waits_for_nobody(
    ana: FlaskClient, session: Session, game: Game
) -> None:
    cancel(session, game)

    page = ana.get(f"/games/{game.id}/{game.last_entry}").text

    assert "This game was cancelled." in page
    assert "Waiting for" not in page
    assert "Your decision" not in page


def cancel(session: Session, game: Game) -> None:
    game.state = GameState.CANCELLED
    session.add(game)
    session.commit()
