"""The tasks: each opens a session, calls one function of pbem, and returns."""

from __future__ import annotations

import logging
from datetime import timedelta

from celery import shared_task
from sqlalchemy.exc import OperationalError

from pbem import broker
from pbem.games import lobby, upkeep
from pbem.games.advance import advance as advance_game
from pbem.mail import outbox
from workers import context

log = logging.getLogger("carreira.workers")

# A database that was away for a moment; if it stays away, the sweep comes again.
PATIENTLY = {
    "autoretry_for": (OperationalError,),
    "max_retries": 3,
    "retry_backoff": 1,
    "retry_backoff_max": 8,
}


@shared_task(name=broker.ADVANCE, **PATIENTLY)
def advance(game_id: int) -> None:
    """Advance one game as far as it goes, and have its new letters sent."""
    service = context.service()
    now = service.clock.now()
    delay = timedelta(seconds=service.settings.letter_delay)
    with service.writing() as session:
        letters = advance_game(session, game_id, now, letter_delay=delay)
    if letters:
        with service.reading() as session:
            ready = upkeep.due_now(session, letters, now)
        context.poke_letters(ready)


@shared_task(name=broker.SEND, **PATIENTLY)
def send(letter: int) -> None:
    """Send one letter, if it still is due."""
    outbox.deliver(context.service(), letter, context.transport())


@shared_task(name=broker.LETTERS)
def letters() -> None:
    """Send what is due and was not sent."""
    outbox.sweep(context.service(), context.transport())


@shared_task(name=broker.SWEEP)
def sweep() -> None:
    """Advance games that were left behind, expire open ones, and say that the sweep was here."""
    service = context.service()
    with service.reading() as session:
        games = upkeep.left_behind(session)
    for game_id in games:
        advance_or_report(game_id)
    with service.writing() as session:
        lobby.expire(session, service.clock.now())
        upkeep.sign_of_life(session, "sweep", service.clock.now())
        session.commit()


def advance_or_report(game_id: int) -> None:
    """A game that cannot be advanced must not hold up the others."""
    try:
        advance(game_id)
    except Exception:
        log.exception("Game %s cannot be advanced.", game_id)
