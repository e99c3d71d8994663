"""Handles letters that did not arrive: given up, bounced, or paused with their domain."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import or_, update
from sqlmodel import Session, col, select

from pbem.mail import queue
from pbem.mail.delivery import retries, rows
from pbem.mail.letters import build
from pbem.models import EVERYWHERE, LetterState, MailPause, Outbox, Person
from pbem.operators import acts

MOST = 50  # letters of one kind on a page
GIVEN_UP = "given up by an operator"  # shown in the reader's list of letters
PAUSED = (retries.DOMAIN_PAUSED, retries.OUR_FAULT, retries.SLOW, retries.CREDENTIALS)


def dead(session: Session) -> list[Outbox]:
    """Return letters that were given up, newest first."""
    return _newest(session, Outbox.state == LetterState.DEAD)


def bounced(session: Session) -> list[Outbox]:
    """Return letters that bounced or were reported as spam after a server took them."""
    return _newest(session, col(Outbox.bounced).is_not(None))


def retried(session: Session) -> list[Outbox]:
    """Return letters that could not leave yet and are retried."""
    return _newest(session, col(Outbox.settled).is_(None), col(Outbox.attempts) > 0)


def _newest(session: Session, *conditions: object) -> list[Outbox]:
    return list(session.exec(
        select(Outbox).where(*conditions)  # type: ignore[arg-type]
        .order_by(col(Outbox.id).desc()).limit(MOST)))


def paused(session: Session) -> list[MailPause]:
    """Return domains whose letters are paused, or were at the last try."""
    return list(session.exec(select(MailPause).order_by(col(MailPause.since))))


def readers(session: Session, rows: list[Outbox]) -> dict[int | None, str]:
    """Map the readers of these letters to their names, by person id."""
    numbers = {row.person_id for row in rows if row.person_id is not None}
    found = session.exec(select(Person.id, Person.name).where(col(Person.id).in_(numbers)))
    return dict(found.all())


# ---- acts ---------------------------------------------------------------------------------------


def again(
    session: Session, operator: Person, letter_id: int, why: str, *, now: datetime
) -> bool:
    """Send a letter again that was given up or bounced. Returns False if it is no longer true.

    A letter that was given up gets all its tries again, with its own Message-ID. A letter that a
    server took is sent as a new letter.
    """
    row = _locked(session, letter_id)
    if row is None or not build.still_true(session, row, now):
        return False
    if row.state == LetterState.DEAD:
        rows.revive(session, row, now, attempts=0, merged_into=None, raw=None)
    elif row.bounced is None or not queue.again(session, row, now):
        return False
    acts.note(session, operator, "letter_again", f"l{letter_id}", why, now=now)
    return True


def give_up(
    session: Session, operator: Person, letter_id: int, why: str, *, now: datetime
) -> bool:
    """Give up a waiting letter. Returns False if it has left or is being sent."""
    row = _locked(session, letter_id)
    if row is None or row.settled is not None or (row.lease_until or now) > now:
        return False
    rows.finish(session, letter_id, LetterState.DEAD, now=now, code=row.last_code, text=GIVEN_UP)
    acts.note(session, operator, "letter_given_up", f"l{letter_id}", why, now=now)
    return True


def _locked(session: Session, letter_id: int) -> Outbox | None:
    return session.exec(
        select(Outbox).where(Outbox.id == letter_id).with_for_update(),
        execution_options={"populate_existing": True}).first()


def lift(session: Session, operator: Person, domain: str, why: str, *, now: datetime) -> bool:
    """End a domain's pause at once ("": all pauses). Returns False if there is none."""
    pause = session.get(MailPause, domain)
    if pause is None:
        return False
    session.delete(pause)
    waits = [col(Outbox.settled).is_(None), col(Outbox.not_before) > now,
             col(Outbox.why).in_(PAUSED)]
    if domain != EVERYWHERE:
        there = select(Person.id).where(
            col(Person.address).endswith(f"@{domain}", autoescape=True))
        waits.append(or_(col(Outbox.address).endswith(f"@{domain}", autoescape=True),
                         col(Outbox.person_id).in_(there)))
    session.connection().execute(update(Outbox).where(*waits).values(not_before=now))
    acts.note(session, operator, "pause_lifted", f"@{domain}", why, now=now)
    return True
