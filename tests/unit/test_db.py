"""The database hook and the migrations."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text
from sqlalchemy.exc import InternalError
from sqlmodel import SQLModel, select

from pbem import models
from pbem.db import (
    is_of_the_models,
    make_engine,
    migrate,
)
from pbem.service import Service

ROUNDS = 40
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

    assert pragmas == ["wal", 2, 1]  # 2: FULL


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


def test_another_process_waits_for_its_turn_to_write(service: Service) -> None:
    path = service.settings.var / "carreira.db"
    with service.writing() as holder:
        holder.connection()
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


def test_a_process_that_writes_a_migration_knows_all_tables(tmp_path: Path) -> None:
    """Alembic's `check` raises if the models that env.py imports differ from the newest schema."""
    check = (
        "from alembic import command\n"
        "from pbem.db import alembic_config, make_engine, migrate\n"
        f"engine = make_engine('sqlite:///{tmp_path / 'empty.db'}')\n"
        "migrate(engine)\n"
        "with engine.begin() as connection:\n"
        "    command.check(alembic_config(connection))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", check], check=False, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
