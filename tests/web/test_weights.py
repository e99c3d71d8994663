"""What pages weigh, that the list holds all of them, and that nothing in them is inline."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from pbem.i18n.words import LANGUAGES
from pbem.models import Person
from tests.support.pages import NO_PAGES, PAGES, Page, get_routes
from tests.support.world import World, world

STATIC = Path(__file__).parents[2] / "pbem" / "static"
MOST_SCRIPT = 30_000  # bytes of all scripts together
MOST_TABLE = 150_000  # bytes of a page with a table, before compression
INLINE = re.compile(r"<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=\"|href=\"javascript:")
FOREIGN = re.compile(
    r"<(?:script|img|link|iframe|use|image)\b[^>]*\s(?:src|href)=\"(?:https?:)?//[^\"]*")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, empty_database: Path) -> Iterator[World]:
    with world(tmp_path_factory.mktemp("world") / "var", empty_database) as made:
        yield made


@pytest.fixture(scope="module")
def browsers() -> dict[str | None, FlaskClient]:
    return {}


def got(site: World, browsers: dict[str | None, FlaskClient], page: Page) -> str:
    """The page as it is sent."""
    who = page.who(site)
    if who not in browsers:
        browsers[who] = site.browser(None if who == "newcomer" else who)
    answer = browsers[who].get(page.address(site))
    assert answer.status_code == page.status or who == "newcomer"
    return str(answer.text)


def test_every_route_that_can_be_looked_at_is_in_the_list_of_pages(site: World) -> None:
    listed = {page.endpoint for page in PAGES} - {"none"}

    assert get_routes(site.app) == listed | set(NO_PAGES)
    assert listed & set(NO_PAGES) == set()


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_nothing_in_a_page_is_inline_or_of_strangers(
    site: World, browsers: dict[str | None, FlaskClient], page: Page
) -> None:
    text = got(site, browsers, page)

    assert [text[each.start() - 60 : each.end() + 60] for each in INLINE.finditer(text)] == []
    assert FOREIGN.findall(text) == []


def test_all_scripts_together_are_small() -> None:
    scripts = {path.name: path.stat().st_size for path in STATIC.rglob("*.js")}

    assert scripts
    assert sum(scripts.values()) < MOST_SCRIPT, scripts


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("viewer", ["asked", "waiting"])
@pytest.mark.parametrize("game", ["vg", "goa"])
def test_a_page_with_a_table_is_small(site: World, game: str, viewer: str, language: str) -> None:
    who = site.who(viewer, game)
    with site.service.writing() as session:
        session.get_one(Person, site.people[who]).language = language
        session.commit()

    answer = site.browser(who).get(f"/games/{site.facts[game]}")

    assert f'<html lang="{language}"' in answer.text
    assert len(answer.data) < MOST_TABLE


@pytest.mark.parametrize("wish", [
    "prefers-color-scheme: dark", "prefers-contrast: more", "prefers-reduced-motion",
    "@media print",
])
def test_the_style_sheets_heed_what_a_reader_has_told_the_machine(wish: str) -> None:
    assert any(wish in path.read_text() for path in STATIC.rglob("*.css"))
