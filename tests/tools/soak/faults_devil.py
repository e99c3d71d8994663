"""What is done to the running stack: each fault as a context, begun on entry and undone on exit."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress

import redis

from tests.tools.soak.faults_stack import Stack

Fault = Callable[[Stack, random.Random], AbstractContextManager[None]]

PARTS = {
    "web": "gunicorn", "worker": "--queues=engine", "sender": "--queues=mail_out",
    "beat": " beat ", "mail-in": "mail-in",
}  # fmt: skip


def killed(part: str) -> Fault:
    """kill -9 of a part with all its processes."""

    @contextmanager
    def fault(stack: Stack, dice: random.Random) -> Iterator[None]:
        for number in stack.processes(PARTS[part]):
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        yield

    return fault


@contextmanager
def everything_killed(stack: Stack, dice: random.Random) -> Iterator[None]:
    """kill -9 of all of them at once."""
    for part in PARTS:
        with killed(part)(stack, dice):
            pass
    yield


# ---- Redis --------------------------------------------------------------------------------------


def line_to(stack: Stack) -> redis.Redis:
    return redis.Redis(unix_socket_path=str(stack.valkey.listens))


@contextmanager
def redis_killed(stack: Stack, dice: random.Random) -> Iterator[None]:
    stack.valkey.kill()
    yield
    stack.valkey.start()


@contextmanager
def redis_replaced(stack: Stack, dice: random.Random) -> Iterator[None]:
    """Another one comes in its place, which knows nothing."""
    stack.valkey.kill()
    for each in stack.valkey.folder.iterdir():
        shutil.rmtree(each) if each.is_dir() else each.unlink()
    stack.valkey.start()
    yield


@contextmanager
def redis_flushed(stack: Stack, dice: random.Random) -> Iterator[None]:
    with line_to(stack) as line:
        line.flushall()
    yield


@contextmanager
def redis_stopped(stack: Stack, dice: random.Random) -> Iterator[None]:
    stack.valkey.signal(signal.SIGSTOP)
    yield
    stack.valkey.signal(signal.SIGCONT)


@contextmanager
def redis_slow(stack: Stack, dice: random.Random) -> Iterator[None]:
    stack.line.delay = dice.uniform(0.2, 0.8)
    yield
    stack.line.delay = 0.0


@contextmanager
def redis_full(stack: Stack, dice: random.Random) -> Iterator[None]:
    with line_to(stack) as line:
        line.config_set("maxmemory", "1")
    yield
    with line_to(stack) as line:
        line.config_set("maxmemory", "0")


# ---- the database -------------------------------------------------------------------------------


@contextmanager
def postgres_restarted(stack: Stack, dice: random.Random) -> Iterator[None]:
    """Stopped as by a loss of power, and started again."""
    assert stack.postgres is not None
    stack.postgres.stop_at_once()
    yield
    stack.postgres.start()


@contextmanager
def postgres_read_only(stack: Stack, dice: random.Random) -> Iterator[None]:
    assert stack.postgres is not None
    stack.postgres.run(
        "alter system set default_transaction_read_only = on", "select pg_reload_conf()")
    yield
    stack.postgres.run(
        "alter system reset default_transaction_read_only", "select pg_reload_conf()")


@contextmanager
def postgres_out_of_connections(stack: Stack, dice: random.Random) -> Iterator[None]:
    assert stack.postgres is not None
    lines = stack.postgres.eat()
    yield
    for line in lines:
        line.close()


@contextmanager
def sqlite_locked(stack: Stack, dice: random.Random) -> Iterator[None]:
    """Somebody's program writes, outside of any queue."""
    line = sqlite3.connect(stack.var / "carreira.db", isolation_level=None, timeout=30)
    line.execute("BEGIN IMMEDIATE")
    yield
    line.execute("ROLLBACK")
    line.close()


@contextmanager
def disk_full(stack: Stack, dice: random.Random) -> Iterator[None]:
    """Whatever is written into the service's folder."""
    if stack.kind == "sqlite":  # its log would have room for a while
        with suppress(sqlite3.Error), closing(sqlite3.connect(stack.var / "carreira.db")) as line:
            line.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    ballast = stack.var / "ballast"
    block = b"x" * 4096
    with suppress(OSError), ballast.open("wb", buffering=0) as file:
        os.posix_fallocate(file.fileno(), 0, shutil.disk_usage(stack.var).free)
    with suppress(OSError), ballast.open("ab", buffering=0) as file:
        while file.write(block):
            pass
    yield
    ballast.unlink()


# ---- the mail server ----------------------------------------------------------------------------


@contextmanager
def mail_refused(stack: Stack, dice: random.Random) -> Iterator[None]:
    stack.receiver.close()
    yield
    stack.receiver.open()


def mail_says(answer: str) -> Fault:
    """One answer to everybody."""

    @contextmanager
    def fault(stack: Stack, dice: random.Random) -> Iterator[None]:
        stack.receiver.at_rcpt = answer
        yield
        stack.receiver.at_rcpt = ""

    return fault


@contextmanager
def mail_slow(stack: Stack, dice: random.Random) -> Iterator[None]:
    stack.receiver.slowness = dice.uniform(3, 8)
    yield
    stack.receiver.slowness = 0.0


def mail_dies(when: str) -> Fault:
    """The connection ends: before the final dot, or behind it with the letter lost or kept."""

    @contextmanager
    def fault(stack: Stack, dice: random.Random) -> Iterator[None]:
        stack.receiver.dies = when
        yield
        stack.receiver.dies = ""

    return fault


@contextmanager
def mail_hates_somebody(stack: Stack, dice: random.Random) -> Iterator[None]:
    """One address does not exist any more; the next letter to it says so."""
    if stack.receiver.arrived and not stack.receiver.hated:
        stack.receiver.hated = stack.receiver.arrived[-1][2]
    yield


ALWAYS: dict[str, Fault] = {
    **{f"{part} killed": killed(part) for part in PARTS},
    "all killed": everything_killed,
    "Redis killed": redis_killed,
    "Redis replaced by an empty one": redis_replaced,
    "Redis flushed": redis_flushed,
    "Redis stopped": redis_stopped,
    "Redis slow": redis_slow,
    "Redis full": redis_full,
    "disk full": disk_full,
    "mail server away": mail_refused,
    "mail server says 451": mail_says("451 4.3.0 not now"),
    "mail server slow": mail_slow,
    "mail server dies before the dot": mail_dies("before"),
    "mail server dies behind the dot, letter lost": mail_dies("lost"),
    "mail server dies behind the dot, letter kept": mail_dies("kept"),
    "mail server says 550 of one address": mail_hates_somebody,
}
POSTGRES: dict[str, Fault] = {
    "PostgreSQL killed": postgres_restarted,
    "PostgreSQL read-only": postgres_read_only,
    "PostgreSQL out of connections": postgres_out_of_connections,
}
SQLITE: dict[str, Fault] = {"SQLite locked": sqlite_locked}
# Whose faults may end a sender between the server's 250 and the commit that notes it.
AMBIGUOUS = ("sender killed", "all killed", "disk full", "PostgreSQL", "SQLite", "behind the dot")


def faults_of(stack: Stack) -> tuple[dict[str, Fault], dict[str, str]]:
    """The faults that can be done here, and why others cannot."""
    found, skipped = ALWAYS | (POSTGRES if stack.postgres is not None else SQLITE), {}
    if not stack.has_own_disk:
        found = {name: fault for name, fault in found.items() if name != "disk full"}
        skipped["disk full"] = "needs root, to mount a small disk"
    return found, skipped
