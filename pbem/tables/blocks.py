"""Players who want to be left alone by others: whom they have blocked, and what that keeps apart.

Who is blocked is not told of it: he is answered as anybody is for whom there is no chair.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import or_
from sqlmodel import Session, col, delete, select

from pbem.models import (
    GONE,
    Game,
    GameState,
    NeverInvite,
    Person,
    SeatRow,
    stored_id,
)
from pbem.models.operators import Block
from pbem.play.refusals import TableRefused

MOST = 200  # people whom one has blocked
OPEN_OR_RUNNING = (GameState.RUNNING, GameState.OPEN)


# ---- blocking -----------------------------------------------------------------------------------


def can_be_blocked(person: Person, other: Person) -> bool:
    """Whether there is somebody behind this player who could disturb the first one."""
    return (other.id != person.id and other.bot is None
            and not other.address.endswith(GONE))


def block(session: Session, person: Person, other: Person, now: datetime) -> list[Game]:
    """Have nothing to do with somebody any more; the games that both are in. No commit.

    The blocker's games are locked first: whoever sits down there has done so before, or is refused.
    """
    mine = select(Game).join(SeatRow, col(SeatRow.game_id) == col(Game.id)).where(
        SeatRow.person_id == person.id, col(Game.state).in_(OPEN_OR_RUNNING))
    # Running games first, as whoever leaves for good locks his.
    order = (col(Game.state).desc(), col(Game.id))
    games = list(session.exec(mine.order_by(*order).with_for_update(of=Game)))
    if session.get(Block, (person.id, other.id)) is None:
        if len(blocked_by(session, person.id)) >= MOST:
            raise TableRefused("blocked_enough", most=MOST)
        session.add(Block(person_id=stored_id(person), blocked_id=stored_id(other), since=now))
        session.flush()
    there = set(session.exec(
        select(SeatRow.game_id).where(col(SeatRow.game_id).in_([game.id for game in games]),
                                      SeatRow.person_id == other.id)))
    return [game for game in games if game.id in there]


def lift(session: Session, person: Person, other_id: int) -> None:
    """Take that back; no commit."""
    session.execute(delete(Block).where(
        col(Block.person_id) == person.id, col(Block.blocked_id) == other_id))


def listed(session: Session, person: Person) -> list[Person]:
    """Whom a person has blocked, the last first."""
    found = select(Person).join(Block, col(Block.blocked_id) == col(Person.id)).where(
        Block.person_id == person.id)
    return list(session.exec(found.order_by(col(Block.since).desc(), col(Person.id))))


def blocked_by(session: Session, person_id: int | None) -> frozenset[int]:
    """The ids of those whom a person has blocked."""
    if person_id is None:
        return frozenset()
    return frozenset(session.exec(
        select(Block.blocked_id).where(Block.person_id == person_id)))


def has_blocked(session: Session, person: Person | None, other_id: int) -> bool:
    """Whether a person wants nothing from that other one."""
    return person is not None and other_id in blocked_by(session, person.id)


# ---- tables -------------------------------------------------------------------------------------


def at_table(session: Session, game_id: int) -> Any:
    """The ids of a game's host and of who sits in it, as a query's condition on an id."""
    seated = select(SeatRow.person_id).where(
        SeatRow.game_id == game_id, col(SeatRow.resigned).is_(None))
    host = select(Game.host_id).where(Game.id == game_id)
    return lambda column: or_(column.in_(seated), column.in_(host))


def shuts_out(session: Session, game_id: int, person: Person) -> bool:
    """Whether the host or somebody who sits there has blocked this person."""
    there = at_table(session, game_id)
    found = select(Block.person_id).where(
        Block.blocked_id == person.id, there(col(Block.person_id)))
    return person.bot is None and session.exec(found.limit(1)).first() is not None


def shut_out_of(
    session: Session, game_ids: Sequence[int | None], person_id: int | None
) -> set[int]:
    """Those of these open games in which the host or somebody who sits there has blocked him."""
    if person_id is None:
        return set()
    blockers = select(Block.person_id).where(Block.blocked_id == person_id)
    seated = select(SeatRow.game_id).where(col(SeatRow.person_id).in_(blockers))
    found = session.exec(select(Game.id).where(
        col(Game.id).in_(game_ids),
        col(Game.id).in_(seated) | col(Game.host_id).in_(blockers)))
    return {number for number in found if number is not None}


def beside(session: Session, game_id: int, person: Person | None) -> Sequence[Person]:
    """Those at a table whom this person has blocked."""
    if person is None or person.bot is not None or not blocked_by(session, person.id):
        return []
    there = at_table(session, game_id)
    return session.exec(
        select(Person).join(Block, col(Block.blocked_id) == col(Person.id))
        .where(Block.person_id == person.id, there(col(Block.blocked_id)))
        .order_by(col(Person.id))).all()


def unwarned(
    session: Session, game_id: int, person: Person, knows: Collection[int]
) -> Sequence[str]:
    """The names of those at a table whom this person has blocked and was not told to be there."""
    return [other.name for other in beside(session, game_id, person) if other.id not in knows]


def peaceful(session: Session, people: Sequence[Person]) -> list[Person]:
    """These people, those last whom others of them have blocked: so no blocker loses his chair."""
    ids = [person.id for person in people]
    blocked = set(session.exec(
        select(Block.blocked_id).where(
            col(Block.person_id).in_(ids), col(Block.blocked_id).in_(ids))))
    return sorted(people, key=lambda person: person.id in blocked)


def refuses_invitations(session: Session, address: str) -> bool:
    """Whether this address is never to be invited; only its hash is known."""
    return session.get(NeverInvite, hashlib.sha256(address.encode()).hexdigest()) is not None
