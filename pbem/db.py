"""Creates database engines: one writer at a time on SQLite, the same statements on PostgreSQL."""

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

# Connections per process. Each of the eight threads of a web process may read and write at once.
POOL = 16
SECONDS_FOR_A_CONNECTION = 10  # to wait for one when all are in use
# Limits on waits that PostgreSQL's client leaves unlimited: a server that does not answer, another
# process that holds a row's lock. Values in CARREIRA_DATABASE_URL take precedence.
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
    """Create an engine for `sqlite:///...` or `postgresql://...` (by psycopg 3)."""
    address = make_url(url)
    if address.get_backend_name() == "sqlite":
        return sqlite_engine(address)
    if address.drivername == "postgresql":
        address = address.set(drivername="postgresql+psycopg")
    return postgres_engine(address)


def reading_engine(engine: Engine) -> Engine:
    """Return an engine on the same pool for read-only work, which does not wait for writers.

    PostgreSQL rejects writes on it.
    """
    return engine.execution_options(postgresql_readonly=True, **{READS_ONLY: True})


def postgres_engine(address: URL) -> Engine:
    """Create an engine that tests connections before use and limits every wait."""
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
    """Create an engine with WAL, durable commits, and write transactions that lock when they begin.

    A transaction that reads first and writes later would fail at once if another one had written in
    between. The events are SQLAlchemy's recipe for pysqlite transactions.
    """
    engine = create_engine(
        address, pool_size=POOL, max_overflow=0, pool_timeout=SECONDS_FOR_A_CONNECTION,
        hide_parameters=True)

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, record: Any) -> None:
        connection.isolation_level = None  # the driver must not begin transactions itself
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


# Raised by a database that is down, locked, full, read-only or out of connections. Some are also
# faults of our own; is_away tells them apart.
AWAY = (OperationalError, InterfaceError, InternalError, DisconnectionError, NoConnection)
# PostgreSQL's read_only_sql_transaction, which its driver reports as an internal error
READ_ONLY = "25006"
OURS = ("no such table", "no such column", "syntax error", "has no column")  # SQLite's messages


def is_away(problem: BaseException) -> bool:
    """Return whether the database is unavailable for now, whatever the statement."""
    if isinstance(problem, DisconnectionError | NoConnection):
        return True
    if not isinstance(problem, DBAPIError):
        return False
    if problem.connection_invalidated or getattr(problem.orig, "sqlstate", None) == READ_ONLY:
        return True
    is_ours = any(words in str(problem.orig) for words in OURS)
    return isinstance(problem, OperationalError | InterfaceError) and not is_ours


def plain_reason(problem: BaseException) -> str:
    """Describe an error for the log, without the statement, whose values may be somebody's letter.
    """
    cause = getattr(problem, "orig", None) or problem
    lines = str(cause).strip().splitlines()
    return f"{type(problem).__name__} {lines[0] if lines else ''}".strip()


class NewerDatabase(RuntimeError):
    """Raised if a database is newer than this release. Says so in one line."""


def is_newest(engine: Engine) -> bool:
    """Return whether a database has this release's schema."""
    from alembic.migration import MigrationContext  # noqa: PLC0415  (slow to load)
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    with reading_engine(engine).connect() as connection:
        present = MigrationContext.configure(connection).get_current_revision()
    return present == ScriptDirectory.from_config(alembic_config()).get_current_head()


def migrate(engine: Engine) -> None:
    """Migrate the database to the newest version in one transaction. Raises NewerDatabase."""
    from alembic import command  # noqa: PLC0415  (slow to load, needed once a start)
    from alembic.migration import MigrationContext  # noqa: PLC0415
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            # If two processes start at once, the second one waits and finds nothing left to do.
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
    """Return whether Alembic compares a table. Full-text tables differ between the databases."""
    return not (kind == "table" and (name or "").startswith("foundtext"))


def alembic_config(connection: Connection | None = None) -> Any:
    """Return Alembic's configuration, without an ini file."""
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
