"""The workers' line to Redis: Kombu's own, but for a task whose acknowledgement is lost.

Kombu counts what is not acknowledged, and takes no more than the worker has places for. Where Redis
does not answer the acknowledgement, Kombu forgets it and goes on counting the task: once as many
are lost as there are places, as when Redis stood still for some seconds, the worker waits for ever.
"""

from __future__ import annotations

from typing import Any

from kombu.transport import TRANSPORT_ALIASES, redis, virtual


class Places(redis.QoS):
    """A task that is done gives its place free, whether or not Redis says so.

    Redis hands it out once more when its time is over; a task done twice changes nothing.
    """

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
    QoS = Places


class Transport(redis.Transport):
    Channel = Channel


def use() -> None:
    """Have every worker of this process take its tasks by this line."""
    for scheme in ("redis", "rediss"):
        TRANSPORT_ALIASES[scheme] = f"{__name__}:{Transport.__name__}"
