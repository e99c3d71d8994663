"""Decides what follows from a server's answer, for the letter, its reader and the domain."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, delete, func, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, col, select

from pbem.mail import bounces
from pbem.mail.delivery.rows import finish, rebuild, wait
from pbem.mail.server_answers import LONGEST_ANSWER, Meaning, Outcome, meaning
from pbem.models import EVERYWHERE, LetterState, MailPause, Outbox
from pbem.service import Service

log = logging.getLogger("carreira.letters")


@dataclass(frozen=True)
class Patience:
    """How long a letter is kept, how often it is tried, and how long the waits between tries are.
    """

    lease: timedelta = timedelta(seconds=180)
    floor: timedelta = timedelta(seconds=30)
    step: timedelta = timedelta(seconds=60)
    ceiling: timedelta = timedelta(hours=6)
    tries: int = 12
    full_tries: int = 60  # tries of a letter to a full mailbox
    span: timedelta = timedelta(hours=48)
    # tries that a letter always gets, even if no worker ran for longer than the span
    fewest: int = 3
    full_span: timedelta = timedelta(days=3)  # how long the owner of a full mailbox has to empty it
    # for all letters, when the server refuses our credentials
    pause: timedelta = timedelta(minutes=10)
    # for a domain that refuses us because of a fault of ours
    domain_pause: timedelta = timedelta(hours=1)
    slow: timedelta = timedelta(minutes=5)  # for a domain that asks us to slow down
    jitter: Callable[[float, float], float] = random.uniform

    def before_try(self, attempts: int, *, is_full: bool = False) -> timedelta:
        """Return the wait before the next try.

        It has full jitter: anything from the floor to a bound that doubles with each attempt.
        """
        doubled = self.step * 2 ** min(attempts, 20)
        bound = self.ceiling if is_full else min(self.ceiling, doubled)
        return max(self.floor, timedelta(seconds=self.jitter(0.0, bound.total_seconds())))

    def is_over(self, row: Outbox, now: datetime, *, is_full: bool = False) -> bool:
        """Return whether a letter that has failed again is given up."""
        span, tries = (self.full_span, self.full_tries) if is_full else (self.span, self.tries)
        too_old = now - row.created > span and row.attempts >= self.fewest
        return row.attempts >= tries or too_old

    def most_tries(self, row: Outbox) -> int:
        """Return how many tries a letter can have had if each of them came to an end."""
        return self.full_tries if row.why == FULL else self.tries


PATIENCE = Patience()

# Why a letter waits (Outbox.why).
CREDENTIALS, OUR_FAULT, SLOW, FULL, TOO_BIG, DOMAIN_PAUSED, LOOKING = (
    "credentials", "our_fault", "domain_slow", "mailbox_full", "too_big", "domain_paused",
    "looking",
)
# reasons of an earlier failure that decide what the next try means
REMEMBERED = (OUR_FAULT, TOO_BIG)


# ---- handling an answer -------------------------------------------------------------------------


@dataclass(frozen=True)
class Ready:
    """A letter that is ready to be sent."""

    sender: str
    recipient: str
    letter: bytes


@dataclass(frozen=True)
class Answered:
    """A letter, and the server's answer to it."""

    session: Session
    row: Outbox
    recipient: str
    outcome: Outcome
    now: datetime
    patience: Patience

    @property
    def said(self) -> str:
        """The answer in one line."""
        return f"{self.outcome.code or ''} {self.outcome.text}".strip()


def settle(
    service: Service, row_id: int, ready: Ready, outcome: Outcome, patience: Patience
) -> LetterState:
    """Store the server's answer and apply what follows from it. Returns the letter's new state."""
    code, text = outcome.code, outcome.text
    if meaning(outcome) == Meaning.SENT:
        with service.writing() as session:
            # Keep this the first statement after the server's 250. A crash in between sends a
            # second copy.
            now = service.clock.now()
            finish(session, row_id, LetterState.SENT, now=now, code=code, text=text)
            lift(session, ready.recipient)
            session.commit()
        return LetterState.SENT
    with service.writing() as session:
        now = service.clock.now()
        row = session.exec(select(Outbox).where(Outbox.id == row_id)).one()
        state = follow(Answered(session, row, ready.recipient, outcome, now, patience))
        if state != LetterState.PENDING:
            finish(session, row_id, state, now=now, code=code, text=text)
        session.commit()
    # Server answers quote addresses. They are stored in the letter's row, not in the log.
    log.warning("a letter is not taken", extra={"letter_id": row_id, "state": state, "code": code})
    return state


def follow(it: Answered) -> LetterState:
    """Return the state that a refusal leads to. A letter to be tried again is put back here."""
    means = meaning(it.outcome)
    if means == Meaning.NO_SUCH_ADDRESS:
        bounces.suppress(it.session, it.recipient, it.outcome.text)
        return LetterState.DEAD
    if means == Meaning.HOPELESS:
        log.error("a letter is refused for its content", extra={"letter_id": it.row.id})
        return LetterState.DEAD
    if means == Meaning.OUR_CREDENTIALS:
        return credentials(it)
    if means == Meaning.OUR_FAULT:
        return our_fault(it)
    if means == Meaning.TOO_BIG:
        return too_big(it)
    return later(it, is_full=means == Meaning.FULL, is_slow=means == Meaning.SLOW_DOWN)


