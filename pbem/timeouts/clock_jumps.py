"""The clock was set back: what was dated by the wrong time lies ahead, and would wait for it.

A clock that jumps forward looks like an outage of the service: nobody's time counts through it.
Once it is right again, the last sign of life lies ahead. Then letters and calls that wait, leases,
pauses, outages and looks are taken to be of this moment, and seats' clocks run on from it.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from sqlalchemy import Update, case, update
from sqlmodel import Session, col, select

from pbem.clocks import rules
from pbem.models import (
    Game,
    GameState,
    Heartbeat,
    Inbound,
    InboundState,
    MailPause,
    Outage,
    Outbox,
    SeatRow,
)
from pbem.models.archive import HookCall

log = logging.getLogger("carreira.clocks")

SLACK = timedelta(minutes=1)  # by which the clocks of several machines may differ
LONGEST_LEASE = timedelta(minutes=10)  # well beyond any lease of ours
LONGEST_WAIT = timedelta(hours=7)  # beyond any wait for another try


def is_ahead(last: datetime | None, now: datetime) -> bool:
    """Whether a sign of life lies further ahead than clocks of machines differ."""
    return last is not None and last > now + SLACK


def put_right(session: Session, now: datetime) -> list[int]:
    """Take what lies ahead to be of now; the games whose clocks are to be reckoned anew."""
    log.error("The clock was set back: what lies ahead of %s is taken to be of now.", now)
    for statement in (*of_letters(now), *of_signs(now)):
        session.connection().execute(statement)
    timed = select(Game.id).where(
        Game.state == GameState.RUNNING, Game.clock != rules.NO_CLOCK.stored)
    return [number for number in session.exec(timed.order_by(col(Game.id))) if number is not None]


def of_letters(now: datetime) -> tuple[Update, ...]:
    """What leaves and what came in: it waits no longer than it would have."""
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


def of_signs(now: datetime) -> tuple[Update, ...]:
    """Who was last here when, and since when something counts."""
    begins = case((col(Outage.begins) > now, now), else_=col(Outage.begins))
    return (
        update(Outage).where(col(Outage.ends) > now).values(begins=begins, ends=now),
        update(Heartbeat).where(col(Heartbeat.at) > now).values(at=now),
        update(SeatRow).where(col(SeatRow.looked_at) > now).values(looked_at=now),
        update(SeatRow).where(col(SeatRow.clock_from) > now).values(clock_from=now),
    )
