"""Changes the rows of the outbox: their states, and claims on a row.

Every state change is one statement that names the states it may come from (mail/states.py). A row
that another process has changed meanwhile stays as it is. On PostgreSQL rows are locked in the
order of their ids, so two senders of one person's letters never deadlock.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, or_, update
from sqlmodel import Session, col, select

from pbem.mail.letter import Letter
from pbem.mail.server_answers import LONGEST_ANSWER
from pbem.mail.states import MERGED, PENDING, SENDING, SENT, becomes
from pbem.models import LetterState, Outbox, stored_id
from pbem.service import Service

# ---- claims -------------------------------------------------------------------------------------


def free(now: Any) -> tuple[ColumnElement[bool], ...]:
    """Select rows that are due and that nobody holds."""
    unheld = or_(col(Outbox.lease_until).is_(None), col(Outbox.lease_until) < now)
    return col(Outbox.settled).is_(None), col(Outbox.not_before) <= now, unheld


def is_free(row: Any, now: datetime) -> bool:
    """Return whether a row is unsettled and nobody holds it."""
    return row.settled is None and (row.lease_until is None or row.lease_until < now)


def claim(service: Service, row_id: int, lease: timedelta) -> bool:
    """Claim a row for a lease if it is free. The first claim fixes its Message-ID."""
    now = service.clock.now()
    with service.writing() as session:
        row = session.get(Outbox, row_id)
        if row is None:
            return False
        message_id = row.message_id or new_message_id(row, service.settings.mail_domain)
        held = session.exec(becomes(SENDING, col(Outbox.id) == row_id, *free(now)).values(
            lease_until=now + lease, attempts=col(Outbox.attempts) + 1, message_id=message_id))
        session.commit()
    return held.rowcount == 1


def new_message_id(row: Any, domain: str) -> str:
    """Make a Message-ID such as <g42.turn.17.9f86d081@carreira.example>.

    It names its subject and cannot be guessed.
    """
    about = f"g{row.game_id}" if row.game_id else \
        f"i{row.invitation_id}" if row.invitation_id else f"l{row.id}"
    kind, which = row.kind.replace("_", "-"), row.entry or row.about_id or row.id
    return f"<{about}.{kind}.{which}.{secrets.token_hex(4)}@{domain}>"


def state_of(service: Service, row_id: int) -> LetterState:
    """Return the letter's state. A letter that was never due counts as superseded."""
    with service.reading() as session:
        row = session.get(Outbox, row_id)
        return LetterState(row.state) if row is not None else LetterState.SUPERSEDED


def merged_into(session: Session, row: Outbox) -> list[Outbox]:
    """Return the letters merged into this one, in the order of their games."""
    told = select(Outbox).where(Outbox.merged_into == row.id).order_by(col(Outbox.id))
    return list(session.exec(told))


def is_held(service: Service, row: Outbox) -> bool:
    """Return whether our claim still holds. A machine that was suspended may have lost it."""
    return row.lease_until is not None and service.clock.now() < row.lease_until


class Changed(Exception):
    """Raised when another process has changed a row that this letter merges."""


def take(
    service: Service, row: Outbox, letter: Letter, others: Sequence[Outbox], lease: timedelta
) -> bool:
    """Claim the row, store its bytes and merge the others, in one commit.

    Returns False if the row is not free.

    Raises Changed.
    """
    now = service.clock.now()
    with service.writing() as session:
        lock(session, row, others, now)
        is_ours = becomes(SENDING, *is_unbuilt(row), *free(now)).values(
            raw=letter.raw, shown=letter.shown.get(stored_id(row)), lease_until=now + lease,
            attempts=col(Outbox.attempts) + 1, message_id=row.message_id)
        if session.exec(is_ours).rowcount != 1:
            return False
        merge(session, row, letter, others, now)
        session.commit()
    return True


def keep(
    session: Session, row: Outbox, letter: Letter, others: Sequence[Outbox], now: datetime
) -> bool:
    """Store the bytes of a held row and merge the others. Bytes that are already stored stay.

    Raises Changed.
    """
    lock(session, row, others, now)
    kept = update(Outbox).where(*is_unbuilt(row)).values(
        raw=letter.raw, shown=letter.shown.get(stored_id(row)))
    if session.exec(kept).rowcount != 1:
        # another sender took over while this one was slow; discard what it built
        session.rollback()
        return False
    merge(session, row, letter, others, now)
    session.commit()
    return True


def is_unbuilt(row: Outbox) -> tuple[ColumnElement[bool], ...]:
    """Select the row if it has no bytes yet."""
    return col(Outbox.id) == stored_id(row), col(Outbox.raw).is_(None)


def lock(session: Session, row: Outbox, others: Sequence[Outbox], now: datetime) -> None:
    """Lock the rows of a letter. Raises Changed if one of the others is no longer available."""
    if not others:
        return
    for each in session.exec(locking([row.id, *(each.id for each in others)])).all():
        if each.id != row.id and not (is_free(each, now) and not each.is_kept):
            raise Changed


def merge(
    session: Session, row: Outbox, letter: Letter, others: Sequence[Outbox], now: datetime
) -> None:
    """Mark the other letters as merged into this one."""
    for each in others:
        number = stored_id(each)
        session.exec(becomes(MERGED, col(Outbox.id) == number).values(
            settled=now, merged_into=row.id, message_id=each.message_id, lease_until=None,
            shown=letter.shown.get(number)))


def locking(letters: Sequence[int | None]) -> Any:
    """Build the query that locks letters in the order of their ids and reads who holds them."""
    return (
        select(Outbox.id, Outbox.settled, Outbox.lease_until,
               col(Outbox.raw).is_not(None).label("is_kept"))
        .where(col(Outbox.id).in_(letters)).order_by(col(Outbox.id)).with_for_update())


# ---- release and settle -------------------------------------------------------------------------


def finish(
    session: Session, row_id: int, state: LetterState, *, now: datetime, code: int | None, text: str
) -> None:
    """Settle the row and drop its bytes, which are no longer needed."""
    text = text[:LONGEST_ANSWER]
    session.exec(becomes(state, col(Outbox.id) == row_id, col(Outbox.settled).is_(None)).values(
        settled=now, raw=None, lease_until=None, last_code=code, last_text=text))
    if state != SENT:  # the letters merged into it end with it
        session.exec(becomes(state, col(Outbox.merged_into) == row_id,
                             col(Outbox.state) == MERGED).values(last_text=text))


def wait(session: Session, row: Outbox, not_before: datetime, **changes: Any) -> None:
    """Release the letter. It is tried again at `not_before`."""
    unsettled = (col(Outbox.id) == row.id, col(Outbox.settled).is_(None))
    session.exec(becomes(PENDING, *unsettled).values(
        lease_until=None, not_before=not_before, **changes))


def revive(session: Session, row: Outbox, not_before: datetime, **changes: Any) -> None:
    """Make a settled letter due again: its reader wants it again, or an operator retries it."""
    session.exec(becomes(PENDING, col(Outbox.id) == row.id).values(
        settled=None, why=None, lease_until=None, not_before=not_before, **changes))
    session.refresh(row)


def rebuild(session: Session, row: Outbox) -> None:
    """Drop the letter's bytes, so that the next attempt builds it again."""
    session.execute(update(Outbox).where(col(Outbox.id) == row.id).values(raw=None))
