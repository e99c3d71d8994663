"""Where things lie on the game page, measured in a browser for both games, all sizes and languages.

`make test` measures every state in English, and the long words of hu and ru on a telephone;
`make soak` (SOAK=yes) measures all of them everywhere.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sqlmodel import Session, select

from pbem.i18n import words
from pbem.models import Person, SeatRow, stored_id
from pbem.play import advance
from pbem.web.context import COOKIE
from tests.browser.browsing import chromium, in_browser
from tests.support import tables
from tests.support.at_table import can_sail, play_on
from tests.support.world import TABLE, World, empty_world, seated, served

__all__ = ["chromium"]
pytestmark = in_browser

WHOLE = bool(os.environ.get("SOAK"))
SMALL_DESK, LARGE_DESK, PHONE = (1280, 800), (1920, 1080), (390, 844)


def asks(question: str) -> Callable[[Any], bool]:
    """A position of round 4 that asks so."""
    return lambda state: state.round == 4 and type(state.awaiting).__name__ == question


STATES: dict[str, tuple[str, Callable[[Any], bool]]] = {  # name: game, until when it is played
    "placing": ("vasco-da-gama", lambda state: state.round == 3 and len(state.discs) == 9),
    "sailing": ("vasco-da-gama", lambda state: state.round == 3 and can_sail(state)),
    "bidding": ("goa", lambda state: asks("AwaitBid")(state) and state.awaiting.lot == 2),
    "acting": ("goa", asks("AwaitTurnAction")),
}
BOARDS = {"vasco-da-gama": (".sea", ".track"), "goa": (".g-chart",)}
"""What is the board of a game, part by part; a telephone shows the part that is asked for."""
ASKED = {"placing": ".track", "sailing": ".sea", "bidding": ".g-chart", "acting": ".g-chart"}
NOTHINGS = ("none", "no disc", "gone", "nothing", "nobody’s", "not laid", "nothing there")
NOTHING_TERMS = {"vasco-da-gama": ("state_free",), "goa": ("state_free", "state_empty")}


class Bounds(NamedTuple):
    """What a window of this size must keep."""

    share: float
    length: int
    rules: int


BOUNDS = {
    SMALL_DESK: Bounds(0.95, 2000, 3), LARGE_DESK: Bounds(1, 1300, 3), PHONE: Bounds(0.7, 3600, 2),
}
SHARE_OF_VASCO = 0.9  # of chart and numbers at 1280 x 800


def cases() -> Iterator[Any]:
    """Every state, size and language that is measured."""
    for state, size, language in product(STATES, BOUNDS, words.LANGUAGES):
        is_long = language in ("hu", "ru") and state in ("sailing", "bidding")
        is_usual = language == "en" or (is_long and size == PHONE)
        if WHOLE or is_usual:
            yield pytest.param(state, size, language, id=f"{state}-{size[0]}-{language}")


@pytest.fixture(scope="module")
def site(
    tmp_path_factory: pytest.TempPathFactory, empty_database: Path
) -> Iterator[tuple[World, str]]:
    """The four states as games of the same people."""
    with empty_world(tmp_path_factory.mktemp("layout") / "var", empty_database) as made:
        with made.service.writing() as session:
            for name in TABLE:
                person = tables.person(session, name, made.service.clock.now())
                made.people[name] = stored_id(person)
            session.commit()
            for state, (key, until) in STATES.items():
                game = seated(made, session, key, TABLE)
                play_on(made.service, session, game, until)
                asked = select(SeatRow).where(
                    SeatRow.game_id == game.id, SeatRow.asked_since.is_not(None))
                made.asked[state] = session.exec(asked).one().name
                made.facts[state] = game.id
                session.commit()
        with served(made.app) as address:
            yield made, address


def speak(session: Session, language: str) -> None:
    """Let everybody read this language."""
    for person in session.exec(select(Person)):
        person.language = language
        session.add(person)
    session.commit()


@pytest.fixture
def page(request: pytest.FixtureRequest, chromium: Any, site: tuple[World, str]) -> Iterator[Any]:
    """The page of the player who is asked, once its fonts are there."""
    state, (width, height), language = request.param
    made, address = site
    with made.service.writing() as session:
        speak(session, language)
    context = chromium.new_context(viewport={"width": width, "height": height})
    cookie = made.cookie(made.asked[state])
    context.add_cookies([{"name": COOKIE, "value": cookie, "url": address}])
    shown = context.new_page()
    shown.add_init_script(SHIFTS)
    shown.goto(f"{address}/games/{made.facts[state]}")
    shown.evaluate("document.fonts.ready.then(() => true)")
    assert shown.evaluate("document.documentElement.lang") == language
    yield shown
    context.close()


SHIFTS = """window.shifted = 0;
new PerformanceObserver((list) => list.getEntries().forEach((each) => {
    window.shifted += each.value;
})).observe({ type: "layout-shift", buffered: true });"""

MEASURE = """([parts, nothings]) => {
    const one = (selector) => document.querySelector(selector);
    const box = (selector) => one(selector).getBoundingClientRect();
    const [wide, high] = [innerWidth, innerHeight];
    const decide = box("#decide"), send = box("[form=order-form].go"), tray = box("#tray");
    const isSheet = getComputedStyle(one("#decide")).position === "fixed";
    const floor = isSheet ? decide.top : high;
    const seen = (each) => Math.max(0, Math.min(each.right, wide) - Math.max(each.left, 0))
        * Math.max(0, Math.min(each.bottom, floor) - Math.max(each.top, box(".gh").bottom));
    const boxes = parts.map(box);
    const columns = [...one(".cols").querySelectorAll(".col-table, #decide, .col-side")]
        .map((each) => each.getBoundingClientRect()).filter((each) => each.width);
    const isShown = (each) => each.checkVisibility() && !each.closest(".sr, .defs")
        && each.getBoundingClientRect().width > 1;
    const inView = (each) => { const at = each.getBoundingClientRect();
        return at.bottom > 0 && at.top < high; };
    const texts = [...one(".game").querySelectorAll("*")].filter(
        (each) => !each.childElementCount && isShown(each) && !each.closest(".opt .end"))
        .map((each) => each.textContent.trim());
    const quick = one(".quick").getBoundingClientRect();
    return {
        top: box("#table").top,
        share: boxes.map(seen).reduce((a, b) => a + b)
            / boxes.map((each) => each.width * each.height).reduce((a, b) => a + b),
        send: Math.max(send.bottom, 0),
        apart: isSheet ? send.top - quick.bottom : tray.top - decide.bottom,
        tray: isSheet ? quick.height > 20
            : tray.bottom <= high && one("#tray").scrollHeight <= one("#tray").clientHeight + 1,
        width: (Math.max(...columns.map((each) => each.right))
            - Math.min(...columns.map((each) => each.left))) / wide,
        sideways: document.documentElement.scrollWidth - wide,
        length: document.documentElement.scrollHeight,
        nothings: texts.filter((each) => nothings.includes(each.toLowerCase())),
        rules: [...document.querySelectorAll(".rule")].filter(
            (each) => isShown(each) && inView(each)).length,
        cut: [...document.querySelectorAll(".gh *, .bar *, #tray *, .table *")].filter((each) =>
            isShown(each) && !each.closest("h1, svg") && each.scrollWidth > each.clientWidth + 1
            && getComputedStyle(each).overflowX !== "visible").map((each) => each.textContent),
        shifted: window.shifted,
    };
}"""


def measured(page: Any, state: str, size: tuple[int, int], language: str) -> dict[str, Any]:
    """All points of a page."""
    key = STATES[state][0]
    parts = [ASKED[state]] if size == PHONE else list(BOARDS[key])
    nothings = {words.gettext(each, language).lower() for each in NOTHINGS}
    nothings |= {words.term(key, each, language).lower() for each in NOTHING_TERMS[key]}
    found: dict[str, Any] = page.evaluate(MEASURE, [parts, sorted(nothings)])
    print(state, f"{size[0]}x{size[1]}", language, {  # pytest -s shows it
        point: round(each, 3) if isinstance(each, float) else each
        for point, each in found.items()})
    return found


def missed(found: dict[str, Any], state: str, size: tuple[int, int]) -> dict[str, Any]:
    """The points that a page does not keep."""
    bounds, height = BOUNDS[size], size[1]
    is_small_vasco = size == SMALL_DESK and STATES[state][0] == "vasco-da-gama"
    share = SHARE_OF_VASCO if is_small_vasco else bounds.share
    kept = {
        "top": found["top"] <= 110,
        "share": found["share"] >= share - 0.001,
        "send": 0 < found["send"] <= height,
        "apart": -1 <= found["apart"] <= (height if size == PHONE else 16),
        "tray": found["tray"],
        "width": found["width"] >= 0.95,
        "sideways": found["sideways"] <= 0,
        "length": found["length"] <= bounds.length,
        "nothings": found["nothings"] == [],
        "rules": found["rules"] <= bounds.rules,
        "cut": found["cut"] == [],
        "shifted": found["shifted"] <= 0.05,
    }
    return {point: found[point] for point, is_kept in kept.items() if not is_kept}


TWICE = [  # for the page, and for the test
    pytest.param(each.values, each.values, id=each.id, marks=each.marks) for each in cases()]


@pytest.mark.parametrize(("page", "case"), TWICE, indirect=["page"])
def test_the_page_keeps_its_points(page: Any, case: tuple[str, tuple[int, int], str]) -> None:
    state, size, language = case

    assert missed(measured(page, state, size, language), state, size) == {}


@pytest.mark.parametrize("page", [("bidding", SMALL_DESK, "en"), ("acting", PHONE, "en")],
                         indirect=True, ids=["bidding-1280", "acting-390"])
def test_a_choice_and_its_result_move_nothing(page: Any) -> None:
    page.evaluate("window.shifted = 0")

    page.locator(".steps input:not([disabled])").nth(1).check(force=True)
    page.locator("#outcome b").wait_for()

    assert page.evaluate("window.shifted") <= 0.05


@pytest.mark.parametrize("page", [("bidding", SMALL_DESK, "en")], indirect=True, ids=["1280"])
def test_an_order_that_is_sent_and_played_moves_nothing(
    page: Any, site: tuple[World, str]
) -> None:
    made, _address = site
    page.locator(".steps input:not([disabled])").nth(1).check(force=True)
    page.locator("#outcome b").wait_for()
    page.evaluate("window.shifted = 0")

    page.locator("[form=order-form].go").click()
    page.locator("[data-pending]").wait_for(state="attached")
    with made.service.writing() as session:
        advance.advance(session, made.facts["bidding"], made.service.clock.now())
    page.locator("[data-pending]").wait_for(state="detached")

    assert page.evaluate("window.shifted") <= 0.05
