"""The simulated year, small: a few games, some weeks. `make soak` lets the whole one pass."""

from __future__ import annotations

from tests.soak.year import year


def test_some_weeks_in_which_nothing_goes_wrong() -> None:
    told = year(games=2, days=10, seed=4, players=6)

    assert not any(told["faults"].values()), told["said"]
    assert told["letters"] > 10
    assert told["questions"] > 20
    assert told["outages"] > 0
