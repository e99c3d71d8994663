"""A short line to the broker, for who looks at it: does it take messages, and what waits there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import redis

from pbem.enqueue import QUEUES

SECONDS = 1
TRIED = "carreira.tried"  # written to see whether anything can be
SECONDS_KEPT = 60


@contextmanager
def line(url: str) -> Iterator[redis.Redis]:
    """A connection that waits for nothing long."""
    address = url.replace("redis+socket://", "unix://", 1)
    with redis.Redis.from_url(
        address, socket_timeout=SECONDS, socket_connect_timeout=SECONDS
    ) as opened:
        yield opened


def trouble(url: str) -> Exception | None:
    """What comes of putting something in: one that is full answers all the same."""
    try:
        with line(url) as opened:
            opened.set(TRIED, 1, ex=SECONDS_KEPT)
    except (redis.RedisError, OSError) as wrong:
        return wrong
    return None


def complaint(wrong: Exception) -> str:
    """What is wrong, without the broker's address: it answers, but refuses, or does not answer."""
    if isinstance(wrong, redis.ResponseError | redis.AuthenticationError):
        return f"the broker takes nothing ({type(wrong).__name__})"
    return "the broker does not answer"


def lengths(url: str) -> dict[str, int] | None:
    """How many tasks wait in each queue; None if no broker answers."""
    try:
        with line(url) as opened:
            return {name: int(opened.llen(name)) for name in sorted(set(QUEUES.values()))}
    except (redis.RedisError, OSError):
        return None
