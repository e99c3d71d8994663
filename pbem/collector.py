"""Python's collector of what refers to itself, in processes that go on for long."""

from __future__ import annotations

import gc

YOUNG = 10_000  # objects between two looks; by itself Python looks after 700: half a ms a letter
GENERATIONS = 20  # looks at the young before one at the older ones


def look_seldom() -> None:
    """Look seldom: nearly all that a request or task leaves is gone without the collector."""
    gc.set_threshold(YOUNG, GENERATIONS, GENERATIONS)


def spare_what_is_there() -> None:
    """Never look again at what this process has loaded to begin with, and seldom at the rest."""
    gc.collect()
    gc.freeze()
    look_seldom()
