"""Due letters: the rows that make them due, and the one way in which a row becomes a sent letter.

A letter is built once; its row is then held for a lease and keeps the bytes, in one commit. It is
sent outside of any transaction, and settled. Whoever is killed in between leaves a row that the
sweep takes up when the lease is over; the letter is then the same, its Message-ID too.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.orm.attributes import set_committed_value
from sqlmodel import Session, col, select

from pbem import logs
from pbem.mail import taking, waiting
from pbem.mail.ledger import (
    PATIENCE,
    Patience,
    claim,
    finish,
    free,
    is_held,
    merged_into,
    new_message_id,
    state_of,
)
from pbem.mail.letter import Letter

# As modules: they look at sign-ins and invitations, whose modules make letters due by this one.
from pbem.mail.letters import compose, glance, truth
from pbem.mail.letters.truth import Reader
from pbem.mail.message import envelope_sender
from pbem.mail.outcomes import Ready, settle
from pbem.mail.preferences import PROOFS
from pbem.mail.server_answers import Meaning, Outcome, Transport, Unreachable, meaning
from pbem.mail.waiting import NOT_TRUE, Stays
from pbem.models import LetterState, Outbox, stored_id
from pbem.once import keep, row_of
from pbem.service import Service

log = logging.getLogger("carreira.letters")


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
        found = session.exec(oldest_first.order_by(col(Outbox.not_before)).limit(most)).all()
    left, due_now = 0, deque(found)
    while due_now:
        row_id = due_now.popleft()
        try:
            state, outcome = attempt(service, row_id or 0, transport, patience)
        except Exception:  # the edge of one letter: whatever is wrong with it, the others leave
            log.exception("a letter cannot be made", extra={"letter_id": row_id})
            continue
        left += state == LetterState.SENT
        if isinstance(outcome, Unreachable) or credentials_refused(outcome):
            break  # the others would wait as long for nothing; the next sweep asks again
        if outcome is None and state in OTHERS:
            # Side by side both would build each letter that is left, one of them in vain.
            due_now.rotate(-(len(due_now) // 2))
    return left


OTHERS = (LetterState.SENDING, LetterState.SENT)  # of a letter that was free a moment ago


def attempt(
    service: Service, row_id: int, transport: Transport, patience: Patience
) -> tuple[LetterState, Outcome | None]:
    """One attempt: the row's state behind it, and the server's answer if it was asked."""
    with logs.about(letter_id=row_id):
        ready = prepared(service, row_id, patience)
        if ready is None:
            return state_of(service, row_id), None
        outcome = transport.send(ready.sender, ready.recipient, ready.letter)
        return settle(service, row_id, ready, outcome, patience), outcome


# ---- one letter made ready ----------------------------------------------------------------------

TRIES_TOGETHER = 3  # to build a letter with others that other senders are after too
LATE = timedelta(seconds=60)


@dataclass(frozen=True)
class Draft:
    """A due row as it was read, and its letter if that could be built before the row is held."""

    row: Outbox
    reader: Reader | None
    stays: Stays | None
    letter: Letter | None = None
    others: Sequence[Outbox] = ()  # that become part of this letter


def prepared(service: Service, row_id: int, patience: Patience) -> Ready | None:
    """The letter in hand; None: it stays and its row says why, or it is somebody else's by now."""
    for tries in range(1, TRIES_TOGETHER + 1):
        draft = drafted(service, row_id, patience, together=tries < TRIES_TOGETHER)
        if draft is None:
            return None
        if draft.reader is None or draft.stays is not None:
            taking.leave(service, draft.row, draft.stays or NO_LONGER)
            return None
        try:
            raw = in_hand(service, draft, patience)
        except taking.Changed:
            continue
        if raw is None:
            return None
        sender = envelope_sender(draft.row, service.settings)
        return Ready(sender, draft.reader.address, raw)
    return None


def drafted(service: Service, row_id: int, patience: Patience, *, together: bool) -> Draft | None:
    """What a look into the database says of the letter; None if it is not to be had."""
    now, usual = service.clock.now(), timedelta(seconds=service.settings.letter_delay)
    with service.reading() as session:
        keep(session)
        row = row_of(session, Outbox, row_id)
        if row is None or row.not_before > now or not taking.is_free(row, now):
            return None
        glance.at(session, row, now)
        reader = truth.reader_of(session, row)
        stays = waiting.stays(session, row, reader, now, usual=usual, patience=patience)
        if reader is None or stays is not None or row.raw or is_held_first(row, now):
            return Draft(row, reader, stays)
        others = taking.companions(session, row, now, usual) if together else []
        letter = built(service, session, row, now, others=others, reader=reader)
    if service.clock.now() - now > LATE:
        return None  # the machine slept: nothing of it is sure any more
    return Draft(row, reader, None if letter else NO_LONGER, letter, others)


NO_LONGER = Stays(NOT_TRUE, LetterState.SUPERSEDED)


def is_held_first(row: Outbox, now: datetime) -> bool:
    """Whether a letter is built only once its row is held.

    A proof writes while it is built. One that is late may have ended its senders: the tries count.
    """
    return row.kind in PROOFS or now - row.not_before > LATE


def in_hand(service: Service, draft: Draft, patience: Patience) -> bytes | None:
    """The bytes, the row being held by us and no other; None if that came to nothing."""
    if draft.letter is not None:
        is_ours = taking.take(service, draft.row, draft.letter, draft.others, patience)
        return draft.letter.raw if is_ours else None
    row_id = stored_id(draft.row)
    if not claim(service, row_id, patience):
        return None
    if draft.row.raw:
        return draft.row.raw
    try:
        return built_in_hand(service, row_id, together=True)
    except taking.Changed:
        return built_in_hand(service, row_id, together=False)


def built_in_hand(service: Service, row_id: int, *, together: bool) -> bytes | None:
    """The bytes of a row that is held: built, and kept for every later attempt."""
    now, usual = service.clock.now(), timedelta(seconds=service.settings.letter_delay)
    letter, others = None, []
    with service.reading() as session:
        keep(session)
        row = session.get_one(Outbox, row_id)
        if row.kind not in PROOFS:
            others = taking.companions(session, row, now, usual) if together else []
            letter = built(service, session, row, now, others=others)
    with service.writing() as session:
        if row.kind in PROOFS:  # only they write: the hashes of their secrets
            letter = built(service, session, row, now)
        if letter is None:
            finish(session, row_id, LetterState.SUPERSEDED, now=now, code=None, text=NOT_TRUE)
            session.commit()
            return None
        is_kept = taking.keep(session, row, letter, others, now)
    return letter.raw if is_kept and is_held(service, row) else None


def built(
    service: Service,
    session: Session,
    row: Outbox,
    now: datetime,
    *,
    others: Sequence[Outbox] = (),
    reader: Reader | None = None,
) -> Letter | None:
    """The letter, from what this session sees; None if it is no longer true.

    One that is built anew tells what it told before.
    """
    told = [*merged_into(session, row), *others] if row.attempts else [*others]
    for each in (row, *others):
        if each.message_id is None:  # their addresses say it; kept by who takes the rows
            name = new_message_id(each, service.settings.mail_domain)
            set_committed_value(each, "message_id", name)
    return compose.compose(session, row, service.settings, now, reader=reader, others=told)


def credentials_refused(outcome: Outcome | None) -> bool:
    """Whether the server does not let us send at all."""
    return outcome is not None and meaning(outcome) == Meaning.OUR_CREDENTIALS
