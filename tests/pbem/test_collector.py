"""Python's collector in processes that go on for long."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

LOOKS = "import gc, {0}; {1}; print(gc.get_freeze_count() > 10_000, gc.get_threshold())"


def seen(module: str, done: str) -> str:
    """What the collector of a process of its own does then."""
    command = [sys.executable, "-c", LOOKS.format(module, done)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_a_worker_spares_what_it_has_loaded_and_looks_seldom_at_the_rest() -> None:
    said = seen("workers.celery_app as w", "w.spare_what_is_loaded()")
    assert said == "True (10000, 20, 20)"


def test_the_site_looks_seldom(tmp_path: Path) -> None:
    said = seen("app", f"app.create_app({{'CARREIRA_VAR': {str(tmp_path)!r}}})")
    assert said == "False (10000, 20, 20)"
