"""Outages: times in which nobody's clock counts, since the service was not there for its players.

An outage is a row with a begin and an end, and clocks leave that time out as they leave vacations
out. So its length is given back however often clocks are reckoned anew, and by whom: a crash
between two games of one outage can neither give twice nor forget. Only that a game was told of it
(the note in its log) has to be kept with it: `Game.outage`.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, func, or_
from sqlmodel import Session, col, select

from pbem.clocks import rules
from pbem.clocks.rules import Interval
from pbem.mail import pauses
from pbem.models import (
    Game,
    GameState,
    Heartbeat,
    LetterState,
    MailPause,
    Outage,
    Outbox,
    SeatRow,
    stored_id,
)
from pbem.play import upkeep

log = logging.getLogger("carreira.clocks")

SWEEP, MAIL = "sweep", "mail"
NAME = "clocks"  # the sign of life of who sees to the clocks; the sweep's own is its last act
LONGEST_SILENCE = timedelta(minutes=5)  # of the sweep; and of letters that are due
LOOKED_AT = 200  # of the newest letters, for one that has left


def of(
    session: Session, row: Game, seats: Sequence[SeatRow], since: datetime, now: datetime
) -> Mapping[int, Sequence[Interval]]:
    """By seat, the times from an instant on that were outages for it."""
    found = session.exec(select(Outage).where(col(Outage.ends) > since)).all()
    silence = silence_of(session, now)
    unkept = [] if silence is None else [silence]
    return {stored_id(seat): unkept + gaps(session, row, seat, found) for seat in seats}


def silence_of(session: Session, now: datetime) -> Interval | None:
    """The time since the sweep's last sign, if that is too long ago: an outage not yet kept."""
    last = upkeep.last_sign(session, NAME)
    return (last, now) if last is not None and now - last > LONGEST_SILENCE else None


def _untold(
    session: Session, row: Game, seat: SeatRow, gone: Sequence[Outage]
) -> list[Interval]:
    """The times in which a seat's player could not be told what is asked of him."""
    letter = _letter_of(session, row, seat) if gone else None
    if letter is None or letter.state in (LetterState.UNWANTED, LetterState.DEAD):
        return []
    leading = None if letter.merged_into is None else session.get(Outbox, letter.merged_into)
    known = [each for each in ((leading or letter).settled, seat.looked_at)
             if each is not None and each >= letter.created]
    waits = [(max(each.begins, letter.created), min([each.ends, *known])) for each in gone]
    return [(begin, end) for begin, end in waits if begin < end]


def _letter_of(session: Session, row: Game, seat: SeatRow) -> Outbox | None:
    """The letter that tells a seat's player of the question which its clock counts."""
    if seat.clock_for is None:
        return None
    return session.exec(
        select(Outbox).where(
            Outbox.subject == f"g{row.id}", Outbox.kind == "turn",
            Outbox.occasion == str(seat.clock_for), Outbox.recipient == f"p{seat.person_id}")
    ).first()


# ---- noticing -----------------------------------------------------------------------------------


def notice(session: Session, now: datetime) -> None:
    """Keep what outages there have been since the last sweep, and that it is here; no commit.

    Both in one transaction, and one sweep at a time: none is kept twice or forgotten.
    """
    session.exec(select(Heartbeat).where(Heartbeat.name == NAME).with_for_update()).first()
    silence = silence_of(session, now)
    if silence is not None:
        log.warning("Nobody saw to the clocks from %s to %s.", *silence)
        session.add(Outage(kind=SWEEP, begins=silence[0], ends=silence[1]))
    notice_mail(session, now)
    upkeep.sign_of_life(session, NAME, now)


def notice_mail(session: Session, now: datetime) -> None:
    """The time in which letters cannot leave: begun, going on, or over."""
    going = session.exec(select(Outage).where(Outage.kind == MAIL, ~col(Outage.over))).first()
    since = stuck_since(session, now)
    if going is None and since is not None:
        log.warning("No letter has left since %s: clocks do not count.", since)
        session.add(Outage(kind=MAIL, begins=since, ends=now, over=False))
    elif going is not None:
        going.ends, going.over = max(now, going.begins), since is None
        session.add(going)
    session.flush()


def stuck_since(session: Session, now: datetime) -> datetime | None:
    """Since when no letter at all leaves; None if letters do, or none is due."""
    refused = session.get(MailPause, pauses.EVERYWHERE)
    if refused is not None:
        return refused.since
    long_ago = now - LONGEST_SILENCE
    back = select(Outage.id).where(Outage.kind == SWEEP, col(Outage.ends) > long_ago)
    if session.exec(back).first() is not None:
        return None  # who has just come back has letters to send first
    waits = session.exec(
        select(Outbox.id).where(
            col(Outbox.settled).is_(None), col(Outbox.created) <= long_ago,
            or_(col(Outbox.not_before) <= long_ago, was_unreachable()))
        .limit(1)
    ).first()
    if waits is None:
        return None
    lately = select(Outbox.settled).where(Outbox.state == LetterState.SENT)
    newest = session.exec(lately.order_by(col(Outbox.id).desc()).limit(LOOKED_AT)).all()
    last = max((at for at in newest if at is not None), default=long_ago)
    return long_ago if last <= long_ago else None


def was_unreachable() -> ColumnElement[bool]:
    """A letter that was tried, and that no server has said a word to."""
    return (col(Outbox.attempts) > 0) & col(Outbox.last_code).is_(None) & col(Outbox.why).is_(None)


# ---- giving back --------------------------------------------------------------------------------


def owed(session: Session) -> list[int]:
    """Running games with clocks that have not been told of the newest outage."""
    newest = newest_end(session)
    if newest is None:
        return []
    found = select(Game.id).where(
        Game.state == GameState.RUNNING, Game.clock != rules.NO_CLOCK.stored,
        or_(col(Game.outage).is_(None), col(Game.outage) < newest)).order_by(col(Game.id))
    return [number for number in session.exec(found) if number is not None]


def newest_end(session: Session) -> datetime | None:
    """When the last outage was over."""
    return session.exec(select(func.max(Outage.ends)).where(col(Outage.over))).one()


def given(session: Session, row: Game, seats: Sequence[SeatRow]) -> int:
    """The seconds that clocks of this game got back by outages it was not told of: the most."""
    most = timedelta(0)
    for seat in seats:
        since = seat.clock_from
        if since is not None:
            ended = select(Outage).where(col(Outage.over), col(Outage.ends) > since)
            over = session.exec(ended).all()
            old = [each for each in over if row.outage is not None and each.ends <= row.outage]
            given = length(gaps(session, row, seat, over), since)
            most = max(most, given - length(gaps(session, row, seat, old), since))
    return most // timedelta(seconds=1)


def gaps(session: Session, row: Game, seat: SeatRow, found: Sequence[Outage]) -> list[Interval]:
    """Which of these times were outages for a seat."""
    for_all = [(each.begins, each.ends) for each in found if each.kind == SWEEP]
    return for_all + _untold(session, row, seat, [each for each in found if each.kind == MAIL])


def length(times: Sequence[Interval], since: datetime) -> timedelta:
    """How long they are together from an instant on; what overlaps counts once."""
    return sum(
        (max(end, since) - max(begin, since) for begin, end in rules.merged(times)), timedelta(0))
