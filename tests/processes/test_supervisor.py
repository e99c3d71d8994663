"""`python app.py run`: real processes on free ports, started, killed, stopped and started again."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.servers import (
    ROOT,
    Running,
    alive,
    eventually,
    free_port,
    short_folder,
    without_our_settings,
)

pytestmark = pytest.mark.slow


@contextmanager
def folder() -> Iterator[Path]:
    """A folder whose path is short enough for a socket in it."""
    made = short_folder("cv-")
    yield made
    shutil.rmtree(made, ignore_errors=True)


@contextmanager
def service(environ: dict[str, str]) -> Iterator[Running]:
    """The whole service, as soon as it has printed its address."""
    started = Running(environ)
    started.wait_for_line("Carreira is at")
    yield started
    started.stop()


@pytest.fixture
def var() -> Iterator[Path]:
    with folder() as made:
        yield made


def places(var: Path) -> dict[str, str]:
    """Where a service is that is in nobody's way."""
    return {"CARREIRA_VAR": str(var), "CARREIRA_PORT": str(free_port()),
            "CARREIRA_MAIL_IN": f"smtp://127.0.0.1:{free_port()}"}


@pytest.fixture
def environ(var: Path) -> dict[str, str]:
    return places(var)


@pytest.fixture
def running(environ: dict[str, str]) -> Iterator[Running]:
    """A service for a test that stops it."""
    with service(environ) as started:
        yield started


@pytest.fixture(scope="module")
def common_environ() -> Iterator[dict[str, str]]:
    with folder() as made:
        yield places(made)


@pytest.fixture(scope="module")
def common(common_environ: dict[str, str]) -> Iterator[Running]:
    """One service for all tests that leave it running."""
    with service(common_environ) as started:
        yield started


def refused(environ: dict[str, str], *command: str) -> str:
    """The one line that a command says before it exits with 1."""
    lines = said_in_vain(environ, *command)
    assert len(lines) == 1, lines
    return lines[0]


def last_line_of_a_refusal(environ: dict[str, str]) -> str:
    """Why `run` gives up, where some of its parts were ready before."""
    *before, last = said_in_vain(environ)
    assert before in ([], ["The database is ready."])
    return last


