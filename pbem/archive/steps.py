"""Describes who made an entry, when and how, for somebody who steps through a game.

While a game runs, only the seat's owner may know that an entry was automatic. Only they see how it
came, and others see the day instead of the minute. Otherwise orders ahead would show.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy
from sqlalchemy import bindparam
from sqlmodel import Session, col

from engine.api import Viewer
from pbem.i18n.words import msgid
from pbem.models import Entry, Game, GameState, SeatRow, Submission
from pbem.models.causes import CHOSEN

HOW = {
    "page": msgid("sent from the page"),
    "mail": msgid("sent by mail"),
    "api": msgid("sent by a program"),
    "bot": msgid("played by a bot"),
    "forced": msgid("played by itself: there was no choice"),
    "default": msgid("played for a player who did not answer or has left"),
    "standing": msgid("ordered ahead"),
}


@dataclass(frozen=True)
class Made:
    """An entry: its seat, its time, and what the reader may know of its origin, one of `HOW`."""

    seat: int | None
    at: datetime
    is_exact: bool
    how: str = ""


_MADE = (
    sqlalchemy.select(
        col(Entry.number), col(Entry.seat), col(Entry.cause), col(Entry.at),
        col(Submission.source),
    )
    .join_from(
        Entry, Submission, col(Submission.id) == col(Entry.submission_id), isouter=True)
    .where(
        col(Entry.game_id) == bindparam("game"),
        col(Entry.number).between(bindparam("first"), bindparam("last")),
    )
)  # fmt: skip
_HOLDS_FROM = sqlalchemy.select(col(SeatRow.holds_from)).where(
    col(SeatRow.game_id) == bindparam("game"), col(SeatRow.number) == bindparam("seat"))
_own = (
    sqlalchemy.select(col(Entry.number))
    .where(
        col(Entry.game_id) == bindparam("game"), col(Entry.seat) == bindparam("seat"),
        col(Entry.cause).in_(CHOSEN),
    )
    .limit(1)
)  # fmt: skip
_EARLIER = _own.where(col(Entry.number) < bindparam("number")).order_by(col(Entry.number).desc())
_LATER = _own.where(col(Entry.number) > bindparam("number")).order_by(col(Entry.number))


def made(session: Session, row: Game, number: int, viewer: Viewer) -> Made:
    """Return who made an entry, as far as this viewer may know."""
    return made_from(session, row, number, number, viewer)[number]


def made_from(
    session: Session, row: Game, first: int, last: int, viewer: Viewer
) -> dict[int, Made]:
    """Return who made the entries from `first` to `last`, as far as this viewer may know.

    While the game runs, the origin and the time are shown for one's own entries only, and not for
    those that somebody else made in one's seat.
    """
    entries = session.execute(_MADE, {"game": row.id, "first": first, "last": last})
    found = {
        each.number: Made(each.seat, each.at, is_exact=True, how=how_of(each)) for each in entries
    }
    if row.state != GameState.RUNNING:
        return found
    behind = None if viewer is None else session.execute(
        _HOLDS_FROM, {"game": row.id, "seat": viewer}).scalar()
    return {
        number: entry if entry.seat is not None and entry.seat == viewer and number > (behind or 0)
        else Made(entry.seat, entry.at, is_exact=False)
        for number, entry in found.items()
    }


def how_of(entry: Any) -> str:
    """Return the origin of an entry, one of `HOW`, or ""."""
    how = entry.source if entry.cause == "order" else entry.cause
    return how if how in HOW else ""


def own_turns(
    session: Session, row: Game, seat: int, number: int
) -> tuple[int | None, int | None]:
    """Return the seat's own last move before an entry, and its next one after it."""
    values = {"game": row.id, "seat": seat, "number": number}
    return session.execute(_EARLIER, values).scalar(), session.execute(_LATER, values).scalar()
