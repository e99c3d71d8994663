"""Fixtures: a migrated service on a file of its own, real servers for broker and mail."""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import Engine, make_url

from pbem.clock import FixedClock
from pbem.config import Settings
from pbem.db import MIGRATIONS, make_engine, migrate
from pbem.service import Service
from pbem.web import make_fonts, site_files
from tests.support.catalogs import compile_catalogs
from tests.support.compiled import Compiled, KnownRule
from tests.support.postbox import Postbox
from tests.support.postbox import postbox as running_postbox
from tests.support.servers import Valkey, private_postgres, private_valkey

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
IN_MEMORY = Path("/dev/shm")
ROOM = 2 << 30  # bytes that the files of some tests and of a browser may need at once
if (
    "TMPDIR" not in os.environ
    and os.access(IN_MEMORY, os.W_OK)
    and shutil.disk_usage(IN_MEMORY).free > ROOM
):
    # Each commit of each test would wait for the disk; how safe it lies there, no test can see.
    os.environ["TMPDIR"] = tempfile.tempdir = str(IN_MEMORY)
compile_catalogs()
Flask.jinja_options = {"bytecode_cache": Compiled()}  # each test builds an app of its own
Flask.url_rule_class = KnownRule


def pytest_configure(config: pytest.Config) -> None:
    """Make the pages' fonts once, should `make install` not have."""
    if not hasattr(config, "workerinput") and not (site_files.FOLDER / site_files.STYLE).exists():
        make_fonts.make()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave to `make soak` what is marked so, and begin with whole processes, which take long."""
    if "SOAK" not in os.environ:
        left = [item for item in items if item.get_closest_marker("soak")]
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if not item.get_closest_marker("soak")]
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture
def clock() -> FixedClock:
    """A clock that stands at noon until a test moves it."""
    return FixedClock(NOON)


@pytest.fixture(scope="session")
def empty_database() -> Path:
    """A migrated SQLite file to copy, kept for later runs until a migration changes."""
    versions = sorted((MIGRATIONS / "versions").glob("*.py"))
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in versions)).hexdigest()[:16]
    kept = Path(tempfile.gettempdir()) / f"carreira-empty-{digest}.db"
    with kept.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several test processes start at once
        if not kept.exists():
            make_empty_database(kept)
    return kept


def make_empty_database(path: Path) -> None:
    """Migrate from nothing; the last connection to close leaves one file without a log."""
    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder) / "empty.db"
        engine = make_engine(f"sqlite:///{draft}")
        migrate(engine)
        engine.dispose()
        shutil.move(draft, path)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """CARREIRA_* variables of a test's own service; letters leave at once."""
    return {
        "CARREIRA_VAR": str(tmp_path / "var"),
        "CARREIRA_LETTER_DELAY": "0",
        "CARREIRA_PICTURES": "off",
        "CARREIRA_BASE_URL": "http://localhost",
        "CARREIRA_SECRET_KEY": "a secret key that only tests know",
    }


@pytest.fixture
def settings(environment: dict[str, str]) -> Settings:
    """The settings of the test's service."""
    return Settings.from_environment(environment)


@pytest.fixture
def service(settings: Settings, clock: FixedClock, empty_database: Path) -> Iterator[Service]:
    """A service on an empty, migrated SQLite database of its own."""
    settings.var.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(empty_database, settings.var / "carreira.db")
    engine = make_engine(settings.database_url)
    yield Service(settings, engine, clock)
    engine.dispose()


class Enqueuer:
    """Takes tasks instead of a broker, for a test to look at."""

    def __init__(self) -> None:
        self.put_in: list[tuple[str, tuple[int, ...]]] = []

    def put(self, task: str, *arguments: int) -> None:
        self.put_in.append((task, arguments))


@pytest.fixture
def enqueuer() -> Enqueuer:
    """What the pages have enqueued."""
    return Enqueuer()


@pytest.fixture
def flask_app(service: Service, enqueuer: Enqueuer) -> Flask:
    """The pages of the test's service; forms need no token here (tests/web proves that they do)."""
    from pbem.web.app import build  # tests of the engine do without

    app = build(service)
    app.config.update(TESTING=True, WTF_CSRF_ENABLED=False)
    app.extensions["carreira_enqueuer"] = enqueuer
    return app


@pytest.fixture
def client(flask_app: Flask) -> FlaskClient:
    """A browser without script that keeps cookies."""
    return flask_app.test_client()


@pytest.fixture
def valkey() -> Iterator[Valkey]:
    """A real broker of the test's own."""
    with private_valkey() as server:
        yield server


@pytest.fixture
def postbox() -> Iterator[Postbox]:
    """A real SMTP server that keeps what it accepts and answers as it is told."""
    with running_postbox() as box:
        yield box


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a real PostgreSQL server's own database."""
    with private_postgres() as url:
        yield url


class Databases:
    """Makes and drops databases of a PostgreSQL server."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.server = make_engine(url).execution_options(isolation_level="AUTOCOMMIT")

    @contextmanager
    def another(self, like: str = "template1") -> Iterator[str]:
        """The name of a new database, a copy of another that nobody is connected with."""
        name = f"test_{secrets.token_hex(6)}"
        with self.server.connect() as connection:
            connection.exec_driver_sql(f"create database {name} template {like}")
        yield name
        with self.server.connect() as connection:
            connection.exec_driver_sql(f"drop database {name} with (force)")

    def engine(self, name: str) -> Engine:
        return make_engine(make_url(self.url).set(database=name).render_as_string(False))


@pytest.fixture(scope="session")
def databases(postgres: str) -> Iterator[Databases]:
    """Makes databases on the PostgreSQL server."""
    made = Databases(postgres)
    yield made
    made.server.dispose()


@pytest.fixture(scope="session")
def empty_postgres_database(databases: Databases) -> Iterator[str]:
    """The name of a migrated PostgreSQL database to copy."""
    with databases.another() as name:
        engine = databases.engine(name)
        migrate(engine)
        engine.dispose()
        yield name


@pytest.fixture
def postgres_service(
    databases: Databases, empty_postgres_database: str, settings: Settings, clock: FixedClock
) -> Iterator[Service]:
    """A service on an empty, migrated PostgreSQL database of its own."""
    with databases.another(empty_postgres_database) as name:
        engine = databases.engine(name)
        yield Service(settings, engine, clock)
        engine.dispose()
