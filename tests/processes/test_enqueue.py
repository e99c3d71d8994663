"""Enqueuer: handed to the broker by a thread, and nothing that a request has to wait for."""

from __future__ import annotations

import signal
import threading

import pytest

from pbem import enqueue
from pbem.enqueue import SECONDS_OF_SILENCE, WAITING, EnqueueThread, Publisher
from tests.support.servers import Valkey, eventually


def test_a_task_reaches_the_queue_of_its_task(valkey: Valkey) -> None:
    enqueuer = EnqueueThread(Publisher(valkey.url).publish)

    enqueuer.put(enqueue.ADVANCE, 42)
    enqueuer.put(enqueue.LETTERS)
    enqueuer.join()

    assert (valkey.length("engine"), valkey.length("mail_out")) == (1, 1)


def test_a_broker_that_hangs_costs_the_player_nothing(valkey: Valkey) -> None:
    """All calls return while the thread still waits for its first answer."""
    enqueuer = EnqueueThread(Publisher(valkey.url).publish)
    enqueuer.put(enqueue.ADVANCE, 1)
    enqueuer.join()
    valkey.signal(signal.SIGSTOP)

    for game_id in range(500):
        enqueuer.put(enqueue.ADVANCE, game_id)

    assert (enqueuer.published, enqueuer.failed) == (1, 0)
    enqueuer.join()
    assert enqueuer.failed == 1, "after one failure nothing is tried for some seconds"
    assert enqueuer.dropped == 499


def test_tasks_go_on_when_the_broker_is_back(valkey: Valkey) -> None:
    now = [0.0]
    enqueuer = EnqueueThread(Publisher(valkey.url).publish, monotonic=lambda: now[0])
    valkey.kill()
    enqueuer.put(enqueue.ADVANCE, 1)
    enqueuer.join()
    assert enqueuer.failed == 1

    valkey.start()
    now[0] += SECONDS_OF_SILENCE
    enqueuer.put(enqueue.ADVANCE, 1)
    enqueuer.join()

    assert enqueuer.published == 1


def test_no_more_tasks_wait_than_there_is_room_for() -> None:
    go_on, holds = threading.Event(), threading.Event()

    def publish(task: str, *arguments: int) -> None:
        holds.set()
        go_on.wait()

    enqueuer = EnqueueThread(publish)
    enqueuer.put(enqueue.ADVANCE, 0)
    holds.wait()

    for game_id in range(WAITING + 5):
        enqueuer.put(enqueue.ADVANCE, game_id)
    go_on.set()
    enqueuer.join()

    assert (enqueuer.dropped, enqueuer.published) == (5, WAITING + 1)


@pytest.mark.parametrize(
    "task", [enqueue.ADVANCE, enqueue.SEND, enqueue.SWEEP, enqueue.LETTERS])
def test_every_task_has_a_queue_that_a_worker_of_run_reads(task: str) -> None:
    from pbem.run.supervisor import WORKERS

    assert enqueue.QUEUES[task] in ",".join(WORKERS.values()).split(",")


def test_a_stopped_and_continued_broker_gets_later_enqueuer(valkey: Valkey) -> None:
    now = [0.0]
    enqueuer = EnqueueThread(Publisher(valkey.url).publish, monotonic=lambda: now[0])
    valkey.signal(signal.SIGSTOP)
    enqueuer.put(enqueue.ADVANCE, 1)
    enqueuer.join()
    valkey.signal(signal.SIGCONT)
    now[0] += SECONDS_OF_SILENCE

    enqueuer.put(enqueue.ADVANCE, 2)
    enqueuer.join()

    assert enqueuer.published == 1
    eventually(lambda: valkey.length("engine") >= 1)
