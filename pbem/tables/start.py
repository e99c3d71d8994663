"""Starts a game: seat order, entry 1 and the first letters.

A game that follows another one (a rematch, or the next of a series) keeps that game's seat order,
moved on by one seat. Other games seat players as they joined, or by the committed randomness.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from engine import codec, play
from pbem.models import Game, GameState, SeatRow
from pbem.play import advance, chance, positions
from pbem.play.log import Writer


def start_game(
    session: Session, row: Game, now: datetime, *, letter_delay: timedelta = timedelta(0)
) -> set[int]:
    """Seat the players, write entry 1 and queue the first letters; return the letters' ids.

    The caller commits.
    """
    seats = seat_players(session, row)
    rules = positions.rules_of(session, row)
    row.state, row.started, row.expires = GameState.RUNNING, now, None
    session.add_all([row, *seats])
    session.flush()
    writer = Writer(session, row, seats, now)
    options = codec.decode(row.options.encode(), dict)
    transition = play.start(rules, len(seats), options, writer.stream())
    entry = writer.append(None, None, transition, cause="start")
    people = advance.people_of(session, seats)
    queued = [advance.due_letter(writer, person, "started", entry, usual=letter_delay)
              for person in people.values()]
    letters = {letter for letter in queued if letter is not None}
    return advance.settle(writer, people, letter_delay) | letters


# ---- seat order ---------------------------------------------------------------------------------


def seat_players(session: Session, row: Game) -> list[SeatRow]:
    """Number the seats of a game that starts and note their players' names; the seats in order."""
    joined = session.exec(
        select(SeatRow).where(SeatRow.game_id == row.id).order_by(col(SeatRow.id))
    ).all()
    seats = order_after_predecessor(session, row, joined) or list(joined)
    if not row.chosen_order:
        order = chance.stream(row.server_part, row.commitment, 0)
        seats = list(order.shuffled(seats, why="seats"))
    people = advance.people_of(session, seats)
    for person in people.values():
        session.refresh(person)  # an operator may have removed their name meanwhile
    for number, seat in enumerate(seats):
        seat.number = number
        seat.name = people[seat.person_id].name
        seat.operator = people[seat.person_id].operator is not None
    return seats


def order_after_predecessor(
    session: Session, row: Game, joined: Sequence[SeatRow]
) -> list[SeatRow] | None:
    """The seats in the order that follows from the previous game; None if there is none."""
    earlier = predecessor(session, row)
    if earlier is None:
        return None
    old = [seat.person_id for seat in session.exec(positions.seats_of(earlier))]
    by_person = {seat.person_id: seat for seat in sorted(joined, key=lambda seat: seat.id or 0)}
    return [by_person[person] for person in rotated(old, list(by_person))]


def predecessor(session: Session, row: Game) -> Game | None:
    """The game that this one is a rematch of, or the one before it in its series."""
    if row.rematch_of is not None:
        return session.get(Game, row.rematch_of)
    if row.series_id is None or row.series_place in (None, 1):
        return None
    earlier = select(Game).where(
        Game.series_id == row.series_id, Game.series_place == (row.series_place or 0) - 1)
    return session.exec(earlier).first()


def rotated(old: Sequence[int], new: Sequence[int]) -> list[int]:
    """The people `new` in the seat order `old`, moved on by one: the second comes first.

    Newcomers take the places of people who are gone; further newcomers come last.
    """
    newcomers = [person for person in new if person not in old]
    order = []
    for person in (*old[1:], *old[:1]):
        if person in new:
            order.append(person)
        elif newcomers:
            order.append(newcomers.pop(0))
    return order + newcomers
