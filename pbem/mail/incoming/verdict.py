"""Holds the letter being judged and records the verdict. Used by all modules that judge."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlmodel import Session, select

from engine.notation import normalised
from pbem.config import Settings
from pbem.mail.incoming.parse.reading import Mail
from pbem.mail.incoming.reply_address import Bound
from pbem.models import Inbound, InboundState, stored_id
from pbem.play import receipts
from pbem.play.receipts import ReceiptNotes
from pbem.service import Service

LONGEST_ID = 200  # characters of a Message-ID that are kept verbatim


@dataclass(frozen=True)
class Case:
    """A letter, the letter that it answers, what it says, and the session that decides it."""

    service: Service
    session: Session
    row: Inbound
    bound: Bound
    mail: Mail
    now: datetime
    enqueue: Callable[[int], None]
    noted: dict[str, Any] = field(default_factory=dict)

    def note(self, **values: Any) -> None:
        """Write to the letter's row, and again if the attempt is rolled back."""
        self.noted.update(values)
        for name, value in values.items():
            setattr(self.row, name, value)

    @property
    def identity(self) -> str:
        """Identify the letter, however it arrived: by its Message-ID, else by its content."""
        given = self.mail.message_id
        if given and len(given) <= LONGEST_ID:
            return given
        token = "" if self.mail.to is None else self.mail.to.token
        said = given or "\n".join([token, *map(normalised, self.mail.lines)])
        return hashlib.sha256(said.encode()).hexdigest()

    @property
    def key(self) -> str:
        """The identity, shortened to the length of a submission's key."""
        return hashlib.sha256(self.identity.encode()).hexdigest()


def decide(
    row: Inbound,
    state: InboundState,
    now: datetime,
    *,
    reason: str | None = None,
    told: ReceiptNotes | None = None,
) -> None:
    """Record the verdict. The caller commits."""
    row.state, row.decided = state, now
    row.reason = None if reason is None else reason[:40]
    if told is not None:
        receipts.keep_notes(row, told)


def answer(
    case: Case, state: InboundState, told: ReceiptNotes, *, reason: str | None = None
) -> None:
    """Record the verdict on a trusted letter and queue an answer to its reader."""
    decide(case.row, state, case.now, reason=reason, told=told)
    receipts.due(case.session, case.row, case.now)


def locked(session: Session, inbound_id: int) -> Inbound:
    """Return the letter's current row, locked."""
    mine = select(Inbound).where(Inbound.id == inbound_id).with_for_update()
    return session.exec(mine, execution_options={"populate_existing": True}).one()


def taken_in_hand(case: Case) -> bool:
    """Lock the letter again after a commit. Returns False if another worker has decided it."""
    row = locked(case.session, stored_id(case.row))
    return row.state in (InboundState.STORED, InboundState.HELD)


def begun_again(case: Case) -> bool:
    """Roll the attempt back and lock the letter again."""
    case.session.rollback()
    if not taken_in_hand(case):
        return False
    case.note(**case.noted)
    return True


def is_certain(settings: Settings, authentic: str) -> bool:
    """Return whether this site trusts that a letter comes from its From address."""
    return authentic == "pass" or (authentic != "fail" and settings.mail_trust != "dmarc")
