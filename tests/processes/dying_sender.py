"""A sender of one letter that kills itself (kill -9) at a named point: `python -m ... POINT ROW`.

Points: before-commit-N and after-commit-N (1: the claim with the letter's bytes, 2: sent; of a
proof and of a late letter 1: the claim, 2: the bytes, 3: sent), half-sent (in the middle of the
letter), accepted (behind the server's 250), none.
"""

from __future__ import annotations

import os
import signal
import smtplib
import sys
from typing import Any

from pbem.mail.delivery import sending
from pbem.mail.letters import build
from pbem.mail.transport import transport_of
from pbem.service import Service


def die() -> None:
    """As the kernel's out-of-memory killer would have it: nothing is cleaned up."""
    os.kill(os.getpid(), signal.SIGKILL)


def die_around_commits(dialect: Any, point: str) -> None:
    """Kill this process right before or right behind the N-th commit."""
    commit, count = dialect.do_commit, 0

    def counted(connection: Any) -> None:
        nonlocal count
        count += 1
        if point == f"before-commit-{count}":
            die()
        commit(connection)
        if point == f"after-commit-{count}":
            die()

    dialect.do_commit = counted


def die_while_sending() -> None:
    """Kill this process when half of the letter is on its way."""
    send = smtplib.SMTP.send

    def half(connection: smtplib.SMTP, data: Any) -> None:
        if b"Message-ID" in (data if isinstance(data, bytes) else data.encode()):
            send(connection, data[: len(data) // 2])
            die()
        send(connection, data)

    smtplib.SMTP.send = half  # type: ignore[assignment,method-assign]


def main(point: str, row_id: int) -> None:
    """Deliver the letter as a worker does, as far as it gets."""
    service = Service.from_environment(os.environ)
    transport = transport_of(service.settings)
    die_around_commits(service.engine.dialect, point)
    if point == "half-sent":
        die_while_sending()
    if point == "accepted":
        heard = transport.send

        def accepted(*letter: Any) -> Any:
            heard(*letter)
            die()

        transport.send = accepted  # type: ignore[method-assign,assignment]
    if row_id:
        sending.deliver(build, service, row_id, transport)
    else:
        sending.sweep(build, service, transport)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
