"""Setting up on a machine that lacks something: one line that says what."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tests.support.servers import ROOT


def test_a_missing_python_is_told_in_one_line(tmp_path: Path) -> None:
    for name in ("Makefile", "requirements.txt", "requirements-dev.txt"):
        shutil.copy(ROOT / name, tmp_path)

    done = subprocess.run(
        ["make", "--silent", "install", "PYTHONS=no-such-python"],
        cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip

    assert done.returncode != 0
    assert done.stderr.splitlines()[0].startswith("Carreira needs Python 3.11 or newer")
    assert not (tmp_path / ".venv").exists()


def test_an_old_python_is_told_in_one_line() -> None:
    pretend = (
        "import runpy, sys; sys.version_info = (3, 10, 4, 'final', 0); sys.version = '3.10.4 x';"
        f"runpy.run_path({str(ROOT / 'app.py')!r}, run_name='__main__')"
    )

    done = subprocess.run(
        [sys.executable, "-c", pretend], capture_output=True, text=True, timeout=60, check=False
    )

    assert done.returncode == 1
    assert done.stderr.splitlines() == ["Carreira needs Python 3.11 or newer; this is 3.10.4."]


def test_make_alone_lists_what_can_be_done() -> None:
    listed = subprocess.run(
        ["make", "--silent"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    ).stdout

    for target in ("install", "run", "test", "check", "demo", "bench"):
        assert f"\n{target} " in f"\n{listed}"
