"""When the beat sends: every so many seconds, whatever is done to the clock of the machine.

Celery's own beat waits for an instant: once the clock was set back, for as long as it was ahead.
Nothing is kept in a file, which a full disk could spoil: sweeps may come too often.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from celery.beat import Scheduler
from celery.schedules import schedule

SLACK = 1.0  # seconds


class Steadily(schedule):
    """Every so many seconds; at once where the last time lies ahead."""

    def remaining_estimate(self, last_run_at: datetime) -> timedelta:
        """How long until the next time."""
        rest: timedelta = super().remaining_estimate(last_run_at)
        return rest if rest <= self.run_every else timedelta(0)

    def __reduce__(self) -> Any:
        return type(self), (self.run_every, self.relative, self.nowfun)


class Clockwork(Scheduler):
    """Celery's scheduler, which looks anew when its next time lies too far ahead."""

    _heap: list[Any] | None

    def tick(self, *arguments: Any, **named: Any) -> float:
        """Send what is due; how long to sleep."""
        if self._heap:
            first = self._heap[0]
            ahead = first.time - self._when(first.entry, 0)
            if ahead > first.entry.schedule.seconds + SLACK:
                self._heap = None
        wait: float = super().tick(*arguments, **named)
        return wait
