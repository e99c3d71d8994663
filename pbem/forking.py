"""Children of the supervisor that share its memory: forked from what it has imported once.

Each then runs the command that stands in the documents for several machines, in the same
interpreter: `python -m celery ...` becomes what `-m celery` would have started.
"""

from __future__ import annotations

import ctypes
import gc
import os
import runpy
import signal
import sys
from collections.abc import Iterable, Mapping
from importlib import import_module
from multiprocessing.context import ForkProcess

from setproctitle import setproctitle

from pbem.run.processes import Child, Process, die_with_parent

# Loaded before the first fork: all that two of the processes need. None of them may start a
# thread, open a connection or read a setting when it is imported.
SHARED = (
    "pbem.web", "pbem.cli.mail_in", "pbem.logs.of_gunicorn", "workers.tasks",
    "gunicorn.app.wsgiapp", "gunicorn.workers.gthread",
    "celery.bin.celery", "celery.apps.worker", "celery.worker.consumer",
    "celery.concurrency.thread", "celery.apps.beat", "kombu.transport.redis",
)  # fmt: skip
OWN_SIGNALS = (signal.SIGINT, signal.SIGTERM)
M_ARENA_MAX = -8


def load_what_is_shared() -> None:
    """Import it and keep the collector off it: what nobody writes to stays one copy for all."""
    for name in SHARED:
        import_module(name)
    gc.collect()
    gc.freeze()


class Fork(ForkProcess):
    """A forked process, with what a Popen has."""

    def poll(self) -> int | None:
        """Its exit code; None while it runs."""
        return self.exitcode

    @property
    def returncode(self) -> int | None:
        """Its exit code; -N if signal N has ended it."""
        return self.exitcode

    def wait(self) -> int | None:
        """Wait for its end."""
        self.join()
        return self.exitcode

    def send_signal(self, number: int) -> None:
        """Send it a signal."""
        if self.pid is not None:
            os.kill(self.pid, number)


class ForkedChild(Child):
    """One of our own Python processes, started from the supervisor's memory."""

    def run(self, log: int) -> Process:
        """Fork, while no signal can reach a child that still has its parent's handlers."""
        process = Fork(name=self.name, target=self.become, args=(log,), daemon=True)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, OWN_SIGNALS)
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return process

    def become(self, log: int) -> None:
        """In the child: leave all that was the supervisor's, then do what the command says."""
        die_with_parent()
        os.setsid()
        keep_only(log, self.files)
        setproctitle(" ".join(self.command))  # while it finds the old environment, beside the title
        wear(self.environ)
        for number in OWN_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, OWN_SIGNALS)
        obey(self.command)


def keep_only(log: int, files: Iterable[int]) -> None:
    """Write to the log, read nothing, and close every other file but these."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    for old, new in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(old, new)
    after = 3
    for kept in sorted(files):
        os.closerange(after, kept)
        after = kept + 1
    os.closerange(after, os.sysconf("SC_OPEN_MAX"))
    sys.stdin = open(0, closefd=False, encoding="utf-8")  # noqa: SIM115  (as long as we live)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]


def wear(environ: Mapping[str, str]) -> None:
    """Have this environment, and what an interpreter takes from it only at its start."""
    os.environ.clear()
    os.environ.update(environ)
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    arenas = environ.get("MALLOC_ARENA_MAX", "")
    if mallopt is not None and arenas.isdecimal():
        mallopt(M_ARENA_MAX, int(arenas))


def obey(command: list[str]) -> None:
    """What the interpreter does with `-m module ...` or `file ...`."""
    if command[1] == "-m":
        sys.argv = command[2:]
        runpy.run_module(command[2], run_name="__main__", alter_sys=True)
    else:
        sys.argv = command[1:]
        runpy.run_path(command[1], run_name="__main__")
