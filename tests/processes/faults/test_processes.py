"""The supervisor outlives what its machine lacks for a while."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pbem.run import processes
from pbem.run.processes import Child, say
from tests.support.servers import eventually


class Full:
    """A terminal or file that takes nothing."""

    def write(self, text: str) -> None:
        raise OSError(28, "No space left on device")

    def flush(self) -> None:
        return None


def test_what_nobody_can_hear_is_no_reason_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Full())

    say("a line")


def test_a_part_that_cannot_be_started_is_started_as_soon_as_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its log cannot be opened, as on a full disk."""
    said: list[str] = []
    monkeypatch.setattr(processes, "say", said.append)
    child = Child("web", [sys.executable, "-c", ""], {}, tmp_path)
    child.start()
    assert child.process is not None
    child.process.wait()
    first = child.process
    child.log.unlink()
    child.log.mkdir()

    child.keep_running(0.0)
    child.keep_running(10.0)
    assert child.process is first
    assert "cannot be started" in said[-1]

    child.log.rmdir()
    child.keep_running(100.0)
    assert child.process is not first
    child.process.wait()


def test_the_log_of_a_process_that_never_ends_is_kept_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "LARGEST_LOG", 1000)
    writes = "import sys\nfor line in sys.stdin: print(line * 30, end='', flush=True)"
    child = Child("web", [sys.executable, "-c", "x"], {}, tmp_path)
    child.log.parent.mkdir()
    with child.log.open("ab") as log, subprocess.Popen(
        [sys.executable, "-c", writes], stdin=subprocess.PIPE, stdout=log, text=True
    ) as process:
        assert process.stdin is not None
        for word in ("first", "second", "third"):
            process.stdin.write(f"{word} and what else is told in such a line\n")
            process.stdin.flush()
            eventually(lambda said=word: child.log.read_text("utf-8").count(said) == 30)
            child.keep_log_short()
            assert child.log.stat().st_size == 0

    older = child.log.with_suffix(".log.1").read_text("utf-8")
    assert older.count("third") == 30
    assert "\0" not in older
    assert "second" not in older


def test_a_log_that_finds_no_room_beside_it_is_emptied_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "LARGEST_LOG", 1000)
    child = Child("web", [], {}, tmp_path)
    child.log.parent.mkdir()
    child.log.write_bytes(b"x" * 2000)
    child.log.with_suffix(".log.1").mkdir()
    child.keep_log_short()
    assert child.log.stat().st_size == 0
