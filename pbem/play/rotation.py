"""Who sits where in a game that follows another one: the first seat moves on by one."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session, col, select

from pbem.models import Game, SeatRow
from pbem.play import positions


def before(session: Session, row: Game) -> Game | None:
    """The game that this one follows: the one it is a rematch of, or the last of its series."""
    if row.rematch_of is not None:
        return session.get(Game, row.rematch_of)
    if row.series_id is None or row.series_place in (None, 1):
        return None
    earlier = select(Game).where(
        Game.series_id == row.series_id, Game.series_place == (row.series_place or 0) - 1)
    return session.exec(earlier).first()


def seated(session: Session, row: Game, joined: Sequence[SeatRow]) -> list[SeatRow] | None:
    """Those who sit at the new table in seat order; None if the game follows no other."""
    earlier = before(session, row)
    if earlier is None:
        return None
    old = [seat.person_id for seat in session.exec(positions.seats_of(earlier))]
    by_person = {seat.person_id: seat for seat in sorted(joined, key=lambda seat: seat.id or 0)}
    return [by_person[person] for person in moved_on(old, list(by_person))]


def moved_on(old: Sequence[int], new: Sequence[int]) -> list[int]:
    """Who was second is first, who was first is last; newcomers take the places of who is gone."""
    newcomers = [person for person in new if person not in old]
    order = []
    for person in (*old[1:], *old[:1]):
        if person in new:
            order.append(person)
        elif newcomers:
            order.append(newcomers.pop(0))
    return order + newcomers


def rematch_of(session: Session, game_id: int) -> Game | None:
    """The rematch of a game that waits for players, goes on or is over."""
    found = select(Game).where(
        Game.rematch_of == game_id, col(Game.state).not_in(("cancelled", "expired")))
    return session.exec(found.order_by(col(Game.id))).first()
