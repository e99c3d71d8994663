"""What servers and readers report about letters that had left: who gets none any more, and why."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlmodel import Session, col, func, select

from pbem.models import Bounce, Outbox, Person

SOFT_BOUNCES = 4  # so many within so long, and the address counts as dead
SOFT_SPAN = timedelta(days=14)
LONGEST_TEXT = 300


def bounced(
    session: Session, letter: Outbox, address: str | None, *, what: str, said: str, now: datetime
) -> None:
    """Note what is reported about a letter of ours, and stop writing to an address that is dead.

    The caller commits. What is only late, or has arrived, is noted and changes nothing.
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
        suppress(session, address, said or letter.last_text or "bounced")


def note(session: Session, letter: Outbox, what: Bounce, now: datetime) -> None:
    letter.bounce, letter.bounced = what, now
    session.add(letter)
    session.flush()


def suppress(session: Session, address: str | None, why: str) -> None:
    """No more letters but proofs to an address; None: to nobody who is known."""
    if address is None:
        return
    for person in session.exec(select(Person).where(Person.address == address)):
        person.suppressed = why[:200] or "refused"
        session.add(person)
    session.flush()
