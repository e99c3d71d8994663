"""Pokes: handed to the broker by a thread, and nothing that a request has to wait for."""

from __future__ import annotations

import base64
import json
import signal
import threading
import uuid
from typing import Any

import pytest
import redis
from celery import Celery

from pbem.enqueue import SECONDS_OF_SILENCE, WAITING, PokeThread, Queues
from pbem.run import broker
from tests.servers import Valkey, eventually


def test_a_poke_reaches_the_queue_of_its_task(valkey: Valkey) -> None:
    pokes = PokeThread(Queues(valkey.url).publish)

    pokes.put(broker.ADVANCE, 42)
    pokes.put(broker.LETTERS)
    pokes.join()

    assert (valkey.length("engine"), valkey.length("mail_out")) == (1, 1)


def test_a_task_is_written_as_celery_itself_writes_it(valkey: Valkey) -> None:
    celery = Celery("as-usual", broker=valkey.url, set_as_current=False)
    celery.send_task(broker.ADVANCE, args=(42,), queue="engine")

    Queues(valkey.url).publish(broker.ADVANCE, (42,))

    with redis.Redis(unix_socket_path=str(valkey.listens)) as line:
        ours, celerys = (without_names(json.loads(each)) for each in line.lrange("engine", 0, 1))
    assert ours == celerys


def without_names(message: dict[str, Any]) -> dict[str, Any]:
    """A message without what is another one in each, or names its sender; decoded."""
    headers, properties = message["headers"], message["properties"]
    assert headers["id"] == headers["root_id"] == properties["correlation_id"]
    for given in (headers.pop("id"), properties.pop("delivery_tag")):
        assert str(uuid.UUID(given)) == given
    del headers["root_id"], properties["correlation_id"], headers["origin"], properties["reply_to"]
    return {**message, "body": json.loads(base64.b64decode(message["body"]))}


def test_a_broker_that_hangs_costs_the_player_nothing(valkey: Valkey) -> None:
    """All calls return while the thread still waits for its first answer."""
    pokes = PokeThread(Queues(valkey.url).publish)
    pokes.put(broker.ADVANCE, 1)
    pokes.join()
    valkey.signal(signal.SIGSTOP)

    for game_id in range(500):
        pokes.put(broker.ADVANCE, game_id)

    assert (pokes.published, pokes.failed) == (1, 0)
    pokes.join()
    assert pokes.failed == 1, "after one failure nothing is tried for some seconds"
    assert pokes.dropped == 499


def test_pokes_go_on_when_the_broker_is_back(valkey: Valkey) -> None:
    now = [0.0]
    pokes = PokeThread(Queues(valkey.url).publish, monotonic=lambda: now[0])
    valkey.kill()
    pokes.put(broker.ADVANCE, 1)
    pokes.join()
    assert pokes.failed == 1

    valkey.start()
    now[0] += SECONDS_OF_SILENCE
    pokes.put(broker.ADVANCE, 1)
    pokes.join()

    assert pokes.published == 1


def test_no_more_pokes_wait_than_there_is_room_for() -> None:
    go_on, holds = threading.Event(), threading.Event()

    def publish(task: str, arguments: tuple[int, ...]) -> None:
        holds.set()
        go_on.wait()

    pokes = PokeThread(publish)
    pokes.put(broker.ADVANCE, 0)
    holds.wait()

    for game_id in range(WAITING + 5):
        pokes.put(broker.ADVANCE, game_id)
    go_on.set()
    pokes.join()

    assert (pokes.dropped, pokes.published) == (5, WAITING + 1)


@pytest.mark.parametrize("task", [broker.ADVANCE, broker.SEND, broker.SWEEP, broker.LETTERS])
def test_every_task_has_a_queue_that_a_worker_of_run_reads(task: str) -> None:
    from pbem.run.supervisor import WORKERS

    assert broker.QUEUES[task] in ",".join(WORKERS.values()).split(",")


def test_a_stopped_and_continued_broker_gets_later_pokes(valkey: Valkey) -> None:
    now = [0.0]
    pokes = PokeThread(Queues(valkey.url).publish, monotonic=lambda: now[0])
    valkey.signal(signal.SIGSTOP)
    pokes.put(broker.ADVANCE, 1)
    pokes.join()
    valkey.signal(signal.SIGCONT)
    now[0] += SECONDS_OF_SILENCE

    pokes.put(broker.ADVANCE, 2)
    pokes.join()

    assert pokes.published == 1
    eventually(lambda: valkey.length("engine") >= 1)
