"""Erases guests who have stayed away: their row, their lessons, and all that hangs on these.

Nobody else sits in a guest's games but bots, so nothing of other people is lost.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Table, delete, false, or_
from sqlmodel import Session, SQLModel, col, func, select

from pbem.models import GUEST, Game, Person, WebSession

KEPT = timedelta(days=3)  # without use
AT_ONCE = 20


def erase_abandoned(session: Session, now: datetime) -> int:
    """Erase some guests who have not come back for three days; return how many. No commit."""
    guests = abandoned(session, now)
    if not guests:
        return 0
    games = list(session.exec(select(Game.id).where(col(Game.host_id).in_(guests))))
    for table in reversed(SQLModel.metadata.sorted_tables):
        rows = or_(hanging_on(table, "game.id", games), hanging_on(table, "person.id", guests))
        session.connection().execute(delete(table).where(rows))
    session.connection().execute(delete(Person).where(col(Person.id).in_(guests)))
    return len(guests)


def abandoned(session: Session, now: datetime) -> list[int | None]:
    """The ids of some abandoned guests, never the newest person: no id is given out twice."""
    back = select(WebSession.person_id).where(col(WebSession.used) >= now - KEPT)
    return list(session.exec(
        select(Person.id)
        .where(col(Person.address).like(f"%{GUEST}"), col(Person.created) < now - KEPT,
               col(Person.id).not_in(back),
               col(Person.id) < select(func.max(Person.id)).scalar_subquery())
        .order_by(col(Person.id)).limit(AT_ONCE)))


def hanging_on(table: Table, key: str, ids: list[int | None]) -> ColumnElement[bool]:
    """The rows of a table that refer to these rows, or are these games."""
    if table.name == "game" and key == "game.id":
        return table.c.id.in_(ids)
    found = [column.in_(ids) for column in table.columns
             if any(each.target_fullname == key for each in column.foreign_keys)]
    return or_(false(), *found)
