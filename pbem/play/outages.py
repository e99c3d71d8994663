"""Reads the outages that a game's clocks leave out, seat by seat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from pbem.clocks.rules import Interval
from pbem.models import (
    Game,
    LetterState,
    Outage,
    Outbox,
    SeatRow,
    stored_id,
)
from pbem.play import upkeep

SWEEP = "sweep"
MAIL = "mail"
NAME = "clocks"  # the heartbeat of the clocks' sweep
LONGEST_SILENCE = timedelta(minutes=5)  # of the sweep, and of due letters


def of(
    session: Session, row: Game, seats: Sequence[SeatRow], since: datetime, now: datetime
) -> Mapping[int, Sequence[Interval]]:
    """For each seat's row id, its outages from `since` on."""
    found = session.exec(select(Outage).where(col(Outage.ends) > since)).all()
    silence = silence_of(session, now)
    unkept = [] if silence is None else [silence]
    return {stored_id(seat): unkept + gaps(session, row, seat, found) for seat in seats}


def silence_of(session: Session, now: datetime) -> Interval | None:
    """The time since the last heartbeat of the clocks, if it is an outage not stored yet."""
    last = upkeep.last_heartbeat(session, NAME)
    return (last, now) if last is not None and now - last > LONGEST_SILENCE else None


def _untold(
    session: Session, row: Game, seat: SeatRow, gone: Sequence[Outage]
) -> list[Interval]:
    """The times in which mail was out and the seat's player could not know of the question."""
    letter = _letter_of(session, row, seat) if gone else None
    if letter is None or letter.state in (LetterState.UNWANTED, LetterState.DEAD):
        return []
    leading = None if letter.merged_into is None else session.get(Outbox, letter.merged_into)
    known = [each for each in ((leading or letter).settled, seat.looked_at)
             if each is not None and each >= letter.created]
    waits = [(max(each.begins, letter.created), min([each.ends, *known])) for each in gone]
    return [(begin, end) for begin, end in waits if begin < end]


def _letter_of(session: Session, row: Game, seat: SeatRow) -> Outbox | None:
    """The turn letter about the question that the seat's clock counts."""
    if seat.clock_for is None:
        return None
    return session.exec(
        select(Outbox).where(
            Outbox.game_id == row.id, Outbox.kind == "turn", Outbox.entry == seat.clock_for,
            Outbox.person_id == seat.person_id, col(Outbox.repeat_of).is_(None))
    ).first()


def gaps(session: Session, row: Game, seat: SeatRow, found: Sequence[Outage]) -> list[Interval]:
    """The parts of these outages that count for a seat."""
    for_all = [(each.begins, each.ends) for each in found if each.kind == SWEEP]
    return for_all + _untold(session, row, seat, [each for each in found if each.kind == MAIL])
