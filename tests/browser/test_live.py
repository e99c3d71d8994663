"""The game page of who waits and of who sends: it stays current and is never loaded again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlmodel import Session

from pbem.models import Game, Person, stored_id
from pbem.play import advance
from pbem.service import Service
from pbem.tables import chat
from tests.browser.browsing import chromium, in_browser, signed_in, site
from tests.support import tables
from tests.support.at_table import order
from tests.support.tables import ANA, BENTO

__all__ = ["chromium", "site"]
pytestmark = in_browser

SEND = ".sendbar .go"


@pytest.fixture
def pages(
    chromium: Any, service: Service, session: Session, game: Game, site: str
) -> Iterator[tuple[Any, Any]]:
    """Ana, who is asked, and Bento, who waits; a page that is loaded again loses its mark."""
    contexts, opened = [], []
    for seat in (ANA, BENTO):
        context = signed_in(chromium.new_context(), service, game, seat, site=site)
        contexts.append(context)
        page = context.new_page()
        page.goto(f"{site}/games/{game.id}")
        page.evaluate("window.stays = true")
        opened.append(page)
    yield opened[0], opened[1]
    for context in contexts:
        assert [each for each in context.problems if "ERR_INTERNET_DISCONNECTED" not in each] == []
        context.close()


def play(service: Service, game: Game) -> None:
    """The worker's part."""
    with service.writing() as session:
        advance.advance(session, stored_id(game), service.clock.now())


def choose(page: Any) -> None:
    """Ana places a disc."""
    page.locator(".cell input[value='12']").check(force=True)
    page.locator(".opt input[value=recruiting]").check(force=True)
    page.locator("#order-form:not([aria-busy])").wait_for()


def test_a_move_arrives_at_who_waits_and_who_sends_without_loading(
    pages: tuple[Any, Any], service: Service, game: Game
) -> None:
    ana, bento = pages
    before = bento.locator(".hist .of").inner_text()
    choose(ana)

    ana.locator(SEND).click()
    ana.locator("[data-pending]").wait_for()
    play(service, game)
    ana.locator("[data-pending]").wait_for(state="detached")
    bento.locator(".gh .turn.yours").wait_for()

    assert bento.locator(".hist .of").inner_text() != before
    assert bento.title().startswith("(1) ")
    assert not ana.title().startswith("(")
    assert bento.locator(".game .fresh").count() > 0
    for page in pages:
        assert page.evaluate("window.stays")


def test_choices_that_are_still_legal_survive_what_others_do(
    pages: tuple[Any, Any], service: Service, session: Session, game: Game
) -> None:
    ana, _ = pages
    choose(ana)
    bento = session.get_one(Person, tables.seat(session, game, BENTO).person_id)
    chat.post(session, stored_id(game), bento, "Boa viagem", service.clock.now())
    session.commit()

    ana.locator("#chat .lines").wait_for(state="attached")
    ana.locator("#order-form:not([aria-busy])").wait_for()

    assert ana.locator(".cell input[value='12']").is_checked()
    assert ana.input_value("#order") == "place 12 recruiting"
    assert ana.evaluate("window.stays")


def test_a_choice_that_another_order_has_used_up_is_said_to_be_gone(
    pages: tuple[Any, Any], service: Service, session: Session, game: Game
) -> None:
    ana, _ = pages
    choose(ana)
    order(service, session, game, ANA, "place 12 recruiting")

    ana.locator(".gh .turn.theirs").wait_for()

    assert ana.evaluate("window.stays")
    assert ana.evaluate("document.activeElement.closest('.game') || document.body") is not None


def test_a_page_without_connection_says_so_and_loses_nothing(
    pages: tuple[Any, Any], service: Service, game: Game
) -> None:
    ana, _ = pages
    choose(ana)
    ana.context.set_offline(True)

    ana.locator(SEND).click()
    ana.locator("#outcome .warn").wait_for()
    assert "nothing was sent" in ana.locator("#outcome").inner_text()
    ana.locator("#offline").wait_for()
    ana.context.set_offline(False)
    ana.locator("#offline").wait_for(state="detached")

    assert ana.locator(".cell input[value='12']").is_checked()
    ana.locator(SEND).click()
    ana.locator("[data-pending]").wait_for()


def test_a_past_entry_stays_and_tells_of_the_present(
    pages: tuple[Any, Any], service: Service, session: Session, game: Game, site: str
) -> None:
    _, bento = pages
    bento.goto(f"{site}/games/{game.id}/2")
    bento.evaluate("window.stays = true")
    order(service, session, game, ANA, "place 12 recruiting")
    session.refresh(game)

    bento.locator(f"#since b:has-text('{game.last_entry}')").wait_for()

    assert bento.locator(".decide.past").is_visible()
    assert bento.evaluate("window.stays")
    assert bento.title().startswith("(1) ")
