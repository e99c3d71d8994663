"""The Celery app: which tasks run where, when the sweeps come, what becomes of a lost worker."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import celeryd_init, worker_ready
from kombu import Queue

from pbem import enqueue as task_names
from pbem.config import Settings
from workers import logged  # noqa: F401  (its signals)

# `celery -A` has its folder in the path only until it has found this module: here it stays.
sys.path.append(str(Path(__file__).parents[1]))

SECONDS_BETWEEN_SWEEPS = 15
SECONDS_BETWEEN_LOOKS = 1  # of the beat into its schedule
SWEEPS = {  # seconds between two of them
    task_names.CLOCKS: SECONDS_BETWEEN_SWEEPS,
    task_names.SWEEP: SECONDS_BETWEEN_SWEEPS,
    task_names.LETTERS: 2,  # a letter leaves at its instant
    task_names.HOOKS: SECONDS_BETWEEN_SWEEPS,
    task_names.NIGHTLY: SECONDS_BETWEEN_SWEEPS,
    task_names.EXPORTS: SECONDS_BETWEEN_SWEEPS,
}


def make_celery(settings: Settings) -> Celery:
    """Celery as this service uses it; the durability is the database's, not the broker's."""
    celery = Celery("carreira", broker=settings.broker_url)
    celery.conf.update(
        task_queues=[Queue(name) for name in sorted(set(task_names.QUEUES.values()))],
        task_routes={task: {"queue": queue} for task, queue in task_names.QUEUES.items()},
        task_create_missing_queues=False,
        task_ignore_result=True,
        task_acks_late=True,  # it has one of the worker's places until it is done
        # Requeueing by rejecting has no count: a task that kills its worker would come for ever.
        task_reject_on_worker_lost=False,
        task_retry_on_worker_lost=True,
        # For worker processes; threads cannot be stopped, so SMTP has timeouts of its own.
        task_time_limit=100,
        worker_prefetch_multiplier=1,
        worker_enable_remote_control=False,  # nobody asks workers anything
        worker_cancel_long_running_tasks_on_connection_loss=True,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_connection_timeout=1,
        broker_transport_options=task_names.TRANSPORT | {
            "socket_timeout": task_names.SECONDS_TO_LISTEN,
            # Redis keeps no note of tasks in hand: what a worker loses the sweep finds.
            "ack_emulation": False,
        },
        task_publish_retry=False,
        timezone="UTC",
        # No file keeps when a sweep was last sent: a full disk could spoil it, and each may come
        # too often.
        beat_scheduler="celery.beat:Scheduler",
        beat_max_loop_interval=SECONDS_BETWEEN_LOOKS,
        beat_schedule={
            task: {
                "task": task,
                "schedule": seconds,
                # One that nobody took before the next is due is not needed any more.
                "options": {"expires": seconds},
            }
            for task, seconds in SWEEPS.items()
        },
    )
    return celery


app = make_celery(Settings.from_environment(os.environ))


@celeryd_init.connect
def with_tasks(**_: Any) -> None:
    """Workers alone load what does the tasks: the beat only names them, and stays small."""
    try:
        import_module("workers.tasks")
    except ImportError as missing:  # a signal's sender would go on, and know no task
        sys.exit(f"The tasks cannot be loaded: {missing}")


@worker_ready.connect
def sweep_at_once(sender: Any = None, **_: Any) -> None:
    """A worker that starts takes up what was left behind, without waiting for the beat."""
    for task in SWEEPS:
        app.send_task(task)
