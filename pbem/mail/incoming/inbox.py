"""Works off stored letters: claims each, has it judged, and counts the tries."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import update
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session, col, or_, select

from pbem import db, logs
from pbem.mail.incoming.judge import judge
from pbem.mail.letters.kinds import KINDS
from pbem.models import STORED, Inbound, InboundState, Invitation, Outbox
from pbem.service import Service

TRIES = 3  # of a letter that makes the judge fail
LEASE = timedelta(seconds=120)  # longer than a task may take
SECONDS_TO_JUDGE = 10

log = logging.getLogger("carreira.inbox")


def waiting(session: Session, before: datetime, now: datetime, *, most: int = 200) -> list[int]:
    """Return letters that came in before an instant and that nobody holds: their tasks were lost.
    """
    oldest_first = (
        select(Inbound.id)
        .where(col(Inbound.received) <= before, *_free(now))
        .order_by(col(Inbound.received), col(Inbound.id))
    )
    return [found for found in session.exec(oldest_first.limit(most)) if found is not None]


def work_off(
    service: Service, inbound_id: int, *, enqueue: Callable[[int], None]
) -> InboundState:
    """Judge a letter if no other worker holds it. Returns its state.

    A letter that cannot be judged stays stored for the sweep. After three tries it is ignored, so
    that it does not block others. A lost database connection counts as no try and is raised.
    """
    number = begin(service, inbound_id)
    if not number:
        return state_of(service, inbound_id)
    try:
        with logs.about(inbound_id=inbound_id):
            return judge(service, inbound_id, enqueue=enqueue)
    except db.AWAY:
        put_back(service, inbound_id, tries=number - 1)
        raise
    except Exception as problem:  # whatever is wrong with one letter, the others go on
        log.error("A letter breaks the judge, try %s: %s", number, db.plain_reason(problem),
                  exc_info=None if isinstance(problem, SQLAlchemyError) else problem)
        put_back(service, inbound_id, tries=number)
        return give_up(service, inbound_id) if number >= TRIES else InboundState.STORED


def begin(service: Service, inbound_id: int) -> int:
    """Claim a letter and count the try. Returns the try's number, or 0 if there is nothing to do.

    The try is counted first, because a letter may kill the process that reads it.
    """
    now = service.clock.now()
    this = (col(Inbound.id) == inbound_id, *_free(now))
    with service.writing() as session:
        connection = session.connection()
        connection.execute(
            update(Inbound).where(*this, col(Inbound.tries) >= TRIES).values(**_broken(now)))
        counted = connection.execute(
            update(Inbound).where(*this)
            .values(tries=col(Inbound.tries) + 1, lease_until=now + LEASE)
            .returning(col(Inbound.tries)))  # fmt: skip
        number = counted.scalar_one_or_none() or 0
        session.commit()
    return number


def put_back(service: Service, inbound_id: int, *, tries: int) -> None:
    """Release a letter and set its count of tries."""
    with service.writing() as session:
        session.connection().execute(
            update(Inbound).where(col(Inbound.id) == inbound_id)
            .values(tries=tries, lease_until=None))  # fmt: skip
        session.commit()


def give_up(service: Service, inbound_id: int) -> InboundState:
    """Ignore a letter that could not be judged. It stays stored for inspection."""
    now = service.clock.now()
    this = (col(Inbound.id) == inbound_id, col(Inbound.state) == InboundState.STORED)
    with service.writing() as session:
        session.connection().execute(update(Inbound).where(*this).values(**_broken(now)))
        session.commit()
    return state_of(service, inbound_id)


def state_of(service: Service, inbound_id: int) -> InboundState:
    """Return the state of a letter."""
    with service.reading() as session:
        return InboundState(session.get_one(Inbound, inbound_id).state)


def answers(session: Session, inbound_id: int, now: datetime) -> list[int]:
    """Return the outbox ids that may leave now after a letter was judged.

    They are the answers to it, and other letters about its game.
    """
    letter = session.get_one(Inbound, inbound_id)
    game_id = letter.game_id or begun_by(session, letter)
    answers = [kind.name for kind in KINDS.values() if kind.is_answer]
    is_answer = (col(Outbox.about_id) == inbound_id) & col(Outbox.kind).in_(answers)
    of_game = col(Outbox.game_id) == game_id
    due = select(Outbox.id).where(
        or_(is_answer, of_game) if game_id else is_answer, col(Outbox.settled).is_(None),
        col(Outbox.not_before) <= now,
    )  # fmt: skip
    return sorted(found for found in session.exec(due) if found is not None)


def begun_by(session: Session, letter: Inbound) -> int | None:
    """Return the game that a letter may have started by accepting an invitation, or None."""
    ours = session.get(Outbox, letter.letter_id) if letter.letter_id else None
    if ours is None or ours.invitation_id is None:
        return None
    invitation = session.get(Invitation, ours.invitation_id)
    return None if invitation is None else invitation.game_id


def _free(now: datetime) -> tuple[Any, ...]:
    return (
        col(Inbound.state) == STORED,
        or_(col(Inbound.lease_until).is_(None), col(Inbound.lease_until) < now),
    )


def _broken(now: datetime) -> dict[str, Any]:
    return {
        "state": InboundState.IGNORED, "reason": "broken", "decided": now, "lease_until": None
    }  # fmt: skip
