"""Wakes a worker after a commit, and never lets anybody wait for the broker.

What is lost here the sweep finds in the database.
"""

from __future__ import annotations

import base64
import logging
import queue
import threading
import time
import uuid
from collections.abc import Callable
from typing import Any, Protocol

import msgspec
from kombu import Connection
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from pbem import broker

WAITING = 1000  # pokes that wait for the thread; more are dropped
SECONDS_OF_SILENCE = 5.0  # after a failure nothing is tried for so long

AWAY = (KombuError, RedisError, OSError)
"""What a broker raises that is down, hangs or is full."""

log = logging.getLogger("carreira.poke")


class Pokes(Protocol):
    """Whatever takes pokes: the thread below, or a list in a test."""

    def put(self, task: str, *arguments: int) -> None:
        """Take a poke at once, or drop it."""


def publisher(broker_url: str) -> Callable[[str, tuple[Any, ...]], None]:
    """Publishes a task by its name, once; a broker that is down costs 0.1 s, one that hangs 1 s.

    The queue of a task is a list in Redis: Celery's own way there asks it and itself so much that
    it takes ten times as long.
    """
    line = Connection(
        broker_url, connect_timeout=1,
        transport_options=broker.TRANSPORT | {"socket_timeout": broker.SECONDS_TO_PUBLISH})

    def publish(task: str, arguments: tuple[Any, ...]) -> None:
        channel: Any = line.default_channel
        channel.client.lpush(broker.QUEUES[task], message(task, arguments))

    return publish


def message(task: str, arguments: tuple[Any, ...]) -> bytes:
    """A task in Celery's protocol 2, as Kombu keeps it in Redis."""
    number = str(uuid.uuid4())
    body = msgspec.json.encode((arguments, {}, NOTHING_FOLLOWS))
    return msgspec.json.encode({
        "body": base64.b64encode(body).decode(),
        "content-encoding": "utf-8",
        "content-type": "application/json",
        "headers": HEADERS | {
            "task": task, "id": number, "root_id": number, "argsrepr": repr(arguments)},
        "properties": {
            "correlation_id": number, "reply_to": "", "delivery_mode": 2, "priority": 0,
            "delivery_info": {"exchange": "", "routing_key": broker.QUEUES[task]},
            "body_encoding": "base64", "delivery_tag": str(uuid.uuid4()),
        },
    })  # fmt: skip


NOTHING_FOLLOWS = dict.fromkeys(("callbacks", "errbacks", "chain", "chord"))
HEADERS: dict[str, Any] = {
    "lang": "py", "shadow": None, "eta": None, "expires": None, "group": None, "group_index": None,
    "retries": 0, "timelimit": (None, None), "parent_id": None, "kwargsrepr": "{}",
    "origin": "carreira", "ignore_result": None, "replaced_task_nesting": 0,
    "stamped_headers": None, "stamps": {},
}  # fmt: skip


class PokeThread:
    """A bounded queue, a daemon thread behind it, and a circuit breaker in the thread."""

    def __init__(
        self,
        publish: Callable[[str, tuple[Any, ...]], None],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._publish = publish
        self._monotonic = monotonic
        self._waiting: queue.Queue[tuple[str, tuple[int, ...]]] = queue.Queue(WAITING)
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._silent_until = 0.0
        self.published = 0
        self.failed = 0
        self.dropped = 0

    def put(self, task: str, *arguments: int) -> None:
        """Take a poke at once, or drop it."""
        self._start()
        try:
            self._waiting.put_nowait((task, arguments))
        except queue.Full:
            self.dropped += 1

    def _start(self) -> None:
        with self._starting:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="poke", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            task, arguments = self._waiting.get()
            self.hand_over(task, arguments)
            self._waiting.task_done()

    def hand_over(self, task: str, arguments: tuple[int, ...]) -> None:
        """Publish one poke, unless the broker failed within the last seconds."""
        if self._monotonic() < self._silent_until:
            self.dropped += 1
            return
        try:
            self._publish(task, arguments)
            self.published += 1
        except AWAY as problem:
            self.failed += 1
            self._silent_until = self._monotonic() + SECONDS_OF_SILENCE
            log.warning("The broker does not answer (%s); the sweep does the work.", problem)

    def join(self) -> None:
        """Wait until everything that was put is handed over or dropped; for tests."""
        self._waiting.join()
