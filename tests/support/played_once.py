"""Play that many tests begin with, played once: the next test with it gets what was stored.

Nothing is left out of the database: what is kept is the whole of it, found again by all rows that
were there before, what is to be played, and the time.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from types import CodeType
from typing import Any

from sqlmodel import Session

from pbem.service import Service

KEPT = 80  # databases in memory, of half a megabyte each: those that were asked for last

_kept: dict[str, tuple[sqlite3.Connection, int]] = {}


def played_once(
    service: Service, session: Session, play: Callable[[], int], *what: Any
) -> int:
    """Play, or store what came of the same play before it; what `play` returned."""
    said = said_of(what)
    if said is None:
        return play()
    return done_once(session, play, *said, str(service.clock.now()))


def done_once(session: Session, play: Callable[[], int], *said: str) -> int:
    """Do what `said` tells in full, or store what came of the same before it."""
    session.commit()  # what the test has changed goes before
    bind = session.get_bind()
    path = bind.engine.url.database
    if bind.dialect.name != "sqlite" or not path or not Path(path).exists():
        return play()
    with closing(sqlite3.connect(Path(path))) as database:
        key = fingerprint(database, said)
        if key in _kept:
            copy, found = _kept[key] = _kept.pop(key)
            copy.backup(database)
            refresh_all(session)
            return found
        found = play()
        session.commit()
        if len(_kept) == KEPT:
            _kept.pop(next(iter(_kept)))[0].close()
        copy = sqlite3.connect(":memory:", check_same_thread=False)
        database.backup(copy)
        _kept[key] = copy, found
    return found


def refresh_all(session: Session) -> None:
    """What the test holds is as it is stored now; nothing is left to be read later."""
    for held in list(session.identity_map.values()):
        session.refresh(held)
    session.commit()


def said_of(what: tuple[Any, ...]) -> list[str] | None:
    """What is to be played, as texts; None for what looks at more than it is given."""
    said = []
    for each in what:
        if not callable(each):
            said.append(repr(each))
        elif getattr(each, "__closure__", None):
            return None
        else:
            said.append(f"{each.__module__} {told(each.__code__)}")
    return said


def told(code: CodeType) -> str:
    """What a function does, and the names it looks up."""
    consts = [told(each) if isinstance(each, CodeType) else repr(each) for each in code.co_consts]
    return f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {consts}"


def fingerprint(database: sqlite3.Connection, said: Sequence[str]) -> str:
    """All that is in the database, and what is to be played."""
    found = hashlib.sha256(repr(tuple(said)).encode())
    tables = database.execute("select name from sqlite_master where type = 'table' order by name")
    for (table,) in tables.fetchall():
        for row in database.execute(f'select * from "{table}"'):  # noqa: S608  # names of our own
            found.update(repr((table, row)).encode())
    return found.hexdigest()
