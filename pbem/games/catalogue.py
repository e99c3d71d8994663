"""The archive's list: all games that a reader may see, by player, game, state and result."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, or_
from sqlmodel import Session, col, select

from pbem.games import lists
from pbem.models import Game, GameState, Person, SeatRow

A_PAGE = 50
RESULTS = ("won", "lost")
STATES = tuple(state.value for state in GameState)


@dataclass(frozen=True)
class Wanted:
    """What the list is narrowed to; empty values narrow nothing.

    `result` is the result of `player`, or of the reader where no player is named.
    """

    player: str = ""
    game: str = ""
    state: str = ""
    result: str = ""
    before: int | None = None  # only games with a smaller number


@dataclass(frozen=True)
class Found:
    """A page of the list, and the game before which the next page begins."""

    games: list[lists.Listed]
    more_before: int | None


def find(session: Session, wanted: Wanted, reader: Person | None) -> Found:
    """The games that this reader may see, newest first."""
    reader_id = None if reader is None else reader.id
    query = select(Game).where(or_(col(Game.private).is_(False), _sits(reader_id)))
    if wanted.game:
        query = query.where(Game.game == wanted.game)
    if wanted.state:
        query = query.where(Game.state == wanted.state)
    if wanted.player or wanted.result:
        query = query.where(col(Game.id).in_(_games_of(wanted, reader_id)))
    if wanted.before is not None:
        query = query.where(col(Game.id) < wanted.before)
    games = session.exec(query.order_by(col(Game.id).desc()).limit(A_PAGE + 1)).all()
    more = games[A_PAGE - 1].id if len(games) > A_PAGE else None
    return Found(lists.with_seats(session, games[:A_PAGE], reader_id), more)


def _sits(person_id: int | None):  # type: ignore[no-untyped-def]  # an SQL expression
    """Whether this person sits in the game."""
    seats = select(SeatRow.game_id).where(SeatRow.person_id == person_id)
    return col(Game.id).in_(seats)


def _games_of(wanted: Wanted, reader_id: int | None):  # type: ignore[no-untyped-def]
    """The games in which the player sits, with the result wanted."""
    seats = select(SeatRow.game_id).join(Person, col(SeatRow.person_id) == col(Person.id))
    if wanted.player:
        name = wanted.player.casefold()
        seats = seats.where(or_(
            func.lower(SeatRow.name) == name, func.lower(Person.name) == name,
            col(SeatRow.name) == wanted.player, col(Person.name) == wanted.player,
        ))
    else:
        seats = seats.where(SeatRow.person_id == reader_id)
    if wanted.result == "won":
        seats = seats.where(SeatRow.place == 1)
    elif wanted.result == "lost":
        seats = seats.where(col(SeatRow.place) > 1)
    return seats
