"""The operators' pages: nothing for anybody else, nothing of what games hide, each act noted."""

from __future__ import annotations

from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import Session, select

from pbem import enqueue
from pbem.accounts import auth
from pbem.clock import FixedClock
from pbem.models import (
    Game,
    LetterState,
    MailPause,
    Outbox,
    Person,
    SeatRow,
    Submission,
    WebSession,
    stored_id,
)
from pbem.models.archive import Verification
from pbem.models.operators import OperatorAct
from pbem.operators import people
from pbem.play import stuck
from pbem.service import Service
from pbem.web.context import COOKIE
from tests.conftest import Enqueuer

METHODS = ("get", "head", "options", "post", "put", "delete")
PATHS = ("/operator", "/operator/", "/operator/games", "/operator/letters", "/operator/people",
         "/operator/people/1", "/operator/acts", "/operator/games/1/advance", "/operator/nothing")


def acts_of(session: Session) -> list[tuple[str, str, str]]:
    session.rollback()
    return [(act.what, act.about, act.why) for act in
            session.exec(select(OperatorAct).order_by(OperatorAct.id)) if act.operator_id]


def letter(session: Session, service: Service, **values: object) -> Outbox:
    now = service.clock.now()
    made = Outbox(**{"person_id": 1, "kind": "test", "dedup_key": "1",
                     "created": now, "not_before": now, **values})
    session.add(made)
    session.commit()
    return made


# ---- who may ------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("signed_in", [True, False])
def test_to_all_but_operators_there_is_nothing(
    flask_app: Flask, service: Service, session: Session, game: Game, *, signed_in: bool,
    method: str,
) -> None:
    flask_app.config["WTF_CSRF_ENABLED"] = True  # a form without its token tells nothing either
    browser = flask_app.test_client()
    if signed_in:
        browser.set_cookie(COOKIE, auth.open_session(
            session, game.host_id, agent="", now=service.clock.now()))
        session.commit()
    nothing = getattr(browser, method)("/nothing")
    for path in PATHS:
        answer = getattr(browser, method)(path)
        assert (answer.status_code, answer.text) == (404, nothing.text), path


def test_who_is_no_operator_any_more_sees_nothing_from_then_on(
    desk: FlaskClient, service: Service, session: Session, olga: Person
) -> None:
    session.commit()
    assert desk.get("/operator").status_code == 200
    people.unmake(session, olga, service.clock.now())
    session.commit()
    assert desk.get("/operator").status_code == 404


def test_an_act_needs_the_token_of_its_form(
    flask_app: Flask, desk: FlaskClient, session: Session, game: Game
) -> None:
    flask_app.config["WTF_CSRF_ENABLED"] = True
    assert desk.post("/operator/people/1/sign-out", data={"why": "x"}).status_code == 400
    assert acts_of(session) == []


def test_only_operators_are_led_there(desk: FlaskClient, client: FlaskClient) -> None:
    assert 'href="/operator"' in desk.get("/account").text
    assert 'href="/operator"' not in client.get("/").text


# ---- games --------------------------------------------------------------------------------------


def test_a_game_that_cannot_be_advanced_is_shown_by_the_class_of_its_fault_and_tried_again(
    desk: FlaskClient, service: Service, session: Session, game: Game, enqueuer: Enqueuer
) -> None:
    stuck.note(session, stored_id(game), "KeyError", service.clock.now())
    page = desk.get("/operator/games").text
    assert "KeyError" in page
    desk.post(f"/operator/games/{game.id}/advance", data={"why": "mended"})

    session.rollback()
    assert session.get(Game, game.id, populate_existing=True).retry is None
    assert (enqueue.ADVANCE, (game.id,)) in enqueuer.put_in
    assert acts_of(session) == [("advance", f"g{game.id}", "mended")]


def test_orders_that_no_worker_plays_are_shown_after_two_minutes(
    desk: FlaskClient, clock: FixedClock, session: Session, game: Game
) -> None:
    session.add(Submission(
        game_id=stored_id(game), person_id=game.host_id, seat=0, source="page", key="k",
        orders="secret plan", seen=1, created=clock.now()))
    session.commit()
    assert "/advance" not in desk.get("/operator/games").text
    clock.forward(timedelta(minutes=3))
    page = desk.get("/operator/games").text
    assert f"/operator/games/{game.id}/advance" in page
    assert "secret plan" not in page


def test_a_game_that_asks_no_person_is_shown(
    desk: FlaskClient, clock: FixedClock, session: Session, game: Game
) -> None:
    for seat in session.exec(select(SeatRow)):
        seat.asked_since = None
    session.commit()
    clock.forward(timedelta(minutes=3))
    assert f"/operator/games/{game.id}/advance" in desk.get("/operator/games").text


def test_a_game_is_verified_at_once_and_told_of(
    desk: FlaskClient, session: Session, game: Game
) -> None:
    session.commit()
    assert "fits its record" in desk.post(
        f"/operator/games/{game.id}/verify", follow_redirects=True).text
    assert session.get(Verification, game.id).fault is None
    assert acts_of(session) == [("verify", f"g{game.id}", "")]


def test_of_a_running_game_that_does_not_fit_only_the_entry_is_shown(
    desk: FlaskClient, service: Service, session: Session, game: Game
) -> None:
    session.add(Verification(game_id=game.id, at=service.clock.now(), release="1", broken_at=7,
                             fault="the hand of Bento differs"))
    session.commit()
    page = desk.get("/operator/games").text
    assert "entry 7" in page
    assert "Bento" not in page


# ---- letters ------------------------------------------------------------------------------------


