"""The database hook and the migrations."""

from __future__ import annotations

import errno
import fcntl
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text
from sqlalchemy.exc import InternalError, OperationalError
from sqlmodel import SQLModel, select

from pbem import models
from pbem.db import (
    SECONDS_UNASKED,
    is_away,
    is_of_the_models,
    make_engine,
    migrate,
    ping_if_in_doubt,
    reading_engine,
)
from pbem.service import Service

ROUNDS = 40
JUST_NOW = -60.0  # seconds ago: it stays so while a test runs
OF_THE_MODELS = {"include_name": is_of_the_models}


def test_two_threads_that_read_and_write_lose_nothing(service: Service) -> None:
    """Reading first and writing later is what fails without the write lock at the beginning."""
    with service.writing() as session:
        session.add(models.ComponentSet(digest="d", game="g", name="0", toml=""))
        session.commit()

    threads = [threading.Thread(target=count_up, args=(service,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    with service.reading() as session:
        assert session.exec(select(models.ComponentSet.name)).one() == str(2 * ROUNDS)


def count_up(service: Service) -> None:
    for _ in range(ROUNDS):
        with service.writing() as session:
            row = session.exec(select(models.ComponentSet).with_for_update()).one()
            row.name = str(int(row.name) + 1)
            session.commit()


def test_a_reader_does_not_wait_for_a_writer(service: Service) -> None:
    with service.writing() as writer, service.reading() as reader:
        writer.add(models.ComponentSet(digest="d", game="g", name="n", toml=""))
        writer.flush()

        assert reader.exec(select(models.ComponentSet)).all() == []


def test_what_was_not_committed_is_undone_and_frees_the_writers_place(service: Service) -> None:
    with service.writing() as session:
        session.add(models.ComponentSet(digest="d", game="g", name="n", toml=""))
        session.flush()

    with service.writing() as session:
        assert session.exec(select(models.ComponentSet)).all() == []


def test_commits_are_on_the_disk_and_foreign_keys_are_checked(service: Service) -> None:
    with service.engine.connect() as connection:
        pragmas = [
            connection.execute(text(f"PRAGMA {name}")).scalar_one()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        ]

    assert pragmas == ["wal", 1, 1]  # 1: what follows does the rest


def test_a_commit_comes_back_when_the_disk_has_its_log(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    monkeypatch.setattr("os.fdatasync", lambda file: written.append(name_of(file)))

    with service.writing() as session:
        session.add(models.ComponentSet(digest="d", game="g", name="n", toml=""))
        session.commit()

    assert [Path(name).name for name in written] == ["carreira.db-wal"]


def test_the_next_writer_does_not_wait_for_the_disk(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def another_writes(_file: int) -> None:
        monkeypatch.setattr("os.fdatasync", lambda file: None)
        with service.writing() as session:
            session.add(models.ComponentSet(digest="second", game="g", name="n", toml=""))
            session.commit()

    monkeypatch.setattr("os.fdatasync", another_writes)
    with service.writing() as session:
        session.add(models.ComponentSet(digest="first", game="g", name="n", toml=""))
        session.commit()

    with service.reading() as session:
        assert len(session.exec(select(models.ComponentSet)).all()) == 2


def test_a_disk_that_does_not_take_a_commit_counts_as_a_database_that_is_away(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_file: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("os.fdatasync", full)
    with service.writing() as session, pytest.raises(OperationalError) as refused:
        session.add(models.ComponentSet(digest="d", game="g", name="n", toml=""))
        session.commit()

    assert is_away(refused.value)


def name_of(file: int) -> str:
    """The path of an open file."""
    return str(Path(f"/proc/self/fd/{file}").readlink())


def test_migrations_from_nothing_give_the_tables_of_the_models(tmp_path: Path) -> None:
    engine = make_engine(f"sqlite:///{tmp_path / 'new.db'}")

    migrate(engine)

    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts=OF_THE_MODELS)
        assert compare_metadata(context, SQLModel.metadata) == []


def test_migrating_twice_changes_nothing(tmp_path: Path) -> None:
    engine = make_engine(f"sqlite:///{tmp_path / 'new.db'}")
    migrate(engine)

    migrate(engine)

    with engine.connect() as connection:
        assert connection.execute(text("select count(*) from alembic_version")).scalar_one() == 1


def test_the_same_tables_and_no_lost_update_on_postgresql(postgres_service: Service) -> None:
    with postgres_service.writing() as session:
        session.add(models.ComponentSet(digest="d", game="g", name="0", toml=""))
        session.commit()

    threads = [threading.Thread(target=count_up, args=(postgres_service,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    with postgres_service.reading() as session:
        assert session.exec(select(models.ComponentSet.name)).one() == str(2 * ROUNDS)
        context = MigrationContext.configure(session.connection(), opts=OF_THE_MODELS)
        assert compare_metadata(context, SQLModel.metadata) == []


def test_letters_lie_unpacked_on_postgresql(postgres_service: Service) -> None:
    """To pack them was a fifth of what a move costs its server."""
    stored = ("select attstorage from pg_attribute "
              "where attrelid = 'outbox'::regclass and attname = 'raw'")
    with postgres_service.engine.connect() as connection:
        assert connection.exec_driver_sql(stored).scalar() in ("e", b"e")


def test_a_session_that_only_reads_cannot_write_on_postgresql(postgres_service: Service) -> None:
    with postgres_service.reading() as session, pytest.raises(InternalError, match="read-only"):
        session.add(models.ComponentSet(digest="d", game="g", name="n", toml=""))
        session.commit()

    with postgres_service.reading() as session:
        assert session.exec(select(models.ComponentSet)).all() == []


def test_each_statement_of_a_reader_sees_what_is_committed_on_postgresql(
    postgres_service: Service,
) -> None:
    with postgres_service.reading() as reader, postgres_service.writing() as writer:
        assert reader.exec(select(models.ComponentSet.name)).all() == []
        writer.add(models.ComponentSet(digest="d", game="g", name="n", toml=""))
        writer.flush()
        assert reader.exec(select(models.ComponentSet.name)).all() == []
        writer.commit()

        assert reader.exec(select(models.ComponentSet.name)).all() == ["n"]


def test_readers_lines_to_postgresql_are_shared_and_closed_with_their_engine(
    postgres_service: Service,
) -> None:
    engine = postgres_service.engine
    reading = reading_engine(engine)
    with postgres_service.reading() as session:
        session.connection()
    assert reading_engine(engine) is reading
    assert reading.pool.checkedin() == 1  # type: ignore[attr-defined]

    engine.dispose()

    assert reading.pool.checkedin() == 0  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("lay", "said", "is_asked"),
    [(JUST_NOW, "nothing", False), (2 * SECONDS_UNASKED, "nothing", True),
     (JUST_NOW, "a word", True), (JUST_NOW, "the end", True)],
)  # fmt: skip
def test_a_server_is_asked_whether_it_is_there_where_that_is_in_doubt(
    lay: float, said: str, is_asked: bool,  # noqa: FBT001
) -> None:
    ours, theirs = socket.socketpair()
    asked: list[object] = []
    line = SimpleNamespace(fileno=ours.fileno, lies_since=time.monotonic() - lay)
    with ours, theirs:
        if said == "a word":
            theirs.send(b"a word")
        if said == "the end":
            theirs.close()
        is_there = ping_if_in_doubt(lambda line: bool(asked.append(line)))

        assert is_there(line) is not is_asked
        assert bool(asked) is is_asked


def test_another_process_waits_for_its_turn_to_write(service: Service) -> None:
    """And goes on as soon as it is given, or its holder is killed."""
    path = service.settings.var / "carreira.db"
    with Path(f"{path}-writer").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        other = subprocess.Popen([sys.executable, "-c", WRITE, f"sqlite:///{path}"], cwd=ROOT)
        with pytest.raises(subprocess.TimeoutExpired):
            other.wait(2)
    assert other.wait(30) == 0
    with service.reading() as session:
        assert session.exec(select(models.ComponentSet.name)).one() == "theirs"


ROOT = Path(__file__).parents[2]
WRITE = """
import sys
from sqlmodel import Session
from pbem.db import make_engine
from pbem.models import ComponentSet
with Session(make_engine(sys.argv[1])) as session:
    session.add(ComponentSet(digest="d", game="g", name="theirs", toml=""))
    session.commit()
"""
