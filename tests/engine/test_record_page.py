"""docs/record.md: its program draws and shuffles as the committed stream does."""

from __future__ import annotations

import re
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from engine.chance import ONE_OUTCOME, Stream
from pbem.play.chance import secret_of, stream

PAGE = Path(__file__).parents[2] / "docs" / "record.md"
SECRET = secret_of(b"\1" * 32, ["for luck", "", "sail on"])


@pytest.fixture(scope="module")
def program() -> dict[str, Any]:
    """What the page's blocks of Python define."""
    found: dict[str, Any] = {}
    for block in re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.S | re.M):
        exec(block, found)  # noqa: S102
    return found


def entry() -> Stream:
    """The draws of one entry, as the service makes them."""
    return stream(SECRET, "label", 17)


@pytest.mark.parametrize("length", [0, 1, 2, ONE_OUTCOME, ONE_OUTCOME + 1, 100])
def test_the_page_shuffles_as_the_service_does(program: dict[str, Any], length: int) -> None:
    draws = count()
    row = list(range(length))
    program["shuffle"](row, lambda: program["number"](SECRET, "label", 17, next(draws), "tiles"))

    assert tuple(row) == entry().shuffled(range(length), why="tiles")


def test_the_page_draws_as_the_service_does(program: dict[str, Any]) -> None:
    items = ["turquoise", "violet", "grey"]
    drawn = items[program["number"](SECRET, "label", 17, 0, "crew") % len(items)]

    assert drawn == entry().drawn(items, why="crew")
