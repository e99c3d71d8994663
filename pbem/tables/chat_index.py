"""What was said at the tables of finished games, as the archive hears it."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete
from sqlmodel import Session, col, select

from pbem.models import Chat, Game, Person, SeatRow, stored_id
from pbem.models.archive import FoundGame, FoundName
from pbem.tables import full_text


def said_at(session: Session, row: Game) -> str:
    """The game's title and all that was said there, open to whoever may see the game."""
    lines = session.exec(
        select(Chat.text).where(Chat.game_id == row.id).order_by(col(Chat.id)))
    return "\n".join([row.title, *lines])


def hear(session: Session, game_ids: Sequence[int]) -> None:
    """Take in what has been said, or unsaid, in games that the archive knows; no commit.

    One after the other: who comes second hears what the first has said, or removed.
    """
    known = select(FoundGame).where(col(FoundGame.game_id).in_(game_ids))
    for found in session.exec(known.order_by(col(FoundGame.game_id)).with_for_update()).all():
        row = session.get_one(Game, found.game_id)
        full_text.put(session, found.newness, said_at(session, row))


def games_talked_in(session: Session, person: Person) -> list[int]:
    """The games at whose tables somebody has said something."""
    return list(session.exec(
        select(Chat.game_id).where(Chat.person_id == person.id).distinct()))


def forget(session: Session, person: Person, talked_in: Sequence[int]) -> None:
    """Somebody has left, under another name: the old ones lead nowhere; no commit."""
    number = stored_id(person)
    session.connection().execute(delete(FoundName).where(col(FoundName.person_id) == number))
    know(session, number, person.name)
    hear(session, talked_in)


def rename(session: Session, person: Person) -> None:
    """Somebody has another name: found by it, and by those under which he played; no commit."""
    number = stored_id(person)
    played = session.exec(
        select(SeatRow.name).join(FoundGame, col(FoundGame.game_id) == col(SeatRow.game_id))
        .where(SeatRow.person_id == number).distinct()
    ).all()
    if played:
        session.connection().execute(delete(FoundName).where(col(FoundName.person_id) == number))
        know(session, number, person.name, *played)


def know(session: Session, person_id: int, *names: str) -> None:
    """Somebody is found under these names; no commit."""
    for name in {full_text.plain(name) for name in names}:
        if session.get(FoundName, (name, person_id)) is None:
            session.add(FoundName(name=name, person_id=person_id))
    session.flush()
