"""Handles reports about letters that have left, and stops writing to dead addresses."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlmodel import Session, col, func, select

from pbem.models import Bounce, Outbox, Person

SOFT_BOUNCES = 4  # this many within the span, and the address counts as dead
SOFT_SPAN = timedelta(days=14)
LONGEST_TEXT = 300


def bounced(
    session: Session, letter: Outbox, address: str | None, *, what: str, said: str, now: datetime
) -> None:
    """Record a report about one of our letters, and suppress the address if it is dead.

    Reports of a delay or of an arrival are recorded and change nothing else. The caller commits.
    """
    letter.last_text = f"{what}: {said}"[:LONGEST_TEXT]
    session.add(letter)
    if what == "hard":
        note(session, letter, Bounce.HARD, now)
        suppress(session, address, said or "bounced")
    elif what == "complaint":
        note(session, letter, Bounce.COMPLAINT, now)
        suppress(session, address, "complaint")
    elif what == "soft":
        count_soft(session, letter, address, now, said=said)


def count_soft(
    session: Session, letter: Outbox, address: str | None, now: datetime, *, said: str = ""
) -> None:
    """Record a temporary failure. The fourth within 14 days counts as a permanent one."""
    if letter.bounce in (Bounce.HARD, Bounce.COMPLAINT):
        return
    note(session, letter, Bounce.SOFT, now)
    lately = select(func.count()).select_from(Outbox).where(
        Outbox.person_id == letter.person_id, Outbox.address == letter.address,
        col(Outbox.bounced) > now - SOFT_SPAN,
        Outbox.bounce == Bounce.SOFT,
    )
    if session.exec(lately).one() >= SOFT_BOUNCES:
        suppress(session, address, said or letter.last_text or "bounced")


def note(session: Session, letter: Outbox, what: Bounce, now: datetime) -> None:
    letter.bounce, letter.bounced = what, now
    session.add(letter)
    session.flush()


def suppress(session: Session, address: str | None, why: str) -> None:
    """Stop all letters to an address except proofs. Does nothing for None or an unknown address."""
    if address is None:
        return
    for person in session.exec(select(Person).where(Person.address == address)):
        person.suppressed = why[:200] or "refused"
        session.add(person)
    session.flush()
