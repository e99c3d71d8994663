"""Domains that get no letters for a while: they refuse us for a fault of ours, or ask for time."""

from __future__ import annotations

import logging
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import bindparam, delete, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session

from pbem.mail.server_answers import LONGEST_ANSWER
from pbem.models import Instant, MailPause
from pbem.once import is_empty
from pbem.prepared import Prepared, Where

log = logging.getLogger("carreira.letters")

EVERYWHERE = ""  # our own server refuses us
ALL = "pauses"

# Built once: they run at every letter.
_pauses = MailPause.__table__  # type: ignore[attr-defined]
_about = (_pauses.c.domain == EVERYWHERE) | (_pauses.c.domain == bindparam("domain"))
_IN_FORCE = select(func.max(_pauses.c.until)).where(
    _about, _pauses.c.until > bindparam("instant", type_=Instant))
_LIFT = Prepared(delete(_pauses).where(_about))


def domain_of(address: str) -> str:
    """The part behind the @."""
    return address.rpartition("@")[2]


def in_force(session: Session, address: str, now: datetime) -> datetime | None:
    """Until when a letter to this address has to wait, by the longest pause."""
    if is_empty(session, ALL):
        return None
    about = {"domain": domain_of(address), "instant": now}
    until: datetime | None = session.execute(_IN_FORCE, about).scalar()
    return until


def is_known(session: Session, address: str) -> bool:
    """Whether no letter has got through to the domain since it refused one."""
    return session.get(MailPause, domain_of(address)) is not None


def pause(session: Session, domain: str, *, until: datetime, why: str, now: datetime) -> None:
    """No letters to the domain for a while; its first refusal is remembered as its beginning."""
    row = {"domain": domain, "until": until, "since": now, "why": why[:LONGEST_ANSWER]}
    session.execute(_put(session.get_bind().dialect.name), row)


@cache
def _put(dialect: str) -> Any:
    insert: Any = postgresql.insert if dialect == "postgresql" else sqlite.insert
    fresh = insert(MailPause.__table__)  # type: ignore[attr-defined]
    newer = {"until": fresh.excluded.until, "why": fresh.excluded.why}
    return fresh.on_conflict_do_update(index_elements=["domain"], set_=newer)


def lift(where: Where, address: str) -> None:
    """A letter got through: whatever was wrong is over."""
    _LIFT.run(where, {"domain": domain_of(address)})
