"""The table of threats in docs/security.md names a test for each row, and each test is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from pbem.web import limits

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text()
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
ROW = re.compile(r"^\| [STRIDE] \|.*$", re.MULTILINE)


def rows() -> list[str]:
    """The rows of the table."""
    return ROW.findall(PAGE.split("## STRIDE", 1)[1].split("\n## ", 1)[0])


def named_in(path: str) -> set[str]:
    """The names of the tests of a file."""
    tree = ast.parse((ROOT / path).read_text())
    return {each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)}


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.split("|")[2].strip()[:60])
def test_each_threat_names_tests_that_are_there(row: str) -> None:
    named = NAMED.findall(row.split("|")[4])

    assert named, row
    for path, name in named:
        assert (ROOT / path).is_file(), path
        assert name.startswith("test_")
        assert name in named_in(path), f"{path} has no {name}"


def test_each_letter_of_stride_has_its_rows() -> None:
    assert {row[2] for row in rows()} == set("STRIDE")


def test_the_page_gives_the_figures_that_are_in_force() -> None:
    told = re.findall(r"^\| ([^|]+) \| (\d+|-) \| (\d+) \| (\d+) \|$", PAGE, re.MULTILINE)

    assert [row[1:] for row in told] == [
        (str(one.person or "-"), str(one.address), str(one.network)) for one in limits.TABLE]
    assert f"{limits.LARGEST_FORM // 1024} KiB; with a component set" in PAGE
    assert f"| Accept-Language | {limits.LONGEST_LANGUAGES} characters" in PAGE
