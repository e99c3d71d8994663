"""Searches finished games, and returns pages of results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo

from sqlalchemy import select
from sqlmodel import Session, col

from pbem.archive import index
from pbem.archive.index import Wanted
from pbem.models import GONE, Game, Person, SeatRow
from pbem.models.archive import FoundGame, Happening

A_PAGE = 40
YEARS = range(1970, 2200)  # in which games can end


@dataclass(frozen=True)
class Hit:
    """A game that was found, its seats by place, and where the wanted event happened.

    `known` holds the ids of its players who have pages.
    """

    found: FoundGame
    game: Game
    seats: Sequence[SeatRow]
    known: frozenset[int]
    happened: Sequence[Happening] = ()


@dataclass(frozen=True)
class Found:
    """A page of results, and the newness before which the next page begins."""

    hits: list[Hit] = field(default_factory=list)
    more_before: int | None = None


def find(session: Session, wanted: Wanted, reader: Person | None) -> Found:
    """Return the finished games that match and that this reader may see, newest first."""
    query = index.matching(session, wanted, None if reader is None else reader.id)
    found = session.execute(query.limit(A_PAGE + 1)).scalars().all()
    more_before = found[A_PAGE - 1].newness if len(found) > A_PAGE else None
    return Found(hits(session, found[:A_PAGE], wanted), more_before)


def newest(session: Session) -> Hit | None:
    """Return the newest finished game that everybody may see."""
    found = session.execute(index.matching(session, Wanted(), None).limit(1)).scalars().all()
    return next(iter(hits(session, found, Wanted())), None)


# ---- results ------------------------------------------------------------------------------------


def hits(session: Session, found: Sequence[FoundGame], wanted: Wanted) -> list[Hit]:
    """Return the found games with their rows."""
    ids = [one.game_id for one in found]
    games = {game.id: game for game in session.execute(
        select(Game).where(col(Game.id).in_(ids))).scalars()}
    seats: dict[int, list[SeatRow]] = {number: [] for number in ids}
    for seat in session.execute(
        select(SeatRow).where(col(SeatRow.game_id).in_(ids))
        .order_by(col(SeatRow.place), col(SeatRow.number))
    ).scalars():
        seats[seat.game_id].append(seat)
    happened = happened_in(session, ids, wanted)
    known = frozenset(session.execute(
        select(col(Person.id)).where(
            col(Person.id).in_({seat.person_id for row in seats.values() for seat in row}),
            col(Person.address).not_like(f"%{GONE}"))
    ).scalars())
    return [
        Hit(one, games[one.game_id], seats[one.game_id],
            frozenset() if one.private else known, happened.get(one.game_id, ()))
        for one in found
    ]


def happened_in(
    session: Session, ids: list[int], wanted: Wanted
) -> dict[int, list[Happening]]:
    """Return where the wanted event happened."""
    found: dict[int, list[Happening]] = {}
    if not wanted.happened:
        return found
    query = select(Happening).where(col(Happening.game_id).in_(ids))
    query = index.happenings(session, query, wanted).order_by(col(Happening.number))
    told = session.execute(query).scalars().all()
    often = Counter((one.game_id, one.seat) for one in told)
    for one in told:
        if often[one.game_id, one.seat] >= (wanted.times or 1):
            found.setdefault(one.game_id, []).append(one)
    return found


def day_begins(day: str, zone: tzinfo, *, later: int = 0) -> datetime | None:
    """Return the instant at which a day, or `later` days after it, begins.

    Returns None for an invalid day.
    """
    try:
        begun = datetime.fromisoformat(day[:10]) + timedelta(days=later)
    except (ValueError, OverflowError):
        return None
    return begun.replace(tzinfo=zone).astimezone(UTC) if begun.year in YEARS else None
