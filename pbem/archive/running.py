"""Lists unfinished games that a reader may see, by player and game."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, or_
from sqlmodel import Session, col, select

from pbem.models import Game, GameState, Person, SeatRow
from pbem.tables import lists

A_PAGE = 50
STATES = tuple(state.value for state in GameState if state != GameState.FINISHED)


@dataclass(frozen=True)
class Wanted:
    """The filters of the list. Empty values filter nothing."""

    state: str
    player: str = ""
    game: str = ""
    before: int | None = None  # only games with a smaller id


@dataclass(frozen=True)
class Found:
    """A page of the list, and the game before which the next page begins."""

    games: list[lists.ListedGame]
    more_before: int | None


def find(session: Session, wanted: Wanted, reader: Person | None) -> Found:
    """Return the games that this reader may see, newest first."""
    reader_id = None if reader is None else reader.id
    query = select(Game).where(
        Game.state == wanted.state, or_(col(Game.private).is_(False), _sits(reader_id)))
    if wanted.game:
        query = query.where(Game.game == wanted.game)
    if wanted.player:
        query = query.where(col(Game.id).in_(_games_of(wanted.player)))
    if wanted.before is not None:
        query = query.where(col(Game.id) < wanted.before)
    games = session.exec(query.order_by(col(Game.id).desc()).limit(A_PAGE + 1)).all()
    more = games[A_PAGE - 1].id if len(games) > A_PAGE else None
    return Found(lists.with_seats(session, games[:A_PAGE], reader_id), more)


def _sits(person_id: int | None):  # type: ignore[no-untyped-def]  # an SQL expression
    """Return the condition that this person has a seat in the game."""
    seats = select(SeatRow.game_id).where(SeatRow.person_id == person_id)
    return col(Game.id).in_(seats)


def _games_of(player: str):  # type: ignore[no-untyped-def]
    """Return the ids of games with a player of this name."""
    name = player.casefold()
    seats = select(SeatRow.game_id).join(Person, col(SeatRow.person_id) == col(Person.id))
    return seats.where(or_(
        func.lower(SeatRow.name) == name, func.lower(Person.name) == name,
        col(SeatRow.name) == player, col(Person.name) == player,
    ))
