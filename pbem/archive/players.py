"""Builds a player's public page: games, results, pace, opponents. Never an address."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import and_, case, func
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from pbem.archive import index, pace, ratings, search
from pbem.models import GONE, Game, GameState, Person, SeatRow
from pbem.models.archive import FoundGame, Pace
from pbem.tables import lists
from pbem.tables.players import person_with_page

SHOWN = 10  # finished games, and running ones
OPPONENTS = 30
MEETINGS = 100


@dataclass(frozen=True)
class Results:
    """A player's results in one game with one number of players."""

    game: str
    seats: int
    games: int
    wins: int
    mean_place: float
    mean_points: float


@dataclass(frozen=True)
class Opponent:
    """An opponent in finished games, and how often each was ahead."""

    person: Person
    games: int
    ahead: int
    behind: int

    @property
    def level(self) -> int:
        """How often they shared a place."""
        return self.games - self.ahead - self.behind


@dataclass(frozen=True)
class Player:
    """Everything on a player's page."""

    person: Person
    running: Sequence[lists.ListedGame]
    finished: Sequence[search.Hit]
    results: Sequence[Results]
    hours: float | None  # median per move
    moves: int
    ratings: Sequence[ratings.Rated]
    opponents: Sequence[Opponent]

    @property
    def games(self) -> int:
        """How many public games they have finished."""
        return sum(one.games for one in self.results)


def with_pages(session: Session, row: Game, seats: Sequence[SeatRow]) -> list[tuple[str, int]]:
    """Return names and ids of those at a public table who have pages."""
    if row.private:
        return []
    gone = set(session.exec(
        select(Person.id).where(col(Person.id).in_([seat.person_id for seat in seats]),
                                col(Person.address).like(f"%{GONE}"))))
    return [(seat.name, seat.person_id) for seat in seats if seat.person_id not in gone]


def player(session: Session, person_id: int) -> Player | None:
    """Return a player's page, or None if they have none."""
    person = person_with_page(session, person_id)
    if person is None:
        return None
    hours, moves = pace_of(session, person_id)
    wanted = index.Wanted(player=f"#{person_id}")
    return Player(
        person, running(session, person_id), search.find(session, wanted, None).hits[:SHOWN],
        results(session, person_id), hours, moves, ratings.of_player(session, person_id),
        opponents(session, person_id),
    )


def running(session: Session, person_id: int) -> Sequence[lists.ListedGame]:
    """Return a player's public running games."""
    games = session.exec(
        select(Game).where(SeatRow.game_id == Game.id, SeatRow.person_id == person_id,
                           Game.state == GameState.RUNNING, col(Game.private).is_(False))
        .order_by(col(Game.id).desc()).limit(SHOWN)
    ).all()
    return lists.with_seats(session, games, None)


def results(session: Session, person_id: int) -> list[Results]:
    """Return results by game and number of players."""
    rows = session.exec(
        select(  # type: ignore[call-overload]
            FoundGame.game, FoundGame.seats, func.count(),
            func.sum(case((col(SeatRow.place) == 1, 1), else_=0)),
            func.avg(SeatRow.place), func.avg(SeatRow.points),
        )
        .join(FoundGame, col(FoundGame.game_id) == col(SeatRow.game_id))
        .where(SeatRow.person_id == person_id, col(FoundGame.private).is_(False))
        .group_by(FoundGame.game, FoundGame.seats).order_by(FoundGame.game, FoundGame.seats)
    )
    return [
        Results(game, seats, games, int(wins), float(place or 0), float(points or 0))
        for game, seats, games, wins, place, points in rows
    ]


def pace_of(session: Session, person_id: int) -> tuple[float | None, int]:
    """Return the median of a player's moves in hours, and the number of moves."""
    rows = session.exec(
        select(Pace).join(FoundGame, col(FoundGame.game_id) == col(Pace.game_id))
        .where(Pace.person_id == person_id, col(FoundGame.private).is_(False))
    ).all()
    return pace.median_hours(row.waits for row in rows), sum(row.moves for row in rows)


# ---- opponents ----------------------------------------------------------------------------------


def opponents(session: Session, person_id: int) -> list[Opponent]:
    """Return a player's most frequent opponents in public games."""
    own, other = aliased(SeatRow), aliased(SeatRow)
    games = func.count()
    rows = session.exec(
        select(
            Person, games,
            func.sum(case((col(own.place) < col(other.place), 1), else_=0)),
            func.sum(case((col(own.place) > col(other.place), 1), else_=0)),
        )
        .select_from(own)
        .join(FoundGame, col(FoundGame.game_id) == col(own.game_id))
        .join(other, and_(col(other.game_id) == col(own.game_id),
                          col(other.person_id) != col(own.person_id)))
        .join(Person, col(Person.id) == col(other.person_id))
        .where(col(own.person_id) == person_id, col(FoundGame.private).is_(False),
               col(Person.address).not_like(f"%{GONE}"))
        .group_by(col(Person.id)).order_by(games.desc(), col(Person.id)).limit(OPPONENTS)
    )
    return [Opponent(who, count, int(ahead), int(behind)) for who, count, ahead, behind in rows]


@dataclass(frozen=True)
class Meeting:
    """A finished game in which both people had a seat."""

    hit: search.Hit
    one: SeatRow
    other: SeatRow

    @property
    def result(self) -> int:
        """1 if the first was ahead, -1 if the second was, 0 if they shared a place."""
        one, other = self.one.place or 0, self.other.place or 0
        return (one < other) - (one > other)


def meetings(session: Session, one_id: int, other_id: int) -> list[Meeting]:
    """Return the last public games of two people, newest first."""
    own, other = aliased(SeatRow), aliased(SeatRow)
    found = session.exec(
        select(FoundGame)
        .join(own, col(own.game_id) == col(FoundGame.game_id))
        .join(other, col(other.game_id) == col(FoundGame.game_id))
        .where(col(own.person_id) == one_id, col(other.person_id) == other_id,
               col(FoundGame.private).is_(False))
        .order_by(col(FoundGame.newness).desc()).limit(MEETINGS)
    ).all()
    met = []
    for hit in search.hits(session, found, index.Wanted()):
        by_person = {seat.person_id: seat for seat in hit.seats}
        met.append(Meeting(hit, by_person[one_id], by_person[other_id]))
    return met


def tally(met: Sequence[Meeting]) -> dict[str, Counter[int]]:
    """Count how often each was ahead, by game."""
    counted: dict[str, Counter[int]] = {}
    for one in met:
        counted.setdefault(one.hit.game.game, Counter())[one.result] += 1
    return counted
