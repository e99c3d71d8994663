"""`python app.py scenario FILE...`: runs worked examples written as TOML."""

from __future__ import annotations

import argparse
import sys
import tomllib
from pathlib import Path

from engine.scenario import BadScenario, WorkedExample, examples_in, run


def main(arguments: list[str]) -> int:
    """Run the examples. Returns 0 if all of their assertions hold, else 1."""
    parser = argparse.ArgumentParser(prog="app.py scenario", description=__doc__)
    parser.add_argument("file", nargs="+", type=Path, help="worked examples (TOML)")
    return max([checked(path) for path in parser.parse_args(arguments).file])


def checked(path: Path) -> int:
    """Run one file's examples and print the failures."""
    try:
        examples = examples_in(tomllib.loads(path.read_text("utf-8")))
    except (OSError, ValueError, RecursionError, BadScenario) as problem:
        return told(path, "", [str(problem)])
    return max([tried(path, example) for example in examples])


def tried(path: Path, example: WorkedExample) -> int:
    """Run one example."""
    try:
        problems = run(example)
    except BadScenario as bad:
        problems = [str(bad)]
    except AssertionError as script:  # the scripted draws do not fit the orders
        problems = [str(script)]
    return told(path, example.name, problems)


def told(path: Path, name: str, problems: list[str]) -> int:
    """Print one line for the example, and one for each failure."""
    verdict = "FAILED" if problems else "ok"
    label = f"{path}: {name}" if name else str(path)
    sys.stdout.write("\n    ".join([f"{verdict:<6} {label}", *problems]) + "\n")
    return 1 if problems else 0
