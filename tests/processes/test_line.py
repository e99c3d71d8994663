"""A worker's line to Redis: what it takes, and when Redis stands still or is gone."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import redis
from kombu import Connection, Consumer, Queue

from tests.support.servers import Valkey, private_valkey
from workers.celery_app import app

PLACES = 2  # as many as a worker has threads


@pytest.fixture
def valkey() -> Iterator[Valkey]:
    with private_valkey() as server:
        yield server
        server.signal(signal.SIGCONT)


@pytest.fixture
def line(valkey: Valkey) -> Iterator[Connection]:
    with connected(valkey) as connection:
        yield connection


def connected(valkey: Valkey) -> Connection:
    """A connection with a worker's own options."""
    return Connection(valkey.url, transport_options=app.conf.broker_transport_options)


@pytest.mark.parametrize("done", ["ack", "reject"])
def test_a_worker_goes_on_where_redis_stood_still_at_all_its_acknowledgements(
    line: Connection, valkey: Valkey, done: str
) -> None:
    came: list[Any] = []
    with taking(line, came, PLACES + 1):
        with pytest.raises(TimeoutError):
            line.drain_events(timeout=1.2)  # all places are taken
        valkey.signal(signal.SIGSTOP)
        for message in list(came):
            getattr(message, done)()
        valkey.signal(signal.SIGCONT)
        line.drain_events(timeout=5)

    assert [message.decode() for message in came] == list(range(PLACES + 1))


def test_of_tasks_in_hand_and_done_nothing_is_kept_in_redis(
    line: Connection, valkey: Valkey
) -> None:
    came: list[Any] = []
    with taking(line, came, PLACES), redis.Redis(unix_socket_path=str(valkey.listens)) as asked:
        assert asked.keys("*") == []
        came[0].ack()
        assert asked.keys("*") == []


def test_what_a_worker_that_stops_has_in_hand_waits_for_the_next_one(
    line: Connection, valkey: Valkey
) -> None:
    came: list[Any] = []
    with taking(line, came, PLACES):
        came[0].ack()
        line.close()

    assert valkey.length("engine") == 1
    again: list[Any] = []
    with connected(valkey) as other, taking(other, again, 0):
        other.drain_events(timeout=5)
    assert [message.decode() for message in again] == [1]


@contextmanager
def taking(line: Connection, came: list[Any], number: int) -> Iterator[None]:
    """So many tasks put in, and a consumer that has taken as many of them as there are places."""
    queue = Queue("engine")
    with line.Producer() as producer:
        for each in range(number):
            producer.publish(each, routing_key="engine", declare=[queue])
    consumer = Consumer(line, queue, on_message=came.append, prefetch_count=PLACES)
    consumer.consume()
    while len(came) < min(number, PLACES):
        line.drain_events(timeout=5)
    yield
