"""`python -m tests.bench [name ...]`: measures, prints a table and writes var/bench.json.

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

from tests.bench.harness import Figure, table, write

# name: the module whose `measure() -> list[Figure]` takes it
BENCHES = {
    "engine": "tests.bench.engine_speed",
    "position-load": "tests.bench.position_load",
    "page-any-entry": "tests.bench.page_any_entry",
    "page-requests": "tests.bench.page_requests",
    "move-to-letter": "tests.bench.move_to_letter",
    "letters-with-pictures": "tests.bench.letters_with_pictures",
    "post-rate": "tests.bench.post_rate",
    "moves-end-to-end": "tests.bench.load",
    "page-under-load": "tests.bench.load_pages",
    "moves-with-100000-games": "tests.bench.load_archive",
    "memory-at-rest": "tests.bench.memory",
    "bytes-per-entry": "tests.bench.bytes_per_entry",
    "search": "tests.bench.search",
    "steady": "tests.bench.steady",
    "verification": "tests.bench.verification",
    "lines-that-name-a-game": "tests.bench.lines_that_name_a_game",
}


def main(arguments: list[str]) -> int:
    """Run the named measurements, all if none is named; 1 if one broke."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(BENCHES))
    var = Path(os.environ.get("CARREIRA_VAR") or "var")
    parser.add_argument("--out", type=Path, default=var / "bench.json")
    chosen = parser.parse_args(arguments)
    unknown = set(chosen.names) - set(BENCHES)
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(BENCHES)}")
    figures, broken = measured(chosen.names or list(BENCHES))
    sys.stdout.write(table(figures) + "\n")
    write(figures, chosen.out)
    if broken:
        sys.stderr.write(f"Not measured, because something broke: {', '.join(broken)}.\n")
    return 1 if broken else 0


def measured(names: list[str]) -> tuple[list[Figure], list[str]]:
    """The figures of these measurements, and the names of those that broke."""
    figures: list[Figure] = []
    broken = []
    for name in names:
        began = time.monotonic()
        try:
            figures += import_module(BENCHES[name]).measure()
        except Exception:  # noqa: BLE001  (the outer edge: the others are still measured)
            traceback.print_exc()
            broken.append(name)
        sys.stderr.write(f"{name}: {time.monotonic() - began:.0f} s\n")
    return figures, broken


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
