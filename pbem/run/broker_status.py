"""Inspects the broker over a short connection: does it accept messages, and how many wait?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import redis

from pbem.enqueue import QUEUES

SECONDS = 1
TRIED = "carreira.tried"  # written to test whether writing works
SECONDS_KEPT = 60


@contextmanager
def line(url: str) -> Iterator[redis.Redis]:
    """Yield a connection with short timeouts."""
    address = url.replace("redis+socket://", "unix://", 1)
    with redis.Redis.from_url(
        address, socket_timeout=SECONDS, socket_connect_timeout=SECONDS
    ) as opened:
        yield opened


def trouble(url: str) -> Exception | None:
    """Return the error of a test write, or None. A full broker still answers reads."""
    try:
        with line(url) as opened:
            opened.set(TRIED, 1, ex=SECONDS_KEPT)
    except (redis.RedisError, OSError) as wrong:
        return wrong
    return None


def complaint(wrong: Exception) -> str:
    """Describe the problem without the broker's address: it refuses, or it does not answer."""
    if isinstance(wrong, redis.ResponseError | redis.AuthenticationError):
        return f"the broker takes nothing ({type(wrong).__name__})"
    return "the broker does not answer"


def lengths(url: str) -> dict[str, int] | None:
    """Return the number of tasks in each queue, or None if no broker answers."""
    try:
        with line(url) as opened:
            return {name: int(opened.llen(name)) for name in sorted(set(QUEUES.values()))}
    except (redis.RedisError, OSError):
        return None
