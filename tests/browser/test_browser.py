"""The game page in a real browser: script adds comfort, and nothing needs it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlmodel import Session, select

from pbem.i18n.words import LANGUAGES
from pbem.models import Game, Person, Submission, stored_id
from pbem.play import advance
from pbem.service import Service
from tests.browser.browsing import chromium, in_browser, signed_in, site
from tests.support import tables
from tests.support.at_table import play_on

__all__ = ["chromium", "site"]
pytestmark = in_browser

Visit = Callable[..., Any]


@pytest.fixture
def game(service: Service, session: Session) -> Game:
    """A game some entries into round 1; somebody is asked to place."""
    started = tables.started_game(session, service.clock.now())
    play_on(service, session, started, lambda state: len(state.discs) == 6)
    return started


@pytest.fixture
def visit(
    chromium: Any, service: Service, session: Session, game: Game, site: str
) -> Iterator[Visit]:
    """Opens the page of the player who is asked; `page.problems` tells what goes wrong in it."""
    seats = [tables.seat(session, game, number) for number in range(game.seats)]
    asked = next((seat for seat in seats if seat.asked_since is not None), seats[0])
    session.commit()
    contexts = []

    def opened(**options: Any) -> Any:
        context = chromium.new_context(**options)
        contexts.append(signed_in(context, service, game, asked.number, site=site))
        page = context.new_page()
        page.problems = context.problems
        page.goto(f"{site}/games/{game.id}")
        return page

    yield opened
    for context in contexts:
        context.close()


def sent(service: Service, game: Game) -> list[str]:
    with service.reading() as session:
        found = session.exec(select(Submission).where(Submission.game_id == game.id))
        return [each.orders for each in found]


def test_the_page_fits_its_window_and_breaks_no_rule_of_the_policy(visit: Visit) -> None:
    page = visit(viewport={"width": 1280, "height": 800})

    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for width in (320, 360, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, scheme
    assert page.problems == []


def speak(session: Session, language: str) -> None:
    """Let everybody read this language."""
    for person in session.exec(select(Person)).all():
        person.language = language
        session.add(person)
    session.commit()


def widths(visit: Visit, session: Session) -> dict[str, int]:
    """How wide the page is in the smallest window, by language."""
    page = visit(viewport={"width": 320, "height": 800})
    found = {}
    for language in LANGUAGES:
        speak(session, language)
        page.reload()
        page.evaluate("document.fonts.ready.then(() => true)")
        assert page.evaluate("document.documentElement.lang") == language
        found[language] = page.evaluate("document.documentElement.scrollWidth")
    return found


def test_long_words_of_other_languages_fit_the_smallest_window_too(
    visit: Visit, session: Session
) -> None:
    assert max(widths(visit, session).values()) <= 320


def test_the_final_count_with_long_names_fits_the_smallest_window(
    visit: Visit, session: Session, service: Service, game: Game
) -> None:
    play_on(service, session, game, lambda state: False)
    for number in range(game.seats):
        seat = tables.seat(session, game, number)
        seat.name = f"Steady {number}" if number else "Bartholomaeus-von-Hohenlohe-Langenburg"
        session.add(seat)
    session.commit()

    found = widths(visit, session)

    assert max(found.values()) <= 320, found
    assert visit().locator(".result").count() == 1


def test_everything_to_press_but_in_rows_of_one_line_is_forty_four_pixels_high(
    visit: Visit
) -> None:
    page = visit(viewport={"width": 360, "height": 800})

    small = page.evaluate("""() => [...document.querySelectorAll(
        'main button:not(.sr), main .btn, main .opt, main .cell, main select, main summary')]
        .filter((e) => e.getClientRects().length && !e.closest('.hist, .sendbar .more, .news'))
        .filter((e) => e.getBoundingClientRect().height < 43.5)
        .map((e) => e.outerHTML.slice(0, 80))""")

    assert small == []


def test_arrow_keys_walk_through_the_history(visit: Visit, game: Game) -> None:
    page = visit()
    last = game.last_entry

    page.keyboard.press("ArrowLeft")
    page.wait_for_url(re.compile(rf"/games/{game.id}/{last - 1}(#|$)"))
    page.keyboard.press("Home")
    page.wait_for_url(re.compile(rf"/games/{game.id}/1(#|$)"))
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile(rf"/games/{game.id}/2(#|$)"))
    page.keyboard.press("End")
    page.wait_for_url(re.compile(rf"/games/{game.id}(#|$)"))
    assert page.problems == []


def test_arrow_keys_within_a_field_stay_in_the_field(visit: Visit, game: Game) -> None:
    page = visit()
    page.locator(".order summary").click()
    page.fill("#order", "place")

    page.press("#order", "ArrowLeft")
    page.wait_for_timeout(200)

    assert page.url.endswith(f"/games/{game.id}")


@pytest.mark.parametrize("scripted", [True, False], ids=["with script", "without script"])
def test_an_order_goes_from_the_steps_through_its_result_to_the_record(
    visit: Visit, service: Service, game: Game, scripted: bool  # noqa: FBT001
) -> None:
    page = visit(java_script_enabled=scripted)
    before = len(sent(service, game))

    page.locator("input[name=number]:not([disabled])").last.check(force=True)
    page.locator("input[name=area]:not([disabled])").first.check(force=True)
    if not scripted:
        page.get_by_role("button", name="Preview").click()
    page.locator("#outcome b").wait_for()
    line = page.input_value("#order")
    page.locator("[form=order-form].go").click()
    page.get_by_text("Your order is recorded").wait_for()

    assert sent(service, game)[before:] == [line]
    with service.writing() as worker:
        advance.advance(worker, stored_id(game), service.clock.now())
    page.get_by_text("Your order is recorded").wait_for(state="detached")  # it looks by itself
    assert page.get_by_text(f"places {line.split()[1]}").count() > 0


def test_a_changed_step_empties_the_line_that_the_preview_wrote(visit: Visit, game: Game) -> None:
    page = visit()
    page.locator(".order summary").click()
    page.fill("#order", "place 20 projects")

    page.locator("input[name=area]:not([disabled])").first.check(force=True)

    assert page.input_value("#order") == ""


def test_the_keyboard_alone_reaches_the_form_first(visit: Visit, game: Game) -> None:
    page = visit()

    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")

    assert page.evaluate("document.activeElement.closest('#decide') !== null")


def test_links_lead_over_the_head_to_decision_board_and_log(visit: Visit) -> None:
    page = visit()

    found = page.locator("a.skip").evaluate_all("all => all.map((each) => each.hash)")

    assert found == ["#decide", "#table", "#log"]
    assert page.locator(", ".join(found)).count() == len(found)
