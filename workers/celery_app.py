"""Creates the Celery app: queues, schedule of the sweeps, handling of lost workers."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import celeryd_init, worker_ready
from kombu import Queue

from pbem import enqueue
from pbem.config import Settings
from workers import logged  # noqa: F401  (its signals)

# `celery -A` has its folder in the path only until it has imported this module.
sys.path.append(str(Path(__file__).parents[1]))

SECONDS_BETWEEN_SWEEPS = 15
SECONDS_BETWEEN_LOOKS = 1  # beat checks its schedule this often
SWEEPS = {  # seconds between two runs
    enqueue.CLOCKS: SECONDS_BETWEEN_SWEEPS,
    enqueue.SWEEP: SECONDS_BETWEEN_SWEEPS,
    enqueue.LETTERS: 2,  # so that letters leave on time
    enqueue.HOOKS: SECONDS_BETWEEN_SWEEPS,
    enqueue.NIGHTLY: SECONDS_BETWEEN_SWEEPS,
    enqueue.EXPORTS: SECONDS_BETWEEN_SWEEPS,
}


def make_celery(settings: Settings) -> Celery:
    """Create Celery as this service uses it. The database provides durability, not the broker."""
    celery = Celery("carreira", broker=settings.broker_url)
    celery.conf.update(
        task_queues=[Queue(name) for name in sorted(set(enqueue.QUEUES.values()))],
        task_routes={task: {"queue": queue} for task, queue in enqueue.QUEUES.items()},
        task_create_missing_queues=False,
        task_ignore_result=True,
        task_acks_late=True,  # a task occupies a worker thread until it is done
        # Rejected tasks are requeued without a limit. A task that kills its worker would come back
        # for ever.
        task_reject_on_worker_lost=False,
        task_retry_on_worker_lost=True,
        # For worker processes. Threads cannot be stopped, so SMTP has timeouts of its own.
        task_time_limit=100,
        worker_prefetch_multiplier=1,
        worker_enable_remote_control=False,  # nobody sends commands to workers
        worker_cancel_long_running_tasks_on_connection_loss=True,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_connection_timeout=1,
        broker_transport_options=enqueue.TRANSPORT | {
            "socket_timeout": enqueue.SECONDS_TO_LISTEN,
            # Redis does not track running tasks. The sweep finds what a worker loses.
            "ack_emulation": False,
        },
        task_publish_retry=False,
        timezone="UTC",
        # No schedule file: a full disk could corrupt it, and a sweep may run too often.
        beat_scheduler="celery.beat:Scheduler",
        beat_max_loop_interval=SECONDS_BETWEEN_LOOKS,
        beat_schedule={
            task: {
                "task": task,
                "schedule": seconds,
                # A run that nobody took before the next one is due is not needed.
                "options": {"expires": seconds},
            }
            for task, seconds in SWEEPS.items()
        },
    )
    return celery


app = make_celery(Settings.from_environment(os.environ))


@celeryd_init.connect
def with_tasks(**_: Any) -> None:
    """Import the tasks in workers only. The beat needs just their names, and stays small."""
    try:
        import_module("workers.tasks")
    except ImportError as missing:  # the signal's sender would ignore it and run without tasks
        sys.exit(f"The tasks cannot be loaded: {missing}")


@worker_ready.connect
def sweep_at_once(sender: Any = None, **_: Any) -> None:
    """Take up pending work when a worker starts, without waiting for the beat."""
    for task in SWEEPS:
        app.send_task(task)
