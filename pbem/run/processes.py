"""Child processes of the supervisor: started, kept running, stopped; they never outlive it."""

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
SECONDS_OF_HEALTH = 60.0  # who lived so long is started again without a longer wait
LARGEST_LOG = 5_000_000  # bytes; what is older is kept once, as .1
PR_SET_PDEATHSIG = 1

_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def say(line: str) -> None:
    """One line for whoever watches; nobody has to hear it (a full disk, a closed terminal)."""
    with contextlib.suppress(OSError):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def die_with_parent() -> None:
    """Between fork and exec: ask Linux for SIGTERM when the supervisor is gone, however it went."""
    if _libc is not None:
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class Child:
    """One process: its command, its log in var/log, and when it may be started again."""

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
        """Start it, out of the terminal's reach: Ctrl-C is the supervisor's to hand on."""
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
        """Empty a log that has grown; what was in it is kept once more beside it, if there is room.

        The process goes on writing into its open file, at the end of it, wherever that is.
        """
        try:
            if self.log.stat().st_size > LARGEST_LOG:
                older = self.log.with_suffix(".log.1")
                with contextlib.suppress(OSError):
                    older.unlink(missing_ok=True)  # makes room on a full disk
                    shutil.copyfile(self.log, older)
                os.truncate(self.log, 0)
        except OSError:
            return  # there is none, or it cannot be changed: no reason to stop watching

    def ended(self) -> bool:
        """Whether it was started and is gone."""
        return self.process is not None and self.process.poll() is not None

    def keep_running(self, now: float) -> None:
        """Start it again if it is gone, each time after twice as long a wait."""
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
        """Start it; where that cannot be (a full disk, no memory), try again a little later."""
        try:
            self.start()
        except OSError as problem:
            self.again = now + self.wait
            self.wait = min(LONGEST_WAIT, self.wait * 2)
            say(f"{self.name} cannot be started ({problem.strerror}): again in {self.wait:g} s.")

    def how_it_ended(self) -> str:
        """Its end in words."""
        code = self.process.returncode if self.process else 0
        return f"been killed by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"

    def last_words(self) -> str:
        """The last line of its log."""
        lines = self.log.read_text(errors="replace").split("\n") if self.log.exists() else []
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the main process only: its own children are its to stop."""
        if self.process is not None and not self.ended():
            self.process.send_signal(number)


def stop(family: list[Child], seconds: float, *, hurry: Callable[[], bool]) -> None:
    """Ask all to end and wait; whoever has not after so long, or when it is urgent, is killed."""
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
    """Whether it was started and runs."""
    return child.process is not None and not child.ended()


def kill_session_of(child: Child) -> None:
    """Kill a child and what it has started; each child leads a process group of its own."""
    if child.process is not None:
        with contextlib.suppress(ProcessLookupError):  # so young that it leads none yet
            os.killpg(child.process.pid, signal.SIGKILL)
        child.process.kill()
        child.process.wait()
