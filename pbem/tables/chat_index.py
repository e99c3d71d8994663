"""Keeps the archive's index of chats and names up to date."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete
from sqlmodel import Session, col, select

from pbem.models import Chat, Game, Person, SeatRow, stored_id
from pbem.models.archive import FoundGame, FoundName
from pbem.tables import full_text


def searchable_text(session: Session, row: Game) -> str:
    """The game's title and all chat lines; after the game everybody may read them."""
    lines = session.exec(
        select(Chat.text).where(Chat.game_id == row.id).order_by(col(Chat.id)))
    return "\n".join([row.title, *lines])


def index_chats(session: Session, game_ids: Sequence[int]) -> None:
    """Index the chats of finished games again, after lines were added or removed; no commit.

    Locks the games' index rows, so that two writers do not lose each other's lines.
    """
    known = select(FoundGame).where(col(FoundGame.game_id).in_(game_ids))
    for found in session.exec(known.order_by(col(FoundGame.game_id)).with_for_update()).all():
        row = session.get_one(Game, found.game_id)
        full_text.index_text(session, found.newness, searchable_text(session, row))


def games_with_chats_of(session: Session, person: Person) -> list[int]:
    """The ids of games in whose chats a person has written."""
    return list(session.exec(
        select(Chat.game_id).where(Chat.person_id == person.id).distinct()))


def forget_names(session: Session, person: Person, talked_in: Sequence[int]) -> None:
    """Replace all indexed names of a person by their present one; no commit."""
    number = stored_id(person)
    session.connection().execute(delete(FoundName).where(col(FoundName.person_id) == number))
    index_names(session, number, person.name)
    index_chats(session, talked_in)


def rename(session: Session, person: Person) -> None:
    """Index a person's new name beside the names that they have played under; no commit."""
    number = stored_id(person)
    played = session.exec(
        select(SeatRow.name).join(FoundGame, col(FoundGame.game_id) == col(SeatRow.game_id))
        .where(SeatRow.person_id == number).distinct()
    ).all()
    if played:
        session.connection().execute(delete(FoundName).where(col(FoundName.person_id) == number))
        index_names(session, number, person.name, *played)


def index_names(session: Session, person_id: int, *names: str) -> None:
    """Index these names of a person; no commit."""
    for name in {full_text.plain(name) for name in names}:
        if session.get(FoundName, (name, person_id)) is None:
            session.add(FoundName(name=name, person_id=person_id))
    session.flush()
