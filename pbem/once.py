"""What several parts of one page ask for, read once: for sessions that only read one page's data.

A session that writes has nothing of this: there, each asking reads what stands there now.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from sqlmodel import Session

T = TypeVar("T")
KEPT = "read once"


def keep(session: Session) -> None:
    """From now on this session reads the same thing but once."""
    session.info[KEPT] = {}


def once(session: Session, key: Hashable, read: Callable[[], T]) -> T:
    """What `read` gives; in a session that keeps, what it gave for this key before."""
    kept: dict[Hashable, Any] | None = session.info.get(KEPT)
    if kept is None:
        return read()
    if key not in kept:
        kept[key] = read()
    found: T = kept[key]
    return found
