"""The whole database as one file, taken of a running site, and back into an empty database.

Gzipped lines of JSON: a head (format, schema version, secret key), then each table's name and
columns in front of its rows, then a line with the number of rows and the SHA-256 of all lines
before it. Both databases write and read the same file, so that a site moves from SQLite to
PostgreSQL by a backup and a restore.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import os
import secrets
import zlib
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from alembic import command
from alembic.migration import MigrationContext
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, LargeBinary, MetaData, Table, func, inspect, select, text
from sqlmodel import Session, col
from sqlmodel import select as of_models

from pbem.accounts.keys import KeyFiles, Keys, OldKey
from pbem.db import alembic_config, is_of_the_models, migrate, reading_engine
from pbem.drafts import check_place
from pbem.models import Chat
from pbem.models.archive import FoundGame
from pbem.release import RELEASE
from pbem.service import Service
from pbem.tables import chat_index

FORMAT = "carreira-backup-1"
AT_ONCE = 500  # rows
NOT_KEPT = "alembic_version"


class BackupRefused(Exception):
    """Why a file cannot be written or taken back, in one line."""


class Head(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The first line. The keys are base64: without them no link in an old letter would hold."""

    format: str
    version: str  # of the schema
    release: str
    at: str
    secret_key: str
    old_keys: tuple[str, ...] = ()

    @property
    def keys(self) -> Keys:
        """The keys of the site that the file was taken of."""
        return Keys(base64.b64decode(self.secret_key),
                    tuple(base64.b64decode(key) for key in self.old_keys))


class TableLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What stands in front of a table's rows."""

    table: str
    columns: tuple[str, ...]


class EndLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The last line."""

    rows: int
    sha256: str


class Done(NamedTuple):
    """How much was written or taken back."""

    tables: int
    rows: int


# ---- out ----------------------------------------------------------------------------------------


def backup(service: Service, path: Path, now: datetime) -> Done:
    """Write the database as it is at one moment; the file appears whole, or not at all.

    Raises BackupRefused where the schema is not this release's, OSError.
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


def written(service: Service, packed: Any, now: datetime) -> Done:
    """All lines, of one snapshot."""
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
    return Done(len(found), rows)


def head_now(service: Service, connection: Connection, now: datetime) -> Head:
    """The first line of a backup that is taken now."""
    keys = service.settings.keys
    new, *old = (base64.b64encode(key).decode() for key in (keys.new, *keys.old))
    return Head(FORMAT, version_of(connection), RELEASE, now.isoformat(), new, tuple(old))


def snapshot(engine: Engine) -> Connection:
    """A connection that reads the database as it is at one moment, whoever writes meanwhile."""
    if engine.dialect.name == "postgresql":
        return engine.execution_options(isolation_level="REPEATABLE READ").connect()
    return reading_engine(engine).connect()


def tables_of(connection: Connection) -> list[Table]:
    """The tables as they are in the database, those that others refer to first."""
    found = MetaData()
    names = [name for name in inspect(connection).get_table_names()
             if name != NOT_KEPT and is_of_the_models(name, "table", None)]
    found.reflect(connection, only=names)
    return found.sorted_tables


def version_of(connection: Connection) -> str:
    """The schema's version; BackupRefused where there is none."""
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


def restore(service: Service, path: Path) -> Done:
    """Fill an empty database from a file, all or nothing, and bring it to this release's schema.

    Raises BackupRefused (the database holds something, the file is damaged or from a newer
    release), OSError.
    """
    head = head_of(path)
    check_whole(path)
    with service.engine.begin() as connection:
        begin_at(connection, head)
        done = filled(connection, path)
        restart_numbers(connection)
    migrate(service.engine)
    with service.writing() as session:
        hear_again(session)
        session.commit()
    return done


def keep_keys(path: Path, var: Path) -> None:
    """Put a whole file's keys where this site looks for its own, unless some are there."""
    check_whole(path)  # the key of one that is refused would stay
    head, files = head_of(path), KeyFiles(var)
    var.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not files.signing.exists():
        at = datetime.fromisoformat(head.at)  # the older ones are kept as if replaced just then
        files.write_old([OldKey(key, at) for key in head.keys.old])
        files.begin(head.keys.new)


def lines_of(path: Path) -> Iterator[bytes]:
    """The lines; BackupRefused where the file is no gzip or ends too early."""
    try:
        with gzip.open(path) as file:
            yield from file
    except (gzip.BadGzipFile, EOFError, zlib.error) as damaged:
        raise BackupRefused(f"{path} is damaged or no backup: {damaged}") from None


def head_of(path: Path) -> Head:
    """What the file says of itself."""
    try:
        head = msgspec.json.decode(next(lines_of(path), b""), type=Head)
    except msgspec.DecodeError:
        raise BackupRefused(f"{path} is no backup of Carreira.") from None
    if head.format != FORMAT:
        raise BackupRefused(f"{path} has the format {head.format!r}; this release reads {FORMAT}.")
    return head


def check_whole(path: Path) -> None:
    """Read the file once, so that nothing is begun with a damaged one."""
    told, before = hashlib.sha256(), b""
    for line in lines_of(path):
        told.update(before)
        before = line
    try:
        end = msgspec.json.decode(before, type=EndLine)
    except msgspec.DecodeError:
        raise BackupRefused(f"{path} ends too early.") from None
    if end.sha256 != told.hexdigest():
        raise BackupRefused(f"{path} is damaged: its sum is not the one it was written with.")


def begin_at(connection: Connection, head: Head) -> None:
    """An empty database of the file's schema; BackupRefused if this one holds anything."""
    if any(connection.execute(select(table).limit(1)).first() for table in tables_of(connection)):
        raise BackupRefused("The database is not empty; a backup goes into an empty one only.")
    present = MigrationContext.configure(connection).get_current_revision()
    wanted = alembic_config(connection)
    try:
        if present is not None and present != head.version:
            command.downgrade(wanted, "base")
        command.upgrade(wanted, head.version)
    except CommandError:
        raise BackupRefused(
            f"The backup is of schema {head.version} (release {head.release}), which this release "
            f"({RELEASE}) does not know; restore it with that one or a later one.") from None


def filled(connection: Connection, path: Path) -> Done:
    """Every row into its table."""
    known = {table.name: table for table in tables_of(connection)}
    lines = iter(lines_of(path))
    next(lines)
    table: Table | None = None
    columns: Sequence[str] = ()
    waiting: list[dict[str, Any]] = []
    tables = rows = 0
    for line in lines:
        if line.startswith(b"["):
            assert table is not None  # noqa: S101  # the sum was right
            waiting.append(row_of(table, columns, msgspec.json.decode(line)))
            rows += 1
            if len(waiting) < AT_ONCE:
                continue
        if table is not None and waiting:
            connection.execute(table.insert(), waiting)
            waiting = []
        if line.startswith(b'{"table"'):
            begun = msgspec.json.decode(line, type=TableLine)
            table, columns = known[begun.table], begun.columns
            tables += 1
    return Done(tables, rows)


def row_of(table: Table, columns: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    """A row as its table takes it."""
    return {
        name: base64.b64decode(value)
        if value is not None and isinstance(table.columns[name].type, LargeBinary) else value
        for name, value in zip(columns, values, strict=True)
    }


def restart_numbers(connection: Connection) -> None:
    """Rows to come are numbered behind those that are there (SQLite does so by itself)."""
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
    """Each database keeps its full text in its own way: it is made anew from what was said."""
    talked = of_models(FoundGame.game_id).where(
        col(FoundGame.game_id).in_(of_models(Chat.game_id).distinct()))
    chat_index.hear(session, session.exec(talked).all())
