"""Pages about players whom one wants nothing of: blocking, warnings, folded talk, reports."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import Session, select

from pbem.accounts import auth
from pbem.clock import FixedClock
from pbem.models import Chat, Game, GameState, Person, stored_id
from pbem.models.operators import Block, Report
from pbem.operators import reports
from pbem.service import Service
from pbem.tables import blocks, chat
from pbem.web.context import COOKIE
from tests.support import tables
from tests.support.at_table import order
from tests.support.doors import letters, text_of
from tests.support.tables import ANA, BENTO, seat

WARNING = "Somebody whom you have blocked sits at this table: Bento."
NOT_FOR_YOU = "The free chairs of this table are kept for others."


def who(session: Session, game: Game, number: int) -> Person:
    return session.get_one(Person, seat(session, game, number).person_id)


def says(session: Session, game: Game, number: int, text: str, service: Service) -> Chat:
    line = chat.post(session, stored_id(game), who(session, game, number), text,
                    service.clock.now())
    session.commit()
    return line


def block(session: Session, game: Game, one: int, other: int, service: Service) -> None:
    blocks.block(session, who(session, game, one), who(session, game, other),
                     service.clock.now())
    session.commit()


def browser_of(app: Flask, service: Service, session: Session, person: Person) -> FlaskClient:
    browser = app.test_client()
    browser.set_cookie(COOKIE, auth.open_session(
        session, stored_id(person), agent="test", now=service.clock.now()))
    session.commit()
    return browser


@pytest.fixture
def xenia(flask_app: Flask, service: Service, session: Session, game: Game) -> FlaskClient:
    """Somebody signed in who does not sit at the table."""
    made = tables.person(session, "Xenia", service.clock.now())
    return browser_of(flask_app, service, session, made)


def open_game(browser: FlaskClient) -> str:
    answer = browser.post("/games/new", data={
        "game": "goa", "title": "Summer", "seats": "4", "order": "random",
        "visibility": "public", "set": "standard", "components": "", "phrase": ""})
    return str(answer.headers["Location"])


def page(browser: FlaskClient, path: str) -> str:
    return browser.get(path, follow_redirects=True).text


# ---- blocking -----------------------------------------------------------------------------------


def test_a_player_is_blocked_from_his_page_and_the_block_lifted_on_the_account(
    ana: FlaskClient, bento: FlaskClient, session: Session, game: Game
) -> None:
    his = who(session, game, BENTO).id
    path = f"/players/{his}"
    hers = f"/players/{who(session, game, ANA).id}"
    session.commit()
    assert "Block this player" in page(ana, path)

    after = ana.post(f"{path}/block", follow_redirects=True).text

    assert "Bento is blocked, and is not told of it." in after
    assert "You both sit in these games, which go on as they were: 1." in after
    assert "Lift the block" in page(ana, path)
    for its in (hers, f"/games/{game.id}", "/account"):
        assert "You have blocked" not in page(bento, its).replace("You have blocked nobody", "")

    ana.post("/account/blocked", data={"person": his})
    assert session.exec(select(Block)).all() == []


def test_who_said_something_is_blocked_from_there(
    ana: FlaskClient, session: Session, game: Game, service: Service
) -> None:
    line = says(session, game, BENTO, "Hurry up!", service)
    assert f'href="/talk/{line.id}"' in page(ana, f"/games/{game.id}")

    ana.post(f"/talk/{line.id}/block")

    shown = page(ana, f"/games/{game.id}")
    assert re.search(r'<details class="folded">.*You have blocked this player\..*Hurry up!', shown)


@pytest.mark.parametrize("path", ["/players/999999/block", "/talk/999999/block",
                                  "/talk/999999/report", "/players/999999/report"])
def test_nobody_is_blocked_or_reported_by_guessing(ana: FlaskClient, path: str) -> None:
    assert ana.post(path, data={"text": "?"}).status_code == 404


def test_lines_that_one_may_not_read_cannot_be_reported(
    xenia: FlaskClient, session: Session, game: Game, service: Service
) -> None:
    """The players' own talk while they play: to who looks on there is nothing there."""
    line = says(session, game, BENTO, "Let us stop Ana.", service)

    assert xenia.get(f"/talk/{line.id}").status_code == 404
    assert xenia.post(f"/talk/{line.id}/report", data={"text": "?"}).status_code == 404
    assert xenia.post(f"/talk/{line.id}/block").status_code == 404


def test_one_cannot_block_oneself_nor_be_asked_without_signing_in(
    ana: FlaskClient, client: FlaskClient, session: Session, game: Game
) -> None:
    path = f"/players/{who(session, game, ANA).id}"
    session.commit()
    assert ana.post(f"{path}/block").status_code == 404
    assert client.post(f"{path}/block").headers["Location"].startswith("/sign-in")
    assert "Block" not in page(client, path)


# ---- sitting down -------------------------------------------------------------------------------


def test_the_blocked_one_reads_only_that_chairs_are_kept(
    ana: FlaskClient, bento: FlaskClient, session: Session, game: Game, service: Service
) -> None:
    block(session, game, ANA, BENTO, service)
    path = open_game(ana)

    assert path not in page(bento, "/seats")
    assert NOT_FOR_YOU in page(bento, path)
    assert f"{path}/join" not in page(bento, path)
    answer = bento.post(f"{path}/join", follow_redirects=True).text
    assert NOT_FOR_YOU in answer
    assert "block" not in answer.lower()


