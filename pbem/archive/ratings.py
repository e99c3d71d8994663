"""Rates players with openskill's Plackett-Luce model, one rating for each game.

Games count in the order of their ends. If a game is indexed late, the later ones are recomputed, so
ratings do not depend on when a worker ran. The page /ratings explains the numbers.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from openskill.models import PlackettLuce
from sqlalchemy import case, func, select
from sqlmodel import Session, col

from pbem.models import GONE, ComponentSet, Game, PastHolder, Person, SeatRow
from pbem.models.archive import FoundGame, RatedSeat, Rating
from pbem.play import seat_history
from pbem.play.component_sets import STANDARD

MODEL = PlackettLuce()  # openskill's defaults: mu 25, sigma 25/3
SIGMAS = 3  # the rating is this far below mu
FEWEST_GAMES = 3  # before a rating is shown: one lost game would give -2.8
LISTED = 50
SAME = 1e-9


@dataclass(frozen=True)
class Strength:
    """The estimate of a player's strength: mu and sigma."""

    mu: float = MODEL.mu
    sigma: float = MODEL.sigma

    @property
    def rating(self) -> float:
        """A lower bound of the strength, almost certainly. 0 for new players."""
        return self.mu - SIGMAS * self.sigma


def is_rated(session: Session, row: Game, seats: Sequence[SeatRow]) -> bool:
    """Return whether a game is rated: public, only people, standard figures."""
    if row.private or any(seat.place is None for seat in seats):
        return False
    if session.get_one(ComponentSet, row.components).name != STANDARD:
        return False
    people = [seat.person_id for seat in seats]
    bots = select(col(Person.id)).where(col(Person.id).in_(people), col(Person.bot).is_not(None))
    return session.execute(bots.limit(1)).first() is None


def rate(session: Session, found: FoundGame) -> None:
    """Rate an indexed game and recompute the later ones. The caller commits.

    Does nothing if the game is already rated with the same result.
    """
    touched: set[int] = set()
    later = select(FoundGame).where(
        col(FoundGame.game) == found.game, col(FoundGame.newness) > found.newness,
    ).order_by(col(FoundGame.newness))
    if rate_one(session, found, touched):
        for one in session.execute(later).scalars():
            rate_one(session, one, touched)
    for person_id in touched:
        count(session, person_id, found.game)


def rate_one(session: Session, found: FoundGame, touched: set[int]) -> bool:
    """Rate one game from the strengths before it. Returns whether anything changed."""
    row = session.get_one(Game, found.game_id)
    seats = list(session.execute(
        select(SeatRow)
        .where(col(SeatRow.game_id) == found.game_id, col(SeatRow.number).is_not(None))
        .order_by(col(SeatRow.number))
    ).scalars())
    ranks = ranked(session, row, seats) if is_rated(session, row, seats) else {}
    changed = forget(session, found, touched, but=ranks)
    before = [strength_before(session, person_id, found) for person_id in ranks]
    after = played(before, list(ranks.values())) if ranks else []
    for person_id, old, new in zip(ranks, before, after, strict=True):
        rated = session.get(RatedSeat, (found.game_id, person_id))
        if rated is None:
            rated = RatedSeat(game_id=found.game_id, person_id=person_id, mu_before=0,
                              mu_after=0, sigma_after=0)
        known = (rated.mu_before, rated.mu_after, rated.sigma_after)
        found_now = (old.mu, new.mu, new.sigma)
        if all(abs(one - other) < SAME for one, other in zip(known, found_now, strict=True)):
            continue
        rated.mu_before, rated.mu_after, rated.sigma_after = found_now
        session.add(rated)
        touched.add(person_id)
        changed = True
    session.flush()
    return changed


def ranked(session: Session, row: Game, seats: Sequence[SeatRow]) -> dict[int, int]:
    """Map the players that a game rates to their ranks.

    The game rates those who began it and did not hand over their seats. Players who resigned or
    were dropped are ranked after all others, the first to leave last. Returns nothing if fewer than
    two are left.
    """
    first: dict[int, PastHolder] = {}
    for one in seat_history.past_holders(session, row.id):
        first.setdefault(one.seat, one)
    ranks: dict[int, int] = {}
    gone: list[tuple[int, int]] = []  # (last entry, person)
    for seat in seats:
        left = first.get(seat.number or 0)
        if left is not None and left.left != "handover":
            gone.append((left.until, left.person_id))
        elif left is None and seat.resigned is None:
            ranks[seat.person_id] = seat.place or 0
        elif left is None and seat.left != "handover":  # from a record: the places give the order
            gone.append((-(seat.place or 0), seat.person_id))
    for behind, (_, person_id) in enumerate(sorted(gone, reverse=True), start=1):
        ranks[person_id] = len(seats) + behind
    return ranks if len(ranks) > 1 else {}


