"""Moves a second from the form to the mail server, against the same chain without a game.

On SQLite and on PostgreSQL: 1,000 games going, each with people of its own; web, workers (two
send letters), broker and mail server as processes; no pictures; letters at once.
"""

from __future__ import annotations

from contextlib import ExitStack

from tests.bench import chain, stage
from tests.bench.harness import RUNS, Figure, ratio
from tests.servers import eventually

GAMES = 1_000
MOVES = 320  # a run, each in another game


def measure() -> list[Figure]:
    """Both databases, one after the other."""
    return [end_to_end(kind) for kind in chain.DATABASES]


def end_to_end(kind: str) -> Figure:
    """The service and the floor in turn."""
    with stage.folder() as folder, ExitStack() as stack:
        site, broker_url = stack.enter_context(
            chain.running(kind, folder / "var", games=GAMES, orders=RUNS + 1))
        site.moves(MOVES)  # warms, and shows how long letters are
        url = stack.enter_context(chain.database_of(kind, folder / "floor"))
        port = stack.enter_context(chain.floor(folder / "floor", url, broker_url, site.mail))
        eventually(lambda: chain.answers(port), chain.SECONDS_TO_START)
        chain.bare_moves(port, site.mail, MOVES)
        sides = [(site.moves(MOVES), chain.bare_moves(port, site.mail, MOVES))
                 for _ in range(RUNS)]
        size = site.mail.mean_size() // 1000
    said = f"{{0}} moves/s from form to mail server; row, tasks and letter of {size} KB {{1}}/s"
    return ratio(f"moves-end-to-end: {kind}", sides, ">= 0.5", said)
