"""Database engines: one writer at a time on SQLite, the same statements on PostgreSQL."""

from __future__ import annotations

import fcntl
import os
import select
import sqlite3
import sys
import threading
import time
from collections.abc import Callable
from copy import copy
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import (
    DBAPIError,
    DisconnectionError,
    InterfaceError,
    InternalError,
    OperationalError,
)
from sqlalchemy.exc import TimeoutError as NoConnection

POOL = 8  # connections; as many as a web process has threads
SECONDS_FOR_A_CONNECTION = 10  # that one may be waited for when all are in use
# What PostgreSQL's client would wait for without end: a server that does not answer, another
# process that hangs with a row in its hands. What CARREIRA_DATABASE_URL says itself stays.
NEVER_FOR_EVER = {
    "connect_timeout": "5",  # seconds
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",  # milliseconds
}
LOCK_TIMEOUT = "10s"
SECONDS_UNASKED = 0.1  # that a connection may lie before its server is asked whether it is there
BUSY_MILLISECONDS = 10_000  # how long SQLite waits for another process's write
SECONDS_BETWEEN_LOOKS = 0.0005  # for another process's write to end
SECONDS_OF_A_THREAD = 0.0005  # before another one of the process may run (CPython: 0.005)
MIGRATIONS = Path(__file__).parent / "migrations"


def make_engine(url: str) -> Engine:
    """An engine for `sqlite:///...` or `postgresql://...` (by psycopg 3)."""
    address = make_url(url)
    if address.get_backend_name() == "sqlite":
        return sqlite_engine(address)
    if address.drivername == "postgresql":
        address = address.set(drivername="postgresql+psycopg")
    return postgres_engine(address)


def reading_engine(engine: Engine) -> Engine:
    """The same database for those that only read, who need not queue.

    On PostgreSQL by connections of their own, without transactions, whose BEGIN and ROLLBACK would
    be two journeys more: each statement sees what is committed, as it would inside of one (READ
    COMMITTED). The server refuses to write there.
    """
    if engine.dialect.name == "sqlite":
        return sqlite_reader(engine)
    known = _readers.get(engine)
    if known is None:
        known = _readers[engine] = postgres_engine(
            engine.url, "set default_transaction_read_only = on", isolation_level="AUTOCOMMIT",
            skip_autocommit_rollback=True)
        event.listen(engine, "engine_disposed", lambda _: known.dispose())
    return known


_readers: WeakKeyDictionary[Engine, Engine] = WeakKeyDictionary()


def postgres_engine(address: URL, *settings: str, **more: Any) -> Engine:
    """Connections that are looked at before they are used, and nothing waited for without end."""
    engine = create_engine(
        address, pool_size=POOL, max_overflow=0, pool_pre_ping=True, pool_use_lifo=True,
        pool_timeout=SECONDS_FOR_A_CONNECTION, hide_parameters=True,
        connect_args={name: value for name, value in NEVER_FOR_EVER.items()
                      if name not in address.query},
        **more,
    )  # fmt: skip
    is_there = ping_if_in_doubt(engine.dialect.do_ping)
    engine.dialect.do_ping = is_there  # type: ignore[method-assign,assignment]

    lost: type[Exception] = engine.dialect.loaded_dbapi.Error

    def undo(connection: Any) -> None:
        try:
            connection.rollback()
        except lost:  # the server has undone all by itself; what is made already must not fail
            connection.close()  # the pool sees that, and makes another one

    engine.dialect.do_rollback = undo  # type: ignore[method-assign,assignment]

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, record: Any) -> None:
        for setting in (f"set lock_timeout = '{LOCK_TIMEOUT}'", *settings):
            connection.execute(setting)
        connection.commit()

    @event.listens_for(engine, "checkin")
    def lie(connection: Any, record: Any) -> None:
        if connection is not None:
            connection.lies_since = time.monotonic()

    return engine


