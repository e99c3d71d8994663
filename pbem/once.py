"""What several parts of a page or letter ask for, read once: for sessions that only read for it.

A session that writes has nothing of this: there, each asking reads what stands there now.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from sqlmodel import Session, SQLModel

T = TypeVar("T")
R = TypeVar("R", bound=SQLModel)
KEPT = "read once"


def keep(session: Session) -> None:
    """From now on this session reads the same thing but once."""
    session.info[KEPT] = {}


def row_of(session: Session, kind: type[R], key: Any) -> R | None:
    """A row by its key; a session that keeps holds it, so that asking again reads nothing.

    Otherwise a session forgets a row as soon as nobody has it in hand.
    """
    return once(session, (kind, key), lambda: session.get(kind, key))


def once(session: Session, key: Hashable, read: Callable[[], T]) -> T:
    """What `read` gives; in a session that keeps, what it gave for this key before."""
    kept: dict[Hashable, Any] | None = session.info.get(KEPT)
    if kept is None:
        return read()
    if key not in kept:
        kept[key] = read()
    found: T = kept[key]
    return found
