"""The workers' line to Redis: Kombu's own, but for a task whose acknowledgement is lost.

Kombu counts what is not acknowledged, and takes no more than the worker has places for. Where Redis
does not answer the acknowledgement, Kombu forgets it and goes on counting the task: once as many
are lost as there are places, as when Redis stood still for some seconds, the worker waits for ever.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from kombu.transport import TRANSPORT_ALIASES, redis, virtual


class Places(redis.QoS):
    """A task that is done gives its place free, whether or not Redis says so.

    Redis hands it out once more when its time is over; a task done twice changes nothing.
    """

    @contextmanager
    def pipe_or_acquire(self, pipe: Any = None, client: Any = None) -> Iterator[Any]:
        """Two commands in one sending, without Kombu's transaction around them.

        What is half noted is harmless: the sweep finds in the database what is still to be done.
        """
        if pipe is not None:
            yield pipe
            return
        with self.channel.conn_or_acquire(client) as line:
            yield line.pipeline(transaction=False)

    def ack(self, delivery_tag: Any) -> None:
        try:
            self._remove_from_indices(delivery_tag).execute()
        finally:
            virtual.QoS.ack(self, delivery_tag)

    def reject(self, delivery_tag: Any, requeue: bool = False) -> None:  # noqa: FBT001
        try:
            super().reject(delivery_tag, requeue=requeue)
        finally:
            virtual.QoS.ack(self, delivery_tag)


class Channel(redis.Channel):
    """Asks Redis by one client: Kombu's new one for each question costs more than the question."""

    QoS = Places

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
