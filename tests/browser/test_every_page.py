"""Every page in a real browser: read by everybody, on every window and paper, without strangers.

One page of each endpoint is looked at, and the tables of who is asked; axe reads them in light, and
in the dark those that have colours of their own. `make soak` (SOAK=yes) looks at every page of
every reader in both.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT

from pbem.web.context import COOKIE
from tests.browser.browsing import chromium, in_browser
from tests.support.pages import PAGES, Page
from tests.support.world import World, served, world

__all__ = ["chromium"]
pytestmark = in_browser

STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SIGHT = ["color-contrast", "target-size", "link-in-text-block"]
WHOLE = bool(os.environ.get("SOAK"))
FIRST = {page.endpoint: page for page in reversed(PAGES)}  # by its first reader
ASKED = [page for page in PAGES if page.viewer == "asked"]
SHOWN = [page for page in PAGES if WHOLE or page in (*FIRST.values(), *ASKED)]
DARK = ("home.home", "lobby.games", "compare.show", "graph.show", "seat.notes_page",
        "archive.archive", "account.account", "rules.rules")
IN_THE_DARK = [page for page in SHOWN if WHOLE or page in ASKED or page.endpoint in DARK]
NOT_FOUND = re.compile(r"Failed to load resource: .* status of 40[34]")


@pytest.fixture(scope="module")
def site(
    tmp_path_factory: pytest.TempPathFactory, empty_database: Path
) -> Iterator[tuple[World, str]]:
    with world(tmp_path_factory.mktemp("world") / "var", empty_database) as made, \
            served(made.app) as address:
        yield made, address


@pytest.fixture(scope="module")
def windows(chromium: Any, site: tuple[World, str]) -> Iterator[dict[str | None, Any]]:
    """A window of each person, opened when first asked for."""
    opened: dict[str | None, Any] = {}
    yield opened
    for page in opened.values():
        page.context.close()


class Seen:
    """A page as it came into a window, and what came with it."""

    # ---- looking

    def __init__(self, window: Any, address: str, site: str) -> None:
        self.window, self.site = window, site
        self.problems: list[str] = []
        self.asked_for: list[str] = []
        window.on("console", self.console)
        window.on("pageerror", self.error)
        window.on("request", self.request)
        window.emulate_media(color_scheme="light", media="screen")
        window.set_viewport_size({"width": 1280, "height": 900})
        self.status = window.goto(site + address).status

    def console(self, told: Any) -> None:
        if told.type in ("error", "warning") and not NOT_FOUND.match(told.text):
            self.problems.append(told.text)

    def error(self, error: Any) -> None:
        self.problems.append(str(error))

    def request(self, request: Any) -> None:
        self.asked_for.append(request.url)

    def close(self) -> None:
        for name, heard in (("console", self.console), ("pageerror", self.error),
                            ("request", self.request)):
            self.window.remove_listener(name, heard)

    def violations(self, options: dict[str, Any]) -> list[str]:
        """What axe finds; the script goes in beside the page's policy, which forbids it."""
        if not self.window.evaluate("'axe' in window"):
            self.window.evaluate(AXE_SCRIPT)
        found = self.window.evaluate(
            """(options) => axe.run(document, options).then((told) => told.violations.map(
                (each) => each.id + ": " + each.nodes.slice(0, 4).map(
                    (node) => node.target.join(" ") + " " + node.html.slice(0, 120) + " "
                        + node.any.concat(node.all, node.none).map((why) => why.message).join("; ")
                ).join("\\n    ")))""",
            {"resultTypes": ["violations"], "preload": False, **options})
        return list(found)

    def width(self, window: int) -> int:
        """How wide the page is in a window of this width."""
        self.window.set_viewport_size({"width": window, "height": 800})
        return int(self.window.evaluate("document.documentElement.scrollWidth"))


@pytest.fixture(scope="module", params=SHOWN, ids=str)
def page(request: pytest.FixtureRequest) -> Page:
    return request.param


@pytest.fixture(scope="module")
def seen(
    page: Page, site: tuple[World, str], windows: dict[str | None, Any], chromium: Any
) -> Iterator[Seen]:
    made, address = site
    who = page.who(made)
    if who not in windows:
        windows[who] = window_of(who, made, chromium, address)
    look = Seen(windows[who], page.address(made), address)
    yield look
    look.close()


def window_of(who: str | None, made: World, chromium: Any, address: str) -> Any:
    """A window of somebody's own browser."""
    context = chromium.new_context(locale="en")
    context.set_default_timeout(30_000)
    cookies = made.newcomer if who == "newcomer" else {} if who is None else {
        COOKIE: made.cookie(who)}
    context.add_cookies([{"name": name, "value": value, "url": address}
                         for name, value in cookies.items()])
    return context.new_page()


def test_it_comes_with_nothing_of_strangers_and_breaks_no_rule_of_its_policy(
    page: Page, seen: Seen
) -> None:
    assert seen.status == page.status
    assert seen.problems == []
    assert [url for url in seen.asked_for if not url.startswith((seen.site, "data:"))] == []


def test_axe_finds_nothing_in_light(page: Page, seen: Seen) -> None:
    assert seen.violations({"runOnly": {"type": "tag", "values": STANDARDS}}) == []


def test_axe_finds_nothing_in_the_dark_on_a_telephone(page: Page, seen: Seen) -> None:
    if page not in IN_THE_DARK:
        pytest.skip("it has no colours of its own; make soak reads it too")
    seen.window.emulate_media(color_scheme="dark")
    seen.window.set_viewport_size({"width": 360, "height": 800})

    assert seen.violations({"runOnly": {"type": "rule", "values": SIGHT}}) == []


@pytest.mark.parametrize("width", [320, 360] if WHOLE else [320])
def test_it_scrolls_no_window_sideways(seen: Seen, width: int) -> None:
    assert seen.width(width) <= width


def test_it_goes_on_paper_without_what_is_to_press(seen: Seen) -> None:
    seen.window.emulate_media(color_scheme="light", media="print")

    shown = seen.window.evaluate("""() => [...document.querySelectorAll(
        "header nav, .skip, main button, footer.colophon")].filter(
            (each) => each.getClientRects().length).map((each) => each.outerHTML.slice(0, 80))""")

    assert shown == []
    assert seen.width(700) <= 700
