"""The secret addresses of a person's feeds, derived from a nonce that they can renew."""

from __future__ import annotations

import base64
import secrets

from sqlmodel import Session

from pbem.accounts.keys import Keys, Write
from pbem.models import Person, stored_id
from pbem.models.archive import FeedAddress


def secret_of(session: Session, keys: Keys, person: Person) -> str | None:
    """The secret in a person's feed addresses; None if they have none."""
    found = session.get(FeedAddress, person.id)
    return None if found is None else keys.signed(_said(found), _behind(found))


def renew(session: Session, person: Person) -> None:
    """Give a person new feed addresses; the old ones stop working. The caller commits."""
    nonce = secrets.token_hex(16)
    found = session.get(FeedAddress, person.id)
    if found is None:
        found = FeedAddress(person_id=stored_id(person), nonce=nonce)
    found.nonce = nonce
    session.add(found)
    session.flush()


def void(session: Session, person: Person) -> None:
    """Remove a person's feed addresses; the caller commits."""
    found = session.get(FeedAddress, person.id)
    if found is not None:
        session.delete(found)
        session.flush()


def person_with(session: Session, keys: Keys, secret: str) -> Person | None:
    """The person whose secret this is."""
    number = secret.partition("-")[0]
    if not number.isascii() or not number.isdigit() or len(number) > 9:
        return None
    found = session.get(FeedAddress, int(number))
    if found is None or not keys.proved(secret, _said(found), _behind(found)):
        return None
    return session.get(Person, found.person_id)


def _said(address: FeedAddress) -> bytes:
    return f"feeds|{address.person_id}|{address.nonce}".encode()


def _behind(address: FeedAddress) -> Write:
    return lambda proof: f"{address.person_id}-{base64.urlsafe_b64encode(proof[:18]).decode()}"
