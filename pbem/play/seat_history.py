"""Who held which seat of a game, and until when."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from pbem.models import Game, PastHolder
from pbem.models.causes import LEFT
from pbem.play.positions import LoggedEntry, Mark

ABOUT_WHO = LEFT | {"seated", "overtime"}


_PAST = select(PastHolder).where(
    PastHolder.game_id == bindparam("game")).order_by(col(PastHolder.until))


def past(session: Session, game_id: int | None) -> list[PastHolder]:
    """Who has left seats of a game, in the order of that; also those whose seats are vacant."""
    return list(session.exec(
        _PAST, params={"game": game_id}))


def past_of(session: Session, row: Game, marks: Sequence[Mark]) -> list[PastHolder]:
    """The same, spared where no entry tells of anybody who left."""
    return past(session, row.id) if any(mark.cause in LEFT for mark in marks) else []


def names_in(
    entry: LoggedEntry, names: Sequence[str], gone: Sequence[PastHolder]
) -> Sequence[str]:
    """The names by which an entry is told: who left or came is called as he was, not as now."""
    if entry.seat is None or entry.cause not in ABOUT_WHO:
        return names
    then = next((one.name for one in gone if one.seat == entry.seat
                 and one.until >= entry.number), names[entry.seat])
    return [then if seat == entry.seat else name for seat, name in enumerate(names)]
