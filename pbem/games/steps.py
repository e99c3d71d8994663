"""One entry as somebody who leafs through a game meets it: whose it is, when and how it came.

While a game runs only its owner may know that an entry was automatic, so only he is told how it
came, and others learn the day instead of the minute: orders said ahead would show in it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

import sqlalchemy
from sqlalchemy import bindparam
from sqlmodel import Session

from engine.api import Viewer
from pbem.models import Entry, Game, GameState, Submission
from pbem.words import msgid

HOW = {
    "page": msgid("sent from the page"),
    "mail": msgid("sent by mail"),
    "api": msgid("sent by a program"),
    "bot": msgid("played by a bot"),
    "forced": msgid("played by itself: there was no choice"),
    "default": msgid("played for a player who resigned"),
}


@dataclass(frozen=True)
class Made:
    """An entry: its seat, its moment, and what the reader may know of how it came, of `HOW`."""

    seat: int | None
    at: datetime
    is_exact: bool
    how: str = ""


_entries = Entry.__table__  # type: ignore[attr-defined]
_submissions = Submission.__table__  # type: ignore[attr-defined]
_MADE = (
    sqlalchemy.select(
        _entries.c.seat, _entries.c.cause, _entries.c.at, _submissions.c.source,
    )
    .join_from(
        _entries, _submissions, _submissions.c.id == _entries.c.submission_id, isouter=True)
    .where(_entries.c.game_id == bindparam("game"), _entries.c.number == bindparam("number"))
)  # fmt: skip
_own = (
    sqlalchemy.select(_entries.c.number)
    .where(
        _entries.c.game_id == bindparam("game"), _entries.c.seat == bindparam("seat"),
        _entries.c.cause == "order",
    )
    .limit(1)
)  # fmt: skip
_EARLIER = _own.where(_entries.c.number < bindparam("number")).order_by(_entries.c.number.desc())
_LATER = _own.where(_entries.c.number > bindparam("number")).order_by(_entries.c.number)


def made(session: Session, row: Game, number: int, viewer: Viewer) -> Made:
    """Who made an entry, as far as this viewer may know."""
    found = session.execute(_MADE, {"game": row.id, "number": number}).one()
    how = found.source if found.cause == "order" else found.cause
    return as_known(row, Made(found.seat, found.at, is_exact=True, how=how or ""), viewer)


def as_known(row: Game, entry: Made, viewer: Viewer) -> Made:
    """As much of how an entry was made as this viewer may know."""
    if row.state == GameState.RUNNING and (entry.seat is None or entry.seat != viewer):
        return Made(entry.seat, entry.at, is_exact=False)
    return entry if entry.how in HOW else replace(entry, how="")


def own_turns(
    session: Session, row: Game, seat: int, number: int
) -> tuple[int | None, int | None]:
    """The seat's own last move in front of an entry, and its next one behind it."""
    values = {"game": row.id, "seat": seat, "number": number}
    return session.execute(_EARLIER, values).scalar(), session.execute(_LATER, values).scalar()
