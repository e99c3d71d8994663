"""Enqueues tasks after a commit. A request never waits for the broker.

The sweep finds the work of a lost task in the database.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol

from celery import Celery
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

ADVANCE, SEND = "carreira.advance", "carreira.send"
SWEEP, LETTERS = "carreira.sweep", "carreira.letters"
INBOX, CLOSING = "carreira.inbox", "carreira.closing"
HOOKS, CLOCKS = "carreira.hooks", "carreira.clocks"
NIGHTLY, EXPORTS = "carreira.nightly", "carreira.exports"
SERIES = "carreira.series"
QUEUES = {
    ADVANCE: "engine", SEND: "mail_out", LETTERS: "mail_out", SWEEP: "upkeep", INBOX: "mail_in",
    CLOSING: "upkeep", HOOKS: "mail_out", CLOCKS: "upkeep", NIGHTLY: "upkeep", EXPORTS: "upkeep",
    SERIES: "upkeep",
}  # fmt: skip

# Short reconnects, so that a broker's failure is noticed soon. No priorities: with them a worker
# polls four lists instead of one.
TRANSPORT: dict[str, Any] = {
    "priority_steps": [0],
    "socket_connect_timeout": 1,
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0.1,
    "interval_max": 0.1,
}
SECONDS_TO_PUBLISH = 1
SECONDS_TO_LISTEN = 2  # a worker's blocking read takes a second by itself

WAITING = 1000  # tasks that may wait for the thread; more are dropped
SECONDS_OF_SILENCE = 5.0  # after a failure, nothing is sent for so long

AWAY = (KombuError, RedisError, OSError)
"""Errors of a broker that is down, hangs or is full."""

log = logging.getLogger("carreira.enqueue")


class Enqueuer(Protocol):
    """Takes tasks: the thread below, or a list in tests."""

    def put(self, task: str, *arguments: int) -> None:
        """Take a task, or drop it. Never blocks."""


class Publisher:
    """Sends tasks to their queues. Takes 0.1 s if the broker is down, 1 s if it hangs."""

    def __init__(self, broker_url: str) -> None:
        self._celery = Celery("carreira", broker=broker_url, set_as_current=False)
        self._celery.conf.update(
            task_ignore_result=True,
            broker_connection_timeout=1,
            broker_transport_options=TRANSPORT
            | {"socket_timeout": SECONDS_TO_PUBLISH},
        )

    def publish(self, task: str, *arguments: int) -> None:
        """Send one task. Raises the errors in AWAY."""
        self._celery.send_task(task, args=arguments, queue=QUEUES[task], retry=False)


class EnqueueThread:
    """A bounded queue, and a daemon thread with a circuit breaker that empties it."""

    def __init__(
        self, publish: Callable[..., None], monotonic: Callable[[], float] = time.monotonic
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
        """Take a task, or drop it. Never blocks."""
        self._start()
        try:
            self._waiting.put_nowait((task, arguments))
        except queue.Full:
            self.dropped += 1

    def _start(self) -> None:
        with self._starting:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="enqueue", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            task, arguments = self._waiting.get()
            self._hand_over(task, arguments)
            self._waiting.task_done()

    def _hand_over(self, task: str, arguments: tuple[int, ...]) -> None:
        """Publish one task, unless the broker has failed within the last seconds."""
        if self._monotonic() < self._silent_until:
            self.dropped += 1
            return
        try:
            self._publish(task, *arguments)
            self.published += 1
        except AWAY as problem:
            self.failed += 1
            self._silent_until = self._monotonic() + SECONDS_OF_SILENCE
            log.warning("The broker does not answer (%s); the sweep does the work.", problem)

    def join(self) -> None:
        """Wait until every task is published or dropped."""
        self._waiting.join()
