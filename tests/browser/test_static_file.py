"""The exported file in a real browser without script: links step, and only one entry is seen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session

from pbem.archive.exports import html
from pbem.service import Service
from tests.browser.browsing import in_browser, launched, sync_api
from tests.support.finished import finished_game

pytestmark = in_browser


@pytest.fixture
def file(service: Service, session: Session, tmp_path: Path) -> tuple[str, int]:
    """The file's address, and its last entry."""
    game = finished_game(service, session)
    path = tmp_path / "game.html"
    path.write_text("".join(html.written(session, game, "en", "http://localhost")), "utf-8")
    return path.as_uri(), game.last_entry


@pytest.fixture
def page() -> Iterator[Any]:
    """A narrow browser that runs no script of a page's."""
    with sync_api.sync_playwright() as playwright:
        browser = launched(playwright)
        context = browser.new_context(
            viewport={"width": 360, "height": 800}, java_script_enabled=False)
        yield context.new_page()
        browser.close()


def seen(page: Any) -> list[str]:
    """The headings of the entries that can be seen."""
    return [each.inner_text() for each in page.locator(".x-step h2").all() if each.is_visible()]


def test_links_step_from_entry_to_entry(page: Any, file: tuple[str, int]) -> None:
    address, last = file
    page.goto(address)
    assert seen(page) == [f"Entry {last} of {last}"]

    page.goto(f"{address}#e7")
    assert seen(page) == [f"Entry 7 of {last}"]
    for link, number in (("Next", 8), ("Last", last), ("Back", last - 1), ("First", 1)):
        page.locator(".x-go a:visible", has_text=link).click()
        assert seen(page) == [f"Entry {number} of {last}"]
    assert page.locator(".vg-board svg:visible").count() >= 1
    assert page.locator(".seats:visible", has_text="Ana").count() == 1


def test_the_file_does_not_scroll_sideways_on_a_phone(page: Any, file: tuple[str, int]) -> None:
    address, last = file
    for number in (1, last):
        page.goto(f"{address}#e{number}")
        box = page.locator("main").bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 360
