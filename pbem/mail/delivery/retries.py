"""What follows from a server's answer: for the letter, its reader, and all letters to a domain."""

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
from pbem.mail.server_answers import LONGEST_ANSWER, Meaning, Outcome, code_of, meaning, text_of
from pbem.models import EVERYWHERE, LetterState, MailPause, Outbox
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


PATIENCE = Patience()

# Why a letter waits (Outbox.why).
CREDENTIALS, OUR_FAULT, SLOW, FULL, TOO_BIG, DOMAIN_PAUSED, LOOKING = (
    "credentials", "our_fault", "domain_slow", "mailbox_full", "too_big", "domain_paused",
    "looking",
)
REMEMBERED = (OUR_FAULT, TOO_BIG)  # why a letter was put back: it decides what its next try means


# ---- after an answer ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Ready:
    """A letter that may leave now."""

    sender: str
    recipient: str
    letter: bytes


@dataclass(frozen=True)
class Answered:
    """A letter, and what the server said to it."""

    session: Session
    row: Outbox
    recipient: str
    outcome: Outcome
    now: datetime
    patience: Patience

    @property
    def said(self) -> str:
        """The answer in one line."""
        return f"{code_of(self.outcome) or ''} {text_of(self.outcome)}".strip()


def settle(
    service: Service, row_id: int, ready: Ready, outcome: Outcome, patience: Patience
) -> LetterState:
    """Keep what the server said, and what follows from it."""
    code, text = code_of(outcome), text_of(outcome)
    if meaning(outcome) == Meaning.SENT:
        with service.writing() as session:
            # The first statement behind the server's 250: the window for a second copy is so small.
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
    # What servers say quotes addresses: it stands in the letter's row, not in the log.
    log.warning("a letter is not taken", extra={"letter_id": row_id, "state": state, "code": code})
    return state


def follow(it: Answered) -> LetterState:
    """The state that a refusal leads to; a letter that is tried again is put back here."""
    means = meaning(it.outcome)
    if means == Meaning.NO_SUCH_ADDRESS:
        bounces.suppress(it.session, it.recipient, text_of(it.outcome))
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
    """Nobody's letter can leave: all wait, and none has lost a try."""
    until = it.now + it.patience.pause
    put_back(it.session, it.row, until, it.outcome, attempts=it.row.attempts - 1, why=CREDENTIALS)
    pause_all(it.session, until)
    pause(it.session, EVERYWHERE, until=until, why=it.said, now=it.now)
    return LetterState.PENDING


def our_fault(it: Answered) -> LetterState:
    """All letters to the domain wait; the one refused waits longest, so that others try first.

    If one of them gets through and this one is refused again, then it is this one's fault.
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
    """Once more at once, without pictures; a letter that is too big even so is given up."""
    if it.row.why == TOO_BIG:
        log.error("a letter is too big without its pictures", extra={"letter_id": it.row.id})
        return LetterState.DEAD
    again = it.now + it.patience.floor
    put_back(it.session, it.row, again, it.outcome, attempts=it.row.attempts, why=TOO_BIG)
    rebuild(it.session, it.row)
    return LetterState.PENDING


def later(it: Answered, *, is_full: bool, is_slow: bool) -> LetterState:
    """Another try later, or none any more."""
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
    """Let the letter wait for its next attempt."""
    said = {"last_code": code_of(outcome), "last_text": text_of(outcome)[:LONGEST_ANSWER]}
    wait(session, row, not_before, attempts=attempts, why=why, **said)


# ---- pauses -------------------------------------------------------------------------------------


def pause_all(session: Session, until: datetime) -> None:
    """No letter can leave before the operator has acted: nobody knocks for a while."""
    log.error("the mail server refuses our credentials; no letter leaves before %s", until)
    session.execute(
        update(Outbox)
        .where(col(Outbox.settled).is_(None), col(Outbox.not_before) < until)
        .values(not_before=until, why=CREDENTIALS)
    )


def domain_of(address: str) -> str:
    """The part behind the @."""
    return address.rpartition("@")[2]


def paused_until(session: Session, address: str, now: datetime) -> datetime | None:
    """Until when a letter to this address has to wait, by the longest pause."""
    longest = select(func.max(MailPause.until)).where(about(address), MailPause.until > now)
    return session.exec(longest).one()


def about(address: str) -> ColumnElement[bool]:
    """The pauses that stop a letter to this address."""
    return col(MailPause.domain).in_((EVERYWHERE, domain_of(address)))


def is_known(session: Session, address: str) -> bool:
    """Whether no letter has got through to the domain since it refused one."""
    return session.get(MailPause, domain_of(address)) is not None


def pause(session: Session, domain: str, *, until: datetime, why: str, now: datetime) -> None:
    """No letters to the domain for a while; its first refusal is remembered as its beginning."""
    insert: Any = (
        postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert)
    fresh = insert(MailPause).values(
        domain=domain, until=until, since=now, why=why[:LONGEST_ANSWER])
    newer = {"until": fresh.excluded.until, "why": fresh.excluded.why}
    session.exec(fresh.on_conflict_do_update(index_elements=["domain"], set_=newer))


def lift(session: Session, address: str) -> None:
    """A letter got through: whatever was wrong is over."""
    session.exec(delete(MailPause).where(about(address)))