def said_in_vain(environ: dict[str, str], *command: str) -> list[str]:
    """What a command says before it exits with 1."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "app.py"), *(command or ("run",))],
        env={**without_our_settings(os.environ), **environ},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    return (done.stdout + done.stderr).splitlines()


def told(environ: dict[str, str], path: str) -> str:
    """What the site tells whoever watches over it; nothing while it is not well."""
    try:
        with urllib.request.urlopen(
            f"http://127.0.0.1:{environ['CARREIRA_PORT']}{path}", timeout=10
        ) as answer:
            return str(answer.read().decode())
    except OSError:  # not yet, or not ready
        return ""


# ---- it runs ------------------------------------------------------------------------------------


def test_one_command_starts_everything_and_a_sweep_comes_by(
    common: Running, common_environ: dict[str, str]
) -> None:
    commands = " ".join(common.children().values())

    for part in ("valkey-server", "gunicorn", "celery", "beat"):
        assert part in commands
    eventually(lambda: "carreira_sweep_age_seconds" in told(common_environ, "/metrics"), seconds=60)


@pytest.mark.soak
def test_children_do_not_outlive_a_supervisor_that_was_killed(running: Running) -> None:
    family = running.children()

    running.process.kill()

    eventually(lambda: not any(alive(number) for number in family), seconds=40)


@pytest.mark.soak
def test_stopped_by_sigterm_or_ctrl_c_it_leaves_no_process_and_all_that_was_written(
    environ: dict[str, str], var: Path
) -> None:
    first = Running(environ)
    first.wait_for_line("Carreira is at")
    key = (var / "secret.key").read_bytes()
    with sqlite3.connect(var / "carreira.db") as base:
        base.execute("insert into neverinvite values ('a', 0)")
    family = first.children()
    assert len(family) >= 5
    first.process.terminate()
    assert first.ended() == 0
    assert [command for number, command in family.items() if alive(number)] == []

    second = Running(environ)
    second.wait_for_line("Carreira is at")
    family = second.children()
    assert second.stop() == 0, "by Ctrl-C"
    assert [command for number, command in family.items() if alive(number)] == []
    assert second.lines[-1].startswith("Stopped.")

    with sqlite3.connect(var / "carreira.db") as base:
        assert base.execute("select address_hash from neverinvite").fetchall() == [("a",)]
    assert (var / "secret.key").read_bytes() == key
    assert (var / "secret.key").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("part", [
    "gunicorn", pytest.param("valkey-server", marks=pytest.mark.soak)])
def test_a_child_that_is_killed_is_started_again(
    common: Running, common_environ: dict[str, str], part: str
) -> None:
    def main_process() -> int:
        return min((n for n, command in common.children().items() if part in command), default=0)

    killed = main_process()
    os.kill(killed, signal.SIGKILL)

    line = common.wait_for_line("killed by SIGKILL")
    assert "started again in 0.5 s" in line
    eventually(lambda: main_process() not in (0, killed))
    assert json.loads(eventually(lambda: told(common_environ, "/readyz")))["ready"]


@pytest.mark.soak
def test_a_folder_too_deep_for_a_socket_gets_a_short_one(
    environ: dict[str, str], var: Path
) -> None:
    deep = var / ("a-long-name-" * 10)
    service = Running(environ | {"CARREIRA_VAR": str(deep)})

    line = service.wait_for_line("does not fit a socket")
    service.wait_for_line("Carreira is at")
    service.stop()

    short = Path(line.rpartition(" ")[2].rstrip("."))
    assert (deep / "carreira.db").exists()
    assert not short.parent.exists()


# ---- it says why it does not --------------------------------------------------------------------


def test_a_second_start_on_the_same_folder_is_refused(
    common: Running, common_environ: dict[str, str]
) -> None:
    line = refused(common_environ | {"CARREIRA_PORT": str(free_port())})

    assert "already runs on" in line
    assert str(common.process.pid) in line


def test_a_taken_port_is_told_in_one_line(environ: dict[str, str]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", int(environ["CARREIRA_PORT"])))
        other.listen()

        line = refused(environ)

    assert "CARREIRA_PORT" in line
    assert "already in use" in line


def test_a_folder_that_cannot_be_written_is_told_in_one_line(
    environ: dict[str, str], var: Path
) -> None:
    (var / "file").write_text("no folder")

    assert "CARREIRA_VAR" in refused(environ | {"CARREIRA_VAR": str(var / "file" / "var")})


@pytest.mark.parametrize("name", [
    pytest.param("log", marks=pytest.mark.soak), pytest.param("valkey", marks=pytest.mark.soak),
    "run.lock"])
def test_something_else_in_the_place_of_a_part_of_the_folder_is_told_by_its_path(
    environ: dict[str, str], var: Path, name: str
) -> None:
    if name == "run.lock":
        (var / name).mkdir()
    else:
        (var / name).write_text("no folder")

    line = last_line_of_a_refusal(environ)

    assert line.startswith(f"CARREIRA_VAR: {var / name} cannot be used: ")


@pytest.mark.parametrize("content", [
    "no database", pytest.param("of another release", marks=pytest.mark.soak)])
def test_a_database_that_cannot_be_ours_is_told_in_one_line(
    environ: dict[str, str], var: Path, content: str
) -> None:
    if content == "no database":
        (var / "carreira.db").write_text(content)
    else:
        with sqlite3.connect(var / "carreira.db") as database:
            database.execute("create table alembic_version (version_num varchar(32) not null)")
            database.execute("insert into alembic_version values ('9999')")
        database.close()

    assert last_line_of_a_refusal(environ).startswith("CARREIRA_DATABASE_URL: ")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CARREIRA_PORT", "eighty"),
        ("CARREIRA_PORT", "70000"),
        ("CARREIRA_DATABASE_URL", "mysql://here"),
        ("CARREIRA_REDIS_URL", "http://here"),
        ("CARREIRA_SMTP_URL", "mail.example:25"),
        ("CARREIRA_BASE_URL", "carreira.example"),
        ("CARREIRA_MAIL_DOMAIN", "not a domain"),
        ("CARREIRA_SECRET_KEY", "short"),
        ("CARREIRA_REGISTRATION", "maybe"),
        ("CARREIRA_LETTER_DELAY", "-1"),
    ],
)
def test_a_wrong_setting_is_refused_by_its_name(
    environ: dict[str, str], name: str, value: str
) -> None:
    assert refused(environ | {name: value}).startswith(f"{name}: ")


def test_a_database_that_is_not_there_is_told_in_one_line(environ: dict[str, str]) -> None:
    gone = f"postgresql://nobody@127.0.0.1:{free_port()}/none"

    assert "CARREIRA_DATABASE_URL" in refused(environ | {"CARREIRA_DATABASE_URL": gone})


def test_an_unknown_command_is_told_in_one_line(environ: dict[str, str]) -> None:
    assert "'rnu'" in refused(environ, "rnu")
