"""How long people take over a move: counted by length, so that years of it are added in a page.

A move is what came in one letter of orders. It took from the entry before it, by whoever, until it
was played. Lengths are counted in quarter octaves of minutes: the median is right within a tenth.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from pbem.play.positions import LoggedEntry

TO_AN_OCTAVE = 4


def waits_of(entries: Sequence[LoggedEntry], seat: int) -> Counter[int]:
    """How many of a seat's moves fell into each length; what was made for it is none."""
    counted: Counter[int] = Counter()
    submission: int | None = None
    for before, entry in pairwise(entries):
        if entry.seat != seat or entry.cause != "order":
            continue
        if submission is None or entry.submission_id != submission:
            counted[bucket(max(0.0, (entry.at - before.at).total_seconds() / 60))] += 1
        submission = entry.submission_id
    return counted


def bucket(minutes: float) -> int:
    """The length that a wait counts as."""
    return int(TO_AN_OCTAVE * math.log2(minutes + 1))


def written(counted: Counter[int]) -> str:
    """As a row keeps it."""
    return json.dumps({str(length): moves for length, moves in sorted(counted.items())})


def median_hours(rows: Iterable[str]) -> float | None:
    """The median of all moves counted in these rows, in hours; None if there are none."""
    counted: Counter[int] = Counter()
    for row in rows:
        counted.update({int(length): moves for length, moves in json.loads(row).items()})
    left = counted.total() / 2
    for length in sorted(counted):
        left -= counted[length]
        if left <= 0:
            return float(2 ** ((length + 0.5) / TO_AN_OCTAVE) - 1) / 60
    return None
