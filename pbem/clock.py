"""The injected clock: instants in UTC, in whole milliseconds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Tells the present time."""

    def now(self) -> datetime:
        """The present instant in UTC."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return whole_milliseconds(datetime.now(UTC))


class FixedClock:
    """A clock that tests set and move."""

    def __init__(self, at: datetime) -> None:
        self._at = at

    def now(self) -> datetime:
        return self._at

    def forward(self, by: timedelta) -> None:
        """Move the clock forward."""
        self._at += by


def whole_milliseconds(instant: datetime) -> datetime:
    """The instant as the database stores it."""
    return instant.replace(microsecond=instant.microsecond // 1000 * 1000)
