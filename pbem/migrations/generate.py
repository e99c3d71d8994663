"""`python -m pbem.migrations.generate MESSAGE`: a new version, from what pbem.models has more."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from alembic import command

from pbem.db import MIGRATIONS, alembic_config, make_engine, migrate

VERSIONS = MIGRATIONS / "versions"


def main(arguments: list[str]) -> int:
    """Compare a database of the newest version with the models, and write the difference down."""
    message = " ".join(arguments)
    if not message:
        sys.stderr.write("What does the new version change? MESSAGE is missing.\n")
        return 1
    number = len(list(VERSIONS.glob("*.py"))) + 1
    with tempfile.TemporaryDirectory() as folder:
        engine = make_engine(f"sqlite:///{Path(folder) / 'empty.db'}")
        migrate(engine)
        with engine.begin() as connection:
            config = alembic_config(connection)
            command.revision(config, message=message, rev_id=f"{number:04}", autogenerate=True)
        engine.dispose()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
