"""What a list shows of a started game: its round, its points and a small picture of the board.

Everything here is a spectator's view, the same for all who may see the game.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import Any, NamedTuple

from cachetools import LRUCache, cached
from msgspec import MsgspecError
from sqlmodel import Session, col, select, tuple_

from engine.api import Awaiting
from pbem.models import Entry, Game, SeatRow, stored_id
from pbem.play import positions

KEPT = 2000  # in a process: some 2 kB each
DAMAGED = (ArithmeticError, AttributeError, LookupError, MsgspecError, TypeError, ValueError)

log = logging.getLogger("carreira.lists")


class Found(NamedTuple):
    """The hash of an entry, and when it was made."""

    digest: bytes
    at: datetime


@dataclass(frozen=True)
class Glance:
    """A game after its newest entry. `points` are by seat; `thumbnail` is the game's own."""

    round: int
    phase: int
    points: Sequence[int]
    question: Awaiting | None
    thumbnail: Mapping[str, Any]


@dataclass(frozen=True)
class ListedGlance:
    """A game's glance, and since when the longest open question has waited."""

    glance: Glance
    since: datetime | None


def of_games(
    session: Session, games: Sequence[Game], seats: Sequence[SeatRow]
) -> dict[int, ListedGlance]:
    """Return the glances of the started ones of these games, by id. `seats` are theirs."""
    asked: dict[int, list[int]] = {}
    for seat in seats:
        if seat.asked_since is not None:
            asked.setdefault(seat.game_id, []).append(seat.asked_since)
    started = [game for game in games if game.last_entry]
    wanted = {(stored_id(game), game.last_entry) for game in started}
    wanted |= {(game_id, min(entries)) for game_id, entries in asked.items()}
    found = {
        (game_id, number): Found(digest, at)
        for game_id, number, digest, at in session.exec(
            select(Entry.game_id, Entry.number, Entry.hash, Entry.at)
            .where(tuple_(col(Entry.game_id), col(Entry.number)).in_(wanted)))
    }
    return {
        stored_id(game): ListedGlance(glance, since_of(game, asked, found))
        for game in started
        if (glance := read(session, game, found)) is not None
    }


def since_of(
    game: Game, asked: Mapping[int, Sequence[int]], found: Mapping[tuple[int, int], Found]
) -> datetime | None:
    """Return when the oldest open question of a game was asked; None if nobody is."""
    number = stored_id(game)
    entry = found.get((number, min(asked[number]))) if number in asked else None
    return None if entry is None else entry.at


def read(
    session: Session, game: Game, found: Mapping[tuple[int, int], Found]
) -> Glance | None:
    """Return a game's glance; None if its log is damaged, which must not spoil the whole list."""
    entry = found.get((stored_id(game), game.last_entry))
    try:
        return None if entry is None else after(session, game, entry.digest)
    except DAMAGED as nonsense:
        log.warning("The newest position of game %s makes no sense: %r", game.id, nonsense)
        return None


@cached(LRUCache(KEPT), key=lambda _session, _row, digest: digest, lock=Lock())
def after(session: Session, row: Game, digest: bytes) -> Glance:
    """Return a game's glance after its newest entry, whose hash is `digest`.

    The hash covers the whole history, so what is kept under it never becomes wrong.
    """
    return at_entry(session, row, row.last_entry)


def at_entry(session: Session, row: Game, number: int) -> Glance:
    """Return a game's glance after an entry. Raises LookupError if there is none."""
    table = positions.table(session, row, number)
    view = table.rules.observation(table.state, None)
    return Glance(
        *table.rules.chapter(table.state), points_of(table.rules, view), view.question,
        table.rules.thumbnail(view))


def points_of(rules: Any, view: Any) -> tuple[int, ...]:
    """Return the points of each seat, from all sources that the view shows."""
    return tuple(sum(each.points.values()) for each in rules.tallies(view))
