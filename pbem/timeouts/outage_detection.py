"""Finds outages, and times when the machine's clock was wrong; keeps both off players' clocks.

An outage is a row with a begin and an end. Every computation of a deadline leaves that time out, as
it leaves out vacations, so a crash between two games of one outage gives nothing twice and forgets
nothing. Only the note in a game's log has to be written once: `Game.outage` says up to which outage
that was done.

A clock that jumps forward looks like an outage. A clock that was ahead and is right again leaves
rows dated in the future: `correct_future_rows` moves them to the present.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Update, case, func, or_, update
from sqlmodel import Session, col, select

from pbem.clocks import rules
from pbem.clocks.rules import Interval
from pbem.models import (
    EVERYWHERE,
    Game,
    GameState,
    Heartbeat,
    Inbound,
    InboundState,
    LetterState,
    MailPause,
    Outage,
    Outbox,
    SeatRow,
)
from pbem.models.archive import HookCall
from pbem.play import upkeep
from pbem.play.outages import LONGEST_SILENCE, MAIL, NAME, SWEEP, gaps, silence_of

log = logging.getLogger("carreira.clocks")

SLACK = timedelta(minutes=1)  # by which the clocks of several machines may differ
LONGEST_LEASE = timedelta(minutes=10)  # longer than any lease that we take
LONGEST_WAIT = timedelta(hours=7)  # longer than any wait before a retry
LOOKED_AT = 200  # of the newest letters, to find one that was sent


# ---- noticing -----------------------------------------------------------------------------------


def notice(session: Session, now: datetime) -> None:
    """Store outages since the last sweep, and this sweep's heartbeat; no commit.

    Locks the heartbeat: no outage is stored twice or lost.
    """
    session.exec(select(Heartbeat).where(Heartbeat.name == NAME).with_for_update()).first()
    silence = silence_of(session, now)
    if silence is not None:
        log.warning("Nobody saw to the clocks from %s to %s.", *silence)
        session.add(Outage(kind=SWEEP, begins=silence[0], ends=silence[1]))
    notice_mail(session, now)
    upkeep.store_heartbeat(session, NAME, now)


def notice_mail(session: Session, now: datetime) -> None:
    """Begin, prolong or end the outage of outgoing mail."""
    going = session.exec(select(Outage).where(Outage.kind == MAIL, ~col(Outage.over))).first()
    since = mail_stuck_since(session, now)
    if going is None and since is not None:
        log.warning("No letter has left since %s: clocks do not count.", since)
        session.add(Outage(kind=MAIL, begins=since, ends=now, over=False))
    elif going is not None:
        going.ends, going.over = max(now, going.begins), since is None
        session.add(going)
    session.flush()


def mail_stuck_since(session: Session, now: datetime) -> datetime | None:
    """Since when no letter at all is sent; None if letters are sent, or none is due."""
    refused = session.get(MailPause, EVERYWHERE)
    if refused is not None:
        return refused.since
    long_ago = now - LONGEST_SILENCE
    back = select(Outage.id).where(Outage.kind == SWEEP, col(Outage.ends) > long_ago)
    if session.exec(back).first() is not None:
        return None  # after an outage of the sweep, letters need some time
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
    """The condition for letters that were tried and got no answer from any server."""
    return (col(Outbox.attempts) > 0) & col(Outbox.last_code).is_(None) & col(Outbox.why).is_(None)


# ---- giving back --------------------------------------------------------------------------------


def games_to_note(session: Session) -> list[int]:
    """Timed running games whose logs do not tell of the newest outage."""
    newest = newest_end(session)
    if newest is None:
        return []
    found = select(Game.id).where(
        Game.state == GameState.RUNNING, Game.clock != rules.NO_CLOCK.stored,
        or_(col(Game.outage).is_(None), col(Game.outage) < newest)).order_by(col(Game.id))
    return [number for number in session.exec(found) if number is not None]


def newest_end(session: Session) -> datetime | None:
    """The end of the newest outage that is over."""
    return session.exec(select(func.max(Outage.ends)).where(col(Outage.over))).one()


def seconds_given_back(session: Session, row: Game, seats: Sequence[SeatRow]) -> int:
    """The seconds that outages not yet told gave back to this game's clocks: the most of any."""
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


def length(times: Sequence[Interval], since: datetime) -> timedelta:
    """The length of these intervals from an instant on; overlaps count once."""
    return sum(
        (max(end, since) - max(begin, since) for begin, end in rules.merged(times)), timedelta(0))


# ---- a clock that was set back -------------------------------------------------------------------


def is_in_future(last: datetime | None, now: datetime) -> bool:
    """Whether a heartbeat lies further in the future than the clocks of two machines differ."""
    return last is not None and last > now + SLACK


def correct_future_rows(session: Session, now: datetime) -> list[int]:
    """Move rows dated in the future to `now`; return the ids of timed running games."""
    log.error("The clock was set back: what lies ahead of %s is taken to be of now.", now)
    for statement in (*letter_updates(now), *clock_updates(now)):
        session.connection().execute(statement)
    timed = select(Game.id).where(
        Game.state == GameState.RUNNING, Game.clock != rules.NO_CLOCK.stored)
    return [number for number in session.exec(timed.order_by(col(Game.id))) if number is not None]


def letter_updates(now: datetime) -> tuple[Update, ...]:
    """Updates of letters and calls: none waits longer than it would have with a right clock."""
    letters, calls = col(Outbox.settled).is_(None), col(HookCall.settled).is_(None)
    stored = col(Inbound.state) == InboundState.STORED
    return (
        update(Outbox).where(letters, col(Outbox.created) > now)
        .values(not_before=now, created=now, lease_until=None),
        update(Outbox).where(letters, col(Outbox.lease_until) > now + LONGEST_LEASE)
        .values(lease_until=None),
        update(Outbox).where(
            letters, col(Outbox.attempts) > 0, col(Outbox.not_before) > now + LONGEST_WAIT)
        .values(not_before=now),
        update(HookCall).where(calls, col(HookCall.lease_until) > now + LONGEST_LEASE)
        .values(lease_until=None),
        update(HookCall).where(calls, col(HookCall.not_before) > now + LONGEST_WAIT)
        .values(not_before=now),
        update(Inbound).where(stored, col(Inbound.received) > now).values(received=now),
        update(Inbound).where(stored, col(Inbound.lease_until) > now + LONGEST_LEASE)
        .values(lease_until=None),
        update(MailPause).where(col(MailPause.since) > now).values(since=now, until=now),
    )  # fmt: skip


def clock_updates(now: datetime) -> tuple[Update, ...]:
    """Updates of heartbeats, outages and seats' clocks."""
    begins = case((col(Outage.begins) > now, now), else_=col(Outage.begins))
    return (
        update(Outage).where(col(Outage.ends) > now).values(begins=begins, ends=now),
        update(Heartbeat).where(col(Heartbeat.at) > now).values(at=now),
        update(SeatRow).where(col(SeatRow.looked_at) > now).values(looked_at=now),
        update(SeatRow).where(col(SeatRow.clock_from) > now).values(clock_from=now),
    )
