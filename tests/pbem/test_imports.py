"""Modules of the service can be imported in any order: a worker's first is not a page's."""

from __future__ import annotations

import os
import sys
import traceback
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for package in ("pbem/games", "pbem/mail", "workers")
    for path in (ROOT / package).rglob("*.py")
    if path.name != "celery_app.py"  # reads the environment
)
OURS = ("engine", "pbem", "workers")


@pytest.mark.parametrize("module", MODULES)
def test_a_module_can_be_imported_first(module: str) -> None:
    child = os.fork()
    if child == 0:
        os._exit(import_alone(module))
    _, status = os.waitpid(child, 0)

    assert os.waitstatus_to_exitcode(status) == 0, f"see the traceback of {module}"


def import_alone(module: str) -> int:
    """In a process of its own, forget our modules and tables, and import this one."""
    try:
        for name in [name for name in sys.modules if name.split(".")[0] in OURS]:
            del sys.modules[name]
        forget_tables()
        import_module(module)
    except BaseException:  # noqa: BLE001  (the child's outer edge)
        traceback.print_exc()
        return 1
    return 0


def forget_tables() -> None:
    """SQLModel keeps every table that was ever declared."""
    from sqlmodel import SQLModel

    SQLModel.metadata.clear()
    SQLModel._sa_registry.dispose()
