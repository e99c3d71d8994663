"""The table in a real browser as something to point at: what a place does, says and forgets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlmodel import Session

from pbem.service import Service
from tests.browser.browsing import chromium, in_browser, signed_in, site
from tests.support import tables
from tests.support.at_table import can_sail, play_on

__all__ = ["chromium", "site"]
pytestmark = in_browser

Visit = Callable[..., Any]
LIT = '.spot.lit:not([aria-hidden])[data-pick*="{}"]'


@pytest.fixture
def session(service: Service) -> Iterator[Session]:
    with service.writing() as opened:
        yield opened


@pytest.fixture
def visit(
    chromium: Any, service: Service, session: Session, site: str
) -> Iterator[Callable[..., Any]]:
    """Opens the page of who is asked when the game has come so far."""
    contexts = []

    def opened(until: Callable[[Any], bool], *, key: str = "vasco-da-gama", **options: Any) -> Any:
        game = tables.started_game(session, service.clock.now(), game_key=key)
        seat = play_on(service, session, game, until).awaiting.seats[0]
        context = chromium.new_context(**options)
        contexts.append(signed_in(context, service, game, seat, site=site))
        page = context.new_page()
        page.goto(f"{site}/games/{game.id}")
        return page

    yield opened
    for context in contexts:
        assert context.problems == []
        context.close()


def point(page: Any, pick: str, at: int = 0) -> None:
    """Click a lit place and wait for what the server says."""
    page.locator(LIT.format(pick)).nth(at).click(position={"x": 4, "y": 4})
    page.locator("#order-form:not([aria-busy])").wait_for()


def to_place(state: Any) -> bool:
    return len(state.discs) == 6


def to_recruit(state: Any) -> bool:
    question = state.awaiting
    return (state.phase == 2 and getattr(question, "area", "") == "recruiting"
            and state.players[question.seat].reals > 6)


def test_two_clicks_write_the_line_and_show_the_result_beside_a_way_to_send_it(
    visit: Visit
) -> None:
    page = visit(to_place)

    point(page, "number=3")
    assert page.locator("#outcome").inner_text() == "Choose an area as well."
    assert page.locator(".sendbar .go").get_attribute("aria-disabled") == "true"
    point(page, "area=navigation")

    assert page.input_value("#order") == "place 3 navigation"
    assert page.locator("#outcome b").is_visible()
    assert page.locator(".sendbar .go").get_attribute("aria-disabled") is None
    pressed = page.locator(".spot[aria-pressed=true]:not([aria-hidden])")
    assert pressed.evaluate_all("all => all.map((each) => each.dataset.pick)") == [
        "number=3", "area=navigation"]


def test_a_second_click_takes_the_choice_back(visit: Visit) -> None:
    page = visit(to_place)

    point(page, "number=3")
    point(page, "number=3")

    assert page.locator(".spot[aria-pressed=true]").count() == 0
    assert page.locator("[name=number]:checked").count() == 0


def test_a_place_is_a_button_with_a_name_that_enter_and_space_press(visit: Visit) -> None:
    page = visit(to_place)
    place = page.get_by_role("button", name="The number, 3")
    place.focus()

    page.keyboard.press("Enter")
    page.locator("#order-form:not([aria-busy])").wait_for()
    assert page.locator("[name=number]:checked").get_attribute("value") == "3"
    assert page.evaluate("document.activeElement.dataset.pick") == "number=3"
    page.keyboard.press("Space")
    page.locator("#order-form:not([aria-busy])").wait_for()

    assert page.locator("[name=number]:checked").count() == 0


def test_a_typed_line_wins_and_a_later_click_writes_it_anew(visit: Visit) -> None:
    page = visit(to_place)
    point(page, "number=3")
    point(page, "area=navigation")

    page.locator(".order summary").click()
    page.fill("#order", "place 9 characters")
    page.locator("#outcome").get_by_text("Place 9 in").wait_for()
    assert page.input_value("#order") == "place 9 characters"
    point(page, "area=recruiting")

    assert page.input_value("#order") == "place 3 recruiting"


def test_sailors_are_taken_one_by_one_and_put_back(visit: Visit) -> None:
    page = visit(to_recruit)

    point(page, "n-violet+", 0)
    assert page.input_value("#order").endswith(": 1 violet")
    point(page, "n-violet+", 1)
    assert page.input_value("#order").endswith(": 2 violet")
    page.get_by_role("button", name="− violet").click()
    page.locator("#order-form:not([aria-busy])").wait_for()

    assert page.input_value("#order").endswith(": 1 violet")
    assert page.locator("[name=act]:checked").get_attribute("value") == "take"


def test_a_slot_of_the_chart_takes_the_ship_there_and_shows_it_as_planned(visit: Visit) -> None:
    page = visit(can_sail)
    ship = page.locator(".spot.lit[data-pick^='ship=']").first.get_attribute("data-pick")
    point(page, ship)
    slot = page.locator(LIT.format(ship.replace("ship=", "slot-") + "=")).first
    where = slot.get_attribute("data-also").removeprefix("to=")

    point(page, ship.replace("ship=", "slot-") + "=")

    assert page.input_value("#order").startswith(f"send {where}: {ship.removeprefix('ship=')}>")
    assert page.locator("rect.pl").count() == 1
    assert page.locator("[name=to]:checked").get_attribute("value") == where


def test_an_edge_and_a_space_of_the_grid_take_turns_as_the_flags_place(visit: Visit) -> None:
    page = visit(lambda s: s.phase == 2 and s.round == 2 and s.flag is None, key="goa")

    point(page, "edge=")
    assert page.input_value("#order").startswith("flag north ")
    point(page, "space=")
    assert page.input_value("#order").startswith("flag ")
    assert " " not in page.input_value("#order").removeprefix("flag ")

    point(page, "edge=")
    assert page.input_value("#order").startswith("flag north ")


def test_a_field_chooses_the_harvest_along_with_its_sack(visit: Visit) -> None:
    page = visit(lambda s: s.phase == 4 and s.round == 2, key="goa")

    point(page, "fill-")

    assert page.locator("[name=act]:checked").get_attribute("value") == "harvest"
    assert page.input_value("#order").startswith("harvest ")


def test_without_script_places_are_nothing(visit: Visit) -> None:
    page = visit(to_place, java_script_enabled=False)

    assert page.locator(".spot").count() > 10
    assert page.locator(".spot.lit, .spot[role], .spot[tabindex]").count() == 0
