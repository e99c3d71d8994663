"""What waits behind a task, taken along with it: Celery's own way to a task costs half a move.

Where nobody waits each task is Celery's. Where tasks queue up, one that is done works off those
of its kind that stand behind it. A worker that is killed loses them with what it has in hand
anyway (workers/line.py); the sweep finds all of it in the database.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from pbem import db
from pbem.enqueue import AWAY
from workers import context
from workers.logged import taken_along

log = logging.getLogger("carreira.workers")

MOST = 8  # at once: so many wait for each other
SECONDS = 1.0  # then it is another task's turn, and a worker that stops need not wait for long

Done = TypeVar("Done")


def with_those_behind(
    task: str,
    row_id: int,
    work: Callable[[int], Done],
    monotonic: Callable[[], float] = time.monotonic,
) -> Iterator[list[Done]]:
    """Do a task's work for its row, and for those that wait behind it; some results at a time.

    Raises what the first one raises, which is this task's own. Others that cannot be done are
    reported; if the database is away they go back to their queue, to be tried as Celery does.
    """
    until = monotonic() + SECONDS
    done, behind = [work(row_id)], taken(task)
    while behind:
        for place, other in enumerate(behind):
            if monotonic() > until or not did(task, other, work, done):
                put_back(task, behind[place:])
                yield done
                return
        yield done
        done, behind = [], taken(task) if len(behind) == MOST else []
    if done:
        yield done


def did(task: str, row_id: int, work: Callable[[int], Done], done: list[Done]) -> bool:
    """Whether one that was taken along is off our hands: done, or not to be done at all."""
    try:
        with taken_along(task, row_id):
            done.append(work(row_id))
    except db.AWAY as problem:
        log.warning("%s of %s goes back: %s", task, row_id, db.plain_reason(problem))
        return False
    except Exception:  # the edge of one task: whatever is wrong with it, the others go on
        log.exception("%s of %s failed.", task, row_id)
    return True


def taken(task: str) -> list[int]:
    """What waits behind this task; nothing if the broker is away."""
    try:
        return context.queues().take(task, MOST)
    except AWAY as problem:
        log.warning("What waits behind %s stays there: %s", task, problem)
        return []


def put_back(task: str, rows: list[int]) -> None:
    """Leave these to others; if the broker is away, to the sweep."""
    try:
        context.queues().put_back(task, rows)
    except AWAY as problem:
        log.warning("%s of %s waits for the sweep: %s", task, rows, problem)
