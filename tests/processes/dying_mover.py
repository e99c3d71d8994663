"""Records an order and advances its game, killing itself (kill -9) at a named point.

`python -m ... POINT GAME SEAT ORDERS`; points: before-commit-N, after-commit-N (1: the submission,
2: the entries), at-enqueue (behind the first commit, while the broker is called), none.
"""

from __future__ import annotations

import os
import sys

from sqlmodel import select

from pbem.models import SeatRow
from pbem.play import advance, submit
from pbem.service import Service
from tests.processes.dying_sender import die, die_around_commits


def main(point: str, game_id: int, number: int, orders: str) -> None:
    """What the web process and then a worker do, as far as it gets."""
    service = Service.from_environment(os.environ)
    die_around_commits(service.engine.dialect, point)

    def enqueue(_: int) -> None:
        if point == "at-enqueue":
            die()

    with service.writing() as session:
        found = select(SeatRow).where(SeatRow.game_id == game_id, SeatRow.number == number)
        submit.record(
            session,
            session.exec(found).one(),
            orders,
            seen=9999,
            source="page",
            key="the one click",
            now=service.clock.now(),
            enqueue=enqueue,
        )
    with service.writing() as session:
        advance.advance(session, game_id, service.clock.now())


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
