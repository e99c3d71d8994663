"""Receipts for letters that came in: what each row keeps for its receipt, and when one is due."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec
from sqlmodel import Session, col, func, select

from pbem.mail import queue
from pbem.models import Inbound, InboundState, Outbox, Submission, SubmissionState
from pbem.play.refusals import StoredRefusal
from pbem.play.refusals import read as read_refusal

DAY = timedelta(days=1)
JUDGED = (InboundState.PLAYED, InboundState.REFUSED)
RECEIPTS_A_DAY = 20  # to one person; the next one says that no more follow


class CommandAnswer(msgspec.Struct, frozen=True):
    """A command of a letter and the answer to it, in its writer's language."""

    word: str
    text: str


class ReceiptNotes(msgspec.Struct):
    """What a receipt reports: what was read, and what came of it.

    `why`: the key of what is wrong with the whole letter, `most` its limit. `refusal`: the game's
    refusal of one line. `last_today`: no further letter gets a receipt today. `below`: lines after
    an empty line, which were not read.
    """

    lines: list[str] = []
    signed: str | None = None
    words: list[CommandAnswer] = []
    refusal: StoredRefusal | None = None
    draft: list[str] = []
    why: str | None = None
    most: int | None = None
    link: str | None = None
    sender: str | None = None
    below: list[str] = []
    last_today: bool = False


def notes_of(row: Inbound) -> ReceiptNotes:
    """The receipt notes of an incoming letter."""
    return msgspec.json.decode(row.told or "{}", type=ReceiptNotes)


def keep_notes(row: Inbound, told: ReceiptNotes) -> None:
    """Store the receipt notes; the caller commits."""
    row.told = msgspec.json.encode(told).decode()


# ---- what is due ---------------------------------------------------------------------------------


def settled(session: Session, submission: Submission, now: datetime) -> int | None:
    """Queue the receipt for a letter whose orders were played or refused; the new row's id."""
    row = session.exec(select(Inbound).where(Inbound.submission_id == submission.id)).first()
    if row is None:
        return None
    told = notes_of(row)
    told.refusal = read_refusal(submission.refusal) if submission.refusal else None
    told.draft = (submission.draft or "").splitlines()
    keep_notes(row, told)
    if submission.state == SubmissionState.REFUSED:
        row.state, row.reason = InboundState.REFUSED, told.refusal.key if told.refusal else None
    return due(session, row, now)


def due(session: Session, row: Inbound, now: datetime) -> int | None:
    """Queue the receipt of a person's letter, unless they had RECEIPTS_A_DAY today."""
    number = number_today(session, row, now)
    if number > RECEIPTS_A_DAY + 1:
        return None
    if number > RECEIPTS_A_DAY:
        told = notes_of(row)
        told.last_today = True
        keep_notes(row, told)
    return answer_due(session, row, "receipt", now)


def answer_due(
    session: Session, row: Inbound, kind: str, now: datetime, *, address: str | None = None
) -> int | None:
    """Queue an answer about the game or invitation that the letter was about."""
    session.add(row)
    return queue.due(
        session, kind=kind, person_id=row.person_id if address is None else None, address=address,
        game_id=row.game_id, invitation_id=invitation_of(session, row), about_id=row.id, now=now)


def invitation_of(session: Session, row: Inbound) -> int | None:
    """The invitation that a letter is about, if it is about no game."""
    if row.game_id is not None or row.letter_id is None:
        return None
    answered = session.get(Outbox, row.letter_id)
    return None if answered is None else answered.invitation_id


def number_today(session: Session, row: Inbound, now: datetime) -> int:
    """The number of this letter among those that the person has had answered today."""
    session.flush()
    mine = select(func.count()).select_from(Inbound).where(
        Inbound.person_id == row.person_id, col(Inbound.key).is_not(None),
        col(Inbound.state).in_(JUDGED), col(Inbound.decided) > now - DAY,
        col(Inbound.id) <= row.id,
    )  # fmt: skip
    return session.exec(mine).one()


def rejected_today(session: Session, row: Inbound, now: datetime) -> int:
    """How many letters were rejected for this reason, for the same reader, within a day."""
    session.flush()
    reader = (
        Inbound.letter_id == row.letter_id
        if row.person_id is None
        else Inbound.person_id == row.person_id
    )
    before = select(func.count()).select_from(Inbound).where(
        reader, Inbound.reason == row.reason, Inbound.id != row.id,
        col(Inbound.decided) > now - DAY,
    )  # fmt: skip
    return session.exec(before).one()


def rejection_due(
    session: Session, row: Inbound, now: datetime, *, kind: str, address: str | None = None,
    most: int = 1,
) -> int | None:
    """Queue an answer to a letter that may be forged: at most `most` per reason and day.

    `most` is 1, unless the letter was almost certainly written by its reader.
    """
    if rejected_today(session, row, now) >= most:
        return None
    return answer_due(session, row, kind, now, address=address)
