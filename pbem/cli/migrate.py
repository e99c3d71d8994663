"""`python app.py migrate`: for sites whose processes are run by something else than `run`."""

from __future__ import annotations

import argparse
import os
import sys

from pbem.config import Settings
from pbem.db import NewerDatabase, make_engine, migrate


def main(arguments: list[str]) -> int:
    """Bring the database that CARREIRA_DATABASE_URL names to the newest version."""
    argparse.ArgumentParser(prog="app.py migrate", description=__doc__).parse_args(arguments)
    engine = make_engine(Settings.from_environment(os.environ).database_url)
    try:
        migrate(engine)
    except NewerDatabase as newer:
        sys.stderr.write(f"{newer}\n")
        return 1
    finally:
        engine.dispose()
    sys.stdout.write("The database is of the newest version.\n")
    return 0
