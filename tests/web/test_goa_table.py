"""Goa's page: every question has a form that plays, and secrets stay with their owners."""

from __future__ import annotations

import re
from html import unescape

import pytest
from sqlmodel import select

from engine.goa.state import AwaitAction, AwaitBid, AwaitDone, AwaitMarker
from pbem import words
from pbem.mail.compose import compose
from pbem.models import Outbox, Person
from tests.pbem import tables
from tests.web.at_table import fields, play_on, sent, sign_in


@pytest.fixture
def game(service, session):
    """Goa, at its first question."""
    return tables.started_game(session, service.clock.now(), game_key="goa")


def asked_for(question, service, session, game):
    """Play on until somebody is asked so; the seat."""
    state = play_on(service, session, game, lambda state: isinstance(state.awaiting, question))
    return state.awaiting.seats[0]


@pytest.fixture
def at(flask_app, service, session, game):
    """A browser of the seat that is asked so."""

    def browser(question):
        seat = asked_for(question, service, session, game)
        made = flask_app.test_client()
        sign_in(service, made, session, game, seat)
        return made, seat

    return browser


def page_of(browser, game):
    return browser.get(f"/games/{game.id}").get_data(as_text=True)


@pytest.mark.parametrize(
    "case",
    [
        (AwaitMarker, {}, r"marker [a-e][1-5]"),
        (AwaitBid, {"bid": "pass"}, "pass"),
        (AwaitAction, {"act": "taxes"}, "taxes"),
        (AwaitAction, {"act": "found", "colony": "quilon", "pay-up-to": "1"},
         "found quilon pay up to 1"),
    ],
)
def test_the_steps_make_the_order_that_is_sent(at, service, game, case):
    question, chosen, line = case
    browser, _ = at(question)
    page = page_of(browser, game)
    if not chosen:
        chosen = {"space": re.findall(r'name="space" value="([^"]+)"', page)[0]}
    answer = browser.post(f"/games/{game.id}/orders", data=fields(page, **chosen))
    assert answer.status_code == 303
    assert re.fullmatch(line, sent(service)[-1].orders)


def test_a_preview_tells_what_a_bid_changes(at, game):
    browser, _ = at(AwaitAction)
    page = page_of(browser, game)
    answer = browser.post(f"/games/{game.id}/preview", data=fields(page, act="taxes"))
    assert 'id="preview"' in answer.get_data(as_text=True)
    assert 'value="taxes"' in answer.get_data(as_text=True)


def test_steps_that_say_too_little_are_refused_with_what_is_missing(at, game):
    browser, _ = at(AwaitAction)
    page = page_of(browser, game)
    answer = browser.post(f"/games/{game.id}/preview", data=fields(page, act="found"))
    assert answer.status_code == 422
    assert "Choose a colony." in unescape(answer.get_data(as_text=True))


def test_a_purse_and_a_hand_are_shown_to_their_owner_alone(flask_app, service, session, game):
    state = play_on(
        service, session, game,
        lambda state: isinstance(state.awaiting, AwaitDone) and any(p.hand for p in state.players),
    )
    owner = next(seat for seat, player in enumerate(state.players) if player.hand)
    for seat in range(4):
        browser = flask_app.test_client()
        sign_in(service, browser, session, game, seat)
        page = page_of(browser, game)
        assert page.count("<i>secret</i>") == 3
        assert ("Only you see it" in page) == bool(state.players[seat].hand)
    assert state.players[owner].hand


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_the_page_is_told_in_every_language(flask_app, service, session, game, language):
    play_on(service, session, game, lambda state: isinstance(state.awaiting, AwaitAction))
    page = flask_app.test_client().get(
        f"/games/{game.id}", headers={"Accept-Language": language}
    ).get_data(as_text=True)
    assert f'lang="{language}"' in page
    assert words.term("goa", "colonies_to_found", language) in page


def test_the_chart_is_named_and_stands_again_as_a_table(flask_app, game):
    page = flask_app.test_client().get(f"/games/{game.id}").get_data(as_text=True)
    assert '<title id="chart-t">' in page
    assert '<desc id="chart-d">' in page
    rows = re.findall(r'<tr><th scope="row">[1-5]</th>((?:<td>.*?</td>){5})', page, re.S)
    assert len(rows) == 5
    assert "style=" not in page


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_a_letter_shows_the_table_in_72_columns(service, session, game, language):
    for person in session.exec(select(Person)):
        person.language = language
    asked_for(AwaitBid, service, session, game)
    row = session.exec(select(Outbox).where(Outbox.kind == "turn").order_by(Outbox.id)).all()[-1]
    letter = compose(session, row, service.settings, service.clock.now())
    assert letter is not None
    text = letter.get_body(("plain",)).get_content()
    assert max(map(len, text.splitlines())) <= 72
    assert text.count(words.term("goa", "secret", language)) == 3
