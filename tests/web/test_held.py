"""The page on which a player says whether a letter in his name is his."""

from __future__ import annotations

from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient

from pbem.models import Inbound, InboundState, stored_id
from pbem.service import Service
from tests.support.answering import Answers, at_table, placing
from tests.support.doors import browser

ORDER = "place 8 recruiting"


@pytest.fixture
def table(service: Service) -> Answers:
    return at_table(service, placing)


@pytest.fixture
def came(table: Answers) -> Inbound:
    """A letter from an address that is not Ana's."""
    return table.says(table.letter(), ORDER, sender="eve@elsewhere.example")


@pytest.fixture
def ana(flask_app: Flask, service: Service, table: Answers) -> FlaskClient:
    return browser(flask_app, service, table.person("Ana"))


def test_the_page_shows_what_was_read_from_whom_and_why_it_was_held(
    ana: FlaskClient, came: Inbound
) -> None:
    page = ana.get(f"/held/{came.id}").text
    for told in (ORDER, "eve@elsewhere.example", "address that we do not know"):
        assert told in page


def test_it_leads_to_the_others_that_wait_and_to_no_other_ones(
    ana: FlaskClient, came: Inbound, table: Answers
) -> None:
    second = table.says(table.letter(), ORDER, sender="eve@elsewhere.example")
    done = table.says(table.letter(), ORDER, sender="eve@elsewhere.example")
    ana.post(f"/held/{done.id}", data={"answer": "throw_away"})
    page = ana.get(f"/held/{came.id}").text
    assert f'href="/held/{second.id}"' in page
    assert f'href="/held/{done.id}"' not in page


def test_looking_changes_nothing(ana: FlaskClient, came: Inbound, table: Answers) -> None:
    for _ in range(3):
        ana.get(f"/held/{came.id}")
        ana.head(f"/held/{came.id}")
    assert table.inbound(stored_id(came)).state == InboundState.HELD


def test_it_is_played_once_its_player_says_so(
    ana: FlaskClient, came: Inbound, table: Answers
) -> None:
    for _ in range(2):
        assert ana.post(f"/held/{came.id}", data={"answer": "play"}).status_code == 303
    assert table.inbound(stored_id(came)).state == InboundState.PLAYED
    assert [sent.orders for sent in table.submissions()] == [ORDER]
    table.advance()
    assert len(table.all("receipt")) == 1


def test_it_is_thrown_away_for_good(ana: FlaskClient, came: Inbound, table: Answers) -> None:
    ana.post(f"/held/{came.id}", data={"answer": "throw_away"})
    ana.post(f"/held/{came.id}", data={"answer": "play"})
    assert table.inbound(stored_id(came)).state == InboundState.IGNORED
    assert table.submissions() == []


def test_it_is_forgotten_after_a_day(ana: FlaskClient, came: Inbound, table: Answers) -> None:
    table.service.clock.forward(timedelta(hours=24))  # type: ignore[attr-defined]
    assert "does not wait" in ana.get(f"/held/{came.id}").text
    ana.post(f"/held/{came.id}", data={"answer": "play"})
    assert table.submissions() == []


def test_an_order_that_has_gone_stale_meanwhile_is_refused_by_a_letter(
    ana: FlaskClient, came: Inbound, table: Answers
) -> None:
    table.says(table.letter(), "place 9 projects")
    table.advance()
    ana.post(f"/held/{came.id}", data={"answer": "play"})
    assert table.inbound(stored_id(came)).state == InboundState.REFUSED


def test_nobody_else_sees_it(
    flask_app: Flask, service: Service, came: Inbound, table: Answers
) -> None:
    bento = browser(flask_app, service, table.person("Bento"))
    assert bento.get(f"/held/{came.id}").status_code == 404
    assert bento.post(f"/held/{came.id}", data={"answer": "play"}).status_code == 404
    assert browser(flask_app, service).get(f"/held/{came.id}").status_code == 303
    assert table.inbound(stored_id(came)).state == InboundState.HELD


def test_the_buttons_need_the_forms_token(
    flask_app: Flask, ana: FlaskClient, came: Inbound, table: Answers
) -> None:
    flask_app.config["WTF_CSRF_ENABLED"] = True
    assert ana.post(f"/held/{came.id}", data={"answer": "play"}).status_code == 400
    assert table.submissions() == []
