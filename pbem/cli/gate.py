"""`python app.py gate [FILE-OR-FOLDER]`: checks whether this release may run on the stored games.

Replays every stored game, running ones too, and lists each entry that this release's rules would
play differently. Reads only. Without an argument it reads the database of CARREIRA_DATABASE_URL, of
any release; otherwise a backup, a game record, or a folder of records. Exit code 1: a running game
would be played differently, or a game does not fit its stored positions. 2: there is no game.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy.exc import DatabaseError

from pbem.backup import backup, restore
from pbem.backup_file import BackupRefused
from pbem.db import is_newest, make_engine
from pbem.record import gate
from pbem.service import Service

GAMES_A_PROCESS = 500  # then a new process takes over, which frees its memory

Work = Callable[[Any], gate.Found | None]


def main(arguments: list[str]) -> int:
    """Check the games. Returns 1 if this release must not run on them, 2 if there were none."""
    parser = argparse.ArgumentParser(prog="app.py gate", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", type=Path, metavar="FILE-OR-FOLDER")
    parser.add_argument("--jobs", type=int, default=1, help="processes that work at once (1)")
    parser.add_argument("--from", dest="first", default="", metavar="GAME",
                        help="go on with this game's number (records: this file's name)")
    asked = parser.parse_args(arguments)
    if asked.jobs < 1:
        parser.error("--jobs is at least 1")
    try:
        with ExitStack() as held:
            work, games = held.enter_context(to_do(asked.what, asked.first, parser))
            if asked.first and not games:
                sys.stderr.write(f"No game was looked at: there is none from {asked.first} on.\n")
                return 2
            return worked_off(work, games, held, asked.jobs)
    except BackupRefused as refused:
        sys.stderr.write(f"{refused}\n")
    except OSError as problem:
        sys.stderr.write(f"{problem.filename or asked.what}: {problem.strerror}\n")
    return 1


@contextmanager
def to_do(
    what: Path | None, first: str, parser: argparse.ArgumentParser
) -> Iterator[tuple[Work, list[Any]]]:
    """Yield the function to apply to each game, and the games in order."""
    if what is not None and (what.is_dir() or is_record(what)):
        files = sorted(what.glob("*.jsonl")) if what.is_dir() else [what]
        yield gate.recorded, [each for each in files
                              if each.name != "index.jsonl" and each.name >= first]
        return
    if first and not (first.isascii() and first.isdigit() and len(first) <= 9):
        parser.error("--from takes the number of a game")
    with ExitStack() as held:
        url = held.enter_context(here() if what is None else unpacked(what))
        engine = make_engine(url)
        games = gate.begun(engine, int(first or 0))
        engine.dispose()
        yield partial(in_database, url), games


def is_record(path: Path) -> bool:
    """Return whether a file is a game record. Backups are gzipped."""
    with path.open("rb") as file:
        return file.read(1) == b"{"


@contextmanager
def here() -> Iterator[str]:
    """Yield the site's database, or a migrated copy if its schema is older."""
    service = Service.from_environment(os.environ)
    try:
        if is_newest(service.engine):
            yield service.settings.database_url
            return
        with tempfile.TemporaryDirectory(prefix="carreira-gate-") as folder:
            copy = Path(folder) / "site.backup"
            backup(service, copy, service.clock.now())
            with unpacked(copy) as url:
                yield url
    finally:
        service.engine.dispose()


@contextmanager
def unpacked(path: Path) -> Iterator[str]:
    """Yield a temporary database that holds a restored backup."""
    with tempfile.TemporaryDirectory(prefix="carreira-gate-") as folder:
        service = Service.from_environment({"CARREIRA_VAR": folder})
        restore(service, path)
        service.engine.dispose()
        yield service.settings.database_url


_engines: dict[str, Any] = {}


def in_database(url: str, game_id: int) -> gate.Found | None:
    """Replay one game over this process' own connection."""
    if url not in _engines:
        _engines[url] = make_engine(url)
    return gate.stored(_engines[url], game_id)


def worked_off(work: Work, games: list[Any], held: ExitStack, jobs: int) -> int:
    """Replay the games, print each report in order, and then the totals."""
    tally, done, one = gate.Tally(), 0, partial(whatever_happens, work)
    found: Iterable[gate.Found | None] = map(one, games)
    if jobs > 1:
        pool = held.enter_context(multiprocessing.get_context("spawn").Pool(
            jobs, maxtasksperchild=GAMES_A_PROCESS))
        found = pool.imap(one, games)
    try:
        for done, each in enumerate(found, start=1):  # noqa: B007  (how far it came)
            if each is not None:
                tally.count(each)
                sys.stdout.writelines(f"{line}\n" for line in gate.lines_of(each))
                sys.stdout.flush()
    except KeyboardInterrupt:
        if done < len(games):
            last = games[done]
            sys.stderr.write(
                f"Stopped; go on with --from {last.name if isinstance(last, Path) else last}.\n")
        raise
    sys.stdout.write(f"{tally.said()}\n")
    return 1 if tally.hindrances else 0


def whatever_happens(work: Work, game: Any) -> gate.Found | None:
    """Replay one game. A fault of this release in it must not hide the others."""
    try:
        return work(game)
    except (OSError, DatabaseError):
        raise
    except Exception as problem:  # noqa: BLE001  # the edge of one game
        name = game.name if isinstance(game, Path) else f"game {game}"
        return gate.Found(name, 0, is_running=True,
                          broken=f"it cannot be re-run: {type(problem).__name__}: {problem}")
