"""`python app.py verify FILE`: replays game records and names the first entry that does not fit."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pbem.record.verify import Verdict, lines_of, verify


def main(arguments: list[str]) -> int:
    """Verify the records. Returns 0 if every one fits, else 1."""
    parser = argparse.ArgumentParser(prog="app.py verify", description=__doc__)
    parser.add_argument("file", nargs="+", type=Path, help="a game record (JSON Lines)")
    return max([checked(path) for path in parser.parse_args(arguments).file])


def checked(path: Path) -> int:
    """Verify one file and print the result."""
    try:
        with path.open("rb") as file:
            verdict = verify(lines_of(file))
    except OSError as problem:
        sys.stderr.write(f"{path}: {problem.strerror}\n")
        return 1
    sys.stdout.write(f"{path}: {told(verdict)}\n")
    return 0 if verdict.ok else 1


def told(verdict: Verdict) -> str:
    """Format the verdict in a line."""
    if not verdict.ok:
        return f"{verdict.at} does not fit: {verdict.reason}"
    state = "finished" if verdict.finished else "not finished"
    chance = "" if verdict.redrawn else "; its chance is still secret and was not drawn again"
    return f"ok, {verdict.entries} entries, {state}{chance}; no record proves the players' names"
