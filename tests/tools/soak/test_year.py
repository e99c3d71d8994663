"""The simulated year, small: a few games, some weeks. `make soak` lets the whole one pass."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.tools.soak.year import year
from tests.tools.soak.year_checks import Question, wished


@pytest.mark.soak
def test_some_weeks_in_which_nothing_goes_wrong() -> None:
    told = year(games=2, days=10, seed=4, players=6)

    assert not any(told["faults"].values()), told["said"]
    assert told["letters"] > 10
    assert told["questions"] > 20
    assert told["outages"] > 0


def test_who_is_asked_within_the_minute_of_his_daily_letter_reads_of_it_the_next_day() -> None:
    at = datetime(2026, 7, 13, 6, 0, 45, tzinfo=UTC)  # 8:00:45 in Budapest
    question = Question(1, 0, 1, 5, at, "none", "digest 8", "Europe/Budapest")

    assert wished(question, timedelta(0)) == datetime(2026, 7, 14, 6, 0, tzinfo=UTC)
