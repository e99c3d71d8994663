"""Holds what a worker process needs: its service, its mail transport, its publisher of tasks."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterable
from functools import cache
from subprocess import Popen

from pbem import enqueue
from pbem.enqueue import AWAY, Publisher
from pbem.mail.server_answers import Transport
from pbem.mail.transport import transport_of
from pbem.service import Service

log = logging.getLogger("carreira.workers")


@cache
def service() -> Service:
    """Return this process's service.

    It is created at the first task, because a connection must not cross a fork.
    """
    return Service.from_environment(os.environ)


@cache
def transport() -> Transport:
    """Return this process's mail transport."""
    return transport_of(service().settings)


@cache
def publisher() -> Publisher:
    """Return what this process enqueues tasks with."""
    return Publisher(service().settings.broker_url)


def enqueue_game(game_id: int) -> None:
    """Enqueue the advance of a game. If the broker is down, the sweep does it."""
    try:
        publisher().publish(enqueue.ADVANCE, game_id)
    except AWAY as problem:
        log.warning("Game %s waits for the sweep: %s", game_id, problem)


def enqueue_letters(letters: Iterable[int]) -> None:
    """Enqueue the sending of these letters. If the broker is down, the sweep sends them."""
    try:
        for letter in letters:
            publisher().publish(enqueue.SEND, letter)
    except AWAY as problem:
        log.warning("Letters wait for the sweep: %s", problem)


_making: list[Popen[bytes]] = []


def make_exports(start: Callable[[Service], Popen[bytes] | None]) -> int:
    """Start the export process unless it runs, and reap one that has ended.

    Returns how many were started.
    """
    if _making and _making[-1].poll() is None:
        return 0
    _making.clear()
    started = start(service())
    if started is not None:
        _making.append(started)
    return len(_making)


class LastMove:
    """When this process last advanced a game. Background work is short while people play."""

    RECENT = 15.0  # seconds, the interval of the background work

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._at: float | None = None

    def note(self) -> None:
        """Record that a game is advanced now."""
        self._at = self._monotonic()

    def is_recent(self) -> bool:
        """Return whether a game was advanced recently."""
        return self._at is not None and self._monotonic() - self._at < self.RECENT


last_move = LastMove()
