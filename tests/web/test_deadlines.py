"""By when somebody has to answer: on the table, in lists, calendar, feed and API."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import Session

from pbem.accounts import api_tokens
from pbem.models import Vacation, stored_id
from pbem.play import deadlines
from pbem.service import Service
from tests.support.at_table import sign_in
from tests.support.tables import ANA, CATARINA
from tests.support.timed import DAY, FIRST, HOUR, Timed, timed


@pytest.fixture
def session(service: Service) -> Any:
    with service.writing() as opened:
        yield opened


def table_of(service: Service, session: Session, clock: str = "each 72") -> Timed:
    """A timed game whose players live in Kathmandu."""
    table = timed(service, session, clock)
    for number in range(4):
        table.person(number).zone = "Asia/Kathmandu"
    session.commit()
    return table


def as_player(table: Timed, client: FlaskClient, number: int) -> FlaskClient:
    sign_in(table.service, client, table.session, table.game, number)
    return client


def plain(page: str) -> str:
    """The page's text in one line."""
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


def test_who_is_asked_sees_his_deadline_by_his_own_clock(
    service: Service, session: Session, client: FlaskClient
) -> None:
    table = table_of(service, session)
    page = plain(as_player(table, client, CATARINA).get(f"/games/{table.game.id}").text)

    due = "Deadline: Thursday, 5 March 2026, 17:45 (Kathmandu, UTC+05:45), in 3 days."
    assert page.count(due) == 1
    assert "Your turn 3 days left" in page
    assert "No deadline" not in page


def test_at_zero_the_page_says_so_and_counts_nothing_below(
    service: Service, session: Session, client: FlaskClient
) -> None:
    table = table_of(service, session)
    table.wait(3 * DAY + HOUR)
    page = plain(as_player(table, client, CATARINA).get(f"/games/{table.game.id}").text)

    assert "The time is over." in page
    assert "Deadline" not in page


def test_others_see_it_to_the_hour_since_more_would_tell_how_others_moved(
    service: Service, session: Session, client: FlaskClient
) -> None:
    table = table_of(service, session)
    table.wait(timedelta(minutes=17))
    table.play(CATARINA, FIRST)
    page = plain(client.get(f"/games/{table.game.id}").text)

    assert "Waiting for Ana 3 days left" in page
    assert "Deadline: Thursday, 5 March 2026, 13:00 UTC" in page


def test_a_bank_is_shown_for_every_seat(
    service: Service, session: Session, client: FlaskClient
) -> None:
    table = table_of(service, session, "bank 240 12 240")
    table.wait(5 * HOUR)
    table.play(CATARINA, FIRST)
    page = plain(as_player(table, client, CATARINA).get(f"/games/{table.game.id}").text)

    assert "Catarina : Left in the bank: 9 days 19 hours." in page
    assert "Bento : Left in the bank: 10 days." in page
    assert "UTC+05:45), in 10 days. Left in the bank: 10 days." in page


def test_a_game_without_a_clock_says_that_it_waits(
    service: Service, session: Session, client: FlaskClient
) -> None:
    table = table_of(service, session, "none")
    page = plain(as_player(table, client, CATARINA).get(f"/games/{table.game.id}").text)
    assert "No deadline." in page
    others = plain(client.application.test_client().get(f"/games/{table.game.id}").text)
    assert "No deadline." in others


def test_a_kept_page_is_not_shown_once_its_deadline_has_come_closer(
    service: Service, session: Session, client: FlaskClient
) -> None:
    table = table_of(service, session)
    browser = as_player(table, client, CATARINA)
    tag = browser.get(f"/games/{table.game.id}").headers["ETag"]
    tag = browser.get(f"/games/{table.game.id}").headers["ETag"]
    assert browser.get(f"/games/{table.game.id}", headers={"If-None-Match": tag}).status_code == 304
    table.wait(2 * HOUR)
    assert browser.get(f"/games/{table.game.id}", headers={"If-None-Match": tag}).status_code == 200


def test_the_list_of_own_games_says_by_when(
    service: Service, session: Session, client: FlaskClient
) -> None:
    table = table_of(service, session)
    mine = plain(as_player(table, client, CATARINA).get("/games").text)
    assert "Deadline: Thursday, 5 March 2026, 17:45 (Kathmandu" in mine


# ---- programs -----------------------------------------------------------------------------------


def calendar_of(browser: FlaskClient) -> str:
    browser.post("/account/feeds")
    found = re.search(r"/feeds/([\w-]+)/games\.atom", browser.get("/account/feeds").text)
    assert found is not None
    return f"/feeds/{found[1]}"


def test_the_calendar_counts_each_move_of_a_deadline(
    service: Service, session: Session, client: FlaskClient
) -> None:
    table = table_of(service, session)
    browser = as_player(table, client, CATARINA)
    feeds = calendar_of(browser)
    before = browser.get(f"{feeds}/deadlines.ics").text
    assert "SEQUENCE:0\r\n" in before
    assert "DTSTART:20260305T120000Z\r\n" in before

    person = table.person(CATARINA)
    deadlines.change_calendar(session, person, table.now, lambda: session.add(Vacation(
        person_id=stored_id(person), begins=table.now + DAY, ends=table.now + 3 * DAY,
        announced=table.now)))
    session.commit()
    after = browser.get(f"{feeds}/deadlines.ics").text

    assert "SEQUENCE:1\r\n" in after
    assert "DTSTART:20260307T120000Z\r\n" in after
    uids = [re.findall(r"UID:(.*)\r", each) for each in (before, after)]
    assert uids[0] == uids[1] != []
    table.play(CATARINA, FIRST)
    assert "VEVENT" not in browser.get(f"{feeds}/deadlines.ics").text


def test_the_feed_of_own_games_says_by_when_and_changes_with_it(
    service: Service, session: Session, client: FlaskClient
) -> None:
    table = table_of(service, session)
    browser = as_player(table, client, CATARINA)
    path = f"{calendar_of(browser)}/games.atom"
    first = browser.get(path)
    assert "Deadline: Thursday, 5 March 2026, 17:45 (Kathmandu, UTC+05:45)." in first.text

    person = table.person(CATARINA)
    deadlines.change_calendar(session, person, table.now, lambda: session.add(Vacation(
        person_id=stored_id(person), begins=table.now, ends=table.now + DAY, announced=table.now)))
    session.commit()
    again = browser.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 200
    assert "6 March 2026, 17:45" in again.text


def test_programs_get_the_instant(service: Service, session: Session, flask_app: Flask) -> None:
    table = table_of(service, session)
    token = api_tokens.make(session, table.person(CATARINA), name="bot", scopes=("read",),
                            days=30, now=table.now)
    session.commit()
    http, head = flask_app.test_client(), {"Authorization": f"Bearer {token}"}
    shown = http.get(f"/api/v1/games/{table.game.id}", headers=head).json
    listed = http.get("/api/v1/games", headers=head).json

    assert shown is not None
    assert listed is not None
    for seats in (shown["seats"], listed["games"][0]["seats"]):
        assert (seats[CATARINA]["due"], seats[CATARINA]["left"]) == (
            "2026-03-05T12:00:00Z", 72 * 3600)
        assert (seats[ANA]["due"], seats[ANA]["left"]) == (None, None)

