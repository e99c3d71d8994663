"""Blocks between players: who has blocked whom, and which tables that closes.

Nobody is told that they are blocked: they get the answer for a table without a free chair.
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

MOST = 200  # people that one person can block
OPEN_OR_RUNNING = (GameState.RUNNING, GameState.OPEN)


# ---- blocking -----------------------------------------------------------------------------------


def can_be_blocked(person: Person, other: Person) -> bool:
    """Whether `person` can block `other`: not themselves, a bot or a closed account."""
    return (other.id != person.id and other.bot is None
            and not other.address.endswith(GONE))


def block(session: Session, person: Person, other: Person, now: datetime) -> list[Game]:
    """Block somebody; return the open and running games that both are in. The caller commits.

    The blocker's games are locked first, so that nobody sits down there meanwhile. Raises
    TableRefused (blocked_enough).
    """
    mine = select(Game).join(SeatRow, col(SeatRow.game_id) == col(Game.id)).where(
        SeatRow.person_id == person.id, col(Game.state).in_(OPEN_OR_RUNNING))
    # Running games first: closing an account locks games in this order, too.
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


def unblock(session: Session, person: Person, other_id: int) -> None:
    """Lift a block; the caller commits."""
    session.execute(delete(Block).where(
        col(Block.person_id) == person.id, col(Block.blocked_id) == other_id))


def blocked_people(session: Session, person: Person) -> list[Person]:
    """The people that a person has blocked, newest first."""
    found = select(Person).join(Block, col(Block.blocked_id) == col(Person.id)).where(
        Block.person_id == person.id)
    return list(session.exec(found.order_by(col(Block.since).desc(), col(Person.id))))


def blocked_by(session: Session, person_id: int | None) -> frozenset[int]:
    """The ids of the people that a person has blocked."""
    if person_id is None:
        return frozenset()
    return frozenset(session.exec(
        select(Block.blocked_id).where(Block.person_id == person_id)))


def has_blocked(session: Session, person: Person | None, other_id: int) -> bool:
    """Whether a person has blocked that other one."""
    return person is not None and other_id in blocked_by(session, person.id)


# ---- tables -------------------------------------------------------------------------------------


def at_table(session: Session, game_id: int) -> Any:
    """A condition on a column of person ids: the game's host and the people who sit there."""
    seated = select(SeatRow.person_id).where(
        SeatRow.game_id == game_id, col(SeatRow.resigned).is_(None))
    host = select(Game.host_id).where(Game.id == game_id)
    return lambda column: or_(column.in_(seated), column.in_(host))


def is_shut_out(session: Session, game_id: int, person: Person) -> bool:
    """Whether the host or somebody at the table has blocked this person."""
    there = at_table(session, game_id)
    found = select(Block.person_id).where(
        Block.blocked_id == person.id, there(col(Block.person_id)))
    return person.bot is None and session.exec(found.limit(1)).first() is not None


def shut_out_of(
    session: Session, game_ids: Sequence[int | None], person_id: int | None
) -> set[int]:
    """Those of these open games whose host or players have blocked this person."""
    if person_id is None:
        return set()
    blockers = select(Block.person_id).where(Block.blocked_id == person_id)
    seated = select(SeatRow.game_id).where(col(SeatRow.person_id).in_(blockers))
    found = session.exec(select(Game.id).where(
        col(Game.id).in_(game_ids),
        col(Game.id).in_(seated) | col(Game.host_id).in_(blockers)))
    return {number for number in found if number is not None}


def blocked_at_table(session: Session, game_id: int, person: Person | None) -> Sequence[Person]:
    """The people at a table whom this person has blocked."""
    if person is None or person.bot is not None or not blocked_by(session, person.id):
        return []
    there = at_table(session, game_id)
    return session.exec(
        select(Person).join(Block, col(Block.blocked_id) == col(Person.id))
        .where(Block.person_id == person.id, there(col(Block.blocked_id)))
        .order_by(col(Person.id))).all()


def unwarned_names(
    session: Session, game_id: int, person: Person, knows: Collection[int]
) -> Sequence[str]:
    """The names of people at a table whom this person has blocked and was not warned of."""
    there = blocked_at_table(session, game_id, person)
    return [other.name for other in there if other.id not in knows]


def blocked_last(session: Session, people: Sequence[Person]) -> list[Person]:
    """These people, with those whom others of them have blocked last: blockers keep chairs."""
    ids = [person.id for person in people]
    blocked = set(session.exec(
        select(Block.blocked_id).where(
            col(Block.person_id).in_(ids), col(Block.blocked_id).in_(ids))))
    return sorted(people, key=lambda person: person.id in blocked)


def refuses_invitations(session: Session, address: str) -> bool:
    """Whether this address never wants to be invited; only its hash is stored."""
    return session.get(NeverInvite, hashlib.sha256(address.encode()).hexdigest()) is not None
