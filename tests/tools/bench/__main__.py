"""`python -m tests.tools.bench`: measures, prints a table and writes var/bench.json.

A missed goal is printed as such; only a measurement that breaks makes the exit code 1.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import traceback
from importlib import import_module
from pathlib import Path

from tests.tools.bench.harness import Extent, Figure, table, write

# name: the module whose `measure(extent) -> list[Figure]` takes it
UNDER_LOAD = {
    "with-picture": "tests.tools.bench.pictured",
    "under-load": "tests.tools.bench.under_load",
    "finished-games": "tests.tools.bench.load_archive",
    "whole-service": "tests.tools.bench.whole",
}
# name: the module whose `measure() -> list[Figure]` takes it; always as much
ALONE = {
    "first-page": "tests.tools.bench.first_page",
    "open-pages": "tests.tools.bench.open_pages",
    "page-any-entry": "tests.tools.bench.page_any_entry",
    "position-load": "tests.tools.bench.position_load",
    "search": "tests.tools.bench.search",
    "bytes-per-entry": "tests.tools.bench.bytes_per_entry",
    "engine": "tests.tools.bench.engine_speed",
    "steady": "tests.tools.bench.steady",
    "verification": "tests.tools.bench.verification",
}
BENCHES = UNDER_LOAD | ALONE


def main(arguments: list[str]) -> int:
    """Run the chosen measurements, all if none is chosen; 1 if one broke."""
    chosen = parsed(arguments)
    extent = Extent(chosen.seconds, chosen.going, chosen.finished)
    figures, broken = measured(chosen.only or list(BENCHES), extent)
    sys.stdout.write(table(figures) + "\n")
    write(figures, chosen.out)
    if broken:
        sys.stderr.write(f"Not measured, because something broke: {', '.join(broken)}.\n")
    return 1 if broken else 0


def parsed(arguments: list[str]) -> argparse.Namespace:
    """What the command line asks for."""
    usual = Extent()
    parser = argparse.ArgumentParser(prog="python -m tests.tools.bench", description=__doc__)
    parser.add_argument("--only", type=names, metavar="NAME,...", help=", ".join(BENCHES))
    parser.add_argument("--seconds", type=int, default=usual.seconds, metavar="N",
                        help="how long the sustained load lasts; other stretches are parts of it")
    parser.add_argument("--going", type=int, default=usual.going, metavar="N",
                        help="games that go on under load")
    parser.add_argument("--finished", type=int, default=usual.finished, metavar="N",
                        help="finished games beside which moves are made")
    var = Path(os.environ.get("CARREIRA_VAR") or "var")
    parser.add_argument("--out", type=Path, default=var / "bench.json")
    return parser.parse_args(arguments)


def names(given: str) -> list[str]:
    """The names of measurements, between commas."""
    chosen = given.split(",")
    unknown = set(chosen) - set(BENCHES)
    if unknown:
        raise argparse.ArgumentTypeError(
            f"there is no {', '.join(sorted(unknown))}; there are {', '.join(BENCHES)}")
    return chosen


def measured(chosen: list[str], extent: Extent) -> tuple[list[Figure], list[str]]:
    """The figures of these measurements, and the names of those that broke."""
    figures: list[Figure] = []
    broken = []
    for name in chosen:
        began = time.monotonic()
        try:
            module = import_module(BENCHES[name])
            figures += module.measure(extent) if name in UNDER_LOAD else module.measure()
        except Exception:  # noqa: BLE001  (the outer edge: the others are still measured)
            traceback.print_exc()
            broken.append(name)
        sys.stderr.write(f"{name}: {time.monotonic() - began:.0f} s\n")
    return figures, broken


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