def ping_if_in_doubt(ping: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Spares the journey for a connection in use a moment ago, of which nothing was heard since.

    A server that ends a connection says so, or its system does: there is something to be read.
    """

    def is_there(connection: Any) -> bool:
        if time.monotonic() - connection.lies_since < SECONDS_UNASKED:
            heard = select.poll()
            heard.register(connection, select.POLLIN)
            if not heard.poll(0):
                return True
        return ping(connection)

    return is_there


def sqlite_engine(address: Any) -> Engine:
    """WAL, every commit on the disk, and transactions that take the write lock when they begin.

    SQLite by itself would hold the lock while the disk writes: here, the next writer goes on, and
    one writing serves all who wait for it.

    A transaction that reads first and writes later would fail at once when another has written in
    between; who only reads has an engine that begins otherwise (`sqlite_reader`).
    """
    engine = create_engine(
        address, pool_size=POOL, max_overflow=POOL, pool_timeout=SECONDS_FOR_A_CONNECTION,
        hide_parameters=True)
    # Who holds the write lock should get the interpreter back soon after each statement.
    sys.setswitchinterval(SECONDS_OF_A_THREAD)
    queue = WriterQueue(address.database)
    engine.dialect.do_commit = queue.commit  # type: ignore[method-assign]

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, record: Any) -> None:
        connection.isolation_level = None  # the driver must not begin transactions by itself
        for pragma in (
            f"busy_timeout={BUSY_MILLISECONDS}",
            "journal_mode=WAL",
            "synchronous=NORMAL",  # a commit's own writing to the disk is left to `do_commit`
            "foreign_keys=ON",
        ):
            connection.execute(f"PRAGMA {pragma}")

    def begin(connection: Any) -> None:
        queue.enter(connection.info)
        connection.execute("BEGIN IMMEDIATE")

    engine.dialect.do_begin = begin  # type: ignore[method-assign,assignment]

    @event.listens_for(engine, "checkin")
    def checkin(connection: Any, record: Any) -> None:
        queue.leave(record.info)

    return engine


def sqlite_reader(engine: Engine) -> Engine:
    """The same connections, whose transactions take no lock when they begin.

    By a dialect of its own: with a listener to `begin` SQLAlchemy looks for listeners at every step
    of every connection, which takes longer than a statement.
    """

    def begin(connection: Any) -> None:
        connection.execute("BEGIN")

    with engine.connect():  # a dialect knows its SQLite only then
        reader = engine.execution_options()
        reader.dialect = copy(engine.dialect)
    reader.dialect.do_begin = begin  # type: ignore[method-assign,assignment]
    return reader


class WriterQueue:
    """One writer at a time, of all threads and processes: SQLite's own waiting sleeps ever longer.

    The threads of a process queue for a lock, and the first of them looks every half millisecond
    whether the other processes' file lock is free. A connection is in the queue from its first
    write transaction until it has committed, or is given back; a process that is killed leaves it
    at once.
    """

    def __init__(self, database: str | None) -> None:
        self._free = threading.Lock()
        self._database = database
        self._path = None if database in (None, "", ":memory:") else f"{database}-writer"
        self._file: int | None = None
        self._process = 0  # whose file it is: a forked child would share its parent's lock

    def enter(self, connection: dict[Any, Any]) -> None:
        """Wait for the turn; after BUSY_MILLISECONDS SQLite is left to say that it is locked."""
        if connection.get(self):
            return
        until = time.monotonic() + BUSY_MILLISECONDS / 1000
        connection[self] = self._free.acquire(timeout=BUSY_MILLISECONDS / 1000)
        while connection[self] and not self._lock_file() and time.monotonic() < until:
            time.sleep(SECONDS_BETWEEN_LOOKS)

    def _lock_file(self) -> bool:
        if self._path is None:
            return True
        try:
            if self._file is None or self._process != os.getpid():
                self._file = os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
                self._process = os.getpid()
        except OSError:  # a full disk, or one that cannot be written: SQLite says what is wrong
            return True
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def commit(self, dbapi_connection: Any) -> None:
        """Commit, let the next one in, and return when the disk has what was committed."""
        dbapi_connection.commit()
        if self in dbapi_connection.info:
            self.leave(dbapi_connection.info)
            self._to_disk()

    def _to_disk(self) -> None:
        """Wait until the disk holds the log, in which commits stand one behind the other."""
        try:
            log = os.open(f"{self._database}-wal", os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:  # nothing stands in it that is not in the database, on the disk
            return
        try:
            os.fdatasync(log)
        except OSError as problem:
            raise sqlite3.OperationalError(f"disk I/O error: {problem.strerror}") from problem
        finally:
            os.close(log)

    def leave(self, connection: dict[Any, Any]) -> None:
        """Let the next one in, if this one was."""
        if connection.pop(self, None):
            if self._file is not None:
                fcntl.flock(self._file, fcntl.LOCK_UN)
            self._free.release()


# What a database raises that is away, locked, full, read-only or out of connections; among it are
# some faults of ours (is_away tells).
AWAY = (OperationalError, InterfaceError, InternalError, DisconnectionError, NoConnection)
READ_ONLY = "25006"  # PostgreSQL's read_only_sql_transaction, which its driver calls internal
OURS = ("no such table", "no such column", "syntax error", "has no column")  # SQLite's words


def is_away(problem: BaseException) -> bool:
    """Whether the database cannot do its work for now, whoever asks what."""
    if isinstance(problem, DisconnectionError | NoConnection):
        return True
    if not isinstance(problem, DBAPIError):
        return False
    if problem.connection_invalidated or getattr(problem.orig, "sqlstate", None) == READ_ONLY:
        return True
    is_ours = any(words in str(problem.orig) for words in OURS)
    return isinstance(problem, OperationalError | InterfaceError) and not is_ours


def plain_reason(problem: BaseException) -> str:
    """What went wrong, for a log: without the statement, whose values are somebody's letter."""
    cause = getattr(problem, "orig", None) or problem
    lines = str(cause).strip().splitlines()
    return f"{type(problem).__name__} {lines[0] if lines else ''}".strip()


class NewerDatabase(RuntimeError):
    """Why this release must not migrate a database, in one line."""


def migrate(engine: Engine) -> None:
    """Bring the database to the newest version, all or nothing; raises NewerDatabase."""
    from alembic import command  # noqa: PLC0415  (slow to load, needed once a start)
    from alembic.migration import MigrationContext  # noqa: PLC0415
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            # Two that start at once: the second waits, and finds nothing left to do.
            connection.exec_driver_sql("set local lock_timeout = 0")
            connection.exec_driver_sql("select pg_advisory_xact_lock(20031)")
        config = alembic_config(connection)
        known = [each.revision for each in ScriptDirectory.from_config(config).walk_revisions()]
        present = MigrationContext.configure(connection).get_current_revision()
        if present is not None and present not in known:
            raise NewerDatabase(
                f"The database is of a newer release: its schema is {present}, this release knows "
                f"up to {known[0]}. Install that release, or restore a backup of before.")
        command.upgrade(config, "head")


def is_of_the_models(name: str | None, kind: str, _parents: Any) -> bool:
    """Whether Alembic may compare a table: each database keeps its full text in its own way."""
    return not (kind == "table" and (name or "").startswith("foundtext"))


def alembic_config(connection: Connection | None = None) -> Any:
    """Alembic's configuration; it needs no ini file."""
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
