"""Finds what is memorable in a whole game by folding its facts; runs no rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from engine.api import Event, Happening, Seat


class Noticed(NamedTuple):
    """One memorable thing about a fact. `once`: only the first in a game counts."""

    key: str
    seat: Seat
    once: bool = False


def happenings_in(
    table: Any,
    history: Iterable[Sequence[Event]],
    notice: Callable[[Event, Any], Iterator[Noticed]],
    chapter: Callable[[Any], tuple[int, int]],
) -> Iterator[Happening]:
    """Fold a history onto an empty table. `notice` gets each fact with the state after it."""
    state, seen = table.copy(), set()
    for step, events in enumerate(history):
        for event in events:
            event.apply(state)
            for key, seat, once in notice(event, state):
                if once and key in seen:
                    continue
                seen.add(key)
                yield Happening(key, seat, chapter(state)[0], step)