def credentials(it: Answered) -> LetterState:
    """Pause all letters: the server refuses our credentials. No letter loses a try."""
    until = it.now + it.patience.pause
    put_back(it.session, it.row, until, it.outcome, attempts=it.row.attempts - 1, why=CREDENTIALS)
    pause_all(it.session, until)
    pause(it.session, EVERYWHERE, until=until, why=it.said, now=it.now)
    return LetterState.PENDING


def our_fault(it: Answered) -> LetterState:
    """Pause all letters to the domain.

    The refused one waits longest, so that others are tried first.

    If another letter gets through and this one is refused again, the fault is this letter's.
    """
    domain = domain_of(it.recipient)
    is_this_ones = it.row.why == OUR_FAULT and not is_known(it.session, it.recipient)
    log.error("%s refuses our letters for what we are", domain, extra={"letter_id": it.row.id})
    if is_this_ones or it.patience.is_over(it.row, it.now):
        return LetterState.DEAD
    until = it.now + it.patience.domain_pause
    pause(it.session, domain, until=until, why=it.said, now=it.now)
    again = until + it.patience.before_try(it.row.attempts)
    put_back(it.session, it.row, again, it.outcome, attempts=it.row.attempts, why=OUR_FAULT)
    return LetterState.PENDING


def too_big(it: Answered) -> LetterState:
    """Retry at once without pictures. A letter that is too big without them is given up."""
    if it.row.why == TOO_BIG:
        log.error("a letter is too big without its pictures", extra={"letter_id": it.row.id})
        return LetterState.DEAD
    again = it.now + it.patience.floor
    put_back(it.session, it.row, again, it.outcome, attempts=it.row.attempts, why=TOO_BIG)
    rebuild(it.session, it.row)
    return LetterState.PENDING


def later(it: Answered, *, is_full: bool, is_slow: bool) -> LetterState:
    """Schedule another try, or give the letter up."""
    if it.patience.is_over(it.row, it.now, is_full=is_full):
        if is_full:
            bounces.count_soft(it.session, it.row, it.recipient, it.now)
        return LetterState.DEAD
    again = it.now + it.patience.before_try(it.row.attempts, is_full=is_full)
    if is_slow:
        until = it.now + it.patience.slow
        domain = domain_of(it.recipient)
        pause(it.session, domain, until=until, why=it.said, now=it.now)
        again = max(again, until + timedelta(seconds=1))
    why = FULL if is_full else SLOW if is_slow else None
    put_back(it.session, it.row, again, it.outcome, attempts=it.row.attempts, why=why)
    return LetterState.PENDING


def put_back(
    session: Session,
    row: Outbox,
    not_before: datetime,
    outcome: Outcome,
    *,
    attempts: int,
    why: str | None = None,
) -> None:
    """Release the letter until its next attempt."""
    said = {"last_code": outcome.code, "last_text": outcome.text[:LONGEST_ANSWER]}
    wait(session, row, not_before, attempts=attempts, why=why, **said)


# ---- pauses -------------------------------------------------------------------------------------


def pause_all(session: Session, until: datetime) -> None:
    """Pause all letters. None can leave before the operator acts, so none is tried for a while."""
    log.error("the mail server refuses our credentials; no letter leaves before %s", until)
    session.execute(
        update(Outbox)
        .where(col(Outbox.settled).is_(None), col(Outbox.not_before) < until)
        .values(not_before=until, why=CREDENTIALS)
    )


def domain_of(address: str) -> str:
    """Return the part after the @."""
    return address.rpartition("@")[2]


def paused_until(session: Session, address: str, now: datetime) -> datetime | None:
    """Return until when letters to this address wait, by the longest pause; None if they do not."""
    longest = select(func.max(MailPause.until)).where(about(address), MailPause.until > now)
    return session.exec(longest).one()


def about(address: str) -> ColumnElement[bool]:
    """Select the pauses that stop a letter to this address."""
    return col(MailPause.domain).in_((EVERYWHERE, domain_of(address)))


def is_known(session: Session, address: str) -> bool:
    """Return whether the domain has refused a letter and accepted none since."""
    return session.get(MailPause, domain_of(address)) is not None


def pause(session: Session, domain: str, *, until: datetime, why: str, now: datetime) -> None:
    """Pause letters to a domain. The first refusal is kept as the beginning of the pause."""
    insert: Any = (
        postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert)
    fresh = insert(MailPause).values(
        domain=domain, until=until, since=now, why=why[:LONGEST_ANSWER])
    newer = {"until": fresh.excluded.until, "why": fresh.excluded.why}
    session.exec(fresh.on_conflict_do_update(index_elements=["domain"], set_=newer))


def lift(session: Session, address: str) -> None:
    """End the pauses for this address, because a letter got through."""
    session.exec(delete(MailPause).where(about(address)))
