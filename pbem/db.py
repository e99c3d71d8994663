"""Database engines: one writer at a time on SQLite, the same statements on PostgreSQL."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url

POOL = 8  # connections; as many as a web process has threads
BUSY_MILLISECONDS = 10_000  # how long SQLite waits for another process's write
MIGRATIONS = Path(__file__).parent / "migrations"


def make_engine(url: str) -> Engine:
    """An engine for `sqlite:///...` or `postgresql://...` (by psycopg 3)."""
    address = make_url(url)
    if address.get_backend_name() == "sqlite":
        return sqlite_engine(address)
    if address.drivername == "postgresql":
        address = address.set(drivername="postgresql+psycopg")
    return create_engine(address, pool_size=POOL, max_overflow=POOL, pool_pre_ping=True)


def sqlite_engine(address: Any) -> Engine:
    """WAL, every commit on the disk, and transactions that take the write lock when they begin.

    A transaction that reads first and writes later would fail at once when another has written in
    between; execution option `rw=False` marks those that only read and need not queue.
    """
    engine = create_engine(address, pool_size=POOL, max_overflow=POOL)
    queue = WriterQueue()

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, record: Any) -> None:
        connection.isolation_level = None  # the driver must not begin transactions by itself
        for pragma in (
            f"busy_timeout={BUSY_MILLISECONDS}",
            "journal_mode=WAL",
            "synchronous=FULL",
            "foreign_keys=ON",
        ):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        if not connection.get_execution_options().get("rw", True):
            connection.exec_driver_sql("BEGIN")
            return
        queue.enter(connection.info)
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    @event.listens_for(engine, "checkin")
    def checkin(connection: Any, record: Any) -> None:
        queue.leave(record.info)

    return engine


class WriterQueue:
    """One writer of this process at a time: SQLite's own waiting sleeps, and is not fair.

    A connection is in the queue from its first write transaction until it is given back.
    """

    def __init__(self) -> None:
        self._free = threading.Lock()

    def enter(self, connection: dict[Any, Any]) -> None:
        """Wait for the turn; after BUSY_MILLISECONDS SQLite is left to say that it is locked."""
        if not connection.get(self):
            connection[self] = self._free.acquire(timeout=BUSY_MILLISECONDS / 1000)

    def leave(self, connection: dict[Any, Any]) -> None:
        """Let the next one in, if this one was."""
        if connection.pop(self, None):
            self._free.release()


def migrate(engine: Engine) -> None:
    """Bring the database to the newest version."""
    from alembic import command  # noqa: PLC0415  (slow to load, needed once a start)

    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            # Two that start at once: the second waits, and finds nothing left to do.
            connection.exec_driver_sql("select pg_advisory_xact_lock(20031)")
        command.upgrade(alembic_config(connection), "head")


def alembic_config(connection: Connection | None = None) -> Any:
    """Alembic's configuration; it needs no ini file."""
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
