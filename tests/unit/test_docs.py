"""The pages of documentation: what they link, name and list is there; reading is short."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md"), ROOT / "engine" / "README.md"])
READING = 2000  # lines that a newcomer reads in half an hour


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_links_of_a_page_lead_to_files_that_are_there(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)", page.read_text("utf-8"))
    lost = [link for link in links if "://" not in link and not (page.parent / link).exists()]

    assert lost == []


def test_the_index_lists_every_page() -> None:
    index = (DOCS / "README.md").read_text("utf-8")
    pages = [str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")]

    assert [page for page in pages if page != "README.md" and f"]({page})" not in index] == []


def test_the_reading_order_takes_half_an_hour() -> None:
    order = (ROOT / "README.md").read_text("utf-8").split("## Reading the code", 1)[1]
    named = re.findall(r"^\| \[[^]]+\]\(([^)]+)\) \|", order, re.M)

    assert named
    assert sum(len((ROOT / file).read_text("utf-8").splitlines()) for file in named) <= READING


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_files_that_a_page_names_are_there(page: Path) -> None:
    text = page.read_text("utf-8")
    named = re.findall(r"`((?:engine|pbem|templates|tests|workers)/[\w./-]+)`", text)

    assert [file for file in named if not (ROOT / file).exists()] == []
