"""Sums over all finished public games: wins by seat, points by source, prices, colonies, lengths.

Closing a game adds its share to the sums, and takes the share of an earlier closing back. A page
reads sums alone, however many games there are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import ColumnElement, func, select
from sqlmodel import Session, col

from engine import codec
from engine.measurements import Measurement
from pbem.models import SeatRow
from pbem.models.archive import FoundGame, GameShare, StatisticSum

WINNERS, OTHERS = "winners", "others"
GAMES, WINS = "games", "wins"
LENGTHS = ("days", "entries")


class Sum(NamedTuple):
    """How often something was measured, and the sum of the values."""

    number: int = 0
    total: int = 0

    @property
    def mean(self) -> float:
        """The mean of the values; 0 if there are none."""
        return self.total / self.number if self.number else 0

    def plus(self, number: int, total: int) -> Sum:
        """Return both sums together."""
        return Sum(self.number + number, self.total + total)


Share = dict[tuple[str, str, str], Sum]
"""What one game adds: the sum by group, item and side (winners or others)."""


@dataclass(frozen=True)
class Period:
    """The games that a page is about. None and "" filter nothing."""

    game: str
    seats: int | None = None
    year: int | None = None
    rated: bool | None = None


@dataclass(frozen=True)
class Statistics:
    """The sums of a period, by group, item and side."""

    sums: Mapping[str, Mapping[str, Mapping[str, Sum]]]

    @property
    def games(self) -> int:
        """How many games there are."""
        return self.of(GAMES, "entries").number

    def of(self, group: str, item: str, side: str = "") -> Sum:
        """Return one sum; an empty one if nothing was measured. No side: winners and others."""
        sides = self.sums.get(group, {}).get(item, {})
        if side:
            return sides.get(side, Sum())
        return Sum(*map(sum, zip(*sides.values(), strict=True))) if sides else Sum()

    def players(self, side: str) -> int:
        """How many seats of this side there were in all games."""
        return sum(self.of(WINS, item, side).number for item in self.items(WINS))

    def per_player(self, group: str, item: str, side: str) -> float:
        """Return how often one player of this side had something measured in one game."""
        players = self.players(side)
        return self.of(group, item, side).number / players if players else 0

    def measured(self) -> list[str]:
        """Return the groups of what the games themselves measure."""
        return [group for group in self.sums if group not in (GAMES, WINS)]

    def items(self, group: str) -> list[str]:
        """Return what was measured in a group, by name."""
        return sorted(self.sums.get(group, {}))


# ---- reading ------------------------------------------------------------------------------------


def read(session: Session, period: Period) -> Statistics:
    """Return the statistics of a period."""
    query = select(
        col(StatisticSum.group), col(StatisticSum.item), col(StatisticSum.side),
        func.sum(StatisticSum.number), func.sum(StatisticSum.total),
    ).where(*conditions(period)).group_by(
        col(StatisticSum.group), col(StatisticSum.item), col(StatisticSum.side))
    sums: dict[str, dict[str, dict[str, Sum]]] = defaultdict(lambda: defaultdict(dict))
    for group, item, side, number, total in session.execute(query):
        if number:
            sums[group][item][side] = Sum(int(number), int(total))
    return Statistics(sums)


def conditions(period: Period) -> Iterator[ColumnElement[bool]]:
    """Yield the conditions on rows of sums."""
    yield col(StatisticSum.game) == period.game
    if period.seats is not None:
        yield col(StatisticSum.seats) == period.seats
    if period.year is not None:
        yield col(StatisticSum.year) == period.year
    if period.rated is not None:
        yield col(StatisticSum.rated) == period.rated


def years(session: Session, game: str) -> list[int]:
    """Return the years in which games ended, the newest first."""
    found = session.scalars(
        select(col(StatisticSum.year)).where(col(StatisticSum.game) == game).distinct())
    return sorted(found, reverse=True)


# ---- adding -------------------------------------------------------------------------------------


def add(
    session: Session, found: FoundGame, seats: Sequence[SeatRow],
    measured: Iterable[Measurement], *, is_rated: bool,
) -> None:  # fmt: skip
    """Add a closed game to the sums, in place of what it added before. The caller commits.

    Private games, and games that were not played to their end, add nothing.
    """
    before = session.get(GameShare, found.game_id)
    if before is not None:
        put(session, before, -1)
        session.delete(before)
        session.flush()
    if found.private or any(seat.place is None for seat in seats):
        return
    share = GameShare(
        game_id=found.game_id, game=found.game, seats=found.seats, year=found.ended.year,
        rated=is_rated, sums=written(share_of(found, seats, measured)))
    session.add(share)
    put(session, share, +1)


def share_of(
    found: FoundGame, seats: Sequence[SeatRow], measured: Iterable[Measurement]
) -> Share:
    """Return what one game adds."""
    sides = {seat.number: WINNERS if seat.place == 1 else OTHERS for seat in seats}
    share: Share = defaultdict(Sum)
    for item in LENGTHS:
        share[GAMES, item, ""] = Sum(1, getattr(found, item))
    for number, side in sides.items():
        share[WINS, str(number), side] = Sum(1, 1)
    for one in measured:
        key = one.group, one.item, sides[one.seat]
        share[key] = share[key].plus(1, one.value)
    return share


def put(session: Session, share: GameShare, sign: int) -> None:
    """Add a game's share to the rows of sums (`sign` 1), or take it away (-1)."""
    rows = {
        (row.group, row.item, row.side): row
        for row in session.scalars(select(StatisticSum).where(*conditions(Period(
            share.game, share.seats, share.year, share.rated))))
    }
    for (group, item, side), (number, total) in read_share(share.sums).items():
        row = rows.get((group, item, side))
        if row is None:
            row = StatisticSum(game=share.game, seats=share.seats, year=share.year,
                               rated=share.rated, group=group, item=item, side=side)
        row.number += sign * number
        row.total += sign * total
        session.add(row)
    session.flush()


def written(share: Share) -> str:
    """Return a share as JSON."""
    return codec.encode([[*key, *value] for key, value in sorted(share.items())]).decode()


def read_share(text: str) -> Share:
    """Return the share that `written` wrote."""
    rows = codec.decode(text.encode(), list[tuple[str, str, str, int, int]])
    return {(group, item, side): Sum(number, total) for group, item, side, number, total in rows}
