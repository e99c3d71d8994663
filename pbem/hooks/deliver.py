"""Delivers due web hook calls: claims, signs, posts and settles them.

Switches off hooks that fail.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import random
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast

from sqlalchemy import ColumnElement, CursorResult, func, or_, update
from sqlmodel import Session, col, select

from pbem.accounts import hook_addresses, web_hooks
from pbem.accounts.hook_addresses import BadUrl
from pbem.accounts.keys import Keys
from pbem.hooks.post import Answer, NoAnswer, post
from pbem.mail import queue
from pbem.models import Game, GameState, SeatRow, stored_id
from pbem.models.archive import HookCall, WebHook
from pbem.service import Service

log = logging.getLogger("carreira.hooks")

LEASE = timedelta(seconds=60)
TRIES, TRIES_TO_CONFIRM = 8, 3
FLOOR, STEP, CEILING = timedelta(seconds=10), timedelta(seconds=60), timedelta(hours=6)
MOST_FAILURES = 20  # in a row; then a hook is switched off
SECONDS_TOGETHER = 40.0  # for one sweep; letters wait for it
MOST = 200

UNTRUE, UNCONFIRMED = "no longer true", "answered without the challenge"


@dataclass(frozen=True)
class Line:
    """How posts are sent. Tests replace it."""

    resolve: hook_addresses.Resolve = hook_addresses.by_dns
    context: ssl.SSLContext | None = None
    jitter: Callable[[float, float], float] = random.uniform


@dataclass(frozen=True)
class Due:
    """A claimed call: where it goes and what it says."""

    url: str
    secret: str
    body: dict[str, Any]


def sweep(service: Service, line: Line | None = None) -> int:
    """Make the calls that are due, within the time limit. Returns how many succeeded."""
    until, well = time.monotonic() + SECONDS_TOGETHER, 0
    with service.reading() as session:
        oldest_first = select(HookCall.id).where(*free(service.clock.now()))
        found = session.exec(oldest_first.order_by(col(HookCall.not_before)).limit(MOST)).all()
    for call_id in found:
        if time.monotonic() > until:
            break
        well += attempt(service, call_id or 0, line or Line())
    return well


def free(now: datetime) -> tuple[ColumnElement[bool], ...]:
    """Select calls that are due and that nobody holds."""
    unheld = or_(col(HookCall.lease_until).is_(None), col(HookCall.lease_until) < now)
    return col(HookCall.settled).is_(None), col(HookCall.not_before) <= now, unheld


def attempt(service: Service, call_id: int, line: Line) -> bool:
    """Make one call, if it is due, free and still true. Returns whether it succeeded."""
    if not claim(service, call_id):
        return False
    with service.reading() as session:
        due = told(session, session.get_one(HookCall, call_id), service)
    if due is None:
        settle(service, call_id, None, UNTRUE, line)
        return False
    try:
        answer = sent(service, call_id, due, line)
    except BadUrl as wrong:
        settle(service, call_id, None, wrong.key, line, failed=True)
    except NoAnswer as failure:
        settle(service, call_id, None, str(failure), line, failed=True)
    else:
        settle(service, call_id, answer, "", line, failed=not answer.is_good)
        return answer.is_good
    return False


def claim(service: Service, call_id: int) -> bool:
    """Claim the call for a lease if it is free. Returns whether that worked."""
    now = service.clock.now()
    held = update(HookCall).where(col(HookCall.id) == call_id, *free(now)).values(
        lease_until=now + LEASE, attempts=col(HookCall.attempts) + 1)
    with service.writing() as session:
        done = cast("CursorResult[Any]", session.execute(held))
        session.commit()
    return done.rowcount == 1


# ---- content of a call --------------------------------------------------------------------------


def told(session: Session, call: HookCall, service: Service) -> Due | None:
    """Return what a call says, or None if it is no longer true."""
    hook = session.get_one(WebHook, call.hook_id)
    site = service.settings.base_url
    if call.game_id is None:
        if hook.confirmed is not None or hook.off is not None:
            return None
        word = web_hooks.challenge(service.settings.keys, hook)
        page = f"{site}/account/hooks?hook={hook.id}&challenge={word}"
        return Due(hook.url, hook.secret, {"event": "confirm", "challenge": word, "page": page})
    row, entry = session.get_one(Game, call.game_id), entry_of(call)
    names = asked(session, row, call, hook)
    if row.state != GameState.RUNNING or hook.off is not None or not names:
        return None
    return Due(hook.url, hook.secret, {
        "event": "reminder" if "-" in call.occasion else "your_turn",
        "game": row.id, "kind": row.game, "title": row.title,
        "entry": entry, "players": names, "page": f"{site}/games/{row.id}",
        "due": due_of(session, row, entry),
    })  # fmt: skip


def due_of(session: Session, row: Game, entry: int) -> str | None:
    """Return the earliest deadline of the players asked at an entry, or None."""
    first = session.exec(
        select(func.min(SeatRow.due)).where(SeatRow.game_id == row.id, SeatRow.asked_since == entry)
    ).one()
    return None if first is None else first.isoformat(timespec="seconds")


def asked(session: Session, row: Game, call: HookCall, hook: WebHook) -> list[str]:
    """Return the players of this hook who are still asked."""
    found = session.exec(
        select(SeatRow.name)
        .join(WebHook, col(WebHook.person_id) == col(SeatRow.person_id))
        .where(
            col(SeatRow.game_id) == row.id, col(SeatRow.asked_since) == entry_of(call),
            col(SeatRow.resigned).is_(None), col(WebHook.url) == hook.url,
            col(WebHook.confirmed).is_not(None), col(WebHook.off).is_(None),
        )
        .order_by(col(SeatRow.number))
    )
    return list(found)


def sent(service: Service, call_id: int, due: Due, line: Line) -> Answer:
    """Post the signed body to exactly the addresses that were checked."""
    to_loopback = service.settings.hooks_to_loopback
    to = hook_addresses.target(due.url, line.resolve, to_loopback=to_loopback)
    body = json.dumps(due.body, ensure_ascii=False).encode()
    at = str(int(service.clock.now().timestamp()))
    headers = {
        "Content-Type": "application/json", "User-Agent": "Carreira",
        "Carreira-Delivery": str(call_id),
        "Carreira-Signature": f"t={at},v1={signature(due.secret, at, body)}",
    }  # fmt: skip
    return post(to, body, headers, context=line.context)


def signature(secret: str, at: str, body: bytes) -> str:
    """Return the HMAC-SHA256 of the time, a full stop and the body, in hex."""
    return hmac.new(secret.encode(), at.encode() + b"." + body, hashlib.sha256).hexdigest()


# ---- outcome ------------------------------------------------------------------------------------


def settle(
    service: Service,
    call_id: int,
    answer: Answer | None,
    text: str,
    line: Line,
    *,
    failed: bool = False,
) -> None:
    """Store the outcome of a call. A hook with too many failures is switched off."""
    now = service.clock.now()
    with service.writing() as session:
        call = session.get(HookCall, call_id)
        hook = None if call is None else session.exec(
            select(WebHook).where(WebHook.id == call.hook_id).with_for_update()).first()
        if call is None or hook is None:
            return  # its owner has removed it
        call.lease_until = None
        call.last_code = None if answer is None else answer.code
        call.last_text = text or None
        if failed:
            put_off(session, hook, call, now, line)
        else:
            call.settled = now
            if answer is not None:
                answered(hook, call, answer, now, service.settings.keys)
        session.add_all([call, hook])
        session.commit()


def answered(hook: WebHook, call: HookCall, answer: Answer, now: datetime, keys: Keys) -> None:
    """Handle a successful call. Returning the challenge confirms the hook."""
    hook.failures = 0
    if call.game_id is not None:
        return
    if web_hooks.is_answered_in(keys, hook, answer.body):
        hook.confirmed = hook.confirmed or now
    else:
        call.last_text = UNCONFIRMED


def put_off(session: Session, hook: WebHook, call: HookCall, now: datetime, line: Line) -> None:
    """Retry the call later, or give it up. Too many failures switch the hook off."""
    hook.failures += 1
    tries = TRIES if call.game_id is not None else TRIES_TO_CONFIRM
    bound = min(CEILING, STEP * 2**call.attempts)
    wait = timedelta(seconds=line.jitter(0.0, bound.total_seconds()))
    call.not_before = now + max(FLOOR, wait)
    if call.attempts >= tries:
        call.settled = now
    if hook.confirmed is not None and hook.off is None and hook.failures >= MOST_FAILURES:
        switch_off(session, hook, call, now)


def switch_off(session: Session, hook: WebHook, call: HookCall, now: datetime) -> None:
    """Switch the hook off, and tell its owner by letter."""
    hook.off, hook.why = now, call.last_text or str(call.last_code)
    call.settled = now
    session.flush()
    open_calls = col(HookCall.hook_id) == hook.id, col(HookCall.settled).is_(None)
    session.execute(update(HookCall).where(*open_calls).values(settled=now, lease_until=None))
    log.warning("web hook %s is switched off after %s failures", hook.id, hook.failures)
    queue.due(session, person_id=hook.person_id, kind="hook_off", about_id=stored_id(hook),
              part=int(now.timestamp()), now=now)


def entry_of(call: HookCall) -> int:
    """Return the entry at which the player was asked: 17 for "17" and for "17-50", a reminder."""
    return int(call.occasion.partition("-")[0])
