"""`python app.py backup FILE`: writes the whole database to one file, while the site runs.

The file holds everything, including addresses and secrets. Only its owner can read it; keep it so.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from pbem.backup import backup
from pbem.backup_file import BackupRefused
from pbem.service import Service


def main(arguments: list[str]) -> int:
    """Write the backup. Returns 1 if the file cannot be written."""
    parser = argparse.ArgumentParser(prog="app.py backup", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="replaced once the new one is whole")
    path = parser.parse_args(arguments).file
    service = Service.from_environment(os.environ)
    try:
        done = backup(service, path, service.clock.now())
    except BackupRefused as refused:
        sys.stderr.write(f"{refused}\n")
        return 1
    except OSError as problem:
        sys.stderr.write(f"{path}: {problem.strerror}\n")
        return 1
    sys.stdout.write(f"{path}: {done.rows} rows of {done.tables} tables.\n")
    return 0
