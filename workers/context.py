"""What a worker process holds: its service, its transport for letters, its publisher of tasks."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterable
from functools import cache
from subprocess import Popen

from pbem import enqueue as task_names
from pbem.enqueue import AWAY, Publisher
from pbem.mail.server_answers import Transport
from pbem.mail.transport import transport_of
from pbem.service import Service

log = logging.getLogger("carreira.workers")


@cache
def service() -> Service:
    """This process's service, made at the first task: a connection must not cross a fork."""
    return Service.from_environment(os.environ)


@cache
def transport() -> Transport:
    """Where this process's letters leave."""
    return transport_of(service().settings)


@cache
def publisher() -> Publisher:
    """What this process enqueues tasks with."""
    return Publisher(service().settings.broker_url)


def enqueue_game(game_id: int) -> None:
    """Have this game advanced; if the broker is away the sweep does it."""
    try:
        publisher().publish(task_names.ADVANCE, game_id)
    except AWAY as problem:
        log.warning("Game %s waits for the sweep: %s", game_id, problem)


def enqueue_letters(letters: Iterable[int]) -> None:
    """Have these letters sent; if the broker is away the sweep sends them."""
    try:
        for letter in letters:
            publisher().publish(task_names.SEND, letter)
    except AWAY as problem:
        log.warning("Letters wait for the sweep: %s", problem)


_making: list[Popen[bytes]] = []


def make_exports(start: Callable[[Service], Popen[bytes] | None]) -> int:
    """Start what makes exports, unless it runs; one that has ended is buried. How many began."""
    if _making and _making[-1].poll() is None:
        return 0
    _making.clear()
    started = start(service())
    if started is not None:
        _making.append(started)
    return len(_making)


class LastMove:
    """When this process advanced a game: what can wait does so while people play."""

    RECENT = 15.0  # seconds: as often comes what can wait

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._at: float | None = None

    def note(self) -> None:
        """A game is advanced now."""
        self._at = self._monotonic()

    def is_recent(self) -> bool:
        """Whether one was a moment ago."""
        return self._at is not None and self._monotonic() - self._at < self.RECENT


last_move = LastMove()
