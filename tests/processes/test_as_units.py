"""The processes of several machines, each started as its systemd unit does, by itself."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from pbem import enqueue
from pbem.play import upkeep
from pbem.run.processes import die_with_parent
from pbem.service import Service
from tests.processes.story.cast import Cast
from tests.support.postbox import Postbox
from tests.support.servers import (
    ROOT,
    Running,
    Valkey,
    eventually,
    free_port,
    new_database,
    without_our_settings,
)

UNITS = ROOT / "docs" / "deploy" / "systemd"
QUEUES = sorted(set(enqueue.QUEUES.values()))

pytestmark = pytest.mark.slow


def command_of(unit: str, base: str) -> list[str]:
    """What a unit starts, with our folder, our Python's programs and a port of our own."""
    name, _, instance = unit.partition("@")
    told = (UNITS / f"{name}{'@' if instance else ''}.service").read_text()
    [line] = re.findall(r"^ExecStart=(.*)$", told, re.MULTILINE)
    for written, here in (
        ("/srv/carreira/app/.venv/bin", str(Path(sys.executable).parent)), ("%%", "\0"),
        ("%i", instance), ("\0", "%"), ("${WEB_THREADS}", "8"),
        ("127.0.0.1:8080", base.removeprefix("http://")),
    ):  # fmt: skip
        line = line.replace(written, here)
    return shlex.split(line)


@contextmanager
def started(unit: str, environ: dict[str, str], logs: Path) -> Iterator[None]:
    """A process as systemd would start it: in the folder of the code, nothing else of ours set."""
    surroundings = without_our_settings(os.environ) | environ
    surroundings.pop("PYTHONPATH", None)
    with (logs / f"{unit}.log").open("wb") as log:
        process = subprocess.Popen(
            command_of(unit, environ["CARREIRA_BASE_URL"]), cwd=ROOT, env=surroundings,
            stdout=log, stderr=log, preexec_fn=die_with_parent)
    try:
        yield
    finally:
        process.terminate()
        process.wait(60)


def test_a_worker_that_its_unit_starts_knows_its_tasks(
    service: Service, environment: dict[str, str], valkey: Valkey, tmp_path: Path
) -> None:
    """Celery's own program has the folder in the path for a moment only."""
    with started("carreira-worker@upkeep",
                 environment | {"CARREIRA_REDIS_URL": valkey.url}, tmp_path):
        eventually(lambda: has_swept(service), 90)


def has_swept(service: Service) -> bool:
    with service.reading() as session:
        return upkeep.last_heartbeat(session, "sweep") is not None


@pytest.mark.soak
def test_the_units_processes_play_a_game_on_postgresql(
    postgres: str, valkey: Valkey, postbox: Postbox, tmp_path: Path
) -> None:
    environ = {
        "CARREIRA_VAR": str(tmp_path / "var"),
        "CARREIRA_DATABASE_URL": new_database(postgres, "as_units"),
        "CARREIRA_REDIS_URL": valkey.url, "CARREIRA_SMTP_URL": postbox.url,
        "CARREIRA_BASE_URL": f"http://127.0.0.1:{free_port()}", "CARREIRA_LETTER_DELAY": "0",
        "CARREIRA_SECRET_KEY": "a secret key that all of them know", "CARREIRA_PICTURES": "off",
        "CARREIRA_MAIL_IN": f"lmtp://127.0.0.1:{free_port()}",
    }
    assert Running(environ, "migrate").ended() == 0
    units = ["carreira-web", "carreira-beat", "carreira-mail-in",
             *(f"carreira-worker@{queue}" for queue in QUEUES)]
    with ExitStack() as stack:
        for unit in units:
            stack.enter_context(started(unit, environ, tmp_path))
        service = Service.from_environment(environ)
        stack.callback(service.engine.dispose)
        eventually(lambda: "Takes letters in" in (tmp_path / "carreira-mail-in.log").read_text(),
                   120)
        eventually(lambda: answers(f"{environ['CARREIRA_BASE_URL']}/readyz"), 120)
        play(Cast(environ["CARREIRA_BASE_URL"], postbox, service))
    told = "".join(log.read_text() for log in tmp_path.glob("*.log"))
    assert "Traceback" not in told


def answers(address: str) -> bool:
    with suppress(OSError):  # not yet, or 503
        return urllib.request.urlopen(address, timeout=5).status == 200  # noqa: S310  (our own)
    return False


def play(cast: Cast) -> None:
    """Two sign in, sit down and play: each process has something to do."""
    for name in ("Ana", "Bento"):
        cast.sign_in(name)
    cast.sit_down("vasco-da-gama", ("Ana", "Bento"))
    for _ in range(2):
        cast.wait_for_letters()
        cast.post(*cast.next_orders())
    cast.wait_for_letters()
    kinds, doubled, missing = cast.ledger()
    assert (doubled, missing) == (0, 0), kinds
