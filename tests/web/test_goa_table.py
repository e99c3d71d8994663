"""Goa's page: every question has a form that plays, and secrets stay with their owners."""

from __future__ import annotations

import re
from email import message_from_bytes, policy
from html import unescape

import pytest
from sqlmodel import select

from engine import notation, orders_ahead, registry
from engine.goa.grammar import VERBS, Grammar
from engine.goa.state import AwaitBid, AwaitDone, AwaitMarker, AwaitTurnAction, GoaPlayer, GoaState
from pbem.i18n import words
from pbem.mail.letters.build import build
from pbem.models import Outbox, Person
from tests.support import tables
from tests.support.at_table import fields, play_on, sent, sign_in
from tests.support.letterfactory import text_of


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
        (AwaitTurnAction, {"act": "taxes"}, "taxes"),
        (AwaitTurnAction, {"act": "found", "colony": "quilon", "pay-up-to": "1"},
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


@pytest.mark.parametrize(
    "line", ["taxes; wait", "found quilon pay up to 1 choose quilon2: pepper"]
)
def test_a_preview_keeps_what_a_line_says_beside_its_moves(at, game, line):
    """GO-4.10, orders.md: what is sent from the preview is what was typed."""
    browser, _ = at(AwaitTurnAction)
    page = page_of(browser, game)
    answer = browser.post(f"/games/{game.id}/preview", data=fields(page, order=line))
    assert fields(answer.get_data(as_text=True))["order"] == line


def test_the_quick_start_stands_in_front_of_the_phases(flask_app, service, session):
    """GO-1.5: it comes before play."""
    begun = tables.started_game(session, service.clock.now(), game_key="goa",
                                options={"quick_start": True})
    page = page_of(flask_app.test_client(), begun)
    phases = re.search(r'<ol class="ph".*?</ol>', page, re.S).group()
    assert re.findall(r"<li[^>]*>(.*?)</li>", phases)[0] == "Quick start"


def test_a_preview_tells_what_a_bid_changes(at, game):
    browser, _ = at(AwaitTurnAction)
    page = page_of(browser, game)
    answer = browser.post(f"/games/{game.id}/preview", data=fields(page, act="taxes"))
    assert 'id="preview"' in answer.get_data(as_text=True)
    assert 'value="taxes"' in answer.get_data(as_text=True)


def test_steps_that_say_too_little_are_refused_with_what_is_missing(at, game):
    browser, _ = at(AwaitTurnAction)
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
        assert ('class="g-card"' in page) == bool(state.players[seat].hand)
    assert state.players[owner].hand


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_the_page_is_told_in_every_language(flask_app, service, session, game, language):
    play_on(service, session, game, lambda state: isinstance(state.awaiting, AwaitTurnAction))
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
    letter = build(session, row, service.settings, service.clock.now())
    assert letter is not None
    text = text_of(message_from_bytes(letter.raw, policy=policy.default))
    assert max(map(len, text.splitlines())) <= 72
    about_later = words.gettext(
        "What stands behind “later:” is kept, secret until it is used, and played when its moment "
        "comes. For example:", language)
    told = " ".join(text.split())
    assert about_later in told
    assert told.replace(about_later, "").count(words.term("goa", "secret", language)) == 3


def test_purses_and_hands_are_said_to_be_open_once_the_game_is_over(client, service, session):
    game = tables.started_game(
        session, service.clock.now(), ("Ana", "Bento"), game_key="goa"
    )
    hidden, opened = (words.term("goa", key, "en") for key in ("seats_open", "seats_open_over"))
    page = page_of(client, game)
    assert (hidden in page, opened in page) == (True, False)

    play_on(service, session, game, lambda state: bool(state.places))
    page = page_of(client, game)
    assert (hidden in page, opened in page) == (False, True)
    assert "<i>secret</i>" not in page


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_who_has_bought_the_lots_of_the_round_stands_on_the_page(
    flask_app, service, session, game, language
):
    """In the list, in the chart's description and on the chart, until the round is over."""
    state = play_on(service, session, game,
                    lambda state: isinstance(state.awaiting, AwaitTurnAction))
    assert len(state.sold) == 5
    page = unescape(flask_app.test_client().get(
        f"/games/{game.id}", headers={"Accept-Language": language}
    ).get_data(as_text=True))
    names = [tables.seat(session, game, seat).name for seat in range(4)]
    description = re.search('<desc id="chart-d">(.*?)</desc>', page).group(1)
    items = re.findall(r'<li class="done(?: new)?">(.*?)</li>', page, re.S)
    for lot, listed in zip(state.sold, items, strict=True):
        paid = {names[lot.auctioneer], str(lot.ducats)} if lot.ducats else set()
        for told in (listed, description):
            assert {names[lot.buyer], *paid} - {""} <= set(re.findall(r"\w+", told))
    assert page.count('class="g-price"') == 5

    play_on(service, session, game, lambda state: state.round == 2)
    page = flask_app.test_client().get(f"/games/{game.id}").get_data(as_text=True)
    assert '<li class="done">' not in page
    assert 'class="g-price"' not in page


def rules_page(client, language):
    return client.get("/rules/goa", headers={"Accept-Language": language}).get_data(as_text=True)


def section(page, name):
    return re.findall(rf'<section class="sec" id="{name}".*?</section>', page, re.DOTALL)[0]


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_the_rules_page_writes_every_order_so_that_it_is_read(client, language):
    rules = registry.game("goa")
    shown = [unescape(line) for line in
             re.findall("<code>(.*?)</code>", section(rules_page(client, language), "orders"))]
    table = GoaState(players=(GoaPlayer(), GoaPlayer()), deck=tuple(rules.components.cards))

    # What stands behind `later:` is read by tests/engine/test_orders_ahead.py.
    for_now = [now for now, _ in (orders_ahead.split(line, {}) for line in shown) if now]
    for line in for_now:
        notation.read(
            line, lambda reader: Grammar(reader, rules.components, table, 0).line(), {}, str
        )

    assert {line.split()[0] for line in for_now} == set(VERBS)


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_the_rules_page_lists_every_tile_colony_and_card(client, language):
    components, page = registry.game("goa").components, rules_page(client, language)
    for part in "AB":
        listed = re.findall(rf"\b{part}\d\d\b", section(page, f"tiles-{part}"))
        assert listed == [each for each in components.by_id if each[0] == part]
    colonies = re.findall("<code>(.*?)</code>", section(page, "colonies"))
    assert colonies == [*components.may_hold]
    cards = re.findall(r'<tr><th scope="row">(\d+)</th>', section(page, "cards"))
    assert cards == [*map(str, components.cards)]


def test_the_rules_page_shows_the_figures_of_the_development_board(client):
    components = registry.game("goa").components
    board = section(rules_page(client, "en"), "board")
    rows = re.findall(r'<tr><th scope="row">([1-5])</th>((?:<td>[\d/]+</td>){6})</tr>', board)
    found = {row: re.findall(r"<td>([\d/]+)</td>", cells) for row, cells in rows}

    takes, limits = components.takes, components.development.expedition.hand_limit
    assert found == {
        str(at + 1): [str(vp), *(
            f"{takes[column][at]}/{limits[at]}" if column == "expedition"
            else str(takes[column][at]) for column in takes)]
        for at, vp in enumerate(components.development.vp.rows)
    }
