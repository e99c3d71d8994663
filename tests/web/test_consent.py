"""Going back by consent at the table: proposed on a page, answered by buttons, without script."""

from __future__ import annotations

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import Session

from pbem.models import Game
from pbem.service import Service
from tests.support.at_table import order, sign_in
from tests.support.tables import ANA, BENTO, CATARINA, DUARTE
from tests.web.test_seat import text_of, url


@pytest.fixture
def placed(service: Service, session: Session, game: Game) -> Game:
    """Ana and Bento have placed discs; Catarina is asked."""
    order(service, session, game, ANA, "place 12 recruiting")
    order(service, session, game, BENTO, "place 1 navigation")
    return game


@pytest.fixture
def browsers(
    flask_app: Flask, service: Service, session: Session, placed: Game
) -> list[FlaskClient]:
    """One for each seat."""
    found = []
    for number in (ANA, BENTO, CATARINA, DUARTE):
        found.append(flask_app.test_client())
        sign_in(service, found[-1], session, placed, number)
    return found


def first(game: Game) -> int:
    """The entry by which Ana placed her disc."""
    return game.last_entry - 1


def agree(browser: FlaskClient, game: Game, said: str = "yes") -> str:
    """Answer as the buttons do."""
    page = browser.get(url(game)).text
    found = re.search(r'name="proposal" value="(\d+)"', page)
    assert found is not None
    data = {"proposal": found.group(1), "answer": said}
    return browser.post(url(game, "/back/answer"), data=data, follow_redirects=True).text


def test_it_is_proposed_agreed_to_and_done(
    browsers: list[FlaskClient], session: Session, placed: Game
) -> None:
    assert url(placed, "/back") in browsers[ANA].get(url(placed)).text
    choices = text_of(browsers[ANA].get(url(placed, "/back")).text)
    assert f"entry {first(placed)}, Ana" in choices

    asked = browsers[ANA].post(
        url(placed, "/back"), data={"entry": first(placed)}, follow_redirects=True).text
    assert "The others are asked whether they agree." in asked
    said = f"Ana proposes to go back to before entry {first(placed)}."
    for number in (BENTO, CATARINA, DUARTE):
        assert said in text_of(browsers[number].get(url(placed)).text)
        after = agree(browsers[number], placed)

    assert "All have agreed: it is taken back." in after
    assert 'class="turn yours"' in browsers[ANA].get(url(placed)).text
    assert said not in text_of(after)


def test_the_table_lists_what_would_be_taken_back(
    browsers: list[FlaskClient], placed: Game
) -> None:
    browsers[ANA].post(url(placed, "/back"), data={"entry": first(placed)})

    for number in (ANA, BENTO):
        shown = browsers[number].get(url(placed)).text.partition("consent")[2]
        listed = text_of(shown.partition("<ul")[2].partition("</ul>")[0])
        assert f"{first(placed)}: Ana" in listed
        assert f"{placed.last_entry}: Bento" in listed
        assert listed.index("Ana") < listed.index("Bento")


def test_a_refusal_is_shown_and_ends_it(browsers: list[FlaskClient], placed: Game) -> None:
    browsers[ANA].post(url(placed, "/back"), data={"entry": first(placed)})

    agree(browsers[BENTO], placed, "no")

    shown = browsers[ANA].get(url(placed)).text
    assert "Bento does not agree." in text_of(shown)
    assert 'name="proposal"' not in shown


def test_a_kept_page_is_not_shown_once_somebody_has_answered(
    browsers: list[FlaskClient], placed: Game
) -> None:
    browsers[ANA].post(url(placed, "/back"), data={"entry": first(placed)})
    browsers[ANA].get(url(placed))
    tag = browsers[ANA].get(url(placed)).headers["ETag"]
    assert browsers[ANA].get(url(placed), headers={"If-None-Match": tag}).status_code == 304

    agree(browsers[BENTO], placed)

    assert browsers[ANA].get(url(placed), headers={"If-None-Match": tag}).status_code == 200


def test_who_looks_on_sees_no_proposal_and_cannot_answer(
    flask_app: Flask, browsers: list[FlaskClient], session: Session, placed: Game
) -> None:
    browsers[ANA].post(url(placed, "/back"), data={"entry": first(placed)})
    stranger = flask_app.test_client()

    assert "proposes to go back" not in stranger.get(url(placed)).text
    for end in ("/back", "/back/answer"):
        answer = stranger.post(url(placed, end), data={"entry": 3, "proposal": 1, "answer": "yes"})
        assert "/sign-in" in answer.headers["Location"]
    before = placed.last_entry
    session.refresh(placed)
    assert placed.last_entry == before
    session.commit()


@pytest.mark.parametrize("data", [{}, {"entry": "0"}, {"entry": "x"}, {"entry": "99999"}])
def test_nonsense_is_refused(
    browsers: list[FlaskClient], placed: Game, data: dict[str, str]
) -> None:
    assert browsers[ANA].post(url(placed, "/back"), data=data).status_code == 400
    assert browsers[ANA].post(url(placed, "/back/answer"), data=data).status_code == 400
