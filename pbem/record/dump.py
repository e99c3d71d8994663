"""Dumps the archive to a folder: the record of each finished public game, and an index.

Unchanged files stay. Every file is written atomically, and the index last.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import IO, NamedTuple

import msgspec
from msgspec import Struct
from sqlmodel import Session, col, select

from engine import codec
from pbem.backup_file import check_place
from pbem.models import EPOCH, Entry, Game, GameState, stored_id
from pbem.models.archive import ImportedGame
from pbem.play import positions
from pbem.record import export
from pbem.record.importing import Dates
from pbem.service import Service

INDEX = "index.jsonl"
LONGEST_LINE = 64 * 1024
BAD = (msgspec.DecodeError, ValueError, TypeError, OverflowError)


class Player(Struct, frozen=True):
    """One seat of a game in the index."""

    name: str
    place: int | None
    points: int | None


class Listed(Struct, frozen=True):
    """One game in the index.

    `final_hash` is that of its last entry; `digest` is the file's SHA-256.
    """

    file: str
    game: str
    number: int
    title: str
    players: tuple[Player, ...]
    started: str  # ISO 8601, UTC
    ended: str
    entries: int
    options: msgspec.Raw
    components: str
    commitment: str
    final_hash: str
    digest: str
    imported_from: str | None = None


class Dumped(NamedTuple):
    """How many records were written, kept and removed."""

    written: int
    kept: int
    gone: int


def dump(service: Service, folder: Path) -> Dumped:
    """Update the folder to the archive's current content."""
    folder.mkdir(parents=True, exist_ok=True)
    before = {each.number: each for each in read_index(folder)}
    written = kept = 0
    with service.reading() as session, replacing(folder / INDEX) as index:
        numbers = games(session)
        for number in numbers:
            row = session.get_one(Game, number)
            line = listed(session, row)
            old = before.get(number)
            if old is not None and is_same(folder, old, line):
                line = old
                kept += 1
            else:
                line = msgspec.structs.replace(line, digest=write_record(session, row, folder))
                written += 1
            index.write(codec.encode(line) + b"\n")
            session.expunge_all()  # so that a large archive does not fill the memory
    gone = [each for number, each in before.items() if number not in set(numbers)]
    for each in gone:
        (folder / each.file).unlink(missing_ok=True)
    return Dumped(written, kept, len(gone))


def games(session: Session) -> list[int]:
    """Return the finished games that everybody may see."""
    found = session.exec(
        select(Game.id).where(Game.state == GameState.FINISHED, col(Game.private).is_(False))
        .order_by(col(Game.id)))
    return [number for number in found if number is not None]


def listed(session: Session, row: Game) -> Listed:
    """Return a game's line in the index, with its file's digest still empty."""
    last = session.get_one(Entry, (row.id, row.last_entry))
    imported = session.get(ImportedGame, row.id)
    seats = session.exec(positions.seats_of(row)).all()
    return Listed(
        file=file_of(stored_id(row)), game=row.game, number=stored_id(row), title=row.title,
        players=tuple(Player(seat.name, seat.place, seat.points) for seat in seats),
        started=(row.started or EPOCH).isoformat(), ended=(row.ended or EPOCH).isoformat(),
        entries=row.last_entry, options=msgspec.Raw(row.options.encode()),
        components=row.components, commitment=row.commitment, final_hash=last.hash.hex(),
        digest="", imported_from=None if imported is None else imported.source,
    )


def file_of(number: int) -> str:
    """Return the name of a game's file."""
    return f"game-{number}.jsonl"


def is_same(folder: Path, old: Listed, now: Listed) -> bool:
    """Return whether nothing of a game has changed, names included, and its file exists."""
    undigested = msgspec.structs.replace(old, digest="")
    return codec.encode(undigested) == codec.encode(now) and (folder / old.file).is_file()


def write_record(session: Session, row: Game, folder: Path) -> str:
    """Write a game's record. Returns its SHA-256."""
    digest = hashlib.sha256()
    with replacing(folder / file_of(stored_id(row))) as file:
        for line in export.record_lines(session, row):
            digest.update(line)
            file.write(line)
    return digest.hexdigest()


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that atomically replaces another one when it is complete and flushed."""
    check_place(path)
    with tempfile.NamedTemporaryFile(
        dir=path.parent, prefix=f".{path.name}.", delete=False
    ) as draft:
        try:
            yield draft
            draft.flush()
            os.fsync(draft.fileno())
            Path(draft.name).chmod(0o644)
            Path(draft.name).replace(path)
        finally:
            Path(draft.name).unlink(missing_ok=True)


# ---- reading ------------------------------------------------------------------------------------


def read_index(folder: Path) -> Iterator[Listed]:
    """Yield the games in a folder's index. Skips lines that cannot be read."""
    with suppress(OSError), (folder / INDEX).open("rb") as lines:
        for line in bounded(lines):
            with suppress(*BAD):
                found = msgspec.json.decode(line, type=Listed)
                if found.file == file_of(found.number):  # the index decides which files are removed
                    yield found


def index_faults(folder: Path) -> Iterator[str]:
    """Yield what an index lacks, or what cannot be read in it. Yields nothing for a valid one."""
    with (folder / INDEX).open("rb") as lines:
        rows = sum(1 for _ in iter(lambda: lines.readline(LONGEST_LINE), b""))
    found = [each.file for each in read_index(folder)]
    if len(found) != rows:
        yield f"{rows - len(found)} of its {rows} lines cannot be read"
    unlisted = {path.name for path in folder.glob("game-*.jsonl")} - set(found)
    if unlisted:
        yield f"it does not list {min(unlisted)}" + (
            f" and {len(unlisted) - 1} more" if len(unlisted) > 1 else "")


def bounded(lines: IO[bytes]) -> Iterable[bytes]:
    """Yield the lines up to the first that is too long for the index."""
    while (line := lines.readline(LONGEST_LINE)) and line.endswith(b"\n"):
        yield line


def dates_by_file(folder: Path) -> dict[str, Dates]:
    """Return when the games of a folder's records were played, by its index."""
    return {each.file: dates for each in read_index(folder) if (dates := dates_in(each))}


def dates_in(listed: Listed) -> Dates | None:
    """Return the dates of an index line, or None if they are invalid or out of order."""
    with suppress(*BAD):
        started = datetime.fromisoformat(listed.started)
        ended = datetime.fromisoformat(listed.ended)
        if EPOCH <= started <= ended:
            return Dates(started, ended)
    return None
