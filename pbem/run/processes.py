"""Starts, restarts and stops the supervisor's child processes. They never outlive it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

SECONDS_BEFORE_AGAIN = 0.5
LONGEST_WAIT = 30.0
SECONDS_OF_HEALTH = 60.0  # a child that ran for so long is restarted without a longer wait
LARGEST_LOG = 5_000_000  # bytes; older output is kept once, as .1
PR_SET_PDEATHSIG = 1

_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def say(line: str) -> None:
    """Print one line. Failures are ignored (a full disk, a closed terminal)."""
    with contextlib.suppress(OSError):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def die_with_parent() -> None:
    """Ask Linux to send SIGTERM when the supervisor ends, however it ends.

    Runs between fork and exec.
    """
    if _libc is not None:
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class Child:
    """One process: its command, its log in var/log, and when it may be restarted."""

    def __init__(
        self,
        name: str,
        command: list[str],
        environ: dict[str, str],
        var: Path,
        files: tuple[int, ...] = (),
    ) -> None:
        self.name = name
        self.command = command
        self.environ = environ
        self.files = files
        self.log = var / "log" / f"{name}.log"
        self.process: subprocess.Popen[bytes] | None = None
        self.wait = SECONDS_BEFORE_AGAIN
        self.started = 0.0
        self.again: float | None = None

    def start(self) -> None:
        """Start it detached from the terminal, because the supervisor forwards Ctrl-C."""
        self.log.parent.mkdir(exist_ok=True)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(  # noqa: S603  (our own commands)  # nosec B603
                self.command,
                env=self.environ,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=self.files,
                start_new_session=True,
                preexec_fn=die_with_parent,  # noqa: PLW1509  (no other thread here)
            )
        self.started = time.monotonic()
        self.again = None

    def keep_log_short(self) -> None:
        """Truncate a large log, after copying it to a second file if there is space.

        The process keeps its file open in append mode, so it goes on at the new end.
        """
        try:
            if self.log.stat().st_size > LARGEST_LOG:
                older = self.log.with_suffix(".log.1")
                with contextlib.suppress(OSError):
                    older.unlink(missing_ok=True)  # makes room on a full disk
                    shutil.copyfile(self.log, older)
                os.truncate(self.log, 0)
        except OSError:
            return  # it does not exist or cannot be changed, which must not stop the supervisor

    def ended(self) -> bool:
        """Return whether it was started and has ended."""
        return self.process is not None and self.process.poll() is not None

    def keep_running(self, now: float) -> None:
        """Restart it if it has ended. The wait doubles each time."""
        if not self.ended():
            return
        if self.again is None:
            if now - self.started > SECONDS_OF_HEALTH:
                self.wait = SECONDS_BEFORE_AGAIN
            self.again = now + self.wait
            say(
                f"{self.name} has {self.how_it_ended()}; it is started again in {self.wait:g} s "
                f"({self.log} may say why)."
            )
            self.wait = min(LONGEST_WAIT, self.wait * 2)
        elif now >= self.again:
            self.start_or_wait(now)

    def start_or_wait(self, now: float) -> None:
        """Start it, or retry a little later if that fails (a full disk, no memory)."""
        try:
            self.start()
        except OSError as problem:
            self.again = now + self.wait
            self.wait = min(LONGEST_WAIT, self.wait * 2)
            say(f"{self.name} cannot be started ({problem.strerror}): again in {self.wait:g} s.")

    def how_it_ended(self) -> str:
        """Describe how it ended."""
        code = self.process.returncode if self.process else 0
        return f"been killed by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"

    def last_words(self) -> str:
        """Return the last line of its log."""
        lines = self.log.read_text(errors="replace").split("\n") if self.log.exists() else []
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the main process only. It stops its own children."""
        if self.process is not None and not self.ended():
            self.process.send_signal(number)


def stop(family: list[Child], seconds: float, *, hurry: Callable[[], bool]) -> None:
    """Ask all to end and wait. Kill those still running after `seconds`, or at once if `hurry`."""
    for child in family:
        child.signal(signal.SIGTERM)
    until = time.monotonic() + seconds
    while any(lives(child) for child in family) and time.monotonic() < until and not hurry():
        time.sleep(0.05)
    for child in family:
        if lives(child):
            say(f"{child.name} does not end by itself and is killed.")
            kill_session_of(child)


def lives(child: Child) -> bool:
    """Return whether it was started and still runs."""
    return child.process is not None and not child.ended()


def kill_session_of(child: Child) -> None:
    """Kill a child and its descendants. Each child leads a process group."""
    if child.process is not None:
        with contextlib.suppress(ProcessLookupError):  # just started, and not yet a group leader
            os.killpg(child.process.pid, signal.SIGKILL)
        child.process.kill()
        child.process.wait()
