"""One letter in hand and what is decided about it, for all who judge letters."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlmodel import Session, select

from engine.notation import normalised
from pbem.mail.incoming.parse.reading import Mail
from pbem.mail.incoming.reply_address import Bound
from pbem.models import Inbound, InboundState, stored_id
from pbem.play import receipts
from pbem.play.receipts import ReceiptNotes
from pbem.service import Service

LONGEST_ID = 200  # characters of a Message-ID that are kept as they are


@dataclass(frozen=True)
class Case:
    """A letter, what it answers, what it says, and where it is decided."""

    service: Service
    session: Session
    row: Inbound
    bound: Bound
    mail: Mail
    now: datetime
    enqueue: Callable[[int], None]
    noted: dict[str, Any] = field(default_factory=dict)

    def note(self, **values: Any) -> None:
        """Write into the letter's row, again if what is tried has to be undone."""
        self.noted.update(values)
        for name, value in values.items():
            setattr(self.row, name, value)

    @property
    def identity(self) -> str:
        """Which letter it is, by whatever way it came; by what it says if it does not say."""
        given = self.mail.message_id
        if given and len(given) <= LONGEST_ID:
            return given
        token = "" if self.mail.to is None else self.mail.to.token
        said = given or "\n".join([token, *map(normalised, self.mail.lines)])
        return hashlib.sha256(said.encode()).hexdigest()

    @property
    def key(self) -> str:
        """The same, as short as a submission's key has to be."""
        return hashlib.sha256(self.identity.encode()).hexdigest()


def decide(
    row: Inbound,
    state: InboundState,
    now: datetime,
    *,
    reason: str | None = None,
    told: ReceiptNotes | None = None,
) -> None:
    """Note what became of a letter; the caller commits."""
    row.state, row.decided = state, now
    row.reason = None if reason is None else reason[:40]
    if told is not None:
        receipts.keep_notes(row, told)


def answer(
    case: Case, state: InboundState, told: ReceiptNotes, *, reason: str | None = None
) -> None:
    """Decide about a believed letter, and have its reader told."""
    decide(case.row, state, case.now, reason=reason, told=told)
    receipts.due(case.session, case.row, case.now)


def locked(session: Session, inbound_id: int) -> Inbound:
    """The letter's row as it is now, for nobody else to decide."""
    mine = select(Inbound).where(Inbound.id == inbound_id).with_for_update()
    return session.exec(mine, execution_options={"populate_existing": True}).one()


def taken_in_hand(case: Case) -> bool:
    """Take the letter in hand once more, behind a commit; False if somebody else has decided."""
    row = locked(case.session, stored_id(case.row))
    return row.state in (InboundState.STORED, InboundState.HELD)


def begun_again(case: Case) -> bool:
    """Undo what was tried, and take the letter in hand once more."""
    case.session.rollback()
    if not taken_in_hand(case):
        return False
    case.note(**case.noted)
    return True
