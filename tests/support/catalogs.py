"""Compiles the texts of pages and letters, as `make install` does, for tests run by hand."""

from __future__ import annotations

import fcntl
import tempfile
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from pbem.i18n.catalogs import CATALOGS


def compile_catalogs() -> None:
    """Write each .mo file that is older than its .po file; several test processes start at once."""
    with (Path(tempfile.gettempdir()) / "carreira-catalogs.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for source in CATALOGS.glob("*/LC_MESSAGES/*.po"):
            compiled = source.with_suffix(".mo")
            if not compiled.exists() or compiled.stat().st_mtime < source.stat().st_mtime:
                with source.open("rb") as texts, compiled.open("wb") as file:
                    write_mo(file, read_po(texts))
