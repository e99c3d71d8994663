"""Letters into the whole service: real processes, a killed listener, the command for pipes."""

from __future__ import annotations

import os
import shutil
import signal
import smtplib
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.clock import SystemClock
from pbem.config import Settings
from pbem.db import make_engine, migrate
from pbem.models import InboundState
from pbem.service import Service
from tests.support.imap_server import imap_server
from tests.support.incoming import WRITER, address, letter, rows
from tests.support.servers import (
    ROOT,
    Running,
    eventually,
    free_port,
    short_folder,
    without_our_settings,
)

pytestmark = pytest.mark.slow
ROBOT = b"Auto-Submitted: auto-replied\r\n\r\npass\r\n"


@pytest.fixture(scope="module")
def var() -> Iterator[Path]:
    made = short_folder("ci-")
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture(scope="module")
def environ(var: Path) -> dict[str, str]:
    return {
        "CARREIRA_VAR": str(var),
        "CARREIRA_PORT": str(free_port()),
        "CARREIRA_MAIL_IN": f"smtp://127.0.0.1:{free_port()}",
    }


@pytest.fixture(scope="module")
def running(environ: dict[str, str]) -> Iterator[Running]:
    started = Running(environ)
    started.wait_for_line("Carreira is at")
    yield started
    started.stop()


@pytest.fixture(scope="module")
def outside(environ: dict[str, str]) -> Service:
    """The service's database, from the outside."""
    settings = Settings.from_environment(environ)
    engine = make_engine(settings.database_url)
    migrate(engine)
    return Service(settings, engine, SystemClock())


def send(environ: dict[str, str], service: Service, raw: bytes) -> None:
    host, _, port = environ["CARREIRA_MAIL_IN"].removeprefix("smtp://").partition(":")
    with smtplib.SMTP(host, int(port), timeout=30) as line:
        line.sendmail(WRITER, [address(service)], raw)


def states(service: Service) -> list[str]:
    return [row.state for row in rows(service)]


def receive(
    environ: dict[str, str], raw: bytes, *arguments: str
) -> subprocess.CompletedProcess[bytes]:
    """`python app.py receive`, as a mail server's pipe starts it."""
    return subprocess.run(
        [sys.executable, str(ROOT / "app.py"), "receive", *arguments],
        env={**without_our_settings(os.environ), **environ},
        input=raw, capture_output=True, timeout=60, check=False,
    )  # fmt: skip


# ---- the whole service --------------------------------------------------------------------------


def test_a_letter_by_smtp_is_judged_by_the_worker(
    running: Running, environ: dict[str, str], outside: Service
) -> None:
    send(environ, outside, ROBOT)

    eventually(lambda: states(outside)[-1] == InboundState.IGNORED)


def test_a_letter_that_comes_while_the_listener_is_killed_is_taken_by_the_next_one(
    running: Running, environ: dict[str, str], outside: Service
) -> None:
    """The place stays the supervisor's: who connects meanwhile waits, and is not refused."""
    before = len(rows(outside))
    (listener,) = [n for n, command in running.children().items() if "mail-in" in command]
    os.kill(listener, signal.SIGKILL)

    send(environ, outside, ROBOT)

    assert len(rows(outside)) == before + 1
    running.wait_for_line("mail_in has been killed by SIGKILL")


def test_a_mailbox_is_looked_into_by_the_same_process(
    environ: dict[str, str], outside: Service
) -> None:
    before = len(rows(outside))
    with imap_server() as box:
        box.put(f"Delivered-To: {address(outside)}\r\n".encode() + ROBOT)
        looks = Running(
            environ | {"CARREIRA_IMAP_URL": box.url, "CARREIRA_MAIL_IN": "none"}, "mail-in"
        )
        eventually(lambda: box.letters("done"))
        assert looks.stop() == 0

    assert len(rows(outside)) == before + 1


# ---- it says why it does not --------------------------------------------------------------------


def test_a_taken_mail_port_is_told_in_one_line(
    environ: dict[str, str], tmp_path: Path
) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = f"smtp://127.0.0.1:{other.getsockname()[1]}"
        for command in ("mail-in", "run"):
            failed = Running(environ | {
                "CARREIRA_MAIL_IN": taken, "CARREIRA_VAR": str(tmp_path),
                "CARREIRA_PORT": str(free_port()),
            }, command)  # fmt: skip
            assert failed.ended() == 1
            assert failed.lines[-1].startswith(f"CARREIRA_MAIL_IN: {taken} cannot be used")


def test_without_anything_to_take_letters_from_the_listener_says_so(
    environ: dict[str, str]
) -> None:
    idle = Running(environ | {"CARREIRA_MAIL_IN": "none"}, "mail-in")

    assert idle.ended() == 1
    assert "CARREIRA_IMAP_URL" in idle.lines[-1]


# ---- the command --------------------------------------------------------------------------------


def test_the_command_takes_a_letter_in_and_says_what_became_of_it(
    environ: dict[str, str], outside: Service
) -> None:
    done = receive(environ, ROBOT, "--to", address(outside), "--from", WRITER)

    row = rows(outside)[-1]
    assert done.returncode == 0
    assert done.stdout.decode() == f"Letter {row.id}: ignored ({row.reason}).\n"
    assert (row.sender, row.source, row.raw) == (WRITER, "pipe", ROBOT)


@pytest.mark.soak
def test_without_arguments_the_command_believes_the_headers(
    environ: dict[str, str], outside: Service
) -> None:
    head = f"Return-Path: <{WRITER}>\r\nTo: Carreira <{address(outside)}>\r\n".encode()

    done = receive(environ, head + ROBOT)

    assert done.returncode == 0, done.stderr
    assert (rows(outside)[-1].sender, rows(outside)[-1].recipient) == (WRITER, address(outside))


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["--to", "nobody@players.example"], 67), (["--too", "x"], 64),
     pytest.param([], 67, marks=pytest.mark.soak)],
    ids=["nobody", "usage", "no header"],
)
def test_what_cannot_be_taken_has_the_exit_code_that_mail_servers_know(
    environ: dict[str, str], outside: Service, arguments: list[str], code: int
) -> None:
    assert receive(environ, letter(), *arguments).returncode == code


def test_a_letter_past_the_limit_has_its_exit_code(
    environ: dict[str, str], outside: Service
) -> None:
    assert receive(environ, b"x" * 1_100_000, "--to", address(outside)).returncode == 65


@pytest.mark.parametrize(
    "wrong",
    [
        {"CARREIRA_DATABASE_URL": "sqlite:////nowhere/at/all.db"},
        {"CARREIRA_DATABASE_URL": "sqlite://"},
        {"CARREIRA_PORT": "eighty"},
    ],
    ids=["no database", "an empty database", "a wrong setting"],
)
def test_whatever_is_wrong_with_us_the_mail_server_keeps_the_letter(
    environ: dict[str, str], outside: Service, wrong: dict[str, str]
) -> None:
    done = receive(environ | wrong, ROBOT, "--to", address(outside))

    assert done.returncode == 75
    assert len(done.stderr.splitlines()) == 1
    assert b"auto-replied" not in done.stderr
