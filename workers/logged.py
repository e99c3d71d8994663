"""What workers and the beat log: the task in hand and what it is about, a line when it is done."""

from __future__ import annotations

import logging
import sys
import time
from typing import Any

from celery import states
from celery.signals import celeryd_init, setup_logging, task_postrun, task_prerun

from pbem import enqueue as task_names
from pbem import logs

log = logging.getLogger("carreira.workers")

# What the one argument of a task is.
ABOUT = {
    task_names.ADVANCE: "game_id", task_names.CLOSING: "game_id", task_names.SEND: "letter_id",
    task_names.INBOX: "inbound_id", task_names.SERIES: "series_id",
}  # fmt: skip

_name = [""]  # not known yet where this is loaded before the processes part
_begun: dict[str, float] = {}


@celeryd_init.connect
def know_the_name(sender: str, **_: Any) -> None:
    """The worker's name: `worker` or `letters` under the supervisor, else its queue's."""
    _name[0] = sender.partition("@")[0]


@setup_logging.connect
def configure(**_: Any) -> None:
    """In the place of Celery's own logging."""
    logs.configure(_name[0] or ("beat" if "beat" in sys.argv else "worker"))


@task_prerun.connect
def begin(task_id: str, task: Any, args: Any, **_: Any) -> None:
    """Bind what the task is about."""
    logs.forget()
    about = {ABOUT[task.name]: args[0]} if task.name in ABOUT and args else {}
    logs.bind(task=task.name, **about)
    _begun[task_id] = time.monotonic()


@task_postrun.connect
def end(task_id: str, state: str | None = None, retval: Any = None, **_: Any) -> None:
    """Say that it is done, and how; of a sweep that found nothing to do, to who debugs alone."""
    level = logging.DEBUG if state == states.SUCCESS and retval == 0 else logging.INFO
    took = time.monotonic() - _begun.pop(task_id, time.monotonic())
    log.log(level, "task", extra={"state": state or "", "milliseconds": round(took * 1000)})
    logs.forget()
