"""Why a due letter does not leave now: untrue, unwanted, or something else has to be over first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session

from pbem.mail import pauses, preferences
from pbem.mail.ledger import DOMAIN_PAUSED, Patience, merged_into
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
    if reader.suppressed and row.kind not in preferences.PROOFS:
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
    """Whether its reader wants no letters of this kind, of any game that it tells of."""
    if row.kind in preferences.ALWAYS or row.repeat_of is not None:
        return False
    told = [row, *merged_into(session, row)] if row.attempts else [row]
    return all(not preferences.is_wanted(each.kind, wish_about(session, each)) for each in told)


def wish_about(session: Session, row: Outbox) -> preferences.Wish:
    """How its reader wants letters about what this one is about."""
    reader = truth.reader_of(session, row)
    person = None if reader is None or reader.person_id is None else row_of(
        session, Person, reader.person_id)
    if person is None:
        return preferences.USUAL
    seat = truth.seat_at(session, row) if row.game_id is not None else None
    return preferences.wish_of(person, seat)


def looking_until(
    session: Session, row: Outbox, now: datetime, usual: timedelta
) -> datetime | None:
    """Until when a turn's letter waits because its player has just seen the question."""
    if row.kind != "turn" or row.raw is not None or row.repeat_of is not None:
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
    person = row_of(session, Person, row.person_id)
    return person, truth.seat_at(session, row)
