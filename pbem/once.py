"""What several parts of a page or letter ask for, read once: for sessions that only read for it.

A session that writes has nothing of this: there, each asking reads what stands there now.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from sqlmodel import Session, SQLModel

T = TypeVar("T")
R = TypeVar("R", bound=SQLModel)
KEPT, EMPTY = "read once", "known to be empty"


def keep(session: Session) -> None:
    """From now on this session reads the same thing but once."""
    session.info[KEPT] = {}


def row_of(session: Session, kind: type[R], key: Any) -> R | None:
    """A row by its key; a session that keeps holds it, so that asking again reads nothing.

    Otherwise a session forgets a row as soon as nobody has it in hand.
    """
    if KEPT not in session.info:
        return session.get(kind, key)
    return once(session, (kind, key), lambda: session.get(kind, key))


def holds(session: Session, key: Hashable, value: Any) -> None:
    """Give a session that keeps what it reads something that was read together with another."""
    kept: dict[Hashable, Any] | None = session.info.get(KEPT)
    if kept is not None:
        kept.setdefault(key, value)


def holds_nothing(session: Session, *lists: Hashable) -> None:
    """From now on this session knows that these lists are empty."""
    session.info.setdefault(EMPTY, set()).update(lists)


def is_empty(session: Session, asked: Hashable) -> bool:
    """Whether a list need not be read, as this session knows that it holds nothing."""
    return asked in session.info.get(EMPTY, ())


def once(session: Session, key: Hashable, read: Callable[[], T]) -> T:
    """What `read` gives; in a session that keeps, what it gave for this key before."""
    kept: dict[Hashable, Any] | None = session.info.get(KEPT)
    if kept is None:
        return read()
    if key not in kept:
        kept[key] = read()
    found: T = kept[key]
    return found
