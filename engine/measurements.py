"""What a finished game measures for statistics."""

from __future__ import annotations

from typing import NamedTuple

POINTS = "points"  # the group of points by source


class Measurement(NamedTuple):
    """One number about one seat in one game.

    `group` and `item` are terms of the game's words: `measure_price`, `kind_duty`. `value` is a
    round, a row, points or money; the group's term says which.
    """

    group: str
    item: str
    seat: int
    value: int
