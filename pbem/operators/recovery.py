"""Gives an account with a lost mailbox another address, after a delay in which one button stops it.

An operator begins it. The new address has to confirm, and the old one can stop it. After three days
the sweep carries it out and ends all earlier sign-ins.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from sqlalchemy import or_, update
from sqlmodel import Session, col, select

from pbem.accounts import auth
from pbem.mail import queue
from pbem.mail.address import BadAddress, normalise
from pbem.models import Outbox, Person, SignIn, stored_id
from pbem.models.operators import Recovery
from pbem.operators import acts
from pbem.privacy import erasure
from pbem.tables.lobby import addresses_of

log = logging.getLogger("carreira.operators")

WAITS = timedelta(hours=72)  # from the beginning to the end
LASTS = timedelta(days=14)  # unconfirmed for so long, it expires


class RecoveryRefused(Exception):
    """Raised if a recovery is not possible: "bad_address", "taken" or "open"."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


# ---- steps --------------------------------------------------------------------------------------


def begin(
    session: Session, operator: Person, person: Person, address: str, why: str, *, now: datetime
) -> Recovery:
    """Begin a recovery and write to both addresses. The caller commits. Raises RecoveryRefused."""
    try:
        new = normalise(address)
    except BadAddress:
        raise RecoveryRefused("bad_address") from None
    session.exec(select(Person).where(Person.id == person.id)
                 .with_for_update(key_share=True)).one()
    owner = auth.person_with(session, new)
    if new == person.address or (owner is not None and owner.id != person.id):
        raise RecoveryRefused("taken")
    if open_of(session, person, now):
        raise RecoveryRefused("open")
    made = Recovery(person_id=stored_id(person), address=new, by_id=operator.id, created=now,
                    due=now + WAITS)
    session.add(made)
    session.flush()
    _write(session, made, "recover", [new], now)
    _write(session, made, "recovery", [each for each in addresses_of(person) if each != new], now)
    acts.note(session, operator, "recovery_begun", f"p{person.id}", why, now=now)
    return made


def _write(
    session: Session, about: Recovery, kind: str, addresses: list[str], now: datetime
) -> None:
    """Queue a letter to each of these addresses, whoever owns them later."""
    for number, address in enumerate(addresses, start=1):
        queue.due(session, address=address, kind=kind, about_id=about.id, part=number, now=now)


def is_open(found: Recovery, now: datetime) -> bool:
    """Return whether it can still be carried out."""
    in_time = found.confirmed is not None or now < found.created + LASTS
    return found.stopped is None and found.done is None and in_time


def of_person(session: Session, person: Person) -> list[Recovery]:
    """Return somebody's recoveries, newest first."""
    return list(session.exec(select(Recovery).where(Recovery.person_id == person.id)
                             .order_by(col(Recovery.id).desc())))


def open_of(session: Session, person: Person, now: datetime) -> Recovery | None:
    """Return somebody's open recovery, or None."""
    return next((each for each in of_person(session, person) if is_open(each, now)), None)


def confirm(session: Session, recovery_id: int, now: datetime) -> bool:
    """Confirm the new address. Returns False if it is too late. The caller commits."""
    found = _locked(session, recovery_id)
    if not is_open(found, now):
        return False
    found.confirmed = found.confirmed or now
    session.add(found)
    return True


def stop(session: Session, recovery_id: int, now: datetime) -> bool:
    """Stop it. Returns False if it has been carried out. The caller commits."""
    found = _locked(session, recovery_id)
    if found.done is not None:
        return False
    found.stopped = found.stopped or now
    session.add(found)
    return True


def one_of(session: Session, person: Person, recovery_id: int) -> Recovery | None:
    """Return this person's recovery with this id, or None."""
    return session.exec(select(Recovery).where(
        Recovery.id == recovery_id, Recovery.person_id == person.id)).first()


def stop_by(
    session: Session, operator: Person, found: Recovery, why: str, *, now: datetime
) -> bool:
    """Stop it as an operator. If two stop it, the first one is recorded."""
    stopped_before = _locked(session, stored_id(found)).stopped is not None
    if not stop(session, stored_id(found), now):
        return False
    if not stopped_before:
        acts.note(session, operator, "recovery_stopped", f"p{found.person_id}", why, now=now)
    return True


def _locked(session: Session, recovery_id: int) -> Recovery:
    return session.exec(
        select(Recovery).where(Recovery.id == recovery_id).with_for_update(),
        execution_options={"populate_existing": True},
    ).one()


# ---- completion ---------------------------------------------------------------------------------


def due(session: Session, now: datetime) -> list[int]:
    """Return recoveries that are due. Uses the index of the open ones."""
    found = session.exec(select(Recovery.id).where(
        col(Recovery.stopped).is_(None), col(Recovery.done).is_(None), col(Recovery.due) <= now,
        col(Recovery.confirmed).is_not(None)))
    return [each for each in found if each is not None]


def carry_out(session: Session, recovery_id: int, now: datetime) -> None:
    """Make the new address the account's only one, and end all of its sign-ins.

    The old addresses and the new one are told. The caller commits.
    """
    found = _locked(session, recovery_id)
    if found.confirmed is None or found.due > now or not is_open(found, now):
        return
    person = _held(session, found.person_id)
    owner = auth.person_with(session, found.address)
    if owner is not None and owner.id != person.id:
        log.error("Recovery %s comes to nothing: its address is another account's.", found.id)
        found.stopped = now
        session.add(found)
        return
    before = addresses_of(person)
    erasure.end_entrances(session, erasure.ErasedPerson.of(person))
    person.address, person.second_address, person.suppressed = found.address, None, None
    found.done = now
    session.add_all([person, found])
    # Letters on their way were addressed to the old address.
    session.connection().execute(
        update(Outbox)
        .where(col(Outbox.person_id) == person.id, col(Outbox.settled).is_(None))
        .values(raw=None))
    told = [found.address, *(each for each in before if each != found.address)]
    _write(session, found, "recovered", told, now)


def _held(session: Session, person_id: int) -> Person:
    """Lock the person and their sign-ins, so that nobody proves a second address meanwhile.

    Sign-ins come first, in the order in which a sign-in locks them.
    """
    session.exec(select(SignIn.id).where(SignIn.person_id == person_id).with_for_update()).all()
    return session.exec(
        select(Person).where(Person.id == person_id).with_for_update(key_share=True),
        execution_options={"populate_existing": True}).one()


def to_show(session: Session, now: datetime) -> list[tuple[Recovery, Person]]:
    """Return the open recoveries and their owners."""
    found = session.exec(
        select(Recovery, Person).where(
            Recovery.person_id == Person.id,
            col(Recovery.stopped).is_(None), col(Recovery.done).is_(None),
            or_(col(Recovery.confirmed).is_not(None), col(Recovery.created) > now - LASTS))
        .order_by(col(Recovery.due)))
    return [(one, person) for one, person in found]
