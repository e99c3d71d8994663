"""The clock's part of the form and the hours on the account page, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pbem.accounts import auth
from pbem.models import stored_id
from pbem.service import Service
from pbem.web.context import COOKIE
from tests.browser.browsing import chromium, in_browser, site  # noqa: F401
from tests.browser.test_every_page import AXE_SCRIPT
from tests.support.doors import somebody

pytestmark = in_browser

CLOCKS = {"none": [], "each": ["each", "each_unit", "reminders"],
          "bank": ["bank", "bank_more", "bank_most", "reminders"]}
FIELDS = sorted({field for fields in CLOCKS.values() for field in fields})


@pytest.fixture(params=["en", "hu", "pt", "ru"])
def reader(
    request: pytest.FixtureRequest, chromium: Any, service: Service, site: str  # noqa: F811
) -> Iterator[Any]:
    """Somebody's window of the smallest width, in each language."""
    who = somebody(service, "Reader", language=request.param)
    with service.writing() as session:
        secret = auth.open_session(session, stored_id(who), agent="t", now=service.clock.now())
        session.commit()
    context = chromium.new_context(viewport={"width": 320, "height": 800}, base_url=site)
    context.set_default_timeout(20_000)
    context.add_cookies([{"name": COOKIE, "value": secret, "url": site}])
    yield context.new_page()
    context.close()


def width(page: Any) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth"))


def faults(page: Any) -> list[str]:
    page.evaluate(AXE_SCRIPT)
    return list(page.evaluate(
        "axe.run(document, {resultTypes: ['violations'], preload: false}).then("
        "(told) => told.violations.map((each) => each.id + ' ' + each.nodes[0].html))"))


def test_the_form_asks_only_for_what_the_chosen_clock_needs(reader: Any) -> None:
    reader.goto("/games/new")

    for clock, asked in CLOCKS.items():
        reader.check(f"input[name=clock][value={clock}]")
        shown = [field for field in FIELDS if reader.is_visible(f"[name={field}]")]
        assert shown == sorted(asked)
        assert width(reader) == 320
        assert faults(reader) == []


def test_the_hours_fit_the_smallest_window_also_when_they_are_refused(reader: Any) -> None:
    reader.goto("/account")
    reader.select_option("#f-from", "8")
    reader.select_option("#f-to", "8")
    reader.fill("[name=holidays]", "2026-12-24\nthe day after tomorrow and all that follow it")
    reader.click("form[action='/account/time'] button")

    assert reader.get_attribute("#f-from", "aria-invalid") == "true"
    assert reader.is_visible("#w-holidays")
    assert width(reader) == 320
    assert faults(reader) == []