def test_the_blocker_sits_down_by_the_form_that_warned_him_and_by_no_other(
    ana: FlaskClient, bento: FlaskClient, session: Session, game: Game, service: Service
) -> None:
    path = open_game(bento)
    assert "beside" not in page(ana, path)
    block(session, game, ANA, BENTO, service)

    refused = ana.post(f"{path}/join", follow_redirects=True).text  # the page of before
    assert "You sit at the table" not in refused
    assert WARNING in refused
    for shown in (page(ana, path), page(ana, "/seats")):
        assert WARNING in shown
    [number] = set(re.findall(r'name="beside" value="(\d+)"', page(ana, path)))

    assert "You sit at the table" in ana.post(
        f"{path}/join", data={"beside": number}, follow_redirects=True).text


# ---- talk ---------------------------------------------------------------------------------------


def test_a_letter_leaves_out_what_the_blocked_one_said(
    service: Service, session: Session, game: Game
) -> None:
    order(service, session, game, ANA, "place 12 recruiting")
    session.commit()
    says(session, game, ANA, "Hurry up!", service)
    block(session, game, BENTO, ANA, service)

    [letter] = [one for one in letters(service) if "Your turn" in str(one["Subject"])
                and "bento@" in str(one["To"])]
    text = " ".join(text_of(letter).split())
    assert "1 line of somebody whom you have blocked is left out." in text
    assert "Hurry up!" not in letter.as_string()


def test_a_page_that_is_kept_is_not_kept_over_a_block(
    ana: FlaskClient, session: Session, game: Game, service: Service
) -> None:
    says(session, game, BENTO, "Hurry up!", service)
    path = f"/games/{game.id}"
    tag = ana.get(path).headers["ETag"]
    assert ana.get(path, headers={"If-None-Match": tag}).status_code == 304

    block(session, game, ANA, BENTO, service)

    assert ana.get(path, headers={"If-None-Match": tag}).status_code == 200


# ---- reports ------------------------------------------------------------------------------------


def test_a_line_is_reported_as_it_was_said(
    ana: FlaskClient, session: Session, game: Game, service: Service
) -> None:
    line = says(session, game, BENTO, "You are a fool.", service)
    assert "You are a fool." in page(ana, f"/talk/{line.id}")

    after = ana.post(f"/talk/{line.id}/report", data={"text": "An insult."},
                     follow_redirects=True).text

    assert "Your report is with those who run this site." in after
    assert "An insult." in after
    made = session.exec(select(Report)).one()
    assert (made.said, made.chat_id, made.game_id, made.text) == (
        "You are a fool.", line.id, game.id, "An insult.")


def test_a_player_is_reported_from_his_page_and_a_second_click_changes_nothing(
    ana: FlaskClient, session: Session, game: Game
) -> None:
    path = f"/players/{who(session, game, BENTO).id}/report"
    session.commit()
    assert f'action="{path}"' in page(ana, path)
    for _click in range(2):
        ana.post(path, data={"text": "He plays two seats."})

    assert len(session.exec(select(Report)).all()) == 1


@pytest.mark.parametrize(("text", "why"), [
    ("  ", "there is nothing in that"), ("x" * 1001, "a report has 1000 characters at most")])
def test_a_report_says_something_and_not_too_much(
    ana: FlaskClient, session: Session, game: Game, text: str, why: str
) -> None:
    path = f"/players/{who(session, game, BENTO).id}/report"
    session.commit()

    answer = ana.post(path, data={"text": text})

    assert answer.status_code == 400
    assert why in answer.text
    assert session.exec(select(Report)).all() == []


def test_ten_reports_a_day_are_taken(
    ana: FlaskClient, session: Session, game: Game, clock: FixedClock
) -> None:
    path = f"/players/{who(session, game, BENTO).id}/report"
    session.commit()
    for number in range(reports.REPORTS_A_DAY):
        assert ana.post(path, data={"text": f"{number}"}).status_code == 303

    assert "10 reports within a day" in ana.post(path, data={"text": "more"}).text
    clock.forward(timedelta(days=1, seconds=1))
    assert ana.post(path, data={"text": "more"}).status_code == 303


# ---- operators who play -------------------------------------------------------------------------


def test_an_operator_who_plays_is_marked_where_he_sits(
    flask_app: Flask, client: FlaskClient, service: Service, session: Session
) -> None:
    olga = tables.person(session, "Olga", service.clock.now())
    olga.operator = service.clock.now()
    session.add(olga)
    session.commit()
    path = open_game(browser_of(flask_app, service, session, olga))
    mark = 'title="runs this site, and could read its database"'
    assert mark in page(client, path)
    assert mark in page(client, "/seats")

    guest = browser_of(flask_app, service, session,
                       tables.person(session, "Gil", service.clock.now()))
    guest.post(f"{path}/join")
    session.expire_all()
    row = session.get_one(Game, int(path.rsplit("/", 1)[1]))
    session.commit()
    browser_of(flask_app, service, session, olga).post(f"{path}/start")
    session.expire_all()
    assert session.get_one(Game, row.id).state == GameState.RUNNING
    session.commit()

    assert "runs this site, and could read its database." in page(client, path)
    assert mark in page(client, f"/players/{olga.id}")


def test_tables_without_operators_say_nothing_of_them(
    client: FlaskClient, game: Game
) -> None:
    assert "runs this site" not in page(client, f"/games/{game.id}")
