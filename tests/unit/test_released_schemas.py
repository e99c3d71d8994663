"""From every released schema to the newest one, on both databases: nothing is lost.

`released/000N.json` are the rows that each release itself wrote of a finished game and one that
goes on; tables that it left empty get a row of made-up values.
"""

from __future__ import annotations

import ast
import json
import os
import re
import secrets
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import (
    Boolean,
    Connection,
    Engine,
    LargeBinary,
    String,
    Table,
    make_url,
    select,
    text,
)
from sqlmodel import Session, SQLModel

from pbem import backup
from pbem.backup_file import BackupRow
from pbem.cli import gate as cli_gate
from pbem.clock import FixedClock
from pbem.config import Settings
from pbem.db import MIGRATIONS, alembic_config, is_of_the_models, make_engine, migrate
from pbem.mail import queue
from pbem.models import Game, GameState, Outbox
from pbem.record import nightly
from pbem.service import Service
from tests.support.finished import one_order
from tests.support.servers import ROOT, without_our_settings

RELEASED = ("0001", "0002", "0003", "0004", "0005", "0006")
ENDS = [each if each in (RELEASED[0], RELEASED[-1])
        else pytest.param(each, marks=pytest.mark.soak) for each in RELEASED]
OVER, RUNNING = 1, 2
ROWS = Path(__file__).parent / "released"


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty database without tables."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'old.db'}"
        return
    postgres = request.getfixturevalue("postgres")
    server = make_engine(postgres).execution_options(isolation_level="AUTOCOMMIT")
    name = f"old_{secrets.token_hex(6)}"
    with server.connect() as connection:
        connection.exec_driver_sql(f"create database {name}")
    yield make_url(postgres).set(database=name).render_as_string(False)
    with server.connect() as connection:
        connection.exec_driver_sql(f"drop database {name} with (force)")
    server.dispose()


@pytest.fixture
def engine(url: str) -> Iterator[Engine]:
    made = make_engine(url)
    yield made
    made.dispose()


# ---- what a release left ------------------------------------------------------------------------


def fill(engine: Engine, schema: str) -> None:
    """A database as that release has left it, with rows in every table."""
    told = json.loads((ROWS / f"{schema}.json").read_text("utf-8"))
    with engine.begin() as connection:
        command.upgrade(alembic_config(connection), schema)
        for table in backup.tables_of(connection):
            rows = told["tables"].get(table.name)
            values = rows_in(table, rows) if rows else [made_up(table)]
            connection.execute(table.insert(), values)
        backup.restart_numbers(connection)


