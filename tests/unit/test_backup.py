"""Backups: one file of a running site, whole again in an empty database of either kind."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from sqlalchemy import func, insert, text, update
from sqlmodel import Session, col, select

from pbem import backup, config
from pbem.archive import closing
from pbem.backup_file import LONGEST_LINE, BackupRefused
from pbem.clock import FixedClock
from pbem.db import alembic_config, make_engine
from pbem.models import ComponentSet, Entry, Game, Outbox, Person, stored_id
from pbem.play import positions
from pbem.record import nightly
from pbem.service import Service
from pbem.tables import chat
from tests.support import tables
from tests.support.finished import finished_game

ROOT = Path(__file__).parents[2]


@pytest.fixture
def lived_in(service: Service) -> Service:
    """A site with a finished game whose players have talked, and one that goes on."""
    fill(service)
    return service


def fill(service: Service) -> None:
    now = service.clock.now()
    with service.writing() as session:
        game = finished_game(service, session)
        seat = session.exec(positions.seats_of(game)).all()[0]
        chat.post(session, stored_id(game), session.get_one(Person, seat.person_id), "Bons ventos",
                 now)
        session.commit()
        closing.close_game(session, stored_id(game), now)
        tables.started_game(session, now, names=("Carla", "Dinis"))
        session.commit()


@pytest.fixture
def elsewhere(tmp_path: Path, clock: FixedClock, empty_database: Path) -> Iterator[Service]:
    """Another installation with an empty database of the newest schema."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    shutil.copyfile(empty_database, folder / "carreira.db")
    settings = config.Settings.from_environment({"CARREIRA_VAR": str(folder)})
    engine = make_engine(settings.database_url)
    yield Service(settings, engine, clock)
    engine.dispose()


