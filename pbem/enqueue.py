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
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import msgspec
from kombu import Connection
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from pbem.run import broker

WAITING = 1000  # pokes that wait for the thread; more are dropped
SECONDS_OF_SILENCE = 5.0  # after a failure nothing is tried for so long

AWAY = (KombuError, RedisError, OSError)
"""What a broker raises that is down, hangs or is full."""

log = logging.getLogger("carreira.poke")


class Pokes(Protocol):
    """Whatever takes pokes: the thread below, or a list in a test."""

    def put(self, task: str, *arguments: int) -> None:
        """Take a poke at once, or drop it."""


class Queues:
    """A process's line to the tasks' queues, which are lists in Redis; its threads share it.

    A broker that is down costs 0.1 s, one that hangs 1 s. Celery's own way to publish asks Redis
    and itself so much that it takes ten times as long.
    """

    def __init__(self, broker_url: str) -> None:
        self._line = Connection(
            broker_url, connect_timeout=1,
            transport_options=broker.TRANSPORT | {"socket_timeout": broker.SECONDS_TO_PUBLISH})

    @property
    def _redis(self) -> Any:
        return self._line.default_channel.client  # type: ignore[attr-defined]

    def publish(self, task: str, *each: tuple[int, ...]) -> None:
        """Have a task done once for each of these arguments."""
        self._redis.lpush(broker.QUEUES[task], *(message(task, one) for one in each))

    def take(self, task: str, most: int) -> list[int]:
        """Take pokes for the same task from the front of its queue: the rows that they name.

        What stands there for other tasks, or was put there by Celery itself, stays for Celery.
        """
        queue_name = broker.QUEUES[task]
        found = self._redis.rpop(queue_name, most) or []
        rows: list[int] = []
        for place, one in enumerate(found):
            row = poked_row(task, one)
            if row is None:
                self._redis.rpush(queue_name, *reversed(found[place:]))
                break
            rows.append(row)
        return rows

    def put_back(self, task: str, rows: Sequence[int]) -> None:
        """Leave what was taken to others, where it stood."""
        self._redis.rpush(broker.QUEUES[task], *(message(task, (row,)) for row in reversed(rows)))


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


class _Headers(msgspec.Struct):
    task: str
    origin: str


class _Message(msgspec.Struct):
    """What must be known of a message to tell what it pokes."""

    headers: _Headers
    body: str


_of_json = msgspec.json.Decoder(_Message)
_arguments = msgspec.json.Decoder(tuple[tuple[int], Any, Any])


def poked_row(task: str, sent: bytes) -> int | None:
    """The row that a poke of ours names; None if it is another task, or not a poke of ours."""
    try:
        read = _of_json.decode(sent)
        if (read.headers.task, read.headers.origin) != (task, ORIGIN):
            return None
        return _arguments.decode(base64.b64decode(read.body))[0][0]
    except ValueError:  # Celery tells what is wrong with it
        return None


ORIGIN = "carreira"  # of a poke; Celery names the process there
NOTHING_FOLLOWS = dict.fromkeys(("callbacks", "errbacks", "chain", "chord"))
HEADERS: dict[str, Any] = {
    "lang": "py", "shadow": None, "eta": None, "expires": None, "group": None, "group_index": None,
    "retries": 0, "timelimit": (None, None), "parent_id": None, "kwargsrepr": "{}",
    "origin": ORIGIN, "ignore_result": None, "replaced_task_nesting": 0,
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
