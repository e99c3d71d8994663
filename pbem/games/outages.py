"""Outages: times in which nobody's clock counts, since the service was not there for its players.

An outage is a row with a begin and an end, and clocks leave that time out as they leave vacations
out. So its length is given back however often clocks are reckoned anew, and by whom: a crash
between two games of one outage can neither give twice nor forget. Only that a game was told of it
(the note in its log) has to be kept with it: `Game.outage`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from pbem.games import upkeep
from pbem.games.clocks import Interval
from pbem.models import Game, LetterState, Outage, Outbox, SeatRow, stored_id

SWEEP, MAIL = "sweep", "mail"
LONGEST_SILENCE = timedelta(minutes=5)  # of the sweep; and of letters that are due


def of(
    session: Session, row: Game, seats: Sequence[SeatRow], since: datetime, now: datetime
) -> Mapping[int, Sequence[Interval]]:
    """By seat, the times from an instant on that were outages for it."""
    found = session.exec(select(Outage).where(col(Outage.ends) > since)).all()
    for_all = [(each.begins, each.ends) for each in found if each.kind == SWEEP]
    silence = silence_of(session, now)
    if silence is not None:
        for_all.append(silence)
    gone = [each for each in found if each.kind == MAIL]
    return {
        stored_id(seat): [*for_all, *(_untold(session, row, seat, gone) if gone else ())]
        for seat in seats
    }


def silence_of(session: Session, now: datetime) -> Interval | None:
    """The time since the sweep's last sign, if that is too long ago: an outage not yet kept."""
    last = upkeep.last_sign(session, SWEEP)
    return (last, now) if last is not None and now - last > LONGEST_SILENCE else None


def _untold(
    session: Session, row: Game, seat: SeatRow, gone: Sequence[Outage]
) -> list[Interval]:
    """The times in which a seat's player could not be told what is asked of him."""
    if seat.asked_since is None and seat.clock_for is None:
        return []
    asked = seat.clock_for if seat.clock_for is not None else seat.asked_since
    letter = session.exec(
        select(Outbox).where(
            Outbox.subject == f"g{row.id}", Outbox.kind == "turn",
            Outbox.occasion == str(asked), Outbox.recipient == f"p{seat.person_id}",
            col(Outbox.state).not_in((LetterState.UNWANTED, LetterState.DEAD)),
        )
    ).first()
    if letter is None:
        return []
    waits = [
        (max(each.begins, letter.created), min(each.ends, letter.settled or each.ends))
        for each in gone
    ]
    return [(begin, end) for begin, end in waits if begin < end]
