"""Figures as ratios: both sides measured in turn in one run, so that noise hits both."""

from __future__ import annotations

import json
import math
import operator
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

RUNS = 5


@dataclass(frozen=True)
class Extent:
    """How much is measured: what the command line can shorten."""

    seconds: int = 60  # of the sustained load; all other stretches are parts of it
    going: int = 1_000  # games
    finished: int = 100_000  # games, of a large archive


NONE = "-"
COMPARISONS: dict[str, Callable[[float, float], bool]] = {">=": operator.ge, "<=": operator.le}


@dataclass(frozen=True)
class Figure:
    """One line of the table; the fields are those of var/bench.json.

    `against` says what the value is measured against, with both sides of a ratio.
    """

    name: str
    value: float
    goal: str  # "<= 3"; NONE: it is only told
    against: str
    ok: bool


def median(values: Iterable[float]) -> float:
    """The middle value; of an even number the mean of the two middle ones."""
    return float(statistics.median(values))


def p95(values: Iterable[float]) -> float:
    """The smallest value that at least 95 % of the values do not exceed (nearest rank)."""
    ranked = sorted(values)
    return ranked[math.ceil(0.95 * len(ranked)) - 1]


def meets(value: float, goal: str) -> bool:
    """Whether a value reaches a goal like "<= 3"."""
    if goal == NONE:
        return True
    comparison, bound = goal.split()
    return COMPARISONS[comparison](value, float(bound))


def figure(name: str, value: float, goal: str, against: str) -> Figure:
    """A figure, and whether it reaches its goal (before it is rounded)."""
    return Figure(name, rounded(value), goal, against, meets(value, goal))


def ratio(name: str, pairs: Sequence[tuple[float, float]], goal: str, said: str) -> Figure:
    """The median of ours / floor over the runs; `said` takes both sides' medians: {0} and {1}."""
    value = median(ours / floor for ours, floor in pairs)
    sides = [shown(median(side)) for side in zip(*pairs, strict=True)]
    return figure(name, value, goal, said.format(*sides))


def rounded(value: float) -> float:
    """Three significant digits; whole from 1,000 on."""
    if value == 0 or abs(value) >= 1000:
        return float(round(value))
    return round(value, 2 - math.floor(math.log10(abs(value))))


def shown(value: float) -> str:
    """A number for people: 0.0523, 3.14, 12,345."""
    return f"{rounded(value):,.10g}"


# ---- the table and the file ---------------------------------------------------------------------


def table(figures: Sequence[Figure]) -> str:
    """The figures under each other; a goal that is missed says so."""
    rows = [("what", "value", "goal", "ok", "against")]
    rows += [
        (one.name, shown(one.value), one.goal, "yes" if one.ok else "MISSED", one.against)
        for one in figures
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, [*widths, 0], strict=True)).rstrip()
        for row in rows
    )


def write(figures: Sequence[Figure], path: Path) -> None:
    """Write the figures as a JSON list."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([asdict(one) for one in figures], indent=2) + "\n", "utf-8")
