"""A letter's row in one sender's hands: its bytes kept, and with them the rows that it tells too.

Who holds a row is decided by the rows alone, in one transaction; on PostgreSQL they are locked in
the order of their numbers, so that two senders of one person's letters never wait for each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Update, update
from sqlmodel import Session, col, select

from pbem.mail import waiting
from pbem.mail.ledger import OUR_FAULT, TOO_BIG, Patience, finish, free, wait
from pbem.mail.letter import Letter
from pbem.mail.letters import truth
from pbem.models import LetterState, Outbox, stored_id
from pbem.once import is_empty
from pbem.service import Service

TOGETHER = timedelta(minutes=2)  # what is due within them leaves with the first
EVER = timedelta(days=3650)
REMEMBERED = (OUR_FAULT, TOO_BIG)  # why a letter was put back: it decides what its next try means

UNBUILT = (
    (col(Outbox.kind) == "turn") & col(Outbox.settled).is_(None) & col(Outbox.raw).is_(None)
)


def is_free(row: Any, now: datetime) -> bool:
    """Whether nobody holds this row, and it is not settled."""
    return row.settled is None and (row.lease_until is None or row.lease_until < now)


# ---- with others --------------------------------------------------------------------------------


def companions(session: Session, row: Outbox, now: datetime, usual: timedelta) -> list[Outbox]:
    """The turn letters to the same person that this one tells as well.

    A turn's letter tells what is due within two minutes; a receipt its own game's next question.
    """
    if row.repeat_of is not None or row.kind not in ("turn", "receipt"):
        return []
    if is_empty(session, ("turns of", row.person_id)):
        return []
    latest = now + (TOGETHER if row.kind == "turn" else EVER)
    waiting_now = select(Outbox).where(
        Outbox.person_id == row.person_id, Outbox.id != row.id, UNBUILT,
        Outbox.not_before <= latest)
    waits = session.exec(waiting_now.order_by(col(Outbox.id))).all()
    return [each for each in waits if joins(session, each, row, now, usual)]


def joins(session: Session, each: Outbox, row: Outbox, now: datetime, usual: timedelta) -> bool:
    """Whether a waiting turn letter is told by another one."""
    if each.repeat_of is not None or not is_free(each, now) or not truth.stands(session, each):
        return False
    if row.kind == "receipt":
        return each.game_id == row.game_id
    unwanted = waiting.is_unwanted(session, each)
    return not unwanted and waiting.looking_until(session, each, now, usual) is None


class Changed(Exception):
    """A row that this letter tells as well went another way in the meantime."""


def take(
    service: Service, row: Outbox, letter: Letter, others: Sequence[Outbox], patience: Patience
) -> bool:
    """Hold the row, keep its bytes and settle the others, in one commit; False: it is not free."""
    now = service.clock.now()
    with service.writing() as session:
        lock(session, row, others, now)
        is_ours = keeps(row, letter, *free(now)).values(
            state=LetterState.SENDING,
            lease_until=now + patience.lease,
            attempts=col(Outbox.attempts) + 1,
            message_id=row.message_id,
        )
        if session.exec(is_ours).rowcount != 1:
            return False
        merge(session, row, letter, others, now)
        session.commit()
    return True


def keep(
    session: Session, row: Outbox, letter: Letter, others: Sequence[Outbox], now: datetime
) -> bool:
    """Keep the bytes of a row that is held, and settle the others; the first ones built stay."""
    lock(session, row, others, now)
    if session.exec(keeps(row, letter)).rowcount != 1:
        session.rollback()  # somebody took over while this one was slow: what it drew counts not
        return False
    merge(session, row, letter, others, now)
    session.commit()
    return True


def lock(session: Session, row: Outbox, others: Sequence[Outbox], now: datetime) -> None:
    """Lock the rows of a letter; Changed if one of the others is not to be had any more."""
    if not others:
        return
    for each in session.exec(locking([row.id, *(each.id for each in others)])).all():
        if each.id != row.id and not (is_free(each, now) and not each.is_kept):
            raise Changed


def merge(
    session: Session, row: Outbox, letter: Letter, others: Sequence[Outbox], now: datetime
) -> None:
    """Settle the letters that this one tells."""
    for each in others:
        number = stored_id(each)
        told = update(Outbox).where(col(Outbox.id) == number).values(
            state=LetterState.MERGED, settled=now, merged_into=row.id,
            message_id=each.message_id, lease_until=None,
            shown=letter.shown.get(number))
        session.exec(told.execution_options(synchronize_session=False))


def locking(letters: Sequence[int | None]) -> Any:
    """Locks letters in the order of their numbers, and reads who holds them."""
    return (
        select(Outbox.id, Outbox.settled, Outbox.lease_until,
               col(Outbox.raw).is_not(None).label("is_kept"))
        .where(col(Outbox.id).in_(letters)).order_by(col(Outbox.id)).with_for_update())


def keeps(row: Outbox, letter: Letter, *when: ColumnElement[bool]) -> Update:
    """Keeps the bytes of a letter in its row, where none are yet."""
    number = stored_id(row)
    return (
        update(Outbox)
        .where(col(Outbox.id) == number, col(Outbox.raw).is_(None), *when)
        .values(raw=letter.raw, shown=letter.shown.get(number)))


# ---- not sent -----------------------------------------------------------------------------------


def leave(service: Service, row: Outbox, stays: waiting.Stays) -> None:
    """Note why a letter does not leave now, unless it is in somebody's hands by then."""
    now = service.clock.now()
    with service.writing() as session:
        [there] = session.exec(locking([row.id])).all()
        if not is_free(there, now):
            return
        if stays.until is None:
            number = stored_id(row)
            finish(session, number, stays.state, now=now, code=None, text=stays.why)
        else:
            why = row.why if row.why in REMEMBERED else stays.why
            wait(session, row, stays.until, why=why)
        session.commit()
