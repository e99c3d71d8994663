"""A letter's row in one sender's hands: its bytes kept, and with them the rows that it tells too.

Who holds a row is decided by the rows alone, in one transaction; on PostgreSQL they are locked in
the order of their numbers, so that two senders of one person's letters never wait for each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import bindparam, select, update
from sqlmodel import Session, col

from pbem.mail import waiting
from pbem.mail.ledger import OUR_FAULT, TOO_BIG, Patience, finish, free, wait
from pbem.mail.letter import Letter
from pbem.mail.letters import truth
from pbem.models import Instant, LetterState, Outbox, stored_id
from pbem.once import is_empty
from pbem.prepared import Prepared, Where
from pbem.service import Service

TOGETHER = timedelta(minutes=2)  # what is due within them leaves with the first
EVER = timedelta(days=3650)
REMEMBERED = (OUR_FAULT, TOO_BIG)  # why a letter was put back: it decides what its next try means

# Built once: they run at every letter.
_outbox = Outbox.__table__  # type: ignore[attr-defined]
UNBUILT = (
    (col(Outbox.kind) == "turn") & col(Outbox.settled).is_(None) & col(Outbox.raw).is_(None)
)
_WAITING = (
    select(Outbox)
    .where(
        col(Outbox.recipient) == bindparam("recipient"),
        UNBUILT,
        col(Outbox.not_before) <= bindparam("latest", type_=Instant),
    )
    .order_by(col(Outbox.id))
)
_LOCK = (
    select(
        _outbox.c.id,
        _outbox.c.settled,
        _outbox.c.lease_until,
        _outbox.c.raw.is_not(None).label("is_kept"),
    )
    .where(_outbox.c.id.in_(bindparam("letters", expanding=True)))
    .order_by(_outbox.c.id)
    .with_for_update()
)
_TAKE = Prepared(
    update(_outbox)
    .where(
        _outbox.c.id == bindparam("letter"),
        _outbox.c.raw.is_(None),
        *free(bindparam("instant", type_=Instant)),
    )
    .values(
        state=LetterState.SENDING,
        lease_until=bindparam("lease"),
        attempts=_outbox.c.attempts + 1,
        message_id=bindparam("fixed_id"),
        raw=bindparam("built"),
        shown=bindparam("entry"),
    )
)
_KEEP = Prepared(
    update(_outbox)
    .where(_outbox.c.id == bindparam("letter"), _outbox.c.raw.is_(None))
    .values(raw=bindparam("built"), shown=bindparam("entry"))
)
_MERGE = (
    update(_outbox)
    .where(_outbox.c.id == bindparam("letter"))
    .values(
        state=LetterState.MERGED,
        settled=bindparam("instant", type_=Instant),
        merged_into=bindparam("leader"),
        message_id=bindparam("fixed_id"),
        lease_until=None,
        shown=bindparam("entry"),
    )
)


def is_free(row: Any, now: datetime) -> bool:
    """Whether nobody holds this row, and it is not settled."""
    return row.settled is None and (row.lease_until is None or row.lease_until < now)


# ---- with others --------------------------------------------------------------------------------


def companions(session: Session, row: Outbox, now: datetime, usual: timedelta) -> list[Outbox]:
    """The turn letters to the same person that this one tells as well.

    A turn's letter tells what is due within two minutes; a receipt its own game's next question.
    """
    if truth.is_repeat(row) or row.kind not in ("turn", "receipt"):
        return []
    if is_empty(session, ("turns of", row.recipient)):
        return []
    latest = now + (TOGETHER if row.kind == "turn" else EVER)
    about = {"recipient": row.recipient, "latest": latest}
    waits = [each for each in session.scalars(_WAITING, about) if each.id != row.id]
    return [each for each in waits if joins(session, each, row, now, usual)]


def joins(session: Session, each: Outbox, row: Outbox, now: datetime, usual: timedelta) -> bool:
    """Whether a waiting turn letter is told by another one."""
    if truth.is_repeat(each) or not is_free(each, now) or not truth.stands(session, each):
        return False
    if row.kind == "receipt":
        return each.subject == row.subject
    unwanted = waiting.is_unwanted(session, each)
    return not unwanted and waiting.looking_until(session, each, now, usual) is None


class Changed(Exception):
    """A row that this letter tells as well went another way in the meantime."""


def take(
    service: Service, row: Outbox, letter: Letter, others: Sequence[Outbox], patience: Patience
) -> bool:
    """Hold the row, keep its bytes and settle the others, in one commit; False: it is not free."""
    now = service.clock.now()
    with service.engine.begin() as connection:
        lock(connection, row, others, now)
        values = kept_values(row, letter) | {
            "instant": now,
            "lease": now + patience.lease,
            "fixed_id": row.message_id,
        }
        if not changes_one(connection, _TAKE, values):
            return False
        merge(connection, row, letter, others, now)
    return True


def keep(
    session: Session, row: Outbox, letter: Letter, others: Sequence[Outbox], now: datetime
) -> bool:
    """Keep the bytes of a row that is held, and settle the others; the first ones built stay."""
    lock(session, row, others, now)
    if not changes_one(session, _KEEP, kept_values(row, letter)):
        session.rollback()  # somebody took over while this one was slow: what it drew counts not
        return False
    merge(session, row, letter, others, now)
    session.commit()
    return True


def lock(where: Where, row: Outbox, others: Sequence[Outbox], now: datetime) -> None:
    """Lock the rows of a letter; Changed if one of the others is not to be had any more."""
    if not others:
        return
    letters = {"letters": [row.id, *(each.id for each in others)]}
    for each in where.execute(_LOCK, letters).all():
        if each.id != row.id and not (is_free(each, now) and not each.is_kept):
            raise Changed


def merge(
    where: Where, row: Outbox, letter: Letter, others: Sequence[Outbox], now: datetime
) -> None:
    """Settle the letters that this one tells."""
    for each in others:
        number = stored_id(each)
        where.execute(
            _MERGE,
            {"letter": number, "leader": row.id, "fixed_id": each.message_id, "instant": now,
             "entry": letter.shown.get(number)},
        )


def kept_values(row: Outbox, letter: Letter) -> dict[str, Any]:
    """What the row keeps of its letter."""
    number = stored_id(row)
    return {"letter": number, "built": letter.raw, "entry": letter.shown.get(number)}


def changes_one(where: Where, statement: Prepared, values: dict[str, Any]) -> bool:
    """Whether the statement found its row."""
    return statement.run(where, values) == 1


# ---- not sent -----------------------------------------------------------------------------------


def leave(service: Service, row: Outbox, stays: waiting.Stays) -> None:
    """Note why a letter does not leave now, unless it is in somebody's hands by then."""
    now = service.clock.now()
    with service.writing() as session:
        [there] = session.execute(_LOCK, {"letters": [row.id]}).all()
        if not is_free(there, now):
            return
        if stays.until is None:
            number = stored_id(row)
            finish(session, number, stays.state, now=now, code=None, text=stays.why)
        else:
            why = row.why if row.why in REMEMBERED else stays.why
            wait(session, row, stays.until, why=why)
        session.commit()