def contents(service: Service) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table by the names of its columns, whose order databases differ in."""
    with backup.snapshot(service.engine) as connection:
        return {table.name: [dict(zip(table.columns.keys(), row, strict=True))
                             for row in backup.rows_of(connection, table)]
                for table in backup.tables_of(connection)}


def kept(service: Service, folder: Path) -> Path:
    path = folder / "site.backup"
    backup.backup(service, path, service.clock.now())
    return path


def test_a_restored_site_has_every_row_and_every_game_fits(
    lived_in: Service, elsewhere: Service, tmp_path: Path
) -> None:
    backup.restore(elsewhere, kept(lived_in, tmp_path))
    assert contents(elsewhere) == contents(lived_in)
    assert list(nightly.faults(elsewhere)) == []


def test_a_site_moves_from_sqlite_to_postgresql_and_goes_on(
    lived_in: Service, postgres_service: Service, tmp_path: Path
) -> None:
    with postgres_service.engine.begin() as connection:
        for table in backup.tables_of(connection):
            assert connection.execute(table.select().limit(1)).first() is None
    backup.restore(postgres_service, kept(lived_in, tmp_path))
    assert contents(postgres_service) == contents(lived_in)
    assert list(nightly.faults(postgres_service)) == []
    with postgres_service.writing() as session:  # numbers go on behind those that are there
        session.add(Person(name="Eva", address="eva@players.example", created=lived_in.clock.now()))
        session.commit()


def test_a_backup_of_postgresql_fills_sqlite(
    postgres_service: Service, elsewhere: Service, tmp_path: Path
) -> None:
    fill(postgres_service)
    backup.restore(elsewhere, kept(postgres_service, tmp_path))
    assert contents(elsewhere) == contents(postgres_service)


def test_what_was_said_is_found_again(
    lived_in: Service, elsewhere: Service, tmp_path: Path
) -> None:
    backup.restore(elsewhere, kept(lived_in, tmp_path))
    with elsewhere.reading() as session:
        found = session.execute(text("select words from foundtext")).scalars().all()
    assert any("bons ventos" in words for words in found)


def test_a_backup_is_of_one_moment_though_the_site_goes_on(
    lived_in: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = backup.rows_of
    begun = False

    def meddled(connection: Any, table: Any) -> Iterator[list[Any]]:
        nonlocal begun
        rows = list(real(connection, table))
        if not begun:
            begun = True
            with lived_in.writing() as session:
                session.add(Person(name="Zoe", address="zoe@players.example",
                                   created=lived_in.clock.now()))
                session.commit()
        yield from rows

    monkeypatch.setattr(backup, "rows_of", meddled)
    path = kept(lived_in, tmp_path)
    assert begun
    assert b"zoe@players.example" not in gzip.decompress(path.read_bytes())


def test_nobody_else_can_read_the_file(lived_in: Service, tmp_path: Path) -> None:
    assert stat.S_IMODE(kept(lived_in, tmp_path).stat().st_mode) == 0o600


def test_a_full_disk_leaves_the_last_backup_as_it_was(
    lived_in: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = kept(lived_in, tmp_path)
    before = path.read_bytes()

    def full(*_: Any) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(backup, "written", full)
    with pytest.raises(OSError, match="No space"):
        kept(lived_in, tmp_path)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.glob("site.backup*")] == ["site.backup"]


def test_a_database_that_holds_anything_is_left_alone(
    lived_in: Service, elsewhere: Service, tmp_path: Path
) -> None:
    path = kept(lived_in, tmp_path)
    backup.restore(elsewhere, path)
    before = contents(elsewhere)
    with pytest.raises(BackupRefused, match="not empty"):
        backup.restore(elsewhere, path)
    assert contents(elsewhere) == before


@pytest.mark.parametrize("spoil", ["cut", "flipped", "nothing", "text"])
def test_a_damaged_file_is_refused_and_nothing_of_it_taken(
    lived_in: Service, elsewhere: Service, tmp_path: Path, spoil: str
) -> None:
    path = kept(lived_in, tmp_path)
    lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
    whole_file = path.read_bytes()
    path.write_bytes({
        "cut": gzip.compress(b"".join(lines[:-3])),
        "flipped": gzip.compress(b"".join(lines).replace(b"Ana", b"Anx", 1)),
        "nothing": b"",
        "text": b"hello" + whole_file[:40],
    }[spoil])
    with pytest.raises(BackupRefused):
        backup.restore(elsewhere, path)
    assert not any(contents(elsewhere).values())


def test_a_file_with_a_bad_byte_anywhere_is_refused_and_its_key_not_taken(
    lived_in: Service, tmp_path: Path
) -> None:
    path = kept(lived_in, tmp_path)
    whole_file = path.read_bytes()
    said = set()
    for place in range(0, len(whole_file), len(whole_file) // 97):
        spoilt = bytearray(whole_file)
        spoilt[place] ^= 0xFF
        path.write_bytes(spoilt)
        if place in range(4, 10):  # time and flags of gzip's own head: no part of what is kept
            continue
        with pytest.raises(BackupRefused) as refused:
            backup.keep_keys(path, tmp_path / "new")
        said.add(str(refused.value).partition(":")[0])
    assert said <= {f"{path} is damaged or no backup", f"{path} is damaged"}
    assert not (tmp_path / "new" / "secret.key").exists()


def made_up(path: Path, change: Callable[[list[bytes]], None]) -> None:
    """The file with other lines, and a sum that fits them."""
    *lines, _sum = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
    change(lines)
    sum_of = {"rows": sum(line.startswith(b"[") for line in lines),
              "sha256": hashlib.sha256(b"".join(lines)).hexdigest()}
    path.write_bytes(gzip.compress(b"".join(lines) + json.dumps(sum_of).encode() + b"\n"))


def swapped(old: bytes, new: bytes) -> Callable[[list[bytes]], None]:
    """Changes the first line that has the old text."""
    def change(lines: list[bytes]) -> None:
        place = next(place for place, line in enumerate(lines) if old in line)
        lines[place] = lines[place].replace(old, new, 1)

    return change


@pytest.mark.parametrize("change, said", [
    (swapped(b'"table":"person"', b'"table":"sailor"'), "no table 'sailor'"),
    (swapped(b'"name","address"', b'"name","abode"'), "no column 'abode'"),
    (swapped(b'"name","address"', b'"name","name"'), "a column twice"),
    (swapped(b'"Ana",', b'"Ana","Ana",'), "values for"),
    (swapped(b'"Ana",', b'["Ana"],'), "neither a table nor a row"),
    (swapped(b'"Ana",', b"17,"), "no str in column name"),
    (swapped(b'[1,"Ana"', b'["1","Ana"'), "no int in column id"),
    (swapped(b'[1,"Ana"', b'[99999999999999999999,"Ana"'), "table person"),
    (swapped(b'[1,"Ana"', b'[2,"Ana"'), "table person"),
    (swapped(b'"Ana",', b"null,"), "table person"),
    (lambda lines: lines.insert(1, b"[1]\n"), "a row of no table"),
    (lambda lines: lines.insert(3, b"[" * 100_000 + b"\n"), "neither a table nor a row"),
    (lambda lines: lines.insert(3, b'"hello"\n'), "neither a table nor a row"),
    (lambda lines: lines.insert(3, b"[" + b" " * LONGEST_LINE + b"]\n"), "is longer than"),
    (lambda lines: lines.__delitem__(slice(1, None)), "is missing"),
    (swapped(b'"secret_key":"', b'"secret_key":"='), "line 1"),
    (swapped(b'"version":"0', b'"version":"base'), "no version of a schema"),
    (swapped(b'"at":"2', b'"at":"soon'), "line 1"),
    (swapped(b'","vasco-da-gama","', b'","chess","'), "a component set is of 'chess'"),
    (swapped(b'[1,"vasco-da-gama",', b'[1,"chess",'), "a game is of 'chess'"),
])
def test_a_made_up_file_is_refused_by_what_does_not_fit(
    lived_in: Service, elsewhere: Service, tmp_path: Path,
    change: Callable[[list[bytes]], None], said: str,
) -> None:
    path = kept(lived_in, tmp_path)
    made_up(path, change)

    with pytest.raises(BackupRefused) as refused:
        backup.restore(elsewhere, path)

    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    assert not any(contents(elsewhere).values())


def test_a_backup_of_a_newer_schema_is_refused(
    lived_in: Service, elsewhere: Service, tmp_path: Path
) -> None:
    path = kept(lived_in, tmp_path)
    with lived_in.engine.begin() as connection:
        connection.execute(text("update alembic_version set version_num = '9999'"))
    path = kept(lived_in, tmp_path)
    with pytest.raises(BackupRefused, match="9999"):
        backup.restore(elsewhere, path)


def test_an_older_schema_is_brought_to_this_release(elsewhere: Service, tmp_path: Path) -> None:
    old = Service(elsewhere.settings, make_engine(f"sqlite:///{tmp_path / 'old.db'}"),
                  elsewhere.clock)
    with old.engine.begin() as connection:
        command.upgrade(alembic_config(connection), "0001")
        connection.execute(text(
            "insert into person (name, address, language, zone, created)"
            " values ('Ana', 'ana@players.example', 'en', 'UTC', 0)"))
    backup.restore(elsewhere, kept(old, tmp_path))
    old.engine.dispose()
    with elsewhere.reading() as session:
        assert session.get_one(Person, 1).awake is None


def test_one_flipped_byte_in_a_game_is_named(lived_in: Service) -> None:
    with lived_in.writing() as session:
        entry = session.get_one(Entry, (game_of(session), 3))
        entry.state_hash = bytes(32)
        session.add(entry)
        session.commit()
    [fault] = nightly.faults(lived_in)
    assert "entry 3" in fault


@pytest.mark.parametrize("made_up", [
    {"options": "{"}, {"options": "[]"}, {"game": "checkers"}, {"components": "none"},
    {"server_part": b""}, {"last_entry": 9},
])
def test_a_made_up_game_is_named_and_hides_no_other(
    lived_in: Service, made_up: dict[str, object]
) -> None:
    with lived_in.engine.begin() as connection:
        connection.execute(insert(ComponentSet).values(
            digest="none", game="goa", name="", toml="x = 1"))
        connection.execute(update(Game).where(col(Game.id) == 1).values(**made_up))

    [fault] = nightly.faults(lived_in)

    assert fault.startswith("Game 1 does not fit: ")


def game_of(session: Session) -> int:
    """The first game."""
    return stored_id(session.get_one(Game, 1))


def test_the_key_comes_along_and_takes_no_others_place(
    lived_in: Service, tmp_path: Path
) -> None:
    path = kept(lived_in, tmp_path)
    backup.keep_keys(path, tmp_path / "new")
    kept_key = tmp_path / "new" / "secret.key"
    assert kept_key.read_bytes() == lived_in.settings.keys.new
    assert stat.S_IMODE(kept_key.stat().st_mode) == 0o600
    kept_key.write_bytes(b"k" * 32)
    backup.keep_keys(path, tmp_path / "new")
    assert kept_key.read_bytes() == b"k" * 32


def test_by_the_command_line_a_site_is_moved_and_its_games_checked(
    lived_in: Service, tmp_path: Path
) -> None:
    at = {"CARREIRA_VAR": str(lived_in.settings.var),
          "CARREIRA_DATABASE_URL": lived_in.settings.database_url}
    path = tmp_path / "by-hand.backup"
    said = run(["backup", str(path)], at)
    assert said.returncode == 0, said.stderr
    assert " rows of " in said.stdout
    new = {"CARREIRA_VAR": str(tmp_path / "new")}
    said = run(["restore", str(path)], new)
    assert (said.returncode, said.stderr) == (0, "")
    assert "Every game fits its record." in said.stdout
    again = run(["restore", str(path)], new)
    assert again.returncode == 1
    assert "not empty" in again.stderr


def test_something_that_is_no_file_is_not_replaced_by_a_backup(
    lived_in: Service, tmp_path: Path
) -> None:
    at = {"CARREIRA_VAR": str(lived_in.settings.var),
          "CARREIRA_DATABASE_URL": lived_in.settings.database_url}
    device = tmp_path / "device"
    os.mkfifo(device)  # as /dev/null is, to root
    said = run(["backup", str(device)], at)
    assert (said.returncode, said.stdout) == (1, "")
    assert said.stderr == f"{device}: is there, but is no file; it is left as it is\n"
    assert device.is_fifo()
    assert list(tmp_path.glob("device*")) == [device]


def run(arguments: list[str], at: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """`python app.py ...` there."""
    return subprocess.run(
        [sys.executable, str(ROOT / "app.py"), *arguments], capture_output=True, text=True,
        check=False, env={**os.environ, **at})


def test_a_letter_that_waits_leaves_from_the_new_place(
    lived_in: Service, elsewhere: Service, tmp_path: Path
) -> None:
    backup.restore(elsewhere, kept(lived_in, tmp_path))
    waiting = select(func.count()).select_from(Outbox).where(col(Outbox.settled).is_(None))
    with lived_in.reading() as before, elsewhere.reading() as after:
        assert before.exec(waiting).one() == after.exec(waiting).one() > 0


