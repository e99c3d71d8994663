"""Domains that get no letters for a while: they refuse us for a fault of ours, or ask for time."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, func
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, col, select

from pbem.mail.server_answers import LONGEST_ANSWER
from pbem.models import EVERYWHERE, MailPause
from pbem.once import is_empty

log = logging.getLogger("carreira.letters")

ALL = "pauses"

def domain_of(address: str) -> str:
    """The part behind the @."""
    return address.rpartition("@")[2]


def in_force(session: Session, address: str, now: datetime) -> datetime | None:
    """Until when a letter to this address has to wait, by the longest pause."""
    if is_empty(session, ALL):
        return None
    longest = select(func.max(MailPause.until)).where(about(address), MailPause.until > now)
    return session.exec(longest).one()


def about(address: str) -> ColumnElement[bool]:
    """The pauses that stop a letter to this address."""
    return col(MailPause.domain).in_((EVERYWHERE, domain_of(address)))


def is_known(session: Session, address: str) -> bool:
    """Whether no letter has got through to the domain since it refused one."""
    return session.get(MailPause, domain_of(address)) is not None


def pause(session: Session, domain: str, *, until: datetime, why: str, now: datetime) -> None:
    """No letters to the domain for a while; its first refusal is remembered as its beginning."""
    insert: Any = (
        postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert)
    fresh = insert(MailPause).values(
        domain=domain, until=until, since=now, why=why[:LONGEST_ANSWER])
    newer = {"until": fresh.excluded.until, "why": fresh.excluded.why}
    session.exec(fresh.on_conflict_do_update(index_elements=["domain"], set_=newer))


def lift(session: Session, address: str) -> None:
    """A letter got through: whatever was wrong is over."""
    session.exec(delete(MailPause).where(about(address)))
