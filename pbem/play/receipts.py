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
RECEIPTS_A_DAY = 20  # answers to one person; then one that says so


class CommandAnswer(msgspec.Struct, frozen=True):
    """A word of a letter and what is said to it, in its reader's language."""

    word: str
    text: str


class ReceiptNotes(msgspec.Struct):
    """What a receipt tells: what was read, and what came of it.

    `why` is the key of what is wrong with the letter as a whole, `most` its limit; `refusal` is the
    game's, about one line. `last_today`: no further letter of this day is answered. `below`:
    lines behind an empty one, which were not read.
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
    """What a letter's row keeps for its receipt."""
    return msgspec.json.decode(row.told or "{}", type=ReceiptNotes)


def keep_notes(row: Inbound, told: ReceiptNotes) -> None:
    """The inverse."""
    row.told = msgspec.json.encode(told).decode()


# ---- what is due ---------------------------------------------------------------------------------


def settled(session: Session, submission: Submission, now: datetime) -> int | None:
    """Orders of a letter have been played or refused: its receipt is due; the new row's id."""
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
    """Make the receipt of a person's own letter due, unless he got too many today."""
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
    """Make an answer due, about what the letter was about: that an answer to it means the same."""
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
    """Which one of this day's letters it is that its person is answered."""
    session.flush()
    mine = select(func.count()).select_from(Inbound).where(
        Inbound.person_id == row.person_id, col(Inbound.key).is_not(None),
        col(Inbound.state).in_(JUDGED), col(Inbound.decided) > now - DAY,
        col(Inbound.id) <= row.id,
    )  # fmt: skip
    return session.exec(mine).one()


def rejected_today(session: Session, row: Inbound, now: datetime) -> int:
    """How often something was rejected for this reason at this reader's within a day before."""
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
    """An answer that perhaps no letter of its reader's asked for: so many a reason and day.

    `most` is one unless all speaks for it that its reader wrote, and waits for an answer.
    """
    if rejected_today(session, row, now) >= most:
        return None
    return answer_due(session, row, kind, now, address=address)
