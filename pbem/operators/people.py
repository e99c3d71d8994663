"""Manages operators, and shows them people: how to reach them, not how they play."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, update
from sqlmodel import Session, col, func, select

from pbem.accounts import auth
from pbem.mail.address import BadAddress, normalise
from pbem.models import GONE, Game, GameState, Person, SeatRow, WebSession
from pbem.operators import acts

MOST = 20  # people of one name


class NotHere(Exception):
    """Raised for an address or id that belongs to nobody."""


# ---- operators ----------------------------------------------------------------------------------


def make(session: Session, person: Person, now: datetime) -> None:
    """Make somebody an operator. The seats that they play are marked for good."""
    person.operator = person.operator or now
    session.add(person)
    session.flush()
    running = select(Game.id).where(Game.state == GameState.RUNNING)
    session.connection().execute(
        update(SeatRow)
        .where(col(SeatRow.person_id) == person.id, col(SeatRow.left).is_(None),
               col(SeatRow.game_id).in_(running))
        .values(operator=True))
    acts.note(session, None, "operator_added", f"p{person.id}", "", now=now)


def unmake(session: Session, person: Person, now: datetime) -> None:
    """End somebody's role as operator.

    Their seats keep the mark, because they could have looked.
    """
    person.operator = None
    session.add(person)
    acts.note(session, None, "operator_removed", f"p{person.id}", "", now=now)


def operators(session: Session) -> list[Person]:
    """Return all operators, the first one first."""
    return list(session.exec(select(Person).where(col(Person.operator).is_not(None))
                             .order_by(col(Person.operator), col(Person.id))))


# ---- others -------------------------------------------------------------------------------------


def by_address(session: Session, text: str) -> Person:
    """Return the person with this first or second address. Raises NotHere."""
    try:
        found = auth.person_with(session, normalise(text))
    except BadAddress:
        found = None
    if found is None:
        raise NotHere
    return found


def found(session: Session, text: str) -> list[Person]:
    """Return the people with exactly this address or name, ignoring case."""
    text = text.strip()
    if "@" in text:
        try:
            return [by_address(session, text)]
        except NotHere:
            return []
    same = func.lower(col(Person.name)) == text.lower()
    return list(session.exec(
        select(Person).where(same, col(Person.bot).is_(None)).order_by(col(Person.id)).limit(MOST)))


def by_number(session: Session, person_id: int) -> Person:
    """Return a player by id. Raises NotHere for bots and closed accounts."""
    person = session.get(Person, person_id)
    if person is None or person.bot is not None or person.address.endswith(GONE):
        raise NotHere
    return person


@dataclass(frozen=True)
class Seen:
    """What an operator sees of a person beside their row."""

    games: list[Game]  # open and running games with their seat
    played: int  # number of finished games
    browsers: list[WebSession]


def seen(session: Session, person: Person, now: datetime) -> Seen:
    """Return what an operator sees of somebody: no hands, no notes, no chat."""
    sits = select(SeatRow.game_id).where(
        SeatRow.person_id == person.id, col(SeatRow.left).is_(None))
    games = session.exec(
        select(Game).where(col(Game.id).in_(sits),
                           col(Game.state).in_((GameState.OPEN, GameState.RUNNING)))
        .order_by(col(Game.id).desc()))
    played = select(func.count()).select_from(Game).where(
        col(Game.id).in_(sits), Game.state == GameState.FINISHED)
    return Seen(list(games), session.exec(played).one(),
                auth.browsers_of(session, person.id or 0, now))


def end_sessions(
    session: Session, operator: Person, person: Person, why: str, *, now: datetime
) -> None:
    """Sign somebody out of all browsers."""
    session.connection().execute(
        delete(WebSession).where(col(WebSession.person_id) == person.id))
    acts.note(session, operator, "sessions_ended", f"p{person.id}", why, now=now)
