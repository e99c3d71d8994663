"""Makes slow exports in a process of their own. A page requests them, and a folder caches them.

Page and process share only the folder. A file's name is a digest of everything it shows, so no file
has to be made twice. The oldest files are removed.
"""

from __future__ import annotations

import fcntl
import gzip
import hashlib
import io
import json
import logging
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlmodel import Session

from pbem import __version__
from pbem.archive.exports import html
from pbem.models import Entry, Game
from pbem.play import positions
from pbem.service import Service

log = logging.getLogger("carreira.exports")

KEPT = 200  # files, some 30 MB
KEPT_SECONDS = 7 * 86_400  # somebody may have removed their name since
MOST_WANTED = 20  # that may wait; later requests are told to try again
WANTED, READY = ".wanted", ".html.gz"


class TooManyWanted(Exception):
    """Raised if too many files wait to be made."""


def folder_of(service: Service) -> Path:
    """Return the folder of the exports."""
    return service.settings.var / "exports"


def ready(service: Service, session: Session, row: Game, language: str) -> Path | None:
    """Return the file if it exists, else request it. Raises TooManyWanted."""
    folder, name = folder_of(service), name_of(session, row, language)
    path = folder / f"{name}{READY}"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    wanted = folder / f"{name}{WANTED}"
    if not wanted.exists():
        if sum(1 for _ in folder.glob(f"*{WANTED}")) >= MOST_WANTED:
            raise TooManyWanted
        with replacing(wanted) as draft:
            draft.write_text(json.dumps({"game": row.id, "language": language}), "utf-8")
    return None


def name_of(session: Session, row: Game, language: str) -> str:
    """Return the file's name.

    It changes with the file's content, because names change when people leave.
    """
    last = session.get_one(Entry, (row.id, row.last_entry))
    names = [seat.name for seat in session.exec(positions.seats_of(row))]
    said = json.dumps([row.id, row.title, last.hash.hex(), names, language, __version__])
    return hashlib.sha256(said.encode()).hexdigest()[:32]


# ---- making exports -----------------------------------------------------------------------------


def start(service: Service) -> subprocess.Popen[bytes] | None:
    """Start the process that makes the requested files, if there are any.

    The worker goes on meanwhile.
    """
    if not any(folder_of(service).glob(f"*{WANTED}")):
        return None
    program = Path(__file__).parents[3] / "app.py"
    command = [sys.executable, str(program), "export", "--wanted"]
    return subprocess.Popen(command)  # noqa: S603  # nosec B603


def work_off(service: Service) -> int:
    """Make all requested files, unless another process does. Returns how many were made."""
    made = 0
    with only_one(folder_of(service)) as mine:
        while mine and (wanted := next_wanted(folder_of(service))):
            try:
                make(service, wanted)
                made += 1
            except Exception:  # one failure must not stop the others
                log.exception("An export could not be made: %s", wanted.name)
            wanted.unlink(missing_ok=True)
        if mine:
            tidy(folder_of(service))
    return made


@contextmanager
def only_one(folder: Path) -> Iterator[bool]:
    """Yield whether no other process makes exports now."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "making.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


def next_wanted(folder: Path) -> Path | None:
    """Return the oldest request."""
    waiting = []
    for path in folder.glob(f"*{WANTED}"):
        with suppress(FileNotFoundError):
            waiting.append((path.stat().st_mtime, path))
    return min(waiting)[1] if waiting else None


def make(service: Service, wanted: Path) -> None:
    """Make one file, under the name that it has now."""
    asked = json.loads(wanted.read_text("utf-8"))
    with service.reading() as session:
        row = session.get_one(Game, asked["game"])
        path = wanted.parent / f"{name_of(session, row, asked['language'])}{READY}"
        pieces = html.written(session, row, asked["language"], service.settings.base_url)
        with replacing(path) as draft, gzip.open(draft, "wt", 6, encoding="utf-8") as file:
            for piece in pieces:
                file.write(piece)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary file that replaces the target once it is complete."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".draft-")
    os.close(handle)
    try:
        yield Path(name)
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)


def tidy(folder: Path) -> None:
    """Limit the folder's size and the age of its files."""
    ages = []
    for path in [*folder.glob(f"*{READY}"), *folder.glob(".draft-*")]:
        with suppress(FileNotFoundError):
            ages.append((path.stat().st_mtime, path))
    ages.sort(reverse=True)
    for place, (made, path) in enumerate(ages):
        if place >= KEPT or time.time() - made > KEPT_SECONDS:
            path.unlink(missing_ok=True)


def plain(path: Path) -> Iterator[bytes]:
    """Yield a file's content uncompressed, for clients that do not accept gzip."""
    with gzip.open(path) as file:
        yield from iter(lambda: file.read(io.DEFAULT_BUFFER_SIZE * 8), b"")
