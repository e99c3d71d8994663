"""The workers' line to Redis: Kombu's own, but that nothing is noted of the tasks in hand.

Kombu writes each task that a worker takes into Redis, and strikes it off when it is done: twice
asking, more than half of what Celery costs a task. So Redis can hand out again what a worker had
in hand that died, after `visibility_timeout`. Here the sweeps have long found that in the database.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from kombu.transport import TRANSPORT_ALIASES, redis, virtual


class Places(virtual.QoS):
    """The tasks in hand, in this process's memory: no more are taken than there are places."""

    def restore_unacked(self) -> list[Any]:
        """Put back what a worker that stops has not done; what Redis does not take, it need not."""
        super().restore_unacked()
        return []


class Channel(redis.Channel):
    """Asks Redis by one client: Kombu's new one for each question costs more than the question."""

    ack_emulation = False

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.QoS = Places  # type: ignore[assignment]

    @cached_property
    def _asking(self) -> Any:
        return self._create_client()

    @contextmanager
    def conn_or_acquire(self, client: Any = None) -> Iterator[Any]:
        yield client or self._asking


class Transport(redis.Transport):
    Channel = Channel


def use() -> None:
    """Have every worker of this process take its tasks by this line."""
    for scheme in ("redis", "rediss"):
        TRANSPORT_ALIASES[scheme] = f"{__name__}:{Transport.__name__}"
