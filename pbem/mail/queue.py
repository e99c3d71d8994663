"""Queues a letter in the transaction of the change that it reports."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, col, func, select

from pbem.models import LetterState, Outbox

MATTER = ("person_id", "address", "game_id", "entry", "invitation_id", "about_id")


def due(
    session: Session,
    *,
    kind: str,
    now: datetime,
    person_id: int | None = None,
    address: str | None = None,
    game_id: int | None = None,
    entry: int | None = None,
    invitation_id: int | None = None,
    about_id: int | None = None,
    part: int | str = "",
    not_before: datetime | None = None,
    unwanted: bool = False,
) -> int | None:
    """Queue a letter in the caller's transaction.

    Returns the new row's id, or None if it exists already.

    `part` distinguishes letters of the same kind, reader and subject. A letter that its reader does
    not want is settled at once.
    """
    about = dict(zip(
        MATTER, (person_id, address, game_id, entry, invitation_id, about_id), strict=True))
    key = "|".join("" if each is None else str(each) for each in (*about.values(), part))
    return _insert(session, about | {
        "kind": kind,
        "dedup_key": key,
        "state": LetterState.UNWANTED if unwanted else LetterState.PENDING,
        "created": now,
        "not_before": max(now, not_before or now),
        "settled": now if unwanted else None,
    })


def again(session: Session, row: Outbox, now: datetime) -> int | None:
    """Queue a repeat of a letter, whatever its reader's preferences. Returns its id."""
    first = row.repeat_of or row.id
    repeats = session.exec(
        select(func.count()).select_from(Outbox).where(Outbox.repeat_of == first)).one()
    about = {name: getattr(row, name) for name in MATTER}
    return _insert(session, about | {
        "kind": row.kind,
        "repeat_of": first,
        "dedup_key": f"repeat|{first}|{repeats + 2}",
        "state": LetterState.PENDING,
        "created": now,
        "not_before": now,
    })


def _insert(session: Session, values: dict[str, Any]) -> int | None:
    """Insert a row unless one with its kind and deduplication key exists. Returns its id."""
    insert: Any = (
        postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert)
    fresh = insert(Outbox).values(attempts=0, **values).on_conflict_do_nothing(
        index_elements=["dedup_key", "kind"])
    number: int | None = session.scalar(fresh.returning(col(Outbox.id)))
    return number
