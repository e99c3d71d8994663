"""Implements the release gate: replays stored games and reports where this release's rules differ.

An entry is replayed from the stored position before it, so one difference does not cause others.
Nothing is written. A database that is not migrated yet is checked in a migrated copy
(`pbem.cli.gate`).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Engine
from sqlmodel import Session, col, select

from pbem.db import reading_engine
from pbem.models import Game, GameState
from pbem.record import nightly, verify
from pbem.record.replay import Misfit, Otherwise, Rerun

LONGEST_FACT = 200  # characters of an event as it is shown


class Found(NamedTuple):
    """The result of replaying one game. `name` is the game's number, or a file.

    `broken` says why the game does not even fold to its stored positions. `lines` says where this
    release's rules differ. `unknown` is a ruleset that this release lacks. `told` means that the
    chance is secret, so the game could only be folded.
    """

    name: str
    entries: int
    is_running: bool
    broken: str = ""
    lines: tuple[str, ...] = ()
    unknown: str = ""
    told: bool = False

    @property
    def is_hindrance(self) -> bool:
        """Whether a release with this engine must not run on this game."""
        return bool(self.broken or (self.is_running and (self.lines or self.unknown)))


def begun(engine: Engine, first: int) -> list[int]:
    """Return the ids of games with entries, from this id on."""
    begun_from = select(Game.id).where(Game.last_entry > 0, col(Game.id) >= first)
    with Session(reading_engine(engine)) as session:
        found = session.exec(begun_from.order_by(col(Game.id)))
        return [game_id for game_id in found if game_id is not None]


def stored(engine: Engine, game_id: int) -> Found | None:
    """Replay one game of a database. Returns None if it no longer exists."""
    otherwise: list[Otherwise] = []
    with Session(reading_engine(engine)) as session:
        row = session.get(Game, game_id)
        if row is None:
            return None
        running = row.state == GameState.RUNNING
        try:
            rerun = nightly.followed(session, row, otherwise=otherwise)
        except Misfit as misfit:
            return Found(f"game {game_id}", row.last_entry, running, broken=str(misfit))
    return found_in(f"game {game_id}", rerun, otherwise, is_running=running)


def recorded(path: Path) -> Found:
    """Replay one game record."""
    otherwise: list[Otherwise] = []
    run: verify.Run | None = None
    try:
        with path.open("rb") as file:
            lines = verify.bounded(verify.lines_of(file))
            run = verify.Run(next(lines, b""), otherwise)
            for line in lines:
                run.read(line)
        run.end()
    except Misfit as misfit:
        running = run is not None and run.secret is None
        return Found(path.name, run.number if run else 0, running, broken=str(misfit))
    return found_in(path.name, run.rerun, otherwise, is_running=not run.finished)


def found_in(
    name: str, rerun: Rerun, otherwise: list[Otherwise], *, is_running: bool
) -> Found:
    """Return the result for a game that folds."""
    lines = tuple(told(each) for each in otherwise)
    return Found(name, rerun.number, is_running, lines=lines, unknown=rerun.unknown,
                 told=rerun.secret is None)


def told(otherwise: Otherwise) -> str:
    """Describe a difference: where, the rules, the stored event and the new one."""
    by = ", ".join(filter(None, (otherwise.ruleset, otherwise.rule)))
    line = f"{otherwise.at} ({by}): {otherwise.reason}" if by else str(otherwise)
    if not (otherwise.stood or otherwise.comes):
        return line
    return f"{line}; stood {short(otherwise.stood)}, would come {short(otherwise.comes)}"


def short(fact: str) -> str:
    """Return an event's beginning."""
    if not fact:
        return "nothing"
    return fact if len(fact) <= LONGEST_FACT else f"{fact[:LONGEST_FACT]}…"


def lines_of(found: Found) -> Iterator[str]:
    """Yield the report on a game; nothing if all of it is reproduced."""
    state = "running" if found.is_running else "over"
    if found.broken:
        yield f"{found.name} ({state}) does not fold: {found.broken}"
    for line in found.lines:
        yield f"{found.name} ({state}), rules would now say otherwise: {line}"
    if found.unknown:
        what = "it would stand still" if found.is_running else "it was followed by its facts alone"
        yield f"{found.name} ({state}): this release has no rules {found.unknown!r}; {what}"


class Tally:
    """The totals over all games."""

    def __init__(self) -> None:
        self.games = self.running = self.entries = self.told = 0
        self.broken = self.otherwise = self.differing = self.unknown = self.hindrances = 0

    def count(self, found: Found) -> None:
        """Count one more game."""
        self.games += 1
        self.running += found.is_running
        self.entries += found.entries
        self.told += found.told
        self.broken += bool(found.broken)
        self.otherwise += len(found.lines)
        self.differing += bool(found.lines)
        self.unknown += bool(found.unknown)
        self.hindrances += found.is_hindrance

    def said(self) -> str:
        """Return the summary line."""
        parts = [f"{self.games} games ({self.running} running), {self.entries} entries",
                 f"{self.broken} games do not fold" if self.broken else "all fold",
                 f"{self.otherwise} entries of {self.differing} games would come otherwise"
                 if self.otherwise else "all entries would come as they stand"]
        if self.unknown:
            parts.append(f"{self.unknown} games by rules that this release does not have")
        if self.told:
            parts.append(f"the chance of {self.told} is secret: they were only folded")
        gate = "closed" if self.hindrances else "open"
        return f"{'; '.join(parts)}. The gate is {gate}."
