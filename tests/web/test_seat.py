"""At the table beside playing: orders taken back, resigning, talk, vacation; all without script."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import Session, select

from pbem.accounts import auth
from pbem.clock import FixedClock
from pbem.models import Chat, Game, Person, stored_id
from pbem.service import Service
from pbem.tables.seats import resign
from pbem.web.context import COOKIE
from tests.support.at_table import order
from tests.support.tables import ANA, BENTO, seat


@pytest.fixture
def placed(service: Service, session: Session, game: Game) -> Game:
    """Ana, who was asked, has placed a disc; Bento is asked."""
    order(service, session, game, ANA, "place 12 recruiting")
    return game


@pytest.fixture
def xenia(flask_app: Flask, service: Service, session: Session, game: Game) -> FlaskClient:
    """Somebody signed in who does not sit at the table."""
    now = service.clock.now()
    who = Person(name="Xenia", address="xenia@players.example", created=now)
    session.add(who)
    session.flush()
    secret = auth.open_session(session, stored_id(who), agent="test", now=now)
    session.commit()
    browser = flask_app.test_client()
    browser.set_cookie(COOKIE, secret)
    return browser


def url(game: Game, end: str = "") -> str:
    return f"/games/{game.id}{end}"


def text_of(page: str) -> str:
    """The page without its tags, with single spaces."""
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


# ---- taking back --------------------------------------------------------------------------------


def test_the_page_offers_to_take_the_last_orders_back_and_says_which(
    ana: FlaskClient, bento: FlaskClient, placed: Game
) -> None:
    page = ana.get(url(placed)).text

    assert "Take back my last orders" in page
    assert "<code>place 12 recruiting</code>" in page
    assert "Take back" not in bento.get(url(placed)).text


def test_they_are_taken_back_and_the_log_shows_them_folded(
    ana: FlaskClient, placed: Game
) -> None:
    last = placed.last_entry

    after = ana.post(url(placed, "/undo"), data={"entry": last}, follow_redirects=True).text

    assert "Taken back: place 12 recruiting" in after
    assert 'class="turn yours"' in after
    assert f"taken back by entry {last + 1}" in after
    assert f"Ana has taken entry {last} back." in text_of(after)
    assert f"Taken back by entry {last + 1}." in ana.get(url(placed, f"/{last}")).text


def test_a_double_click_takes_back_once(
    ana: FlaskClient, session: Session, placed: Game
) -> None:
    data = {"entry": placed.last_entry}

    answers = [ana.post(url(placed, "/undo"), data=data) for _ in range(3)]

    session.refresh(placed)
    assert [answer.status_code for answer in answers] == [303] * 3
    assert placed.last_entry == data["entry"] + 1


def test_too_late_is_said_and_changes_nothing(
    ana: FlaskClient, service: Service, session: Session, placed: Game
) -> None:
    last = placed.last_entry
    order(service, session, placed, BENTO, "place 1 navigation")

    answer = ana.post(url(placed, "/undo"), data={"entry": last}, follow_redirects=True)

    assert "There is nothing that you could take back now" in answer.text


def test_looking_at_the_addresses_of_buttons_changes_nothing(
    ana: FlaskClient, session: Session, placed: Game
) -> None:
    last = placed.last_entry
    for end in ("/undo", "/chat"):
        assert ana.get(url(placed, end)).status_code == 405
        assert ana.head(url(placed, end)).status_code == 405
    assert ana.get(url(placed, "/resign")).status_code == 200

    session.refresh(placed)
    assert placed.last_entry == last
    assert seat(session, placed, ANA).resigned is None


# ---- resigning ----------------------------------------------------------------------------------


def test_resigning_is_explained_then_done_and_told_to_the_others(
    ana: FlaskClient, bento: FlaskClient, session: Session, game: Game
) -> None:
    assert url(game, "/resign") in ana.get(url(game)).text
    assert "it comes last in the result" in ana.get(url(game, "/resign")).text

    after = ana.post(url(game, "/resign"), follow_redirects=True).text

    assert "You have resigned: your seat is played for." in after
    assert 'id="order-form"' not in after
    told = text_of(bento.get(url(game)).text)
    assert "Ana has resigned: this seat is played for now." in told
    assert "The mildest move, played for this seat." in told
    assert seat(session, game, ANA).resigned is not None
    assert ana.get(url(game, "/resign")).status_code == 303


# ---- talk ---------------------------------------------------------------------------------------


def test_players_talk_among_themselves_and_spectators_apart(
    ana: FlaskClient, bento: FlaskClient, xenia: FlaskClient, flask_app: Flask, game: Game
) -> None:
    ana.post(url(game, "/chat"), data={"text": "Good winds to you all"})
    xenia.post(url(game, "/chat"), data={"text": "Ana should have sailed"})

    at_table, beside = bento.get(url(game)).text, xenia.get(url(game)).text

    assert "Good winds to you all" in at_table
    assert "Ana should have sailed" not in at_table
    assert "Ana should have sailed" in beside
    assert "Good winds to you all" not in beside
    assert "Good winds" not in flask_app.test_client().get(url(game)).text
    assert "only the players read it until the game is over" in at_table


def test_once_the_game_is_over_everybody_reads_everything(
    ana: FlaskClient, xenia: FlaskClient, service: Service, session: Session, game: Game
) -> None:
    ana.post(url(game, "/chat"), data={"text": "Good winds to you all"})
    xenia.post(url(game, "/chat"), data={"text": "Ana should have sailed"})
    for number in range(4):
        resign(session, stored_id(game), seat(session, game, number).person_id,
               service.clock.now())

    for page in (ana.get(url(game)).text, xenia.get(url(game)).text):
        assert "Good winds to you all" in page
        assert "Ana should have sailed" in page


def test_what_is_said_is_escaped_and_stripped_of_what_turns_or_hides(
    ana: FlaskClient, session: Session, game: Game
) -> None:
    said = "<b>hi</b>\u202e\u0007 there\r\nsecond\u200bline\n\n\n\nend"

    ana.post(url(game, "/chat"), data={"text": said})

    assert session.exec(select(Chat)).one().text == "<b>hi</b> there\nsecondline\n\nend"
    assert "&lt;b&gt;hi&lt;/b&gt; there" in ana.get(url(game)).text


def test_too_long_too_often_and_nothing_are_refused(
    ana: FlaskClient, session: Session, game: Game
) -> None:
    long = ana.post(url(game, "/chat"), data={"text": "a" * 2001}, follow_redirects=True).text
    empty = ana.post(url(game, "/chat"), data={"text": " \u202e "}, follow_redirects=True).text
    for number in range(21):
        last = ana.post(url(game, "/chat"), data={"text": str(number)}, follow_redirects=True).text

    assert "2000 characters are the most" in long
    assert "There is nothing to say in that." in empty
    assert "You have said 20 things within an hour" in last
    assert len(session.exec(select(Chat)).all()) == 20


def test_the_same_twice_within_a_minute_is_said_once(
    ana: FlaskClient, session: Session, game: Game
) -> None:
    for _ in range(2):
        ana.post(url(game, "/chat"), data={"text": "Hello"})

    assert len(session.exec(select(Chat)).all()) == 1


# ---- vacation -----------------------------------------------------------------------------------


def test_a_vacation_is_seen_at_the_table_and_ends_by_itself(
    ana: FlaskClient, bento: FlaskClient, clock: FixedClock, game: Game
) -> None:
    said = ana.post("/account/vacation", data={"days": "7"}, follow_redirects=True).text

    flashed = said.partition('role="status"')[2].partition("</div>")[0]
    assert "read that you are away until Mar 9, 2026, 12:00 UTC." in flashed
    assert "Ana : away until Mar 9, 2026, 12:00" in text_of(bento.get(url(game)).text)
    clock.forward(timedelta(days=8))
    assert "away until" not in bento.get(url(game)).text


def test_a_vacation_can_be_ended_and_has_a_longest(
    ana: FlaskClient, bento: FlaskClient, game: Game
) -> None:
    for days in ("31", "-1", "soon", ""):
        refused = ana.post("/account/vacation", data={"days": days}, follow_redirects=True).text
        assert "A vacation lasts from 1 to 30 days" in refused
    ana.post("/account/vacation", data={"days": "30"})
    assert "I am back" in ana.get("/account").text

    assert "Your vacation is over." in ana.post(
        "/account/vacation", data={"days": "0"}, follow_redirects=True).text

    assert "away until" not in bento.get(url(game)).text
