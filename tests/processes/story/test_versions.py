"""The basic path on the oldest and the newest servers that we promise: the whole service on each.

Signing in, a game of two with its letters, the sweep, search, a backup that fills another database.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import redis
from sqlmodel import select

from pbem.backup import backup, restore
from pbem.db import make_engine
from pbem.models import Game
from pbem.models.archive import FoundGame
from pbem.record import gate, nightly
from pbem.record.importing import take_in
from pbem.service import Service
from tests.processes.story.cast import Cast
from tests.processes.story.demo import stage
from tests.support.servers import (
    ROOT,
    Valkey,
    eventually,
    new_database,
    postgres_of,
    postgres_programs,
    private_postgres,
    private_valkey,
    redis_program,
)

RECORD = ROOT / "tests" / "engine" / "stored" / "vasco-da-gama-of-two.jsonl"
ORDERS = 6
PAIRS = [("PostgreSQL 15", "Redis 7.0")]  # the newest ones are those of all other tests
if "SOAK" in os.environ:
    PAIRS += [("PostgreSQL 18", "Valkey 9"), ("PostgreSQL 15", "Valkey 9"),
              ("PostgreSQL 18", "Redis 7.0")]

pytestmark = pytest.mark.slow


@contextmanager
def postgresql(name: str) -> Iterator[str]:
    """A server of that version, or the test is skipped."""
    major = int(name.split()[1])
    given: AbstractContextManager[str] = private_postgres()
    if major != 18:  # what the wheel has
        programs = postgres_programs(major)
        if programs is None:
            pytest.skip(f"there is no {name} here; `make servers` installs it")
        given = postgres_of(programs)
    with given as url:
        engine = make_engine(url)
        with engine.connect() as connection:
            version = connection.exec_driver_sql("show server_version").scalar() or ""
        engine.dispose()
        if version.split(".")[0] != str(major):
            pytest.skip(f"the PostgreSQL given here is {version}, not {major}")
        yield url


@contextmanager
def broker(name: str) -> Iterator[Valkey]:
    """A broker of that version, or the test is skipped."""
    program = None
    if name.startswith("Redis"):
        program = redis_program()
        if program is None:
            pytest.skip("there is no redis-server here; `make servers` installs it")
    with private_valkey(program) as server:
        with redis.Redis(unix_socket_path=str(server.listens)) as line:
            about = line.info("server")
        version = str(about.get("valkey_version") or about["redis_version"])
        if not version.startswith(name.split()[1]):
            pytest.skip(f"the broker here is {version}, not {name}")
        yield server


@pytest.mark.parametrize(("database", "queue"), PAIRS)
def test_the_whole_service_does_its_work_on(tmp_path: Path, database: str, queue: str) -> None:
    with postgresql(database) as server, broker(queue) as valkey:
        url = new_database(server, "carreira_versions")
        settings = {"DATABASE_URL": url, "REDIS_URL": valkey.url, "PICTURES": "off"}
        with stage(tmp_path / "var", **settings) as (cast, _):
            play(cast)
            with cast.service.reading() as session:
                assert session.get_one(Game, cast.game_id).ruleset
            taken = take_in(cast.service, RECORD, source="elsewhere.example")
            eventually(lambda: is_found(cast.service, taken.game_id), 90)  # by the sweep
            page = cast.visitors["Ana"].get("/archive")
            assert f"/games/{taken.game_id}" in page.text
            kinds, doubled, missing = cast.ledger()
            assert (doubled, missing) == (0, 0)
            assert kinds["turn"] >= ORDERS
            moved_to(cast.service, tmp_path, new_database(server, "carreira_restored"))
            cast.service.engine.dispose()


def play(cast: Cast) -> None:
    """Two sign in, sit down and play some orders; each letter is waited for."""
    for name in ("Ana", "Bento"):
        cast.sign_in(name)
    cast.sit_down("vasco-da-gama", ("Ana", "Bento"))
    for _ in range(ORDERS):
        cast.wait_for_letters()
        cast.post(*cast.next_orders())
    cast.wait_for_letters()


def is_found(service: Service, game_id: int) -> bool:
    """Whether search knows a game."""
    with service.reading() as session:
        found = select(FoundGame).where(FoundGame.game_id == game_id)
        return session.exec(found).first() is not None


def moved_to(service: Service, folder: Path, url: str) -> None:
    """A backup of the running site fills another database, and every game fits there."""
    backup(service, folder / "site.backup", service.clock.now())
    other = replace(service, engine=make_engine(url))
    restore(other, folder / "site.backup")
    assert list(nightly.faults(other)) == []
    found = [gate.stored(other.engine, number) for number in gate.begun(other.engine, 0)]
    assert len(found) == 2
    assert not any(each is None or each.lines or each.is_hindrance for each in found)
    other.engine.dispose()
