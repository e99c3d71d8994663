"""Database engines: one writer at a time on SQLite, the same statements on PostgreSQL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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

# Connections of a process: each of the eight threads of a web process may read and write at once.
POOL = 16
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
BUSY_MILLISECONDS = 10_000  # how long SQLite waits for another writer
READS_ONLY = "reads_only"  # the execution option of connections that do not write
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
    """The same connections for those that only read, who do not wait for writers.

    PostgreSQL refuses to write there.
    """
    return engine.execution_options(postgresql_readonly=True, **{READS_ONLY: True})


def postgres_engine(address: URL) -> Engine:
    """Connections that are tested before they are used, with a limit to every wait."""
    engine = create_engine(
        address, pool_size=POOL, max_overflow=0, pool_pre_ping=True, pool_use_lifo=True,
        pool_timeout=SECONDS_FOR_A_CONNECTION, hide_parameters=True,
        connect_args={name: value for name, value in NEVER_FOR_EVER.items()
                      if name not in address.query},
    )  # fmt: skip

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, record: Any) -> None:
        connection.execute(f"set lock_timeout = '{LOCK_TIMEOUT}'")
        connection.commit()

    return engine


def sqlite_engine(address: URL) -> Engine:
    """WAL, every commit on the disk, and write transactions that take the lock when they begin.

    A transaction that reads first and writes later would fail at once when another has written in
    between. The events are SQLAlchemy's recipe for transactions of pysqlite.
    """
    engine = create_engine(
        address, pool_size=POOL, max_overflow=0, pool_timeout=SECONDS_FOR_A_CONNECTION,
        hide_parameters=True)

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
        reads_only = connection.get_execution_options().get(READS_ONLY)
        connection.exec_driver_sql("BEGIN" if reads_only else "BEGIN IMMEDIATE")

    return engine


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


def is_newest(engine: Engine) -> bool:
    """Whether a database has this release's schema."""
    from alembic.migration import MigrationContext  # noqa: PLC0415  (slow to load)
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    with reading_engine(engine).connect() as connection:
        present = MigrationContext.configure(connection).get_current_revision()
    return present == ScriptDirectory.from_config(alembic_config()).get_current_head()


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
