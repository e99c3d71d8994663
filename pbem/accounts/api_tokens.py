"""Personal tokens of the JSON API: shown once, stored as a hash, with scopes and an expiry."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlalchemy import delete
from sqlmodel import Session, col, select

from pbem.accounts.auth import hashed, new_secret
from pbem.models import Person, stored_id
from pbem.models.archive import ApiToken

SCOPES = ("read", "play")
PREFIX = "carreira_"  # so that people and secret scanners recognise one
MOST = 20  # of one person
DAYS = (30, 90, 365)  # lifetimes to choose from
NOTED_EVERY = timedelta(hours=1)  # the time of last use


class TooManyTokens(Exception):
    """A person has as many tokens as allowed."""


def make(
    session: Session, person: Person, *, name: str, scopes: Iterable[str], days: int, now: datetime
) -> str:
    """Create a token and return it; it is not shown again. The caller commits.

    Raises TooManyTokens.
    """
    if len(of_person(session, person)) >= MOST:
        raise TooManyTokens
    token = PREFIX + new_secret()
    session.add(ApiToken(
        person_id=stored_id(person), hash=hashed(token), name=name[:60],
        scopes=" ".join(scope for scope in SCOPES if scope in set(scopes)),
        created=now, expires=now + timedelta(days=days),
    ))
    session.flush()
    return token


def holder(session: Session, token: str, now: datetime) -> tuple[ApiToken, Person] | None:
    """A valid token's row and its person; None for any other token."""
    found = session.exec(
        select(ApiToken, Person)
        .where(ApiToken.hash == hashed(token), Person.id == ApiToken.person_id)
    ).first()
    if found is None or (found[0].expires is not None and found[0].expires <= now):
        return None
    return found[0], found[1]


def may(token: ApiToken, scope: str) -> bool:
    """Whether the token has this scope."""
    return scope in token.scopes.split()


def needs_note(token: ApiToken, now: datetime) -> bool:
    """Whether the time of last use is due to be stored."""
    return token.used is None or now - token.used >= NOTED_EVERY


def note_use(session: Session, token_id: int, now: datetime) -> None:
    """Store that the token was used; the caller commits."""
    found = session.get(ApiToken, token_id)
    if found is not None and needs_note(found, now):
        found.used = now
        session.add(found)
        session.flush()


def of_person(session: Session, person: Person) -> list[ApiToken]:
    """A person's tokens, newest first."""
    found = select(ApiToken).where(ApiToken.person_id == person.id)
    return list(session.exec(found.order_by(col(ApiToken.id).desc())))


def revoke(session: Session, person: Person, token_id: int | None = None) -> None:
    """Delete one of a person's tokens, or (None) all; the caller commits."""
    gone = delete(ApiToken).where(col(ApiToken.person_id) == person.id)
    if token_id is not None:
        gone = gone.where(col(ApiToken.id) == token_id)
    session.connection().execute(gone)
