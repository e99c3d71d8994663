"""`python app.py migrate`: migrates the database, for sites that do not start processes by `run`.
"""

from __future__ import annotations

import argparse
import os
import sys

from pbem.config import Settings
from pbem.db import NewerDatabase, make_engine, migrate


def main(arguments: list[str]) -> int:
    """Migrate the database of CARREIRA_DATABASE_URL to the newest version."""
    argparse.ArgumentParser(prog="app.py migrate", description=__doc__).parse_args(arguments)
    engine = make_engine(Settings.from_environment(os.environ).database_url)
    try:
        migrate(engine)
    except NewerDatabase as newer:
        sys.stderr.write(f"CARREIRA_DATABASE_URL: {newer}\n")
        return 1
    finally:
        engine.dispose()
    sys.stdout.write("The database is of the newest version.\n")
    return 0
