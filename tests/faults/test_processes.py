"""The supervisor outlives what its machine lacks for a while."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pbem import processes
from pbem.processes import Child, say


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
