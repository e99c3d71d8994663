"""Redis stopped, full, emptied or gone: nobody waits, nobody is turned away, the sweep does it."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
import redis
from flask.testing import FlaskClient

from pbem import enqueue
from pbem.enqueue import EnqueueThread, Publisher
from pbem.service import Service
from pbem.web.app import build
from tests.support.servers import Valkey, private_valkey
from workers import context

pytestmark = pytest.mark.slow
Fault = Callable[[Valkey], None]
A_LOT = 8.0  # seconds; a request that hung would take a minute


@pytest.fixture
def valkey() -> Iterator[Valkey]:
    with private_valkey() as server:
        yield server
        if server.process is not None and server.process.poll() is None:
            server.signal(signal.SIGCONT)


def stopped(valkey: Valkey) -> None:
    valkey.signal(signal.SIGSTOP)


def full(valkey: Valkey) -> None:
    with redis.Redis(unix_socket_path=str(valkey.listens)) as line:
        line.config_set("maxmemory", "1")


def gone(valkey: Valkey) -> None:
    valkey.signal(signal.SIGTERM)
    assert valkey.process is not None
    valkey.process.wait()


def back(valkey: Valkey) -> None:
    """All is well again, in a server that knows nothing."""
    if valkey.process is not None and valkey.process.poll() is None:
        valkey.signal(signal.SIGCONT)
        with redis.Redis(unix_socket_path=str(valkey.listens)) as line:
            line.config_set("maxmemory", "0")
            line.flushall()
    else:
        valkey.start()


FAULTS = (stopped, full, gone)
SAID = {stopped: "the broker does not answer", gone: "the broker does not answer",
        full: "the broker takes nothing (OutOfMemoryError)"}


@pytest.mark.parametrize("fault", FAULTS)
def test_pages_whose_requests_are_counted_are_answered_all_the_same(
    fault: Fault, service: Service, valkey: Valkey
) -> None:
    app = build(replace(service, settings=replace(service.settings, redis_url=valkey.url)))
    app.config.update(TESTING=True, WTF_CSRF_ENABLED=False)
    browser: FlaskClient = app.test_client()
    assert browser.post("/sign-in", data={"address": "ana@players.example"}).status_code == 303

    fault(valkey)
    began = time.monotonic()
    for _ in range(2):
        asked = browser.post("/sign-in", data={"address": "bento@players.example"})
        assert asked.status_code == 303
    assert time.monotonic() - began < A_LOT
    assert of_the_broker(browser) == [SAID[fault]]

    back(valkey)
    assert browser.post("/sign-in", data={"address": "duarte@players.example"}).status_code == 303
    assert of_the_broker(browser) == []


def of_the_broker(browser: FlaskClient) -> list[str]:
    """What /readyz complains of; that nothing ever swept here is another matter."""
    answer = browser.get("/readyz")
    assert answer.json is not None
    return [each for each in answer.json["wrong"] if "broker" in each]


@pytest.mark.parametrize("fault", FAULTS)
def test_task_names_a_process_that_lives_reach_the_one_that_comes_in_its_place(
    fault: Fault, valkey: Valkey
) -> None:
    now = [0.0]
    enqueuer = EnqueueThread(Publisher(valkey.url).publish, monotonic=lambda: now[0])
    enqueuer.put(enqueue.ADVANCE, 1)
    enqueuer.join()

    fault(valkey)
    enqueuer.put(enqueue.ADVANCE, 2)
    enqueuer.join()
    assert (enqueuer.published, enqueuer.failed) == (1, 1)

    back(valkey)
    before = valkey.length("engine")
    now[0] += 60
    enqueuer.put(enqueue.ADVANCE, 3)
    enqueuer.join()
    assert (enqueuer.published, valkey.length("engine")) == (2, before + 1)


def test_what_a_worker_cannot_enqueue_waits_for_the_sweep(
    valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    publisher = Publisher(valkey.url)
    monkeypatch.setattr(context, "publisher", lambda: publisher)
    full(valkey)

    context.enqueue_game(1)
    context.enqueue_letters([1, 2])

