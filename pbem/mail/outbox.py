"""Due letters: the rows that make them due, and the one way in which a row becomes a sent letter.

A row is claimed for a lease, its letter built once and kept, sent outside of any transaction, and
settled. Whoever is killed in between leaves a row that the sweep takes up when the lease is over;
the letter is then the same, its Message-ID too.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, col, select

# As modules: they look at sign-ins and invitations, whose modules make letters due by this one.
from pbem.mail import compose, truth
from pbem.mail.answers import Meaning, Outcome, Transport, Unreachable, code_of, meaning, text_of
from pbem.mail.ledger import (
    PATIENCE,
    Patience,
    claim,
    close,
    finish,
    free,
    is_held,
    keep,
    pause_all,
    put_back,
    state_of,
)
from pbem.models import LetterState, Outbox
from pbem.service import Service

log = logging.getLogger("carreira.letters")


def due(
    session: Session,
    *,
    recipient: str,
    kind: str,
    subject: str,
    occasion: str,
    now: datetime,
    not_before: datetime | None = None,
    unwanted: bool = False,
) -> int | None:
    """Make a letter due in the caller's transaction; the new row's id, None if it already is.

    One that its reader does not want is settled at once.
    """
    row = {
        "recipient": recipient,
        "kind": kind,
        "subject": subject,
        "occasion": occasion,
        "state": LetterState.UNWANTED if unwanted else LetterState.PENDING,
        "attempts": 0,
        "created": now,
        "not_before": max(now, not_before or now),
        "settled": now if unwanted else None,
    }
    once = _once(session.get_bind().dialect.name)
    return session.execute(once, row).scalar_one_or_none()


@cache
def _once(dialect: str) -> Any:
    """Inserts a letter's row unless it is there; built once, since every move needs it."""
    insert: Any = postgresql.insert if dialect == "postgresql" else sqlite.insert
    fresh = insert(Outbox.__table__)  # type: ignore[attr-defined]
    once = fresh.on_conflict_do_nothing(index_elements=["subject", "kind", "occasion", "recipient"])
    return once.returning(col(Outbox.id))


def deliver(
    service: Service, row_id: int, transport: Transport, patience: Patience = PATIENCE
) -> LetterState:
    """Send one due letter, if nobody else does and it still is true; what has become of it."""
    return attempt(service, row_id, transport, patience)[0]


def sweep(
    service: Service, transport: Transport, patience: Patience = PATIENCE, *, most: int = 200
) -> int:
    """Send all that is due and not in other hands, until nobody answers; how many have left."""
    with service.reading() as session:
        oldest_first = select(Outbox.id).where(*free(service.clock.now()))
        waiting = session.exec(oldest_first.order_by(col(Outbox.not_before)).limit(most)).all()
    left = 0
    for row_id in waiting:
        state, outcome = attempt(service, row_id or 0, transport, patience)
        left += state == LetterState.SENT
        if isinstance(outcome, Unreachable) or credentials_refused(outcome):
            break  # the others would wait as long for nothing; the next sweep asks again
    return left


@dataclass(frozen=True)
class Ready:
    """A letter that may leave now."""

    sender: str
    recipient: str
    letter: bytes


def attempt(
    service: Service, row_id: int, transport: Transport, patience: Patience
) -> tuple[LetterState, Outcome | None]:
    """One attempt: the row's state behind it, and the server's answer if it was asked."""
    ready = prepared(service, row_id, patience) if claim(service, row_id, patience) else None
    if ready is None:
        return state_of(service, row_id), None
    outcome = transport.send(ready.sender, ready.recipient, ready.letter)
    return settle(service, row_id, ready, outcome, patience), outcome


