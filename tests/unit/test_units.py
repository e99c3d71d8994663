"""The systemd units of docs/deploy: systemd takes them, and they start what there is."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pbem import enqueue
from pbem.cli import COMMANDS
from pbem.run import supervisor

ROOT = Path(__file__).parents[2]
UNITS = ROOT / "docs" / "deploy" / "systemd"
SERVICES = sorted(path.name for path in UNITS.glob("*.service"))
IN_USE = "/srv/carreira/app"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze here")
@pytest.mark.parametrize("name", [*SERVICES, "carreira-backup.timer"])
def test_systemd_takes_a_unit_without_a_word(name: str, tmp_path: Path) -> None:
    for path in UNITS.iterdir():
        told = path.read_text().replace(IN_USE, str(ROOT))
        (tmp_path / path.name.replace("@", "@engine")).write_text(told)
    checked = subprocess.run(
        ["systemd-analyze", "verify", f"./{name.replace('@', '@engine')}"],
        cwd=tmp_path, capture_output=True, text=True, check=False)
    about_it = [line for line in checked.stderr.splitlines() if "carreira" in line]
    assert about_it == []


@pytest.mark.parametrize("name", SERVICES)
def test_a_unit_starts_a_command_that_there_is(name: str) -> None:
    told = (UNITS / name).read_text()
    commands = re.findall(r"python app\.py (\S+)", told)
    programs = re.findall(rf"{IN_USE}/\.venv/bin/(\S+)", told)
    assert programs
    assert set(commands) <= set(COMMANDS)


def test_web_and_workers_are_started_as_run_starts_them() -> None:
    """Whoever changes the supervisor's options changes the units too."""
    web = (UNITS / "carreira-web.service").read_text()
    worker = (UNITS / "carreira-worker@.service").read_text()
    for option in supervisor.web(3)[3:]:
        name = option.partition("=")[0]
        assert name in web or name == "--log-level", option
    for option in supervisor.worker("w", "q")[5:]:
        assert option.partition("=")[0] in worker, option


def test_the_pages_name_every_queue() -> None:
    page = (UNITS.parent / "several-machines.md").read_text()
    for queue in set(enqueue.QUEUES.values()):
        assert f"@{queue}" in page
