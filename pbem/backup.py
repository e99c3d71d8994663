"""Writes the whole database to one file while the site runs, and restores it.

Both databases write and read the same file (`pbem.backup_file`), so that a backup and a restore
move a site from SQLite to PostgreSQL.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import os
import secrets
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from alembic import command
from alembic.migration import MigrationContext
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, MetaData, Table, func, inspect, select, text
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session, col
from sqlmodel import select as of_models

from engine import registry
from pbem import __version__
from pbem.accounts.keys import KeyFiles, OldKey
from pbem.backup_file import (
    FORMAT,
    BackupHead,
    BackupRefused,
    BackupRow,
    EndLine,
    TableLine,
    check_place,
    check_whole,
    head_of,
    parts_of,
    refused,
)
from pbem.db import alembic_config, is_of_the_models, migrate, reading_engine
from pbem.models import Chat, ComponentSet, Game
from pbem.models.archive import FoundGame
from pbem.service import Service
from pbem.tables import chat_index

AT_ONCE = 500  # rows
NOT_KEPT = "alembic_version"
# The JSON types that a column's values have in the file.
WRITTEN_AS: dict[type, Any] = {int: int, bool: int, str: str, float: int | float, bytes: str}


class BackupResult(NamedTuple):
    """The number of tables and rows written or restored."""

    tables: int
    rows: int


# ---- out ----------------------------------------------------------------------------------------


def backup(service: Service, path: Path, now: datetime) -> BackupResult:
    """Write the database as it is at one moment; the file appears complete or not at all.

    Raises BackupRefused if the schema is not this release's, OSError.
    """
    check_place(path)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
                done = written(service, packed, now)
            file.flush()
            os.fsync(file.fileno())
        draft.rename(path)
    finally:
        draft.unlink(missing_ok=True)
    return done


def written(service: Service, packed: Any, now: datetime) -> BackupResult:
    """Write all lines from one snapshot."""
    told = hashlib.sha256()
    rows = 0

    def put(value: Any) -> None:
        line = msgspec.json.encode(value) + b"\n"
        told.update(line)
        packed.write(line)

    with snapshot(service.engine) as connection:
        found = tables_of(connection)
        put(head_now(service, connection, now))
        for table in found:
            put(TableLine(str(table.name), tuple(str(each.name) for each in table.columns)))
            for row in rows_of(connection, table):
                put(row)
                rows += 1
    packed.write(msgspec.json.encode(EndLine(rows, told.hexdigest())) + b"\n")
    return BackupResult(len(found), rows)


def head_now(service: Service, connection: Connection, now: datetime) -> BackupHead:
    """The head of a backup that is taken now."""
    keys = service.settings.keys
    new, *old = (base64.b64encode(key).decode() for key in (keys.new, *keys.old))
    return BackupHead(FORMAT, version_of(connection), __version__, now.isoformat(), new, tuple(old))


def snapshot(engine: Engine) -> Connection:
    """A connection that reads one snapshot of the database."""
    if engine.dialect.name == "postgresql":
        return engine.execution_options(isolation_level="REPEATABLE READ").connect()
    return reading_engine(engine).connect()


def tables_of(connection: Connection) -> list[Table]:
    """The database's tables, referenced ones first."""
    found = MetaData()
    names = [name for name in inspect(connection).get_table_names()
             if name != NOT_KEPT and is_of_the_models(name, "table", None)]
    found.reflect(connection, only=names)
    return found.sorted_tables


def version_of(connection: Connection) -> str:
    """The schema's version. Raises BackupRefused if there is none."""
    version = MigrationContext.configure(connection).get_current_revision()
    if version is None:
        raise BackupRefused("There is no Carreira database here yet.")
    return version


def rows_of(connection: Connection, table: Table) -> Iterator[list[Any]]:
    """A table's rows in the order of their keys; bytes as base64."""
    found = connection.execution_options(yield_per=AT_ONCE).execute(
        select(table).order_by(*table.primary_key.columns))
    for row in found:
        yield [base64.b64encode(value).decode() if isinstance(value, bytes) else value
               for value in row]


# ---- back ---------------------------------------------------------------------------------------


def restore(service: Service, path: Path) -> BackupResult:
    """Fill an empty database from a file, all or nothing, and bring it to this release's schema.

    Raises BackupRefused (the database holds something, the file is damaged or from a newer
    release), OSError.
    """
    head = head_of(path)
    check_whole(path)
    with service.engine.begin() as connection:
        begin_at(connection, head)
        done = filled(connection, path)
        check_games(connection, path)
        restart_numbers(connection)
    migrate(service.engine)
    with service.writing() as session:
        hear_again(session)
        session.commit()
    return done


def keep_keys(path: Path, var: Path) -> None:
    """Write a file's keys into this site's folder, unless it has keys."""
    check_whole(path)  # first, as the keys of a refused file must not stay
    head, files = head_of(path), KeyFiles(var)
    var.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not files.signing.exists():
        at = datetime.fromisoformat(head.at)  # old keys count as replaced at that time
        files.write_old([OldKey(key, at) for key in head.keys.old])
        files.begin(head.keys.new)


