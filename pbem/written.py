"""Rows that every move changes, written by plain statements.

A unit of work, by which all else that a session changes is written, takes six times as long.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import bindparam, inspect, update
from sqlmodel import Session, SQLModel

from pbem.prepared import Prepared

BY = "of_"  # in front of a key's name, where it says which row


def write(session: Session, *rows: SQLModel) -> None:
    """Write what has changed of rows that this session has read."""
    for row in rows:
        state = inspect(row)
        now, before = state.dict, state.committed_state
        changed = {name: now[name] for name in before if now[name] != before[name]}
        if changed:
            kind = type(row)
            which = {BY + key: now[key] for key in _keys(kind)}
            _update(kind, tuple(sorted(changed))).run(session, changed | which)
        if before:
            state._commit_all(now, session.identity_map)


@cache
def _keys(kind: Any) -> tuple[str, ...]:
    return tuple(column.name for column in kind.__table__.primary_key)


@cache
def _update(kind: Any, names: tuple[str, ...]) -> Prepared:
    """Updates these columns of a row; built once."""
    table = kind.__table__
    which = [table.c[key] == bindparam(BY + key) for key in _keys(kind)]
    return Prepared(
        update(table).where(*which).values({name: bindparam(name) for name in names}))
