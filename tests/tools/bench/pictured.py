"""A move from its form to the mail server, with the letter as players get it: its picture too.

Each game on both databases, with web, workers, beat, broker and mail server as processes; letters
at once. The floor: a task that hands over a letter of the same size; for letters a second, a row
and two tasks as well.
"""

from __future__ import annotations

from tests.tools.bench import chain, stage
from tests.tools.bench.harness import NONE, Extent, Figure, figure, p95, ratio, shown

GAMES = 200  # each moves once a stretch
MS, LETTERS_A_SECOND = "<= 500", ">= 25"


def measure(extent: Extent) -> list[Figure]:
    """Each game on each database."""
    return [each for kind in chain.DATABASES for key in stage.KEYS
            for each in of(kind, key, extent)]


def of(kind: str, key: str, extent: Extent) -> list[Figure]:
    """Ten moves a second, then as many as can be."""
    paced, most = extent.seconds / 4, extent.seconds / 6
    games = min(GAMES, extent.going)
    orders = 5 + extent.seconds * 50 // games
    with (stage.folder() as var,
          chain.running(kind, var, games=games, orders=orders, key=key, pictures="on")
          as (site, broker_url)):
        site.paced(most / 2)  # the first ones draw parts that all need
        before = site.mail.told()
        took = site.paced(paced)
        left = site.left()
        a_second = site.sustained(most)
        after = site.mail.told()
        with chain.database_of(kind, var / "floor", "floor") as url, \
                chain.floor(var / "floor", url, broker_url, site.mail) as floor:
            floor.paced(1)
            letter, rows = floor.paced(most / 2), floor.sustained(most / 2)
            size = floor.size // 1000
    share = (after.pictured - before.pictured) / (after.letters - before.letters)
    name = f"{key}, {kind}"
    return [
        figure(f"move-to-letter-with-picture: {name}", p95(took), MS,
               f"ms, p95 at 10 moves a second; a task and a letter of {size} KB "
               f"{shown(p95(letter))} ms; {share:.0%} of the letters have one"),
        figure(f"left-waiting-with-picture: {name}", left, "<= 0",
               "orders and letters, a second after the last move's letter"),
        figure(f"letters-with-picture: {name}", a_second, LETTERS_A_SECOND,
               f"a second; rows, tasks and letters of {size} KB {shown(rows)}/s"),
        ratio(f"letters-with-picture-to-floor: {name}", [(a_second, rows)], NONE,
              "{0} a second; floor {1}/s"),
    ]
