"""What comes every 15 seconds where nothing is to be done; times in milliseconds, as JSON.

A process of its own, as a worker's service is made of the environment.
"""

from __future__ import annotations

import json
import sys
import time

from pbem.record import nightly
from workers import context, tasks

SWEEPS = 20


def one() -> float:
    """The sweep, and the look for games to verify."""
    service = context.service()
    began = time.perf_counter()
    tasks.sweep()
    with service.reading() as session:
        nightly.due(session, service.clock.now())
    return (time.perf_counter() - began) * 1000


if __name__ == "__main__":
    one()  # opens the database
    sys.stdout.write(json.dumps([one() for _ in range(SWEEPS)]))
