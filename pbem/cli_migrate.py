"""`python app.py migrate`: for sites whose processes are run by something else than `run`."""

from __future__ import annotations

import argparse
import os

from pbem.config import Settings
from pbem.db import make_engine, migrate


def main(arguments: list[str]) -> int:
    """Bring the database that CARREIRA_DATABASE_URL names to the newest version."""
    argparse.ArgumentParser(prog="app.py migrate", description=__doc__).parse_args(arguments)
    engine = make_engine(Settings.from_environment(os.environ).database_url)
    migrate(engine)
    engine.dispose()
    return 0
