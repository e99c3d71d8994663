"""Why a due letter does not leave now: untrue, unwanted, or something else has to be over first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session

from pbem.mail import pauses, preferences
from pbem.mail.ledger import DOMAIN_PAUSED, Patience
from pbem.mail.letters import truth
from pbem.models import LetterState, Outbox, Person, SeatRow
from pbem.once import row_of

SEEN_LATELY = timedelta(minutes=2)  # who looks at the table needs no letter yet
LONGEST_DELAY = timedelta(minutes=15)  # but gets it, however long he looks
NOT_TRUE = "no longer true"
NOT_WANTED = "not wanted"
LOOKING = "looking"  # Outbox.why


@dataclass(frozen=True)
class Stays:
    """A letter that does not leave now: how it ends, or until when it waits, and why."""

    why: str
    state: LetterState = LetterState.PENDING
    until: datetime | None = None


def stays(
    session: Session,
    row: Outbox,
    reader: truth.Reader | None,
    now: datetime,
    *,
    usual: timedelta,
    patience: Patience,
) -> Stays | None:
    """Why this letter does not leave; None if it may."""
    if reader is None or not truth.still_true(session, row, now):
        return Stays(NOT_TRUE, LetterState.SUPERSEDED)
    if reader.suppressed and row.kind not in truth.PROOFS:
        return Stays(reader.suppressed, LetterState.DEAD)
    # Each try killed its worker, or the letter would have been put back or settled.
    if row.attempts >= patience.most_tries(row):
        return Stays("every try ended without an answer", LetterState.DEAD)
    if is_unwanted(session, row):
        return Stays(NOT_WANTED, LetterState.UNWANTED)
    paused = pauses.in_force(session, reader.address, now)
    if paused is not None:
        return Stays(DOMAIN_PAUSED, until=paused)
    looking = looking_until(session, row, now, usual)
    return None if looking is None else Stays(LOOKING, until=looking)


def is_unwanted(session: Session, row: Outbox) -> bool:
    """Whether its reader has come to want no such letters since it was made due."""
    if row.kind not in preferences.WISHED or row.raw is not None or truth.is_repeat(row):
        return False
    person, seat = player(session, row)
    return person is not None and preferences.wish_of(person, seat) == preferences.NONE


def looking_until(
    session: Session, row: Outbox, now: datetime, usual: timedelta
) -> datetime | None:
    """Until when a turn's letter waits because its player has just seen the question."""
    if row.kind != "turn" or row.raw is not None or truth.is_repeat(row):
        return None
    person, seat = player(session, row)
    if person is None or seat is None or seat.looked_at is None or seat.looked_at < row.created:
        return None
    wish = preferences.wish_of(person, seat)
    first = preferences.when_due(wish, row.created, person.zone, usual) or row.created
    until = min(seat.looked_at + SEEN_LATELY, first + LONGEST_DELAY)
    return until if until > now else None


def player(session: Session, row: Outbox) -> tuple[Person | None, SeatRow | None]:
    """Who a game's letter is for, and his seat in it."""
    person = row_of(session, Person, truth.number_in(row.recipient))
    return person, truth.seat_at(session, row)
