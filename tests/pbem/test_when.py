"""A time in a letter is the reader's own, and says whose clock it is."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pbem.when import say_instant

EVENING = datetime(2026, 12, 2, 20, 0, tzinfo=UTC)
SUMMER = datetime(2026, 7, 2, 20, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("instant", "zone", "language", "said"),
    [
        (EVENING, "Europe/Lisbon", "en", "Wednesday, 2 December 2026, 20:00 (Lisbon, UTC+00:00)"),
        (SUMMER, "Europe/Lisbon", "en", "Thursday, 2 July 2026, 21:00 (Lisbon, UTC+01:00)"),
        (EVENING, "Europe/Budapest", "hu",
         "2026. december 2., szerda, 21:00 (Budapest, UTC+01:00)"),
        (EVENING, "America/St_Johns", "en",
         "Wednesday, 2 December 2026, 16:30 (St John’s, UTC-03:30)"),
        (EVENING, "Pacific/Apia", "en", "Thursday, 3 December 2026, 09:00 (Apia, UTC+13:00)"),
        (EVENING, "UTC", "en", "Wednesday, 2 December 2026, 20:00 UTC"),
        (EVENING, "Etc/GMT+3", "en", "Wednesday, 2 December 2026, 17:00 (UTC-03:00)"),
        (EVENING, "No/Such_Place", "en", "Wednesday, 2 December 2026, 20:00 UTC"),
        (EVENING, "../secret", "en", "Wednesday, 2 December 2026, 20:00 UTC"),
    ],
)  # fmt: skip
def test_a_time_is_told_by_the_readers_clock(
    instant: datetime, zone: str, language: str, said: str
) -> None:
    assert say_instant(instant, zone, language) == said


def test_the_hour_that_comes_twice_is_told_apart() -> None:
    first = say_instant(datetime(2026, 10, 25, 0, 30, tzinfo=UTC), "Europe/Lisbon", "en")
    second = say_instant(datetime(2026, 10, 25, 1, 30, tzinfo=UTC), "Europe/Lisbon", "en")

    assert first == "Sunday, 25 October 2026, 01:30 (Lisbon, UTC+01:00)"
    assert second == "Sunday, 25 October 2026, 01:30 (Lisbon, UTC+00:00)"
