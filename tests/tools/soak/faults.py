"""`python -m tests.tools.soak.faults [--minutes 30] [--database sqlite|postgresql] [--seed 1]
[--only WORDS]`.

A whole stack of real processes and servers, made-up players at several tables of both games by
page, API and letter, and one fault after the other: processes killed, Redis, the database, the
mail server and the disk away, slow, full. Behind each of them all that was taken is in the log
once, all games verify, and the site has come back by itself; in the end every due letter has left.
Letters that wait for another try are then made due at once, so that nobody waits for hours. Jumps
of the clock are tested in tests/processes/faults. Last comes a table, and one line of JSON; 1 if
anything was
wrong.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import update
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import col, func, select

from pbem.models import Inbound, InboundState, Outbox, Submission, SubmissionState
from tests.tools.soak import faults_checks as checks
from tests.tools.soak.faults_checks import Window
from tests.tools.soak.faults_devil import Fault, faults_of
from tests.tools.soak.faults_players import Noted, Table
from tests.tools.soak.faults_stack import Stack, stack

TABLES = 4
BOUND = 120.0  # seconds within which the site has to be back
GIVEN_UP = 400.0
CALM = (2.0, 6.0)  # seconds between faults
LASTS = (3.0, 12.0)
LEASES = 260.0  # seconds in which what a killed process held is taken up by others


@dataclass
class Soak:
    """The run so far."""

    stack: Stack
    noted: Noted
    windows: list[Window] = field(default_factory=list)
    recoveries: dict[str, list[float]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)

    def say(self, line: str) -> None:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    def fault(self, what: str) -> None:
        self.wrong.append(what)
        self.say(f"WRONG: {what}")


def strike(soak: Soak, name: str, fault: Fault, dice: random.Random) -> None:
    """One fault, the way back, and a look at what is there."""
    begun = time.monotonic()
    with fault(soak.stack, dice):
        time.sleep(dice.uniform(*LASTS))
    took = back(soak)
    soak.windows.append(Window(name, begun, time.monotonic()))
    soak.recoveries.setdefault(name, []).append(took)
    if took > BOUND:
        soak.fault(f"{name}: the site was back after {took:.0f} s only: {readiness(soak.stack)}")
    for what in looked(soak):
        soak.fault(f"{name}: {what}")
    soak.say(f"{name}: back after {took:.1f} s; {len(soak.noted.orders)} orders by page and API, "
             f"{len(soak.noted.letters)} letters in, {len(soak.stack.receiver.arrived)} out")


def back(soak: Soak) -> float:
    """Wait until the site says that it is ready, and a move taken behind the fault is played."""
    began, before = time.monotonic(), soak.noted.decided
    while time.monotonic() < began + GIVEN_UP:
        if not readiness(soak.stack) and soak.noted.decided > before:
            break
        time.sleep(0.2)
    return time.monotonic() - began


def readiness(of: Stack) -> str:
    """Why the site is not ready; "" if it is."""
    try:
        with urllib.request.urlopen(f"{of.base}/readyz", timeout=30):  # noqa: S310
            return ""
    except urllib.error.HTTPError as late:
        return late.read().decode()
    except OSError as problem:
        return str(problem)


def looked(soak: Soak) -> list[str]:
    """What is wrong with the newest games, once what was taken so far is played."""
    until = time.monotonic() + LEASES
    games = soak.noted.games[-2 * TABLES:]
    while True:
        try:
            found = list(checks.moves(soak.stack, soak.noted, games))
        except SQLAlchemyError as problem:
            found = [f"the database does not answer: {problem}"]
        if not found or time.monotonic() > until:
            return found
        time.sleep(0.5)


def settle(soak: Soak) -> None:
    """Let everything that waits be done, and look at all of it."""
    until = time.monotonic() + LEASES
    while waiting(soak.stack) and time.monotonic() < until:
        with soak.stack.service.writing() as session:
            now = soak.stack.service.clock.now()
            session.execute(update(Outbox).where(
                col(Outbox.settled).is_(None), col(Outbox.not_before) > now).values(not_before=now))
            session.commit()
        time.sleep(2)
    for what in (*checks.moves(soak.stack, soak.noted, soak.noted.games),
                 *checks.letters_in(soak.stack, soak.noted)):
        soak.fault(what)


def waiting(of: Stack) -> int:
    """How much is not done yet."""
    with of.service.reading() as session:
        return sum(session.exec(select(func.count()).where(each)).one() for each in (
            col(Outbox.settled).is_(None), Inbound.state == InboundState.STORED,
            Submission.state == SubmissionState.PENDING))


def run(minutes: float, database: str, seed: int, only: str = "") -> dict[str, Any]:
    """The whole run, or only the faults whose names have these words; what was seen."""
    dice = random.Random(seed)
    with stack(database) as running:
        soak = Soak(running, Noted())
        found, soak.skipped = faults_of(running)
        found = {name: fault for name, fault in found.items() if only in name}
        tables = [Table(running, number, seed, soak.noted) for number in range(TABLES)]
        for table in tables:
            table.start()
        until = time.monotonic() + minutes * 60
        todo: list[str] = []
        back(soak)
        while time.monotonic() < until:
            if not todo:  # each of them once before any comes again
                todo = dice.sample(sorted(found), len(found))
            time.sleep(dice.uniform(*CALM))
            name = todo.pop()
            strike(soak, name, found[name], dice)
        for table in tables:
            table.stopping.set()
        for table in tables:
            table.join(90)
        settle(soak)
        wrong, letters = checks.letters_out(running, running.receiver, soak.windows)
        for what in (*wrong, *soak.noted.faults):
            soak.fault(what)
        logs = stack_traces(running)
        return told(soak, letters, logs) | {
            "database": database, "seed": seed, "minutes": minutes}


def stack_traces(of: Stack) -> dict[str, int]:
    """How many stack traces stand in each log: none of them is a player's to see."""
    return {path.name: path.read_text(errors="replace").count("Traceback")
            for path in sorted((of.var / "log").glob("*.log"))}


def told(soak: Soak, letters: Counter[str], logs: dict[str, int]) -> dict[str, Any]:
    """The run in figures."""
    noted = soak.noted
    return {
        "faults": {name: {"times": len(took), "longest": round(max(took), 1)}
                   for name, took in sorted(soak.recoveries.items())},
        "skipped": soak.skipped, "games": len(noted.games), "orders": len(noted.orders),
        "letters_in": len(noted.letters), "lines": len(noted.talk), "letters": dict(letters),
        "copies_with_one_id": letters["twice with one Message-ID"],
        "longest_to_played": round(noted.longest, 1), "seen": dict(noted.told),
        "traces_in_logs": logs, "wrong": len(soak.wrong), "said": soak.wrong[:20],
    }  # fmt: skip


def table_of(seen: dict[str, Any]) -> str:
    """The faults as a table."""
    rows = [f"| {'fault':<46} | times | longest, s |"]
    rows += [f"| {name:<46} | {each['times']:>5} | {each['longest']:>10} |"
             for name, each in seen["faults"].items()]
    rows += [f"| {name:<46} | skipped: {why} |" for name, why in seen["skipped"].items()]
    return "\n".join(rows)


def main() -> int:
    """Let the devil loose; 1 if anything was lost, doubled, or did not come back."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.soak.faults", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="faults with these words in their names")
    asked = parser.parse_args()
    seen = run(asked.minutes, asked.database, asked.seed, asked.only)
    sys.stdout.write(f"{table_of(seen)}\n{json.dumps(seen)}\n")
    return int(seen["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
