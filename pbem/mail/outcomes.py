"""What follows from a server's answer: for the letter, its reader, and all letters to a domain."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session, select

from pbem.mail import bounces, pauses
from pbem.mail.ledger import (
    CREDENTIALS,
    FULL,
    OUR_FAULT,
    SLOW,
    TOO_BIG,
    Patience,
    finish,
    pause_all,
    put_back,
    rebuild,
)
from pbem.mail.letters import truth
from pbem.mail.server_answers import Meaning, Outcome, code_of, meaning, text_of
from pbem.models import LetterState, Outbox
from pbem.service import Service

log = logging.getLogger("carreira.letters")


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
            pauses.lift(session, ready.recipient)
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
        truth.suppress(it.session, it.recipient, text_of(it.outcome))
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
    pauses.pause(it.session, pauses.EVERYWHERE, until=until, why=it.said, now=it.now)
    return LetterState.PENDING


def our_fault(it: Answered) -> LetterState:
    """All letters to the domain wait; the one refused waits longest, so that others try first.

    If one of them gets through and this one is refused again, then it is this one's fault.
    """
    domain = pauses.domain_of(it.recipient)
    is_this_ones = it.row.why == OUR_FAULT and not pauses.is_known(it.session, it.recipient)
    log.error("%s refuses our letters for what we are", domain, extra={"letter_id": it.row.id})
    if is_this_ones or it.patience.is_over(it.row, it.now):
        return LetterState.DEAD
    until = it.now + it.patience.domain_pause
    pauses.pause(it.session, domain, until=until, why=it.said, now=it.now)
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
            bounces.count_soft(it.session, it.row, it.now)
        return LetterState.DEAD
    again = it.now + it.patience.before_try(it.row.attempts, is_full=is_full)
    if is_slow:
        until = it.now + it.patience.slow
        domain = pauses.domain_of(it.recipient)
        pauses.pause(it.session, domain, until=until, why=it.said, now=it.now)
        again = max(again, until + timedelta(seconds=1))
    why = FULL if is_full else SLOW if is_slow else None
    put_back(it.session, it.row, again, it.outcome, attempts=it.row.attempts, why=why)
    return LetterState.PENDING
