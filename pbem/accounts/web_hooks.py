"""Web hooks: adds, confirms and removes them, and queues their calls."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Collection
from datetime import datetime
from typing import Any

import sqlalchemy
from sqlalchemy import Integer, bindparam, delete, exists, func, literal, select
from sqlalchemy.orm import aliased
from sqlmodel import Session, col

from pbem.accounts import hook_addresses
from pbem.accounts.keys import Keys
from pbem.models import Instant, Person, stored_id
from pbem.models.archive import HookCall, WebHook

MOST = 5  # hooks of one person
CONFIRM = "confirm"  # the occasion of a call without a game


class TooManyHooks(Exception):
    """A person has as many hooks as allowed."""


# ---- a person's hooks ---------------------------------------------------------------------------


def of_person(session: Session, person: Person) -> list[WebHook]:
    """A person's hooks, oldest first."""
    found = session.scalars(
        select(WebHook).where(col(WebHook.person_id) == person.id).order_by(col(WebHook.id)))
    return list(found)


def own(session: Session, person: Person, hook_id: int) -> WebHook | None:
    """One of a person's hooks by its id."""
    found = session.get(WebHook, hook_id)
    return found if found is not None and found.person_id == person.id else None


def add(
    session: Session, person: Person, url: str, now: datetime, *, to_loopback: bool = False
) -> WebHook:
    """Add a hook and ask it to confirm; the existing one if it is known.

    Raises BadUrl, TooManyHooks.
    """
    hook_addresses.checked(url, to_loopback=to_loopback)
    known = of_person(session, person)
    for hook in known:
        if hook.url == url:
            return hook
    if len(known) >= MOST:
        raise TooManyHooks
    hook = WebHook(person_id=stored_id(person), url=url, secret=secrets.token_hex(32), created=now)
    session.add(hook)
    session.flush()
    ask(session, hook, now)
    return hook


def ask(session: Session, hook: WebHook, now: datetime) -> None:
    """Ask a hook (again) to confirm; until it does it is not called."""
    hook.confirmed = hook.off = hook.why = None
    hook.failures = 0
    session.add(hook)
    session.flush()
    _forget_calls(session, col(HookCall.hook_id) == hook.id, col(HookCall.settled).is_(None))
    session.add(HookCall(hook_id=stored_id(hook), occasion=CONFIRM, not_before=now))
    session.flush()


def challenge(keys: Keys, hook: WebHook) -> str:
    """The challenge that only readers of the hook's calls know."""
    return keys.signed(_asked(hook), _written)


def is_answered_in(keys: Keys, hook: WebHook, body: bytes) -> bool:
    """Whether a response contains the hook's challenge."""
    return any(word.encode() in body for word in keys.each_signed(_asked(hook), _written))


def _asked(hook: WebHook) -> bytes:
    return f"hook|{hook.id}|{hook.secret}".encode()


def _written(proof: bytes) -> str:
    return base64.urlsafe_b64encode(proof[:18]).decode()


def confirm(session: Session, keys: Keys, hook: WebHook, given: str, now: datetime) -> bool:
    """Activate the hook if `given` is its challenge; False if not. The caller commits."""
    if not keys.proved(given.strip(), _asked(hook), _written):
        return False
    if hook.confirmed is None:
        hook.confirmed, hook.failures = now, 0
        session.add(hook)
        session.flush()
    return True


def remove(session: Session, hook: WebHook) -> None:
    """Delete a hook and its calls; the caller commits."""
    _forget_calls(session, col(HookCall.hook_id) == hook.id)
    session.delete(hook)
    session.flush()


def newest_calls(session: Session, hook: WebHook) -> list[HookCall]:
    """The hook's newest calls, newest first."""
    found = select(HookCall).where(col(HookCall.hook_id) == hook.id)
    return list(session.scalars(found.order_by(col(HookCall.id).desc()).limit(10)))


def _forget_calls(session: Session, *which: Any) -> None:
    session.connection().execute(delete(HookCall).where(*which))


# ---- what is due --------------------------------------------------------------------------------

_twin: Any = aliased(WebHook)
_told_already = exists().where(
    _twin.url == col(WebHook.url),
    col(HookCall.hook_id) == _twin.id,
    col(HookCall.game_id) == bindparam("game"),
    col(HookCall.occasion) == bindparam("occasion"),
)
# Built once: every move runs it. Of several hooks with the same URL one is called.
_DUE = sqlalchemy.insert(HookCall).from_select(
    ["hook_id", "game_id", "occasion", "not_before", "attempts"],
    select(
        func.min(col(WebHook.id)), bindparam("game", type_=Integer),
        bindparam("occasion"), bindparam("instant", type_=Instant), literal(0),
    )
    .where(
        col(WebHook.person_id).in_(bindparam("people", expanding=True)),
        col(WebHook.confirmed).is_not(None), col(WebHook.off).is_(None), ~_told_already,
    )
    .group_by(col(WebHook.url)),
)  # fmt: skip


def due(
    session: Session, game_id: int, entry: int | str, people: Collection[int], now: datetime
) -> None:
    """Queue calls to these people's hooks about a question or reminder, once; no commit.

    `entry`: the question's entry; a reminder adds its per cent: "17-50".
    """
    session.execute(_DUE, {"game": game_id, "occasion": str(entry), "instant": now,
                           "people": list(people)}, execution_options={"dml_strategy": "raw"})
