"""What servers and readers report about letters that had left: who gets none any more, and why."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlmodel import Session, col, func, select

from pbem.mail.incoming.parse.reading import Report
from pbem.mail.letters import truth
from pbem.models import Bounce, Outbox

SOFT_BOUNCES = 4  # so many within so long, and the address counts as dead
SOFT_SPAN = timedelta(days=14)
LONGEST_TEXT = 300


def bounced(session: Session, letter: Outbox, report: Report, now: datetime) -> None:
    """Note what is reported about a letter of ours, and stop writing to an address that is dead.

    The caller commits. What is only late, or has arrived, is noted and changes nothing.
    """
    said = f"{report.status} {report.text}".strip()
    letter.last_text = f"{report.what}: {said}"[:LONGEST_TEXT]
    session.add(letter)
    if report.what == "hard":
        note(session, letter, Bounce.HARD, now)
        suppress(session, letter, said or "bounced")
    elif report.what == "complaint":
        note(session, letter, Bounce.COMPLAINT, now)
        suppress(session, letter, "complaint")
    elif report.what == "soft":
        count_soft(session, letter, now, said=said)


def count_soft(session: Session, letter: Outbox, now: datetime, *, said: str = "") -> None:
    """Note a failure that may pass; the fourth in 14 days counts as one that does not."""
    if letter.bounce in (Bounce.HARD, Bounce.COMPLAINT):
        return
    note(session, letter, Bounce.SOFT, now)
    lately = select(func.count()).select_from(Outbox).where(
        Outbox.person_id == letter.person_id, Outbox.address == letter.address,
        col(Outbox.bounced) > now - SOFT_SPAN,
        Outbox.bounce == Bounce.SOFT,
    )
    if session.exec(lately).one() >= SOFT_BOUNCES:
        suppress(session, letter, said or letter.last_text or "bounced")


def note(session: Session, letter: Outbox, what: Bounce, now: datetime) -> None:
    letter.bounce, letter.bounced = what, now
    session.add(letter)
    session.flush()


def suppress(session: Session, letter: Outbox, why: str) -> None:
    """No more letters but proofs to the address that this letter went to."""
    reader = truth.reader_of(session, letter)
    if reader is not None:
        truth.suppress(session, reader.address, why)
