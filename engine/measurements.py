"""Measures a finished game for statistics, by folding its facts; runs no rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from engine.api import Event, Standing

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


def measurements_in(
    table: Any,
    history: Iterable[Sequence[Event]],
    measured: Callable[[Event, Any], Iterator[Measurement]],
    returns: Callable[[Any], Sequence[Standing]],
) -> Iterator[Measurement]:
    """Fold a finished game's history onto an empty table.

    `measured` gets each fact with the state after it, `returns` the last state.
    """
    state = table.copy()
    for events in history:
        for event in events:
            event.apply(state)
            yield from measured(event, state)
    for standing in returns(state):
        for source, points in standing.by_source.items():
            yield Measurement(POINTS, f"source_{source}", standing.seat, points)
