"""Sends due letters: claim, build, send, settle.

A letter is built once. One commit claims its row for a lease and stores the bytes. The letter is
sent outside of any transaction and then settled. If the process is killed in between, the sweep
takes the row up after the lease and sends the same bytes with the same Message-ID.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.orm import joinedload
from sqlalchemy.orm.attributes import set_committed_value
from sqlmodel import Session, col, select

from pbem import logs
from pbem.mail.delivery import retries, rows
from pbem.mail.delivery.retries import PATIENCE, Patience
from pbem.mail.letter import Letter, Letters, Look, Reader
from pbem.mail.message import envelope_sender
from pbem.mail.server_answers import Meaning, Outcome, Transport, Unreachable, meaning
from pbem.models import LetterState, Outbox, stored_id
from pbem.service import Service

log = logging.getLogger("carreira.letters")

NOT_TRUE = "no longer true"
NOT_WANTED = "not wanted"


def deliver(
    letters: Letters, service: Service, row_id: int, transport: Transport,
    patience: Patience = PATIENCE,
) -> LetterState:
    """Send one due letter, if it is still true and no other sender holds it. Returns its state."""
    return attempt(letters, service, row_id, transport, patience)[0]


def sweep(
    letters: Letters, service: Service, transport: Transport, patience: Patience = PATIENCE, *,
    most: int = 200,
) -> int:
    """Send all due letters that no other sender holds.

    Stops when the server does not answer. Returns how many were sent.
    """
    with service.reading() as session:
        oldest_first = select(Outbox.id).where(*rows.free(service.clock.now()))
        found = session.exec(oldest_first.order_by(col(Outbox.not_before)).limit(most)).all()
    left, due_now = 0, deque(found)
    while due_now:
        row_id = due_now.popleft()
        try:
            state, outcome = attempt(letters, service, row_id or 0, transport, patience)
        except Exception:  # whatever is wrong with one letter, the others leave
            log.exception("a letter cannot be made", extra={"letter_id": row_id})
            continue
        left += state == LetterState.SENT
        if outcome is not None and (
                isinstance(outcome, Unreachable) or meaning(outcome) == Meaning.OUR_CREDENTIALS):
            break  # the others would wait as long in vain; the next sweep tries again
        if outcome is None and state in OTHERS:
            # Another sweep is at work here. Jump half the list ahead, or both build each letter,
            # one in vain.
            due_now.rotate(-(len(due_now) // 2))
    return left


# states that another sender gives a letter that was free a moment ago
OTHERS = (LetterState.SENDING, LetterState.SENT)


def attempt(
    letters: Letters, service: Service, row_id: int, transport: Transport, patience: Patience
) -> tuple[LetterState, Outcome | None]:
    """Make one attempt.

    Returns the row's state afterwards, and the server's answer if it was asked.
    """
    with logs.about(letter_id=row_id):
        ready = prepared(letters, service, row_id, patience)
        if ready is None:
            return rows.state_of(service, row_id), None
        outcome = transport.send(ready.sender, ready.recipient, ready.letter)
        return retries.settle(service, row_id, ready, outcome, patience), outcome


# ---- preparing a letter -------------------------------------------------------------------------

TRIES_TOGETHER = 3  # tries to build a merged letter while other senders want the same rows
LATE = timedelta(seconds=60)
READ_WITH_IT = (joinedload(Outbox.person), joinedload(Outbox.game))


@dataclass(frozen=True)
class Stays:
    """A letter that does not leave now: its final state, or until when it waits, and why."""

    why: str
    state: LetterState = LetterState.PENDING
    until: datetime | None = None


NO_LONGER = Stays(NOT_TRUE, LetterState.SUPERSEDED)


@dataclass(frozen=True)
class Draft:
    """A due row as it was read, and its letter if it could be built before the row is claimed."""

    row: Outbox
    reader: Reader | None
    stays: Stays | None
    letter: Letter | None = None
    others: Sequence[Outbox] = ()  # letters merged into this one


def prepared(
    letters: Letters, service: Service, row_id: int, patience: Patience
) -> retries.Ready | None:
    """Return the claimed letter.

    Returns None if it stays (its row says why) or another sender has it.
    """
    for tries in range(1, TRIES_TOGETHER + 1):
        draft = drafted(letters, service, row_id, patience, together=tries < TRIES_TOGETHER)
        if draft is None:
            return None
        if draft.reader is None or draft.stays is not None:
            leave(service, draft.row, draft.stays or NO_LONGER)
            return None
        try:
            raw = in_hand(letters, service, draft, patience)
        except rows.Changed:
            continue
        if raw is None:
            return None
        sender = envelope_sender(letters.kind_of(draft.row), draft.row, service.settings)
        return retries.Ready(sender, draft.reader.address, raw)
    return None


def drafted(
    letters: Letters, service: Service, row_id: int, patience: Patience, *, together: bool
) -> Draft | None:
    """Read a due letter from the database and build it. Returns None if it is not available."""
    now, usual = service.clock.now(), timedelta(seconds=service.settings.letter_delay)
    with service.reading() as session:
        row = session.get(Outbox, row_id, options=READ_WITH_IT)
        if row is None or row.not_before > now or not rows.is_free(row, now):
            return None
        look, is_proof = letters.look(session, row, now, usual), letters.kind_of(row).is_proof
        stays = why_it_stays(session, row, look, now, patience, is_proof=is_proof)
        held_first = is_proof or now - row.not_before > LATE
        if stays is not None or row.raw or held_first:
            return Draft(row, look.reader, stays)
        others = letters.companions(session, row, now, usual) if together else []
        letter = built(letters, service, session, row, now, others=others, reader=look.reader)
    if service.clock.now() - now > LATE:
        return None  # the machine was suspended: nothing that was read is reliable
    return Draft(row, look.reader, None if letter else NO_LONGER, letter, others)


def why_it_stays(
    session: Session, row: Outbox, look: Look, now: datetime, patience: Patience, *, is_proof: bool
) -> Stays | None:
    """Return why this letter does not leave, or None if it may."""
    stays, reader = None, look.reader
    if reader is None:
        stays = NO_LONGER
    elif reader.suppressed and not is_proof:
        stays = Stays(reader.suppressed, LetterState.DEAD)
    # Each try killed its worker; otherwise the letter would have been put back or settled.
    elif row.attempts >= patience.most_tries(row):
        stays = Stays("every try ended without an answer", LetterState.DEAD)
    elif not look.is_wanted:
        stays = Stays(NOT_WANTED, LetterState.UNWANTED)
    elif (until := retries.paused_until(session, reader.address, now)) is not None:
        stays = Stays(retries.DOMAIN_PAUSED, until=until)
    elif look.looking_until is not None:
        stays = Stays(retries.LOOKING, until=look.looking_until)
    return stays


def leave(service: Service, row: Outbox, stays: Stays) -> None:
    """Store why a letter does not leave now, unless another sender has claimed it."""
    now = service.clock.now()
    with service.writing() as session:
        [there] = session.exec(rows.locking([row.id])).all()
        if not rows.is_free(there, now):
            return
        if stays.until is None:
            number = stored_id(row)
            rows.finish(session, number, stays.state, now=now, code=None, text=stays.why)
        else:
            why = row.why if row.why in retries.REMEMBERED else stays.why
            rows.wait(session, row, stays.until, why=why)
        session.commit()


def in_hand(
    letters: Letters, service: Service, draft: Draft, patience: Patience
) -> bytes | None:
    """Claim the row and return the letter's bytes. Returns None if that did not work."""
    if draft.letter is not None:
        is_ours = rows.take(service, draft.row, draft.letter, draft.others, patience.lease)
        return draft.letter.raw if is_ours else None
    row_id = stored_id(draft.row)
    if not rows.claim(service, row_id, patience.lease):
        return None
    if draft.row.raw:
        return draft.row.raw
    try:
        return built_in_hand(letters, service, row_id, together=True)
    except rows.Changed:
        return built_in_hand(letters, service, row_id, together=False)


