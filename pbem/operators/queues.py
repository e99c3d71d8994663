"""What waits at the broker, and who was last seen: for the operators' first page."""

from __future__ import annotations

import redis
from sqlmodel import Session, col, select

from pbem.broker import QUEUES
from pbem.models import Heartbeat

SECONDS = 1
TAKEN = "unacked"  # tasks that workers have in their hands


def lengths(url: str) -> dict[str, int] | None:
    """How many tasks wait in each queue, and how many are in work; None if no broker answers."""
    address = url.replace("redis+socket://", "unix://", 1)
    try:
        with redis.Redis.from_url(
            address, socket_timeout=SECONDS, socket_connect_timeout=SECONDS,
        ) as line:  # fmt: skip
            found = {name: int(line.llen(name)) for name in sorted(set(QUEUES.values()))}
            return found | {TAKEN: int(line.hlen(TAKEN))}
    except (redis.RedisError, OSError):
        return None


def signs(session: Session) -> list[Heartbeat]:
    """When each of what comes periodically was last here."""
    return list(session.exec(select(Heartbeat).order_by(col(Heartbeat.name))))
