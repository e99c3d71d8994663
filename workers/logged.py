"""Logs the tasks of workers and the beat: the running task and its subject, and a line at its end.
"""

from __future__ import annotations

import logging
import sys
import time
from typing import Any

from celery import states
from celery.signals import celeryd_init, setup_logging, task_postrun, task_prerun

from pbem import enqueue, logs

log = logging.getLogger("carreira.workers")

# What the one argument of a task is.
ABOUT = {
    enqueue.ADVANCE: "game_id", enqueue.CLOSING: "game_id", enqueue.SEND: "letter_id",
    enqueue.INBOX: "inbound_id", enqueue.SERIES: "series_id",
}  # fmt: skip

_name = [""]  # not known yet if this module is imported before the fork
_begun: dict[str, float] = {}


@celeryd_init.connect
def know_the_name(sender: str, **_: Any) -> None:
    """Store the worker's name: `worker` or `letters` under the supervisor, else its queue's."""
    _name[0] = sender.partition("@")[0]


@setup_logging.connect
def configure(**_: Any) -> None:
    """Configure our logging in place of Celery's own."""
    logs.configure(_name[0] or ("beat" if "beat" in sys.argv else "worker"))


@task_prerun.connect
def begin(task_id: str, task: Any, args: Any, **_: Any) -> None:
    """Bind the task's name and subject to the log lines."""
    logs.forget()
    about = {ABOUT[task.name]: args[0]} if task.name in ABOUT and args else {}
    logs.bind(task=task.name, **about)
    _begun[task_id] = time.monotonic()


@task_postrun.connect
def end(task_id: str, state: str | None = None, retval: Any = None, **_: Any) -> None:
    """Log the end of a task and its state.

    A sweep that found nothing is logged at debug level only.
    """
    level = logging.DEBUG if state == states.SUCCESS and retval == 0 else logging.INFO
    took = time.monotonic() - _begun.pop(task_id, time.monotonic())
    log.log(level, "task", extra={"state": state or "", "milliseconds": round(took * 1000)})
    logs.forget()