def forget(
    session: Session, found: FoundGame, touched: set[int], *, but: Container[int] = ()
) -> bool:
    """Delete a game's ratings of people whom it does not rate (not in `but`).

    Returns whether there were any.
    """
    rows = session.execute(
        select(RatedSeat).where(col(RatedSeat.game_id) == found.game_id)).scalars().all()
    rows = [row for row in rows if row.person_id not in but]
    for row in rows:
        touched.add(row.person_id)
        session.delete(row)
    session.flush()
    return bool(rows)


def played(before: Iterable[Strength], places: Sequence[int]) -> list[Strength]:
    """Return the players' new strengths after a game with these places. Shared places are draws."""
    teams = [[MODEL.rating(mu=one.mu, sigma=one.sigma)] for one in before]
    rated = MODEL.rate(teams, ranks=[float(place) for place in places])
    return [Strength(team[0].mu, team[0].sigma) for team in rated]


def strength_before(session: Session, person_id: int, found: FoundGame) -> Strength:
    """Return a player's strength before the game's end."""
    last = session.execute(
        of_person(person_id, found.game).where(col(FoundGame.newness) < found.newness)
        .order_by(col(FoundGame.newness).desc()).limit(1)
    ).first()
    return Strength() if last is None else Strength(last[0].mu_after, last[0].sigma_after)


def of_person(person_id: int, game: str):  # type: ignore[no-untyped-def]  # a select
    """Select a player's rated games."""
    return select(RatedSeat, FoundGame).join(
        FoundGame, col(FoundGame.game_id) == col(RatedSeat.game_id)
    ).where(col(RatedSeat.person_id) == person_id, col(FoundGame.game) == game)


def count(session: Session, person_id: int, game: str) -> None:
    """Update a player's row from their rated games."""
    last = session.execute(
        of_person(person_id, game).order_by(col(FoundGame.newness).desc()).limit(1)).first()
    rating = session.get(Rating, (person_id, game)) or Rating(
        person_id=person_id, game=game, mu=0, sigma=0)
    if last is None:
        if rating in session:
            session.delete(rating)
        return
    games, wins = session.execute(
        select(func.count(), func.sum(case((col(SeatRow.place) == 1, 1), else_=0)))
        .select_from(RatedSeat)
        .join(FoundGame, col(FoundGame.game_id) == col(RatedSeat.game_id))
        .outerjoin(SeatRow, (col(SeatRow.game_id) == col(RatedSeat.game_id))
                   & (col(SeatRow.person_id) == col(RatedSeat.person_id)))
        .where(col(RatedSeat.person_id) == person_id, col(FoundGame.game) == game)
    ).one()
    rating.mu, rating.sigma = last[0].mu_after, last[0].sigma_after
    rating.games, rating.wins = games, int(wins or 0)
    session.add(rating)


# ---- for pages ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rated:
    """A player's rating at one game."""

    game: str
    strength: Strength
    games: int
    wins: int
    history: Sequence[tuple[datetime, float, int]] = ()  # (end, rating after it, game)


def of_player(session: Session, person_id: int) -> list[Rated]:
    """Return a player's ratings with their history, by game. Omits games played too few times."""
    rows = session.execute(
        select(Rating)
        .where(col(Rating.person_id) == person_id, col(Rating.games) >= FEWEST_GAMES)
        .order_by(col(Rating.game)))
    return [
        Rated(row.game, Strength(row.mu, row.sigma), row.games, row.wins, [
            (found.ended, Strength(seat.mu_after, seat.sigma_after).rating, found.game_id)
            for seat, found in session.execute(
                of_person(person_id, row.game).order_by(col(FoundGame.newness))
                .offset(FEWEST_GAMES - 1))
        ])
        for row in rows.scalars()
    ]


def best(session: Session, game: str) -> list[tuple[Person, Rated]]:
    """Return the players with the highest ratings in a game, without closed accounts."""
    worth = col(Rating.mu) - SIGMAS * col(Rating.sigma)
    rows = session.execute(
        select(Person, Rating).join(Rating, col(Rating.person_id) == col(Person.id))
        .where(col(Rating.game) == game, col(Rating.games) >= FEWEST_GAMES,
               col(Person.address).not_like(f"%{GONE}"))
        .order_by(worth.desc(), col(Person.id)).limit(LISTED)
    )
    return [
        (person, Rated(game, Strength(row.mu, row.sigma), row.games, row.wins))
        for person, row in rows
    ]
