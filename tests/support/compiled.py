"""Templates, routes and statements compiled once for all the services that tests build.

Each has an app and an engine of its own, and compiling would be most of a page's time.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import Any

from jinja2.bccache import Bucket, BytecodeCache
from sqlalchemy import Connection, Engine, event
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.util import LRUCache
from werkzeug.routing import Rule


class Compiled(BytecodeCache):
    """What is compiled, in the memory of the process, by name and source."""

    def __init__(self) -> None:
        self._code: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._code.get(name_of(bucket))

    def dump_bytecode(self, bucket: Bucket) -> None:
        if bucket.code is not None:
            self._code[name_of(bucket)] = bucket.code


def name_of(bucket: Bucket) -> tuple[str, str]:
    """What tells one compiled template from all others."""
    return bucket.key, bucket.checksum


Builder = Callable[..., tuple[str, str]]
_builders: dict[tuple[str, tuple[tuple[bool, str], ...], bool], Builder] = {}


class KnownRule(Rule):
    """A route whose builder of addresses is compiled once for all routes of the same text.

    What is compiled finds all else, as converters, in the route that it is bound to.
    """

    def _compile_builder(self, append_unknown: Any = True) -> Builder:
        if self.defaults:
            return super()._compile_builder(append_unknown)
        known = (self.rule, tuple(self._trace), bool(append_unknown))
        if known not in _builders:
            _builders[known] = super()._compile_builder(append_unknown)
        return _builders[known]


_statements: LRUCache[Any, Any] = LRUCache(5000)


class KnownSQLite(SQLiteDialect_pysqlite):
    """What SQLite is told is the same for every file: equal as a part of a statement's key."""

    supports_statement_cache = True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KnownSQLite)

    def __hash__(self) -> int:
        return hash(KnownSQLite)


@event.listens_for(Engine, "engine_connect")
def know(connection: Connection) -> None:
    """Compile no statement for this engine that was compiled for another one."""
    if connection.dialect.name == "sqlite":
        connection.dialect.__class__ = KnownSQLite
        connection.engine._compiled_cache = _statements
