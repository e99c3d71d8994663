"""Lists of games: a person's own, awaited ones first, and all unfinished ones by filter."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, or_
from sqlmodel import Session, col, select

from pbem.models import Game, GameState, Invitation, InvitationState, Person, SeatRow
from pbem.tables import blocks, clock_view

ENDED_SHOWN = 5
OPEN_SHOWN = 50
A_PAGE = 50  # of unfinished games
UNFINISHED = tuple(state.value for state in GameState if state != GameState.FINISHED)


@dataclass(frozen=True)
class ListedGame:
    """One game in a list, with its players; `own` is the reader's seat, if they hold one."""

    game: Game
    seated: tuple[tuple[SeatRow, Person], ...]
    own: SeatRow | None = None
    reserved: int = 0  # free chairs of a rematch, kept for invited players

    @property
    def is_asked(self) -> bool:
        """Whether the game waits for the reader."""
        return (self.own is not None and self.own.asked_since is not None
                and self.game.state == GameState.RUNNING)

    @property
    def waits_for(self) -> list[str]:
        """The names of the players whom a running game awaits."""
        return [seat.name for seat, _ in self.seated if seat.asked_since is not None]

    @property
    def due(self) -> datetime | None:
        """The deadline: the reader's own, or the first of the others' rounded to hours."""
        if self.is_asked and self.own is not None:
            return self.own.due
        others = [seat.due for seat, _ in self.seated if seat.due is not None]
        return clock_view.next_hour(min(others)) if others else None

    @property
    def free_chairs(self) -> int:
        """The number of free chairs."""
        return self.game.seats - len(self.seated)

    @property
    def chairs_for_all(self) -> int:
        """The number of free chairs that are not reserved."""
        return max(0, self.free_chairs - self.reserved)


def mine(session: Session, person_id: int) -> list[ListedGame]:
    """A person's open and running games, those that await them first."""
    games = session.exec(
        select(Game)
        .where(SeatRow.game_id == Game.id, SeatRow.person_id == person_id,
               col(Game.state).in_((GameState.RUNNING, GameState.OPEN)))
        .order_by(col(Game.id).desc())
    ).all()
    listed = with_seats(session, games, person_id)
    return sorted(listed, key=lambda one: (not one.is_asked, one.game.state == GameState.OPEN))


def lately_ended(session: Session, person_id: int) -> list[ListedGame]:
    """The person's games that ended last."""
    games = session.exec(
        select(Game)
        .where(SeatRow.game_id == Game.id, SeatRow.person_id == person_id,
               col(Game.state).not_in((GameState.RUNNING, GameState.OPEN)))
        .order_by(col(Game.ended).desc(), col(Game.id).desc())
        .limit(ENDED_SHOWN)
    ).all()
    return with_seats(session, games, person_id)


def to_join(session: Session, person_id: int | None) -> list[ListedGame]:
    """Open public games in which this reader does not sit, newest first.

    Without those in which somebody has blocked them.
    """
    games = session.exec(
        select(Game)
        .where(Game.state == GameState.OPEN, col(Game.private).is_(False))
        .order_by(col(Game.id).desc())
        .limit(OPEN_SHOWN)
    ).all()
    shut_out = blocks.shut_out_of(session, [game.id for game in games], person_id)
    listed = with_seats(session, games, person_id)
    return [one for one in listed
            if one.own is None and one.chairs_for_all and one.game.id not in shut_out]


def one(session: Session, game: Game, person_id: int | None) -> ListedGame:
    """One game as a list shows it."""
    return with_seats(session, [game], person_id)[0]


def waiting(session: Session, person_id: int) -> int:
    """The number of games that await this person."""
    return session.exec(
        select(func.count()).select_from(SeatRow).join(Game, col(SeatRow.game_id) == col(Game.id))
        .where(SeatRow.person_id == person_id, col(SeatRow.asked_since).is_not(None),
               Game.state == GameState.RUNNING)
    ).one()


def with_seats(
    session: Session, games: Sequence[Game], person_id: int | None
) -> list[ListedGame]:
    """Games with their players; `own` is this person's seat."""
    seated: dict[int | None, list[tuple[SeatRow, Person]]] = defaultdict(list)
    for seat, who in session.exec(
        select(SeatRow, Person)
        .where(col(SeatRow.game_id).in_([game.id for game in games]),
               SeatRow.person_id == Person.id)
        .order_by(col(SeatRow.number), col(SeatRow.id))
    ):
        seated[seat.game_id].append((seat, who))
    kept = reserved(session, games)
    return [
        ListedGame(game, tuple(seated[game.id]),
               next((s for s, _ in seated[game.id]
                     if s.person_id == person_id and s.resigned is None), None),
               kept.get(game.id, 0))
        for game in games
    ]


def reserved(session: Session, games: Sequence[Game]) -> dict[int | None, int]:
    """By game id, the reserved chairs of open rematches: pending invitations."""
    rematches = [game.id for game in games
                 if game.rematch_of is not None and game.state == GameState.OPEN]
    if not rematches:
        return {}
    found = session.exec(
        select(Invitation.game_id, func.count()).where(
            col(Invitation.game_id).in_(rematches), Invitation.state == InvitationState.PENDING)
        .group_by(col(Invitation.game_id)))
    return dict(found.all())


# ---- of all, by state, player and game ----------------------------------------------------------


@dataclass(frozen=True)
class UnfinishedFilter:
    """Which unfinished games are listed. Empty values filter nothing."""

    state: str
    player: str = ""
    game: str = ""
    before: int | None = None  # only games with a smaller id


@dataclass(frozen=True)
class UnfinishedGames:
    """A page of the list, and the game before which the next page begins."""

    games: list[ListedGame]
    more_before: int | None


def unfinished(
    session: Session, wanted: UnfinishedFilter, reader: Person | None
) -> UnfinishedGames:
    """The unfinished games that this reader may see, newest first."""
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
    return UnfinishedGames(with_seats(session, games[:A_PAGE], reader_id), more)


def _sits(person_id: int | None):  # type: ignore[no-untyped-def]  # an SQL expression
    """The condition that this person has a seat in the game."""
    seats = select(SeatRow.game_id).where(SeatRow.person_id == person_id)
    return col(Game.id).in_(seats)


def _games_of(player: str):  # type: ignore[no-untyped-def]
    """The ids of games with a player of this name."""
    name = player.casefold()
    seats = select(SeatRow.game_id).join(Person, col(SeatRow.person_id) == col(Person.id))
    return seats.where(or_(
        func.lower(SeatRow.name) == name, func.lower(Person.name) == name,
        col(SeatRow.name) == player, col(Person.name) == player,
    ))
