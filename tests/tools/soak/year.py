"""A simulated year: `python -m tests.tools.soak.year [--games 300] [--days 365] [--seed 1]`.

Games of both kinds, for two to four, with all clocks and ends of clocks, are played by made-up
people: quick ones, some who come at weekends only, some who vanish, some who press every button
thrice, and some who know no page and answer letters. The clock jumps to the next thing due. There
are outages of the service and of the mail, nights on which clocks are changed, vacations, orders
ahead, takings back, votes, and seats that change hands. Nobody vanishes from a game without a time
limit: its players know each other. The last line is JSON; 1 if anything was wrong.
"""

from __future__ import annotations

import argparse
import json
import logging
import random
import sys
import time
from datetime import UTC, datetime, timedelta
from itertools import cycle
from typing import Any

from engine import registry
from tests.tools.soak.year_checks import FAULTS, Checks
from tests.tools.soak.year_people import opens, people
from tests.tools.soak.year_world import MAIL, SERVICE, World, world

BEGINS = datetime(2026, 2, 20, 9, 0, tzinfo=UTC)  # a month before clocks are put forward
CLOCKS = ("none", "each 24", "each 72", "each 48 awake", "bank 72 8 96", "bank 24 6 48 awake")
AT_ZERO = ("default", "bot", "vote")
SHORT = {"vasco-da-gama": ("rounds = 5", "rounds = 2"),
         "goa": ("rounds_per_part = 4", "rounds_per_part = 1")}  # fmt: skip
WHOLE = 8  # one of so many games is a whole one, the others are short
PEOPLE = 60
OPENED = 0.55  # of the days, in which games are opened
LONGER = 120  # days that the last games may take beyond the year


def short_sets() -> dict[str, str]:
    """The components of short games."""
    return {key: registry.standard(key).replace(*change) for key, change in SHORT.items()}


def plan(it: World, games: int, days: int, players: int) -> None:
    """Who plays what when, and what fails."""
    ends = it.now + timedelta(days=days)
    made, sets = people(it, players, ends), short_sets()
    kinds = cycle([
        {"game": game, "clock": clock, "at_zero": at_zero, "seats": seats}
        for seats in (2, 3, 2, 4) for at_zero in AT_ZERO for clock in CLOCKS
        for game in registry.GAMES
    ])  # fmt: skip
    step = 61  # of the many kinds, so that few games are of all sorts too
    for number in range(games):
        for _ in range(step):
            kind: dict[str, Any] = next(kinds)
        kind = kind | {"short": number % WHOLE != WHOLE - 1}
        at = it.now + timedelta(days=days * OPENED) * it.dice.random()
        it.plan(at, lambda kind=kind: opens(it, made, kind, sets))  # type: ignore[misc]
    for day in range(5, days + LONGER, 13):
        kind_of = SERVICE if it.chance(0.5) else MAIL
        hours = it.dice.uniform(0.3, 7 if days > 60 else 2)
        it.fails(kind_of, it.now + timedelta(days=day + it.dice.random()), hours)


def year(
    games: int, days: int, seed: int, players: int = PEOPLE, *, says: bool = False
) -> dict[str, Any]:
    """Let it pass; what was counted, and what was found wrong."""
    began, spent = time.monotonic(), time.process_time()
    random.seed(seed)  # by which letters wait for their next try
    raised = Raised()
    logging.getLogger("carreira").addHandler(raised)
    with world(seed, BEGINS) as it:
        checks = Checks(it)
        it.hear.append(checks.letter)
        it.after.append(checks.look)
        if says:
            it.after.append(Progress(it, checks))
        plan(it, games, days, players)
        until = BEGINS + timedelta(days=days + LONGER)
        it.run(until, lambda: it.tally["games"] == games and len(checks.ended) == games)
        it.run(it.now + timedelta(hours=36), lambda: False)  # what is due of it
        checks.close()
        lived = (it.now - BEGINS).days
        letters = len(it.post.delivered)
    logging.getLogger("carreira").removeHandler(raised)
    for said in raised.said[:5]:
        checks.fault("raised", said)
    told = {
        "games": games, "days": lived, "seed": seed, "letters": letters,
        "questions": len(checks.questions), "outages": len(it.outages),
        "latest_letter_seconds": round(checks.latest.total_seconds()),
        **dict(sorted(it.tally.items() - {("games", games)})),
        "entries": dict(sorted(checks.decisions.items())),
        "faults": {fault: checks.found[fault] + it.tally[fault] for fault in FAULTS},
        "seconds": round(time.monotonic() - began), "cpu": round(time.process_time() - spent),
    }  # fmt: skip
    return told | {"said": checks.said}


class Raised(logging.Handler):
    """What the service has logged as broken."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(self.format(record)[-1500:])


class Progress:
    """Says each month how far it is."""

    def __init__(self, it: World, checks: Checks) -> None:
        self.it, self.checks, self.month = it, checks, 0

    def __call__(self) -> None:
        if self.it.now.month != self.month:
            self.month = self.it.now.month
            sys.stdout.write(
                f"{self.it.now:%Y-%m}: {self.it.tally['games']} games begun, "
                f"{len(self.checks.ended)} ended, {len(self.it.post.delivered)} letters, "
                f"faults {dict(self.checks.found)}\n")
            sys.stdout.flush()


def main() -> int:
    """Let a year pass and print what was seen; 1 if anything was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.soak.year", description=__doc__)
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--people", type=int, default=PEOPLE)
    asked = parser.parse_args()
    logging.getLogger("carreira").setLevel(logging.ERROR)
    told = year(asked.games, asked.days, asked.seed, asked.people, says=True)
    for line in told.pop("said"):
        sys.stdout.write(f"{line}\n")
    sys.stdout.write(json.dumps(told) + "\n")
    return int(any(told["faults"].values()))


if __name__ == "__main__":
    sys.exit(main())
