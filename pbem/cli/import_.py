"""`python app.py import FILE...`: imports game records of another installation.

Each is replayed first and stored only if every byte fits. One that is here already stays as it is.
Dates come from the index.jsonl of the dump beside it, because records have no times.
"""

from __future__ import annotations

import argparse
import os
import sys
from functools import cache
from pathlib import Path

from pbem import names
from pbem.record import dump
from pbem.record.importing import LONGEST_SOURCE, Dates, NotImported, take_in
from pbem.service import Service

ANOTHER = "another installation"


def main(arguments: list[str]) -> int:
    """Import the files. Returns 0 if every file's game is here now, else 1."""
    asked = arguments_of(arguments)
    service = Service.from_environment(os.environ)
    done = [
        taken(service, path, asked.source, other_rules=asked.other_rules)
        for given in asked.file for path in files_in(given)
    ]
    listed = [is_listed(given) for given in asked.file]
    return 0 if all(done) and all(listed) else 1


def arguments_of(arguments: list[str]) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        prog="app.py import", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="+", type=Path, help="a record, or a folder that dump made")
    parser.add_argument("--source", default=ANOTHER, type=source,
                        help="where they come from; pages say it, and names are told apart by it")
    parser.add_argument("--other-rules", action="store_true",
                        help="take entries made under other rules as they are told")
    return parser.parse_args(arguments)


def source(text: str) -> str:
    """Validate the name of the records' source."""
    try:
        return names.clean_line(text, limit=LONGEST_SOURCE) or ANOTHER
    except names.BadText as bad:
        raise argparse.ArgumentTypeError(f"at most {bad.limit} plain characters") from None


def files_in(given: Path) -> list[Path]:
    """Return the records of a folder that `dump` made, without its index, or the file itself."""
    if given.is_dir():
        return [given / each.file for each in dump.read_index(given)]
    return [] if given.name == dump.INDEX else [given]


def is_listed(given: Path) -> bool:
    """Return whether it is a file, or a folder with a valid index.

    Prints what is wrong otherwise.
    """
    if not given.is_dir():
        return True
    if not (given / dump.INDEX).is_file():
        sys.stderr.write(f"{given}: has no {dump.INDEX}, so nothing of it was imported\n")
        return False
    faults = list(dump.index_faults(given))
    for fault in faults:
        sys.stderr.write(f"{given / dump.INDEX}: {fault}, so that was not imported\n")
    if not faults and not files_in(given):
        sys.stdout.write(f"{given / dump.INDEX}: lists no game\n")
    return not faults


def taken(service: Service, path: Path, source: str, *, other_rules: bool) -> bool:
    """Import one file and print the result in a line. Returns whether its game is here now."""
    try:
        found = take_in(service, path, source=source, dates=dates_in(path.parent).get(path.name),
                        other_rules=other_rules)
    except OSError as problem:
        sys.stderr.write(f"{path}: {problem.strerror}\n")
        return False
    except NotImported as reason:
        sys.stderr.write(f"{path}: not imported: {reason}\n")
        return False
    here = "is here already as" if found.was_here else "imported as"
    sys.stdout.write(f"{path}: {here} game {found.game_id}, {found.entries} entries\n")
    return True


@cache
def dates_in(folder: Path) -> dict[str, Dates]:
    """Return the dates in a folder's index, read once."""
    return dump.dates_by_file(folder)
