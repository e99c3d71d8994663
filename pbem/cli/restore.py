"""`python app.py restore FILE`: restores a backup into an empty database, and checks every game.

Stop the site first. CARREIRA_DATABASE_URL names the database (SQLite or PostgreSQL, whichever the
backup came from), and CARREIRA_VAR the folder for the backup's keys.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from pbem.backup import keep_keys, restore
from pbem.backup_file import BackupRefused, head_of
from pbem.record import nightly
from pbem.run.supervisor import CannotRun, only_one
from pbem.service import Service


def main(arguments: list[str]) -> int:
    """Restore. Returns 1 if nothing was restored, 2 if a restored game does not fit."""
    parser = argparse.ArgumentParser(prog="app.py restore", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    path = parser.parse_args(arguments).file
    var = Path(os.environ.get("CARREIRA_VAR") or "var").absolute()
    try:
        keep_keys(path, var)
        service = Service.from_environment(os.environ)
        with only_one(service.settings.var):
            done = restore(service, path)
            faults = list(nightly.faults(service))
    except (BackupRefused, CannotRun) as refused:
        sys.stderr.write(f"{refused}\n")
        return 1
    except OSError as problem:
        sys.stderr.write(f"{problem.filename or path}: {problem.strerror}\n")
        return 1
    sys.stdout.write(f"{done.rows} rows of {done.tables} tables are back.\n")
    here, of_before = service.settings.keys, head_of(path).keys
    if of_before.new not in (here.new, *here.old):
        sys.stdout.write("The key here is another one than the backup's: links in letters, reply "
                         "addresses and feeds of before will not hold.\n")
    for fault in faults:
        sys.stderr.write(f"{fault}\n")
    if not faults:
        sys.stdout.write("Every game fits its record.\n")
    return 2 if faults else 0