def built_in_hand(
    letters: Letters, service: Service, row_id: int, *, together: bool
) -> bytes | None:
    """Build a held row's letter and store its bytes for later attempts."""
    now, usual = service.clock.now(), timedelta(seconds=service.settings.letter_delay)
    letter, others = None, []
    with service.reading() as session:
        row = session.get_one(Outbox, row_id)
        is_proof = letters.kind_of(row).is_proof
        if not is_proof:
            others = letters.companions(session, row, now, usual) if together else []
            letter = built(letters, service, session, row, now, others=others)
    with service.writing() as session:
        if is_proof:  # only proofs write: they store the hashes of their secrets
            letter = built(letters, service, session, session.get_one(Outbox, row_id), now)
        if letter is None:
            rows.finish(session, row_id, LetterState.SUPERSEDED, now=now, code=None, text=NOT_TRUE)
            session.commit()
            return None
        is_kept = rows.keep(session, row, letter, others, now)
    return letter.raw if is_kept and rows.is_held(service, row) else None


def built(
    letters: Letters,
    service: Service,
    session: Session,
    row: Outbox,
    now: datetime,
    *,
    others: Sequence[Outbox] = (),
    reader: Reader | None = None,
) -> Letter | None:
    """Build the letter from this session's view. Returns None if it is no longer true.

    A letter that is built again covers the same merged letters as before.
    """
    told = [*rows.merged_into(session, row), *others] if row.attempts else [*others]
    for each in (row, *others):
        # reply addresses contain it; it is stored when the rows are claimed
        if each.message_id is None:
            name = rows.new_message_id(each, service.settings.mail_domain)
            set_committed_value(each, "message_id", name)
    return letters.build(session, row, service.settings, now, reader=reader, others=told)
