"""Deletes rows and files that are too old, in small batches, so that no lock lasts long.

It knows tables of many folders, so it stands beside them; workers call it and hold no rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, delete, func, select
from sqlmodel import Session, col

from pbem.accounts import auth
from pbem.archive.exports import kept
from pbem.mail.incoming import store
from pbem.models import SignIn, WebSession
from pbem.models.archive import ApiToken, HookCall
from pbem.models.operators import Recovery
from pbem.privacy import guests
from pbem.service import Service

AT_ONCE = 200  # rows of one transaction
MOST = 10_000  # rows of a kind an hour; the rest goes with the next ones

# How long what is over is kept, for whoever asks what happened.
SIGN_INS = timedelta(days=7)
HOOK_CALLS = timedelta(days=30)
TOKENS = timedelta(days=30)
RECOVERIES = timedelta(days=90)


def tidy(service: Service) -> dict[str, int]:
    """Delete what is old enough; the number of rows by table."""
    now, days = service.clock.now(), service.settings.raw_mail_days
    dropped = {str(model.__tablename__): repeated(service, partial(drop_some, model=model, old=old))
               for model, old in too_old(now)}
    dropped["inbound"] = repeated(
        service, lambda session: store.forget_contents(session, now, days, AT_ONCE))
    dropped["guest"] = repeated(service, lambda session: guests.erase_abandoned(session, now),
                                guests.AT_ONCE)
    kept.tidy(kept.folder_of(service))
    return dropped


def too_old(now: datetime) -> Iterator[tuple[Any, ColumnElement[bool]]]:
    """Each table that is cleaned, with the condition for its old rows."""
    yield SignIn, col(SignIn.expires) < now - SIGN_INS
    yield WebSession, col(WebSession.used) < now - auth.SESSION_LIFE
    yield HookCall, col(HookCall.settled) < now - HOOK_CALLS
    yield ApiToken, col(ApiToken.expires) < now - TOKENS
    yield Recovery, col(Recovery.due) < now - RECOVERIES  # carried out, stopped or never confirmed


def drop_some(session: Session, model: Any, old: ColumnElement[bool]) -> int:
    """Delete one batch, never the newest row: no id is given out twice."""
    key = col(model.id)
    if model is not WebSession:
        old &= key < select(func.max(key)).scalar_subquery()
    some = select(key).where(old).limit(AT_ONCE)
    return int(session.connection().execute(delete(model).where(key.in_(some))).rowcount)


def repeated(
    service: Service, drop: Callable[[Session], int], batch: int | None = None
) -> int:
    """Run batches, each in its own transaction, until nothing is left or MOST rows are gone."""
    done = 0
    while done < MOST:
        with service.writing() as session:
            found = drop(session)
            session.commit()
        done += found
        if found < (batch or AT_ONCE):
            break
    return done
