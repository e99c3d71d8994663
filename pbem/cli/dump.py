"""`python app.py dump FOLDER`: writes the records of all finished public games, with an index."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from pbem.record.dump import dump
from pbem.service import Service


def main(arguments: list[str]) -> int:
    """Update the folder. Returns 1 if it cannot be written."""
    parser = argparse.ArgumentParser(prog="app.py dump", description=__doc__)
    parser.add_argument("folder", type=Path, help="is made if it is missing; runs again add to it")
    folder = parser.parse_args(arguments).folder
    try:
        done = dump(Service.from_environment(os.environ), folder)
    except OSError as problem:
        sys.stderr.write(f"{problem.filename or folder}: {problem.strerror}\n")
        return 1
    sys.stdout.write(f"{folder}: {done.written} written, {done.kept} as they were, "
                     f"{done.gone} taken away.\n")
    return 0