def test_a_letter_that_was_given_up_is_shown_without_its_words_and_leaves_once_more(
    desk: FlaskClient, service: Service, session: Session, game: Game
) -> None:
    row = letter(session, service, state=LetterState.DEAD, settled=service.clock.now(),
                 attempts=12, last_text="no route", raw=b"private words", message_id="<1@x>")
    page = desk.get("/operator/letters").text
    assert "no route" in page
    assert "private words" not in page
    desk.post(f"/operator/letters/{row.id}/again")

    session.rollback()
    kept = session.get(Outbox, row.id, populate_existing=True)
    assert (kept.state, kept.settled, kept.attempts, kept.message_id) == (
        "pending", None, 0, "<1@x>")
    assert acts_of(session) == [("letter_again", f"l{row.id}", "")]


def test_one_that_came_back_leaves_as_another_letter(
    desk: FlaskClient, service: Service, session: Session, game: Game
) -> None:
    now = service.clock.now()
    row = letter(session, service, state=LetterState.SENT, settled=now, bounced=now, bounce="hard")
    desk.post(f"/operator/letters/{row.id}/again")
    session.rollback()
    due = session.exec(select(Outbox).where(Outbox.repeat_of == row.id)).one()
    assert (due.kind, due.person_id, due.state) == ("test", 1, "pending")


def test_one_that_is_not_true_any_more_does_not_leave(
    desk: FlaskClient, service: Service, session: Session, game: Game
) -> None:
    row = letter(session, service, state=LetterState.DEAD, settled=service.clock.now(),
                 kind="turn", game_id=game.id, entry=999)
    desk.post(f"/operator/letters/{row.id}/again")
    session.rollback()
    assert session.get(Outbox, row.id, populate_existing=True).state == "dead"
    assert acts_of(session) == []


def test_a_letter_is_given_up_with_a_reason_unless_it_leaves_this_moment(
    desk: FlaskClient, service: Service, session: Session, game: Game
) -> None:
    row = letter(session, service, attempts=2, lease_until=service.clock.now() + timedelta(1))
    path = f"/operator/letters/{row.id}/give-up"
    assert desk.post(path).status_code == 400
    desk.post(path, data={"why": "never"})
    session.rollback()
    assert session.get(Outbox, row.id, populate_existing=True).state == "pending"
    row.lease_until = None
    session.add(row)
    session.commit()
    desk.post(path, data={"why": "never"})
    session.rollback()
    assert session.get(Outbox, row.id, populate_existing=True).state == "dead"
    assert acts_of(session) == [("letter_given_up", f"l{row.id}", "never")]


def test_a_lifted_pause_lets_that_domain_s_letters_leave_and_no_others(
    desk: FlaskClient, service: Service, session: Session, game: Game, olga: Person
) -> None:
    now = service.clock.now()
    later = now + timedelta(hours=1)
    olga.address = "olga@other.example"
    session.add_all([olga, MailPause(domain="players.example", until=later, since=now, why="554")])
    there = letter(session, service, person_id=game.host_id, not_before=later,
                   why="domain_paused")
    elsewhere = letter(session, service, person_id=olga.id, dedup_key="2", not_before=later,
                       why="domain_paused")
    assert "554" in desk.get("/operator/letters").text
    desk.post("/operator/letters/lift", data={"domain": "players.example"})

    session.rollback()
    assert session.get(MailPause, "players.example") is None
    assert session.get(Outbox, there.id, populate_existing=True).not_before == now
    assert session.get(Outbox, elsewhere.id, populate_existing=True).not_before == later
    assert acts_of(session) == [("pause_lifted", "@players.example", "")]


# ---- people -------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["ana@players.example", " ANA@players.example", "ana"])
def test_somebody_is_found_by_exact_address_or_name(
    desk: FlaskClient, session: Session, game: Game, text: str
) -> None:
    session.commit()
    page = desk.post("/operator/people", data={"text": text}).text
    assert f'href="/operator/people/{game.host_id}"' in page


@pytest.mark.parametrize("text", ["an", "ana@", "%", "@players.example", "steady 1"])
def test_nobody_is_found_by_a_part(
    desk: FlaskClient, session: Session, game: Game, text: str
) -> None:
    session.commit()
    page = desk.post("/operator/people", data={"text": text}).text
    assert "Nobody here has this address or name." in page
    assert 'href="/operator/people/' not in page


def test_all_browsers_of_somebody_are_signed_out_with_a_reason(
    desk: FlaskClient, service: Service, session: Session, game: Game
) -> None:
    auth.open_session(session, game.host_id, agent="old phone", now=service.clock.now())
    session.commit()
    path = f"/operator/people/{game.host_id}"
    assert "old phone" in desk.get(path).text
    assert desk.post(f"{path}/sign-out").status_code == 400
    assert session.exec(select(WebSession).where(WebSession.person_id == game.host_id)).all()
    session.rollback()
    desk.post(f"{path}/sign-out", data={"why": "phone lost"})

    session.rollback()
    assert not session.exec(select(WebSession).where(WebSession.person_id == game.host_id)).all()
    assert acts_of(session) == [("sessions_ended", f"p{game.host_id}", "phone lost")]


def test_the_log_shows_who_did_what_and_why(
    desk: FlaskClient, session: Session, game: Game
) -> None:
    session.commit()
    desk.post(f"/operator/people/{game.host_id}/sign-out", data={"why": "<b>phone</b> lost"})
    page = desk.get("/operator/acts").text
    assert "signed all browsers out" in page
    assert "&lt;b&gt;phone&lt;/b&gt; lost" in page
    assert "by a command on the server" in page  # Olga was made an operator


def test_the_first_page_says_that_the_broker_is_away(desk: FlaskClient) -> None:
    page = desk.get("/operator")
    assert page.status_code == 200
    assert "The broker does not answer." in page.text
