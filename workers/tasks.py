"""Defines the Celery tasks: each opens a session, calls one function of pbem, and returns.

Scheduled tasks return how much there was to do. Nothing is logged if there was nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta

from celery import shared_task

from pbem import cleanup, db, enqueue, health, logs
from pbem.archive import closing
from pbem.archive.exports import kept
from pbem.hooks import deliver as hook_calls
from pbem.mail.delivery import sending
from pbem.mail.incoming import inbox as letters_in
from pbem.mail.letters import build
from pbem.operators import recovery
from pbem.play import stuck, upkeep
from pbem.play.advance import advance as advance_game
from pbem.record import nightly
from pbem.tables import lobby, series, substitutes
from pbem.timeouts import expiry
from workers import context
from workers.logged import ABOUT

log = logging.getLogger("carreira.workers")

SECONDS_TO_VERIFY = 1.0  # every 15: 96 minutes a day
SECONDS_BESIDE_MOVES = 0.1  # while people play, their moves come first

# For a database that is away for a moment. If it stays away, the sweep comes again.
PATIENTLY = {
    "autoretry_for": db.AWAY,
    "max_retries": 3,
    "retry_backoff": 1,
    "retry_backoff_max": 8,
}


@shared_task(name=enqueue.ADVANCE, **PATIENTLY)
def advance(game_id: int) -> None:
    """Advance one game, and enqueue its new letters."""
    context.enqueue_letters(sorted(advanced(game_id)))


def advanced(game_id: int) -> set[int]:
    """Advance one game as far as possible. Returns its letters that are due now."""
    service = context.service()
    context.last_move.note()
    now = service.clock.now()
    delay = timedelta(seconds=service.settings.letter_delay)
    try:
        with service.writing() as session:
            return advance_game(session, game_id, now, letter_delay=delay)
    except Exception as problem:
        stuck.note_fault(service, game_id, problem)
        raise


@shared_task(name=enqueue.SEND, **PATIENTLY)
def send(letter_id: int) -> None:
    """Send one letter, if it is still due."""
    sending.deliver(build, context.service(), letter_id, context.transport())


@shared_task(name=enqueue.INBOX, soft_time_limit=letters_in.SECONDS_TO_JUDGE, **PATIENTLY)
def inbox(inbound_id: int) -> None:
    """Judge a letter that came in, and enqueue the answers."""
    service = context.service()
    letters_in.work_off(service, inbound_id, enqueue=context.enqueue_game)
    with service.reading() as session:
        answers = letters_in.answers(session, inbound_id, service.clock.now())
    context.enqueue_letters(answers)


@shared_task(name=enqueue.CLOSING, **PATIENTLY)
def close(game_id: int) -> None:
    """Add one finished game to the archive's index and the ratings."""
    service = context.service()
    with service.writing() as session:
        closing.close_game(session, game_id, service.clock.now())


@shared_task(name=enqueue.SERIES, **PATIENTLY)
def go_on_with_series(series_id: int) -> None:
    """Start the next game of a series, or end it."""
    service = context.service()
    with service.writing() as session:
        series.open_next_game(session, series_id, service.clock.now(),
                     open_days=service.settings.open_game_days,
                     letter_delay=timedelta(seconds=service.settings.letter_delay))


@shared_task(name=enqueue.LETTERS)
def letters() -> int:
    """Send due letters that were not sent."""
    return sending.sweep(build, context.service(), context.transport())


@shared_task(name=enqueue.HOOKS)
def hooks() -> int:
    """Make the web hook calls that are due."""
    return hook_calls.sweep(context.service())


@shared_task(name=enqueue.CLOCKS, **PATIENTLY)
def clocks() -> int:
    """Handle clocks at zero, and enqueue the new letters."""
    service = context.service()
    letters = expiry.sweep(service)
    if letters:
        with service.reading() as session:
            ready = upkeep.due_now(session, letters, service.clock.now())
        context.enqueue_letters(ready)
    return len(letters)


@shared_task(name=enqueue.NIGHTLY)
def verify() -> int:
    """Verify finished games that were not checked within a day.

    Runs for a second, or for a tenth of it while this process advances games.
    """
    seconds = SECONDS_BESIDE_MOVES if context.last_move.is_recent() else SECONDS_TO_VERIFY
    return nightly.work_off(context.service(), seconds=seconds)


@shared_task(name=enqueue.EXPORTS)
def exports() -> int:
    """Make the exports that pages wait for."""
    return context.make_exports(kept.start)


@shared_task(name=enqueue.SWEEP)
def sweep() -> int:
    """Take up lost letters and games, expire open games, and record the sweep's own heartbeat."""
    service = context.service()
    now = service.clock.now()
    with service.reading() as session:
        letters = letters_in.waiting(session, now - upkeep.LEFT_BEHIND, now)
        games = upkeep.games_to_advance(session, now)
        ended = closing.unclosed(session)
        in_series = series.due_series(session)
        recoveries = recovery.due(session, now)
    for inbound_id in letters:
        done_or_reported(enqueue.INBOX, inbox, inbound_id)
    for game_id in games:
        done_or_reported(enqueue.ADVANCE, advance, game_id)
    for game_id in ended:
        done_or_reported(enqueue.CLOSING, close, game_id)
    for series_id in in_series:
        done_or_reported(enqueue.SERIES, go_on_with_series, series_id)
    for recovery_id in recoveries:
        done_or_reported("recovery", recover, recovery_id)
    asked = substitutes.sweep(service)
    with service.writing() as session:
        health.count(session, "sweep_games", len(games))
        health.count(session, "sweep_letters_in", len(letters))
        expired = lobby.expire(session, service.clock.now())
        is_time_to_tidy = upkeep.is_time_for_cleanup(session, service.clock.now())
        upkeep.store_heartbeat(session, "sweep", service.clock.now())
        session.commit()
    dropped = cleanup.tidy(service) if is_time_to_tidy else {}
    taken_up = (letters, games, ended, in_series, recoveries)
    return sum(map(len, taken_up)) + asked + expired + sum(dropped.values())


def recover(recovery_id: int) -> None:
    """Give an account its new address."""
    service = context.service()
    with service.writing() as session:
        recovery.carry_out(session, recovery_id, service.clock.now())
        session.commit()


def done_or_reported(task: str, work: Callable[[int], None], row_id: int) -> None:
    """Run the work and report a failure, so that one game or letter does not stop the others."""
    try:
        with logs.about(**({ABOUT[task]: row_id} if task in ABOUT else {})):
            work(row_id)
    except Exception:
        log.exception("%s of %s failed.", task, row_id)
