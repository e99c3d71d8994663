"""Measures how long people take for a move, in a histogram that can be added up over years.

A move is everything in one letter of orders. It lasts from the entry before, by any seat, until it
is played. The buckets are quarter octaves of minutes, so the median is accurate to a tenth.
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
    """Count a seat's moves by bucket. Automatic moves do not count."""
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
    """Return the bucket of a wait."""
    return int(TO_AN_OCTAVE * math.log2(minutes + 1))


def written(counted: Counter[int]) -> str:
    """Format the histogram for a row."""
    return json.dumps({str(length): moves for length, moves in sorted(counted.items())})


def median_hours(rows: Iterable[str]) -> float | None:
    """Return the median of all moves in these rows, in hours, or None if there are none."""
    counted: Counter[int] = Counter()
    for row in rows:
        counted.update({int(length): moves for length, moves in json.loads(row).items()})
    left = counted.total() / 2
    for length in sorted(counted):
        left -= counted[length]
        if left <= 0:
            return float(2 ** ((length + 0.5) / TO_AN_OCTAVE) - 1) / 60
    return None