def begin_at(connection: Connection, head: BackupHead) -> None:
    """Give an empty database the file's schema. Raises BackupRefused if it is not empty."""
    if any(connection.execute(select(table).limit(1)).first() for table in tables_of(connection)):
        raise BackupRefused("The database is not empty; a backup goes into an empty one only.")
    present = MigrationContext.configure(connection).get_current_revision()
    wanted = alembic_config(connection)
    try:
        if present is not None and present != head.version:
            drop_tables(connection)
        command.upgrade(wanted, head.version)
    except CommandError:
        raise BackupRefused(
            f"The backup is of schema {head.version} (release {head.release}), which this release "
            f"({__version__}) does not know; restore it with that one or a later one.") from None


def drop_tables(connection: Connection) -> None:
    """Drop all tables."""
    connection.execute(text("drop table if exists foundtext"))
    found = MetaData()
    found.reflect(connection)
    found.drop_all(connection)


def filled(connection: Connection, path: Path) -> BackupResult:
    """Insert all rows. Raises BackupRefused with the line that does not fit."""
    known = {str(table.name): table for table in tables_of(connection)}
    missing = set(known)
    table: Table | None = None
    waiting: list[BackupRow] = []
    rows = 0
    for part in parts_of(path):
        if isinstance(part, BackupRow):
            waiting.append(part)
            rows += 1
            if len(waiting) < AT_ONCE:
                continue
        put_in(connection, path, table, waiting)
        waiting = []
        if isinstance(part, TableLine):
            table = table_named(path, part, known)
            missing.discard(part.table)
    put_in(connection, path, table, waiting)
    if missing:
        raise BackupRefused(f"{path} is damaged: table {min(missing)} is missing.")
    return BackupResult(len(known), rows)


def check_games(connection: Connection, path: Path) -> None:
    """Raise BackupRefused if a component set or game is of a game that this release has not.

    No log names it before the game begins, so no replay would find it.
    """
    for table, what in ((ComponentSet, "component set"), (Game, "game")):
        unknown = select(col(table.game)).where(col(table.game).not_in(registry.GAMES)).limit(1)
        if (key := connection.execute(unknown).scalar()) is not None:
            raise BackupRefused(
                f"{path} does not fit: a {what} is of {key!r}, which this release "
                f"({__version__}) does not have.")


def table_named(path: Path, begun: TableLine, known: dict[str, Table]) -> Table:
    """The table of this name, with all these columns. Raises BackupRefused."""
    table = known.get(begun.table)
    if table is None:
        raise BackupRefused(f"{path}: there is no table {begun.table[:40]!r} in this schema.")
    for name in begun.columns:
        if name not in table.columns:
            raise BackupRefused(
                f"{path}: table {begun.table} has no column {name[:40]!r} in this schema.")
    return table


def put_in(connection: Connection, path: Path, table: Table | None, rows: list[BackupRow]) -> None:
    """Insert some rows into their table. Raises BackupRefused."""
    if table is None or not rows:
        return
    try:
        connection.execute(table.insert(), [row_of(path, table, row) for row in rows])
    except (SQLAlchemyError, TypeError, ValueError, OverflowError) as problem:
        reason = str(getattr(problem, "orig", None) or problem).strip().splitlines()[0][:200]
        raise refused(path, rows[0].line, f"or one of the {len(rows) - 1} rows behind it does not "
                      f"go into table {table.name}: {reason}") from None


def row_of(path: Path, table: Table, row: BackupRow) -> dict[str, Any]:
    """A row as its table takes it, with types checked, as SQLite would take anything."""
    found: dict[str, Any] = {}
    for name, value in row.values.items():
        kind = table.columns[name].type.python_type
        if value is not None and not isinstance(value, WRITTEN_AS.get(kind, object)):
            raise refused(path, row.line, f"has no {kind.__name__} in column {name} of table "
                          f"{table.name}")
        try:
            found[name] = (base64.b64decode(value, validate=True)
                           if kind is bytes and value is not None else value)
        except ValueError:
            raise refused(path, row.line, f"has no base64 in column {name} of table "
                          f"{table.name}") from None
    return found


def restart_numbers(connection: Connection) -> None:
    """Restart the sequences of PostgreSQL after the newest ids."""
    if connection.dialect.name != "postgresql":
        return
    for table in tables_of(connection):
        column = table.autoincrement_column
        if column is None:
            continue
        last = connection.execute(select(func.max(column))).scalar()
        named = connection.execute(
            text("select pg_get_serial_sequence(:table, :column)"),
            {"table": f'"{table.name}"', "column": column.name}).scalar()
        if last is not None and named is not None:
            connection.execute(text("select setval(:named, :last)"), {"named": named, "last": last})


def hear_again(session: Session) -> None:
    """Rebuild the full-text index, which each database keeps in its own form."""
    talked = of_models(FoundGame.game_id).where(
        col(FoundGame.game_id).in_(of_models(Chat.game_id).distinct()))
    chat_index.index_chats(session, session.exec(talked).all())
