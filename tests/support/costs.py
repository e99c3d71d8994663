"""How many steps a parser takes: lines of Python run, so that no clock and no machine counts."""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import process_time
from types import FrameType
from typing import Any

REPEATED = 3


def steps(work: Callable[[], Any]) -> int:
    """The lines of Python that run in a call."""
    count = 0

    def trace(_frame: FrameType, event: str, _arg: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def processor_time(work: Callable[[], Any]) -> float:
    """The shortest of a few runs; to be compared with another taken at the same time only."""
    taken = []
    for _ in range(REPEATED):
        begun = process_time()
        work()
        taken.append(process_time() - begun)
    return min(taken)
