"""Reads the lines of a backup file, and refuses damaged or foreign ones.

A file is gzipped JSON lines: a head, then each table's name and columns before its rows, then the
number of rows and the SHA-256 of all lines before. Files are not trusted: lines are bounded, and
every unexpected one is refused by its number.
"""

from __future__ import annotations

import base64
import errno
import gzip
import hashlib
import os
import re
import zlib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from pbem.accounts.keys import SHORTEST, Keys

FORMAT = "carreira-backup-1"
LONGEST_LINE = 16 * 1024 * 1024  # bytes; the longest row has a letter of a megabyte
VERSION = re.compile(r"[0-9]{4}")
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class BackupRefused(Exception):
    """Why a file cannot be written or restored, in one line."""


class BackupHead(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The first line. The keys are base64; links in old letters need them."""

    format: str
    version: str  # of the schema
    release: str
    at: str
    secret_key: str
    old_keys: tuple[str, ...] = ()

    @property
    def keys(self) -> Keys:
        """The keys of the site that wrote the file."""
        return Keys(base64.b64decode(self.secret_key, validate=True),
                    tuple(base64.b64decode(key, validate=True) for key in self.old_keys))


class TableLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The line before a table's rows."""

    table: str
    columns: tuple[str, ...]


class EndLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The last line."""

    rows: int
    sha256: str


class BackupRow(NamedTuple):
    """A table's row, with its line number."""

    line: int
    values: dict[str, Any]


def refused(path: Path, line: int, reason: str) -> BackupRefused:
    """A refusal that names the line."""
    return BackupRefused(f"{path} is damaged or no backup: line {line} {reason}.")


def lines_of(path: Path) -> Iterator[bytes]:
    """The file's lines. Raises BackupRefused for bad gzip, an early end or a line too long."""
    try:
        with gzip.open(path) as file:
            number = 0
            while line := file.readline(LONGEST_LINE + 1):
                number += 1
                if len(line) > LONGEST_LINE:
                    raise refused(path, number, f"is longer than {LONGEST_LINE} bytes")
                yield line
    except (gzip.BadGzipFile, EOFError, zlib.error) as damaged:
        raise BackupRefused(f"{path} is damaged or no backup: {damaged}") from None


def head_of(path: Path) -> BackupHead:
    """The file's head. Raises BackupRefused."""
    try:
        head = msgspec.json.decode(next(lines_of(path), b""), type=BackupHead)
    except UNREADABLE:
        raise BackupRefused(f"{path} is no backup of Carreira.") from None
    if head.format != FORMAT:
        raise BackupRefused(f"{path} has the format {head.format!r}; this release reads {FORMAT}.")
    if not VERSION.fullmatch(head.version):
        raise refused(path, 1, "names no version of a schema")
    try:
        datetime.fromisoformat(head.at)
        keys = head.keys
    except ValueError:
        raise refused(path, 1, "has a date or a key that is none") from None
    if min(map(len, (keys.new, *keys.old))) < SHORTEST:
        raise refused(path, 1, f"has a key of fewer than {SHORTEST} bytes")
    return head


def check_whole(path: Path) -> None:
    """Read the whole file once, before anything is done with it. Raises BackupRefused."""
    told, before, rows = hashlib.sha256(), b"", 0
    for line in lines_of(path):
        told.update(before)
        rows += before.startswith(b"[")
        before = line
    try:
        end = msgspec.json.decode(before, type=EndLine)
    except UNREADABLE:
        raise BackupRefused(f"{path} ends too early.") from None
    if end.sha256 != told.hexdigest():
        raise BackupRefused(f"{path} is damaged: its sum is not the one it was written with.")
    if end.rows != rows:
        raise BackupRefused(f"{path} is damaged: it has {rows} rows, and says {end.rows}.")
    for _ in parts_of(path):
        pass


def parts_of(path: Path) -> Iterator[TableLine | BackupRow]:
    """Tables and their rows, in order. Raises BackupRefused for any other line."""
    table: TableLine | None = None
    before: tuple[int, bytes] | None = None  # the last line is the sum's
    for number, line in enumerate(lines_of(path), start=1):
        if before is not None:
            table, row = part(path, *before, table)
            yield table if row is None else row
        before = (number, line) if number > 1 else None


def part(
    path: Path, number: int, line: bytes, table: TableLine | None
) -> tuple[TableLine, BackupRow | None]:
    """The table that a line begins, or a row of the present table."""
    try:
        if not line.startswith(b"["):
            begun = msgspec.json.decode(line, type=TableLine)
            if len(set(begun.columns)) != len(begun.columns):
                raise refused(path, number, "names a column twice")
            return begun, None
        values = msgspec.json.decode(line, type=list[str | int | float | bool | None])
    except UNREADABLE:
        raise refused(path, number, "is neither a table nor a row") from None
    if table is None:
        raise refused(path, number, "is a row of no table")
    if len(values) != len(table.columns):
        raise refused(path, number, f"has {len(values)} values for {len(table.columns)} columns of "
                      f"table {table.table[:40]}")
    return table, BackupRow(number, dict(zip(table.columns, values, strict=True)))


def check_place(path: Path) -> None:
    """Raise OSError if the path exists and is no regular file, such as a device."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "is there, but is no file; it is left as it is", str(path))
