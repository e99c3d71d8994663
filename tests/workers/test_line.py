"""A worker's line to Redis, when Redis stands still for a moment."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import Any

import pytest
from kombu import Connection, Consumer, Queue
from redis.exceptions import RedisError

from tests.servers import Valkey, private_valkey
from workers import celery_app  # noqa: F401  (whose line is tested)

PLACES = 2  # as many as a worker has threads


@pytest.fixture
def valkey() -> Iterator[Valkey]:
    with private_valkey() as server:
        yield server
        server.signal(signal.SIGCONT)


@pytest.fixture
def line(valkey: Valkey) -> Iterator[Connection]:
    options = {"socket_timeout": 1.5}  # longer than the second for which the reading waits
    with Connection(valkey.url, transport_options=options) as connection:
        yield connection


@pytest.mark.parametrize("done", ["ack", "reject"])
def test_a_worker_goes_on_where_redis_stood_still_at_all_its_acknowledgements(
    line: Connection, valkey: Valkey, done: str
) -> None:
    queue, came = Queue("engine"), []
    with line.Producer() as producer:
        for number in range(PLACES + 1):
            producer.publish(number, routing_key="engine", declare=[queue])

    def take(body: Any, message: Any) -> None:
        came.append((body, message))

    with Consumer(line, queue, callbacks=[take], prefetch_count=PLACES):
        while len(came) < PLACES:
            line.drain_events(timeout=5)
        with pytest.raises(TimeoutError):
            line.drain_events(timeout=1.2)  # all places are taken
        valkey.signal(signal.SIGSTOP)
        for _, message in list(came):
            with pytest.raises(RedisError):
                getattr(message, done)()
        valkey.signal(signal.SIGCONT)
        line.drain_events(timeout=5)

    assert [body for body, _ in came] == list(range(PLACES + 1))
