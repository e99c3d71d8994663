"""The chart of the landings: everything has its place, also with a host's own component set."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from msgspec.structs import replace

from engine import registry
from engine.chance import Stream
from engine.vasco_da_gama.chart import Box, VascoChart, chart_of
from engine.vasco_da_gama.view import SlotView

WIDTH, BOX = 360, (49, 80)
GAME = registry.game("vasco-da-gama")


def table(viewer: int | None = None) -> Any:
    """The table at the start, seen from a seat."""
    turn = GAME.new_initial_state(4, {}, Stream(bytes(32), "chart"))
    return GAME.observation(turn.state, viewer)


def boxes(chart: VascoChart) -> list[Box]:
    return [box for harbour in chart.harbours for box in harbour.boxes]


def with_slots(view: Any, slots: int) -> Any:
    """The view with so many empty slots at every landing."""
    row = tuple(SlotView(index, str(index), 5, None) for index in range(slots))
    return replace(view, landings=tuple(replace(each, slots=row) for each in view.landings))


@pytest.mark.parametrize("slots", [None, 1, 6, 7, 12])
def test_no_slot_lies_on_another_or_outside_the_chart(slots: int | None) -> None:
    view = table() if slots is None else with_slots(table(), slots)

    chart = chart_of(view, {})

    for box in boxes(chart):
        assert 0 < box.x < box.x + BOX[0] < WIDTH
        assert 0 < box.y < box.y + BOX[1] < chart.height
    for one, other in combinations(boxes(chart), 2):
        assert abs(one.x - other.x) >= BOX[0] or abs(one.y - other.y) >= BOX[1]


def test_the_standard_chart_is_drawn_without_stretching_the_coast() -> None:
    chart = chart_of(table(), {})

    assert (chart.height, chart.coast) == (860, "")


def test_a_spectator_sees_free_slots_and_none_that_is_his() -> None:
    assert {box.state for box in boxes(chart_of(table(), {}))} == {"free"}


def test_who_sends_the_merchant_ship_sees_what_it_can_reach() -> None:
    view = table(GAME.current_players(GAME.new_initial_state(
        4, {}, Stream(bytes(32), "chart")).state)[0])

    chart = chart_of(view, {})

    for box in boxes(chart):
        assert box.state == ("open" if box.slot.value <= view.question.limit else "far")