def prepared(service: Service, row_id: int, patience: Patience) -> Ready | None:
    """The letter in hand; None: the row is settled and says why, or somebody else's by now."""
    now = service.clock.now()
    letter = None
    with service.reading() as session:
        row = session.get_one(Outbox, row_id)
        reader = truth.reader_of(session, row)
        objection = why_not(session, row, reader, now, patience)
        # Only the proofs of an address write while they are built (the hashes of their secrets); a
        # turn letter takes its time, which nobody should wait for.
        if reader is not None and objection is None and not row.raw and not writes(row):
            letter = built(service, session, row, now, reader)
    if reader is None or objection is not None:
        close(service, row_id, *(objection or (LetterState.SUPERSEDED, NOT_TRUE)))
        return None
    letter = row.raw or kept(service, row, letter, now)
    if letter is None:
        close(service, row_id, LetterState.SUPERSEDED, NOT_TRUE)
        return None
    if not is_held(service, row):
        return None
    return Ready(f"bounce@{service.settings.mail_domain}", reader.address, letter)


NOT_TRUE = "no longer true"


def why_not(
    session: Session, row: Outbox, reader: truth.Reader | None, now: datetime, patience: Patience
) -> tuple[LetterState, str] | None:
    """How a letter ends that must not leave, and why; None if it may."""
    if reader is None or not truth.still_true(session, row, now):
        return LetterState.SUPERSEDED, NOT_TRUE
    if reader.suppressed and row.kind not in truth.PROOFS:
        return LetterState.DEAD, reader.suppressed
    if row.attempts > patience.tries:  # each try killed its worker, or it would have been put back
        return LetterState.DEAD, "every try ended without an answer"
    return None


def writes(row: Outbox) -> bool:
    """Whether building this letter writes."""
    return row.kind in truth.PROOFS


def built(
    service: Service,
    session: Session,
    row: Outbox,
    now: datetime,
    reader: truth.Reader | None = None,
) -> bytes | None:
    """The letter's bytes, from what this session sees; None if it is no longer true."""
    letter = compose.compose(session, row, service.settings, now, reader=reader)
    return None if letter is None else compose.as_bytes(letter)


def kept(service: Service, row: Outbox, letter: bytes | None, now: datetime) -> bytes | None:
    """The letter's bytes, kept for every later attempt; those of a proof are built here."""
    with service.writing() as session:
        if writes(row):
            letter = built(service, session, row, now)
        if letter is not None:
            keep(session, row, letter)
    return letter


def settle(
    service: Service, row_id: int, ready: Ready, outcome: Outcome, patience: Patience
) -> LetterState:
    """Keep what the server said, and what follows from it."""
    code, text = code_of(outcome), text_of(outcome)
    with service.writing() as session:
        # The first statement behind the server's 250: the window for a second copy is this small.
        now = service.clock.now()
        state = follow(session, row_id, ready, outcome, now=now, patience=patience)
        if state != LetterState.PENDING:
            finish(session, row_id, state, now=now, code=code, text=text)
        session.commit()
    if state != LetterState.SENT:
        log.warning("letter %s: %s, %s %s", row_id, state, code, text)
    return state


def follow(
    session: Session,
    row_id: int,
    ready: Ready,
    outcome: Outcome,
    *,
    now: datetime,
    patience: Patience,
) -> LetterState:
    """The state that an answer leads to; a letter that is tried again is put back here."""
    means = meaning(outcome)
    if means == Meaning.SENT:
        return LetterState.SENT
    if means == Meaning.NO_SUCH_ADDRESS:
        truth.suppress(session, ready.recipient, text_of(outcome))
        return LetterState.DEAD
    if means == Meaning.HOPELESS:
        return LetterState.DEAD
    row = session.exec(select(Outbox).where(Outbox.id == row_id)).one()
    if means == Meaning.OUR_CREDENTIALS:
        put_back(session, row, now + patience.pause, outcome, attempts=row.attempts - 1)
        pause_all(session, now, patience)
        return LetterState.PENDING
    if patience.is_over(row, now):
        return LetterState.DEAD
    put_back(session, row, now + patience.before_try(row.attempts), outcome, attempts=row.attempts)
    return LetterState.PENDING


def credentials_refused(outcome: Outcome | None) -> bool:
    """Whether the server does not let us send at all."""
    return outcome is not None and meaning(outcome) == Meaning.OUR_CREDENTIALS
