"""What a task takes along that waits behind it, and what becomes of it where that goes wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest
import redis
from celery import Celery
from sqlalchemy.exc import OperationalError

from pbem.enqueue import Queues, message, poked_row
from pbem.run import broker
from tests.servers import Valkey
from workers import along, context


@pytest.fixture
def queues(valkey: Valkey, monkeypatch: pytest.MonkeyPatch) -> Queues:
    made = Queues(valkey.url)
    monkeypatch.setattr(context, "queues", lambda: made)
    return made


class Work:
    """Notes the rows that it is given; cannot do some of them."""

    def __init__(self, **cannot: Exception) -> None:
        self.rows: list[int] = []
        self.cannot = {int(name.removeprefix("row_")): why for name, why in cannot.items()}

    def __call__(self, row_id: int) -> str:
        self.rows.append(row_id)
        if row_id in self.cannot:
            raise self.cannot[row_id]
        return f"done {row_id}"


AWAY = OperationalError("select", {}, Exception("away"))


def advanced(work: Work, row_id: int, **more: Any) -> list[list[str]]:
    return list(along.with_those_behind(broker.ADVANCE, row_id, work, **more))


def waiting(valkey: Valkey, queue: str = "engine") -> list[Any]:
    """What stands in a queue, in the order in which it will be taken: rows, or tasks' names."""
    with redis.Redis(unix_socket_path=str(valkey.listens)) as line:
        found = list(reversed(line.lrange(queue, 0, -1)))
    return [poked_row(broker.ADVANCE, each) or json.loads(each)["headers"]["task"]
            for each in found]


def test_what_waits_behind_a_task_is_done_with_it_in_its_order(
    queues: Queues, valkey: Valkey
) -> None:
    for game_id in (2, 3, 4):
        queues.publish(broker.ADVANCE, (game_id,))
    work = Work()

    assert advanced(work, 1) == [["done 1", "done 2", "done 3", "done 4"]]
    assert (work.rows, waiting(valkey)) == ([1, 2, 3, 4], [])


def test_a_long_queue_is_worked_off_some_at_a_time(queues: Queues, valkey: Valkey) -> None:
    queues.publish(broker.ADVANCE, *((game_id,) for game_id in range(2, 30)))

    done = advanced(Work(), 1)

    assert [len(some) for some in done] == [1 + along.MOST, along.MOST, along.MOST, 4]
    assert waiting(valkey) == []


def test_other_tasks_stay_in_the_queue_for_celery_and_what_is_behind_them(
    queues: Queues, valkey: Valkey
) -> None:
    queues.publish(broker.SEND, (2,))
    queues.publish(broker.LETTERS, ())
    queues.publish(broker.SEND, (3,))
    work = Work()

    list(along.with_those_behind(broker.SEND, 1, work))

    assert work.rows == [1, 2]
    assert waiting(valkey, "mail_out") == [broker.LETTERS, broker.SEND]


def test_what_celery_tries_again_stays_for_celery(queues: Queues, valkey: Valkey) -> None:
    celery = Celery("retries", broker=valkey.url, set_as_current=False)
    celery.send_task(broker.ADVANCE, args=(2,), queue="engine", retries=1, countdown=60)
    work = Work()

    advanced(work, 1)

    assert (work.rows, waiting(valkey)) == ([1], [broker.ADVANCE])


@pytest.mark.parametrize("sent", [
    b"", b"no JSON", b"[]", b"{}", b'{"headers": {"task": "carreira.advance"}, "body": ""}',
    message(broker.ADVANCE, ()), message(broker.ADVANCE, (1, 2)),
    message(broker.ADVANCE, (1,)).replace(b'"body":"', b'"body":"A'),
])  # fmt: skip
def test_what_is_no_poke_of_ours_is_not_taken_for_one(sent: bytes) -> None:
    assert poked_row(broker.ADVANCE, sent) is None


def test_one_that_cannot_be_done_holds_up_no_other_and_is_reported(
    queues: Queues, valkey: Valkey, caplog: pytest.LogCaptureFixture
) -> None:
    queues.publish(broker.ADVANCE, (2,), (3,), (4,))
    work = Work(row_3=AssertionError("a fault of ours"))

    assert advanced(work, 1) == [["done 1", "done 2", "done 4"]]
    assert waiting(valkey) == []
    assert [each.getMessage() for each in caplog.records if each.exc_info] == [
        "carreira.advance of 3 failed."]


def test_a_database_that_goes_away_leaves_what_was_not_done_where_it_stood(
    queues: Queues, valkey: Valkey
) -> None:
    queues.publish(broker.ADVANCE, (2,), (3,), (4,))
    work = Work(row_3=AWAY)

    assert advanced(work, 1) == [["done 1", "done 2"]]
    assert (work.rows, waiting(valkey)) == ([1, 2, 3], [3, 4])


def test_a_task_that_cannot_do_its_own_takes_nothing_along(queues: Queues, valkey: Valkey) -> None:
    queues.publish(broker.ADVANCE, (2,))

    with pytest.raises(OperationalError):
        advanced(Work(row_1=AWAY), 1)

    assert waiting(valkey) == [2]


def test_a_task_that_has_worked_long_leaves_the_rest_where_it_stood(
    queues: Queues, valkey: Valkey
) -> None:
    queues.publish(broker.ADVANCE, (2,), (3,), (4,))
    queues.publish(broker.CLOSING, (9,))
    work = Work()

    done = advanced(work, 1, monotonic=lambda: len(work.rows) * along.SECONDS * 0.6)

    assert done == [["done 1", "done 2"]]
    assert waiting(valkey) == [3, 4]


def test_a_broker_that_is_away_does_not_undo_a_task(queues: Queues, valkey: Valkey) -> None:
    valkey.kill()

    assert advanced(Work(), 1) == [["done 1"]]
