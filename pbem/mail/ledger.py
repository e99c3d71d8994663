"""The rows of the outbox while letters leave: claimed, kept, put back, settled. One writer each."""

from __future__ import annotations

import logging
import random
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, or_, update
from sqlmodel import Session, col, select

from pbem.mail.server_answers import LONGEST_ANSWER, Outcome, code_of, text_of
from pbem.models import LetterState, Outbox
from pbem.service import Service

log = logging.getLogger("carreira.letters")


@dataclass(frozen=True)
class Patience:
    """How long a letter is held, and how often and how far apart it is tried."""

    lease: timedelta = timedelta(seconds=180)
    floor: timedelta = timedelta(seconds=30)
    step: timedelta = timedelta(seconds=60)
    ceiling: timedelta = timedelta(hours=6)
    tries: int = 12
    full_tries: int = 60  # of a letter to a full mailbox
    span: timedelta = timedelta(hours=48)
    fewest: int = 3  # tries that a letter gets even if no worker ran for longer than the span
    full_span: timedelta = timedelta(days=3)  # a full mailbox may be emptied
    pause: timedelta = timedelta(minutes=10)  # for all, when the server refuses our credentials
    domain_pause: timedelta = timedelta(hours=1)  # for a domain that refuses us for our own fault
    slow: timedelta = timedelta(minutes=5)  # for a domain that asks for time
    jitter: Callable[[float, float], float] = random.uniform

    def before_try(self, attempts: int, *, is_full: bool = False) -> timedelta:
        """Full jitter: anything from the floor to a bound that doubles with each attempt."""
        doubled = self.step * 2 ** min(attempts, 20)
        bound = self.ceiling if is_full else min(self.ceiling, doubled)
        return max(self.floor, timedelta(seconds=self.jitter(0.0, bound.total_seconds())))

    def is_over(self, row: Outbox, now: datetime, *, is_full: bool = False) -> bool:
        """Whether a letter that failed once more is given up."""
        span, tries = (self.full_span, self.full_tries) if is_full else (self.span, self.tries)
        too_old = now - row.created > span and row.attempts >= self.fewest
        return row.attempts >= tries or too_old

    def most_tries(self, row: Outbox) -> int:
        """The tries that a letter may have had if each of them had come to an end."""
        return self.full_tries if row.why == FULL else self.tries


PATIENCE = Patience()

# Why a letter waits (Outbox.why).
CREDENTIALS, OUR_FAULT, SLOW, FULL, TOO_BIG, DOMAIN_PAUSED = (
    "credentials", "our_fault", "domain_slow", "mailbox_full", "too_big", "domain_paused"
)


def free(now: Any) -> tuple[ColumnElement[bool], ...]:
    """Rows that are due and that nobody holds."""
    unheld = or_(col(Outbox.lease_until).is_(None), col(Outbox.lease_until) < now)
    return col(Outbox.settled).is_(None), col(Outbox.not_before) <= now, unheld


def claim(service: Service, row_id: int, patience: Patience) -> bool:
    """Hold the row for a lease, if it is free; its Message-ID is fixed with its first holder."""
    now = service.clock.now()
    with service.writing() as session:
        row = session.get(Outbox, row_id)
        if row is None:
            return False
        message_id = row.message_id or new_message_id(row, service.settings.mail_domain)
        held = session.exec(
            update(Outbox).where(col(Outbox.id) == row_id, *free(now)).values(
                state=LetterState.SENDING, lease_until=now + patience.lease,
                attempts=col(Outbox.attempts) + 1, message_id=message_id))
        session.commit()
    return held.rowcount == 1


def new_message_id(row: Any, domain: str) -> str:
    """<g42.turn.17.9f86d081@carreira.example>: says what it is about, and cannot be guessed."""
    about = f"g{row.game_id}" if row.game_id else \
        f"i{row.invitation_id}" if row.invitation_id else f"l{row.id}"
    kind, which = row.kind.replace("_", "-"), row.entry or row.about_id or row.id
    return f"<{about}.{kind}.{which}.{secrets.token_hex(4)}@{domain}>"


def state_of(service: Service, row_id: int) -> LetterState:
    """Where the letter stands; one that was never due counts as superseded."""
    with service.reading() as session:
        row = session.get(Outbox, row_id)
        return LetterState(row.state) if row is not None else LetterState.SUPERSEDED


def merged_into(session: Session, row: Outbox) -> list[Outbox]:
    """The letters that this one tells as well, in the order of their games."""
    told = select(Outbox).where(Outbox.merged_into == row.id).order_by(col(Outbox.id))
    return list(session.exec(told))


def is_held(service: Service, row: Outbox) -> bool:
    """Whether the claim still holds; a machine that slept for a while may have lost it."""
    return row.lease_until is not None and service.clock.now() < row.lease_until


def finish(
    session: Session, row_id: int, state: LetterState, *, now: datetime, code: int | None, text: str
) -> None:
    """The row's last word; its bytes are not needed any more."""
    text = text[:LONGEST_ANSWER]
    session.exec(
        update(Outbox).where(col(Outbox.id) == row_id, col(Outbox.settled).is_(None)).values(
            state=state, settled=now, raw=None, lease_until=None, last_code=code, last_text=text))
    if state != LetterState.SENT:  # what it was to tell beside its own ends with it
        session.exec(
            update(Outbox)
            .where(col(Outbox.merged_into) == row_id, col(Outbox.state) == LetterState.MERGED)
            .values(state=state, last_text=text))


def put_back(
    session: Session,
    row: Outbox,
    not_before: datetime,
    outcome: Outcome,
    *,
    attempts: int,
    why: str | None = None,
) -> None:
    """Let the letter wait for its next attempt."""
    said = {"last_code": code_of(outcome), "last_text": text_of(outcome)[:LONGEST_ANSWER]}
    wait(session, row, not_before, attempts=attempts, why=why, **said)


def wait(session: Session, row: Outbox, not_before: datetime, **changes: Any) -> None:
    """Nobody holds the letter; it is tried again when its time has come."""
    waiting = {"state": LetterState.PENDING, "lease_until": None, "not_before": not_before}
    unsettled = update(Outbox).where(col(Outbox.id) == row.id, col(Outbox.settled).is_(None))
    session.execute(unsettled.values(waiting | changes))


def rebuild(session: Session, row: Outbox) -> None:
    """Forget the letter's bytes: the next attempt builds it anew."""
    session.execute(update(Outbox).where(col(Outbox.id) == row.id).values(raw=None))


def pause_all(session: Session, until: datetime) -> None:
    """No letter can leave before the operator has acted: nobody knocks for a while."""
    log.error("the mail server refuses our credentials; no letter leaves before %s", until)
    session.execute(
        update(Outbox)
        .where(col(Outbox.settled).is_(None), col(Outbox.not_before) < until)
        .values(not_before=until, why=CREDENTIALS)
    )
