"""Makes a letter due, in the transaction of what it tells."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, col

from pbem.models import LetterState, Outbox


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
    insert: Any = (
        postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert)
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
    fresh = insert(Outbox).values(row).on_conflict_do_nothing(
        index_elements=["subject", "kind", "occasion", "recipient"])
    number: int | None = session.scalar(fresh.returning(col(Outbox.id)))
    return number