def rows_in(table: Table, told: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows as the table takes them; the file has columns that an early schema had not yet."""
    rows = [dict(zip(told["columns"], row, strict=True)) for row in told["rows"]]
    return [backup.row_of(ROWS, table, BackupRow(0, {
        name: value for name, value in row.items() if name in table.columns})) for row in rows]


def made_up(table: Table) -> dict[str, Any]:
    """A value for every column; what refers to another row refers to its first one."""
    return {column.name: value_for(column) for column in table.columns}


def value_for(column: Any) -> Any:
    if isinstance(column.type, String):
        return "made up"[: column.type.length or 99]
    if isinstance(column.type, Boolean):
        return False
    if isinstance(column.type, LargeBinary):
        return b"made up"
    return 1  # the number of a game, a person, a seat; a millisecond of 1970


def contents(engine: Engine) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table, by column."""
    with backup.snapshot(engine) as connection:
        return {table.name: [dict(row._mapping) for row in connection.execute(
                    select(table).order_by(*table.primary_key.columns))]
                for table in backup.tables_of(connection)}


def is_like_the_models(connection: Connection) -> bool:
    context = MigrationContext.configure(connection, opts={"include_name": is_of_the_models})
    return bool(compare_metadata(context, SQLModel.metadata) == [])


DROPPED = {"position", "foundterm"}  # by 0007: made of other rows
REWRITTEN = {"entry": {"body"}, "outbox": {"recipient", "subject", "occasion"}}  # by 0007


def check_nothing_is_lost(
    before: dict[str, list[dict[str, Any]]], after: dict[str, list[dict[str, Any]]]
) -> None:
    """Every row is there with every value that it had.

    But for those that 0007 rewrote or dropped. That entries' bodies fit is proven by following the
    game.
    """
    assert min(len(rows) for rows in before.values()) > 0
    for name in before.keys() - DROPPED:
        columns = before[name][0].keys() - REWRITTEN.get(name, set())
        kept, stood = ([{column: row[column] for column in columns} for row in rows[name]]
                       for rows in (after, before))
        assert kept == stood, name


# ---- one release after the other ----------------------------------------------------------------


LETTERS = {  # (kind, recipient, subject, occasion): what schema 0007 says of such a letter
    ("turn", "p1", "g1", "917"): {"person_id": 1, "game_id": 1, "entry": 917},
    ("turn", "p1", "g1", "917/2"): {"person_id": 1, "game_id": 1, "entry": 917, "repeat_of": 1001},
    ("reminder", "p1", "g1", "917-50"): {"person_id": 1, "game_id": 1, "entry": 917, "part": "50"},
    ("reminder", "p1", "g1", "917-50-1"): {
        "person_id": 1, "game_id": 1, "entry": 917, "part": "50-1"},
    ("refused", "p1", "g1", "933"): {"person_id": 1, "game_id": 1, "about_id": 933},
    ("receipt", "p2", "g1", "907"): {"person_id": 2, "game_id": 1, "about_id": 907},
    ("receipt", "p2", "m7", "7"): {"person_id": 2, "about_id": 7},
    ("invited", "p1", "i1", "2"): {"person_id": 1, "invitation_id": 1, "part": "2"},
    ("receipt", "a:new@players.example", "i1", "7"): {
        "address": "new@players.example", "invitation_id": 1, "about_id": 7},
    ("cancelled", "p1", "g1", "1"): {"person_id": 1, "game_id": 1},
    ("sign_in", "a:new@players.example", "s9", "1"): {
        "address": "new@players.example", "about_id": 9},
    ("recovery", "a:old@players.example", "n3", "2"): {
        "address": "old@players.example", "about_id": 3, "part": "2"},
    ("hook_off", "p1", "h4", "1700000000"): {"person_id": 1, "about_id": 4, "part": "1700000000"},
    ("report", "p1", "r5", "1"): {"person_id": 1, "about_id": 5},
    ("vacation_over", "p1", "p1", "6"): {"person_id": 1, "about_id": 6},
    ("test", "p1", "p1", "2"): {"person_id": 1, "part": "2"},
}


def test_letters_that_named_what_they_are_about_in_text_name_it_in_columns(engine: Engine) -> None:
    fill(engine, "0005")
    with engine.begin() as connection:
        outbox = next(each for each in backup.tables_of(connection) if each.name == "outbox")
        rows = [made_up(outbox) | {
            "id": 1001 + number, "kind": kind, "recipient": recipient, "subject": subject,
            "occasion": occasion} for number, (kind, recipient, subject, occasion)
            in enumerate(LETTERS)]
        connection.execute(outbox.insert(), rows)

    migrate(engine)

    with Session(engine) as session:
        for number, expected in enumerate(LETTERS.values()):
            row = session.get_one(Outbox, 1001 + number)
            about = {name: getattr(row, name) for name in queue.MATTER}
            part = expected.get("part", "")
            assert about | {"repeat_of": row.repeat_of} == dict.fromkeys([*about, "repeat_of"]) | {
                name: value for name, value in expected.items() if name != "part"}
            # Whoever makes the same letter due again makes no second one.
            if row.repeat_of is None:
                assert queue.due(session, kind=row.kind, now=row.created, part=part, **about) \
                    is None


@pytest.mark.parametrize("schema", RELEASED)
def test_every_row_of_a_released_schema_is_still_there_and_its_game_goes_on(
    engine: Engine, schema: str, settings: Settings, clock: FixedClock
) -> None:
    fill(engine, schema)
    before = contents(engine)

    migrate(engine)

    check_nothing_is_lost(before, contents(engine))
    with engine.begin() as connection:
        assert is_like_the_models(connection)
    service = Service(settings, engine, clock)
    with service.writing() as session:
        for number in (OVER, RUNNING):
            game = session.get_one(Game, number)
            assert game.ruleset == "vasco-da-gama 1"
            assert nightly.fault_of(session, game) is None
        play_to_the_end(service, session, game)
        assert game.state == GameState.FINISHED
        assert nightly.fault_of(session, game) is None


def play_to_the_end(service: Service, session: Session, game: Game) -> None:
    session.commit()
    while one_order(service, session, game, {0, 1}):
        pass


def test_there_are_rows_of_every_released_schema() -> None:
    """A release freezes its schema: then its rows are added here."""
    versions = sorted(path.name[:4] for path in (MIGRATIONS / "versions").glob("0*.py"))

    assert tuple(versions[:-1]) == RELEASED


@pytest.mark.parametrize("schema", ENDS)
def test_the_gate_reads_a_database_that_was_not_migrated_yet_and_leaves_it_alone(
    engine: Engine, schema: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """It is asked before a new release goes to work."""
    fill(engine, schema)
    before = contents(engine)
    monkeypatch.setenv("CARREIRA_VAR", str(tmp_path))
    monkeypatch.setenv("CARREIRA_DATABASE_URL", engine.url.set(
        drivername=engine.dialect.name).render_as_string(False))

    assert cli_gate.main([]) == 0
    assert capsys.readouterr().out.startswith("2 games (1 running), ")
    assert contents(engine) == before


@pytest.mark.parametrize("schema", ENDS)
def test_a_backup_of_a_released_schema_goes_into_a_site_of_this_one(
    engine: Engine, schema: str, settings: Settings, clock: FixedClock, tmp_path: Path
) -> None:
    old = Service(settings, make_engine(f"sqlite:///{tmp_path / 'older.db'}"), clock)
    fill(old.engine, schema)
    backup.backup(old, tmp_path / "site.backup", clock.now())
    old.engine.dispose()
    migrate(engine)

    backup.restore(Service(settings, engine, clock), tmp_path / "site.backup")

    with Session(engine) as session:
        for number in (OVER, RUNNING):
            assert nightly.fault_of(session, session.get_one(Game, number)) is None
    with engine.begin() as connection:
        assert is_like_the_models(connection)


# ---- at once, killed, too new -------------------------------------------------------------------


def command_on(url: str, tmp_path: Path, *arguments: str) -> subprocess.Popen[str]:
    """A process of its own that works on this database."""
    return subprocess.Popen(
        [sys.executable, *arguments], cwd=ROOT, text=True, stderr=subprocess.PIPE,
        stdout=subprocess.PIPE, env=without_our_settings(os.environ) | {
            "CARREIRA_DATABASE_URL": url, "CARREIRA_VAR": str(tmp_path / "var")})


def test_two_processes_that_migrate_at_once_do_it_once(
    url: str, engine: Engine, tmp_path: Path
) -> None:
    fill(engine, "0001")
    before = contents(engine)

    both = [command_on(url, tmp_path, "app.py", "migrate") for _ in range(2)]
    told = [process.communicate(timeout=120) for process in both]

    assert [process.returncode for process in both] == [0, 0], told
    assert all("newest version" in said for said, _ in told)
    check_nothing_is_lost(before, contents(engine))
    with engine.begin() as connection:
        assert is_like_the_models(connection)


KILLED = """
import os, signal, sys
from sqlalchemy import event
from pbem.db import make_engine, migrate
engine, left = make_engine(os.environ["CARREIRA_DATABASE_URL"]), [int(sys.argv[1])]
@event.listens_for(engine, "after_cursor_execute")
def count(connection, cursor, statement, *_):
    if statement.strip().split()[0].lower() in ("create", "alter", "drop", "update", "insert"):
        left[0] -= 1
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)
migrate(engine)
"""


@pytest.mark.parametrize("statement", [1, 12, 25, 40, 55] if "SOAK" in os.environ else [40])
def test_a_migration_that_is_killed_midway_is_done_by_the_next_start(
    url: str, engine: Engine, tmp_path: Path, statement: int
) -> None:
    fill(engine, "0002")
    before = contents(engine)
    engine.dispose()

    killed = command_on(url, tmp_path, "-c", KILLED, str(statement))
    killed.communicate(timeout=120)
    assert killed.returncode == -signal.SIGKILL
    assert contents(engine) == before, "all of it, or nothing"

    migrate(engine)
    check_nothing_is_lost(before, contents(engine))
    with engine.begin() as connection:
        assert is_like_the_models(connection)


def test_a_database_of_a_newer_release_is_refused_in_one_line_and_left_alone(
    url: str, engine: Engine, tmp_path: Path
) -> None:
    migrate(engine)
    with engine.begin() as connection:
        connection.execute(text("update alembic_version set version_num = '9999'"))

    asked = command_on(url, tmp_path, "app.py", "migrate")
    _, told = asked.communicate(timeout=120)

    assert asked.returncode == 1
    [line] = told.splitlines()
    assert line.startswith(
        "CARREIRA_DATABASE_URL: The database is of a newer release: its schema is 9999, ")
    with engine.connect() as connection:
        kept = connection.execute(text("select version_num from alembic_version")).scalar()
    assert kept == "9999"


# ---- old and new side by side -------------------------------------------------------------------

ADDS = {"create_table", "add_column", "create_index", "execute", "get_bind"}
# What of other statements the release before does not notice.
UNNOTICED = re.compile(r"update |alter table \w+ alter column \w+ set storage \w+$")
LATER = sorted(path for path in (MIGRATIONS / "versions").glob("0*.py") if path.name > "0005")
LATER = [path for path in LATER if not path.name.startswith("0007")]  # it rewrites entries


@pytest.mark.parametrize("path", LATER, ids=lambda path: path.stem)
def test_a_migration_only_adds_so_that_the_release_before_goes_on_beside_it(path: Path) -> None:
    assert not list(hindrances(ast.parse(path.read_text("utf-8"))))


def hindrances(module: ast.Module) -> Iterator[str]:
    """What of an upgrade the release before could not live with."""
    [upgrade] = [each for each in module.body
                 if isinstance(each, ast.FunctionDef) and each.name == "upgrade"]
    made = {call_index(call) for call in calls(upgrade) if name_of(call) == "create_index"}
    new = {first_text(call) for call in calls(upgrade) if name_of(call) == "create_table"}
    altered = ""
    for call in calls(upgrade):
        name = name_of(call)
        if name == "batch_alter_table":
            altered = first_text(call)
        elif name == "drop_index":  # one that is made anew, for more rows
            if call_index(call) not in made:
                yield f"line {call.lineno}: an index is gone"
        elif name not in ADDS:
            yield f"line {call.lineno}: {name}"
        elif name == "add_column" and not may_be_left_out(call):
            yield f"line {call.lineno}: {ast.unparse(call)} wants a value"
        elif name == "create_index" and altered not in new and "unique=True" in ast.unparse(call):
            yield f"line {call.lineno}: what was allowed twice would be refused"
        elif name == "execute" and not UNNOTICED.match(first_text(call)):
            yield f"line {call.lineno}: {first_text(call)}"


def calls(function: ast.FunctionDef) -> list[ast.Call]:
    """What is done to the database, in order."""
    found = [each for each in ast.walk(function) if isinstance(each, ast.Call)
             and isinstance(each.func, ast.Attribute) and isinstance(each.func.value, ast.Name)
             and each.func.value.id in ("op", "batch_op")]
    return sorted((each for each in found if name_of(each) != "f"), key=lambda each: each.lineno)


def name_of(call: ast.Call) -> str:
    assert isinstance(call.func, ast.Attribute)
    return call.func.attr


def first_text(call: ast.Call) -> str:
    """The first text in a call: a table's name, a statement."""
    return next(str(each.value) for each in ast.walk(call.args[0])
                if isinstance(each, ast.Constant))


call_index: Callable[[ast.Call], str] = first_text


def may_be_left_out(call: ast.Call) -> bool:
    """Whether a release that does not know a column can write its table."""
    said = ast.unparse(call)
    return "nullable=True" in said or "server_default=" in said


@pytest.mark.parametrize("statement", [
    "op.drop_table('game')",
    "batch_op.drop_column('title')",
    "batch_op.alter_column('title', nullable=False)",
    "batch_op.add_column(sa.Column('x', sa.Integer(), nullable=False))",
    "batch_op.create_index('ix_x', ['x'], unique=True)",
    "batch_op.drop_index('ix_x')",
    "op.execute('delete from game')",
    "op.rename_table('game', 'games')",
])  # fmt: skip
def test_what_takes_something_away_is_found(statement: str) -> None:
    module = ast.parse(f"def upgrade():\n    with op.batch_alter_table('game') as batch_op:\n"
                       f"        {statement}\n")
    assert len(list(hindrances(module))) == 1
