"""Modules of the service can be imported in any order: a worker's first is not a page's."""

from __future__ import annotations

import gc
import os
import sys
import traceback
from collections.abc import Callable
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
BELOW = ("engine.registry", "pbem.models", "pbem.models.archive", "pbem.models.operators")
"""What takes long. It imports nothing of the modules above: nothing circular leads through it."""


@pytest.fixture(scope="module")
def kept() -> set[str]:
    """Modules that need not be forgotten: those below, and all that they import of ours."""
    for module in BELOW:
        import_module(module)
    kept = {name for name in ours() if name.split(".")[0] == "engine" or name in BELOW
            or name.startswith("pbem.models_")}
    kept |= {"pbem", "pbem.packing"}
    assert in_a_process(lambda: imported_below() - kept) == 0, "what is below imports more"
    return kept


@pytest.mark.parametrize("module", MODULES)
def test_a_module_can_be_imported_first(module: str, kept: set[str]) -> None:
    assert module not in kept
    assert in_a_process(lambda: import_alone(module, kept)) == 0, f"see the traceback of {module}"


def in_a_process(what: Callable[[], object]) -> int:
    """The exit code of a process of its own: 1 if something is returned or goes wrong."""
    child = os.fork()
    if child == 0:
        os._exit(exit_code(what))
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def exit_code(what: Callable[[], object]) -> int:
    gc.disable()  # it would look through, and so copy, all that the tests hold
    try:
        if found := what():
            print(found, file=sys.stderr)
    except BaseException:  # noqa: BLE001  (the child's outer edge)
        traceback.print_exc()
        return 1
    return int(bool(found))


def import_alone(module: str, kept: set[str]) -> None:
    """Forget our modules but those, and import this one."""
    for name in ours() - kept:
        del sys.modules[name]
    import_module(module)


def imported_below() -> set[str]:
    """What is there of ours when all is forgotten and the modules below are imported."""
    for name in ours():
        del sys.modules[name]
    forget_tables()
    for name in BELOW:
        import_module(name)
    return ours()


def ours() -> set[str]:
    return {name for name in sys.modules if name.split(".")[0] in OURS}


def forget_tables() -> None:
    """SQLModel keeps every table that was ever declared."""
    from sqlmodel import SQLModel

    SQLModel.metadata.clear()
    SQLModel._sa_registry.dispose()
