"""Reading a game: its engine, the position after any entry, and its entries."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from msgspec import defstruct
from sqlalchemy import Row
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from engine import codec, journal, registry
from engine.api import Game as GameRules
from pbem import packing
from pbem.models import ComponentSet, Entry, Game, Position, SeatRow

# Entries; the positions between are deflated against the keyframe's. Fewer keyframes would make
# those longer, more would weigh themselves (measured: 8 is smallest, and flat around it).
KEYFRAME_EVERY = 8


@dataclass(frozen=True)
class LoggedEntry:
    """An entry, read back into the game's own types."""

    number: int
    base: int
    seat: int | None
    cause: str
    move: Any
    events: Sequence[Any]
    row: Entry


@dataclass(frozen=True)
class Table:
    """A game at one of its entries."""

    row: Game
    rules: GameRules
    number: int
    state: Any


_known_sets: dict[str, GameRules] = {}


def rules_of(session: Session, row: Game) -> GameRules:
    """The rules with the component set that this game is played with."""
    known = _known_sets.get(row.components)
    if known is None:
        stored = session.get_one(ComponentSet, row.components)
        known = _known_sets[row.components] = registry.game(row.game, stored.toml)
    return known


# ---- positions --------------------------------------------------------------------------------


def deflated(state: bytes, keyframe: bytes | None) -> bytes:
    """A state's canonical JSON, small: against the keyframe's where there is one."""
    if keyframe is None:
        return packing.packed(state)
    packer = zlib.compressobj(9, wbits=-15, zdict=keyframe)
    return packer.compress(state) + packer.flush()


def inflated(data: bytes, keyframe: bytes | None) -> bytes:
    """The inverse of `deflated`."""
    if keyframe is None:
        return packing.unpacked(data)
    return zlib.decompressobj(wbits=-15, zdict=keyframe).decompress(data)


_keyframe = aliased(Position)
_stored_position = (
    select(Position.data, Position.number, _keyframe.number, _keyframe.data)
    .join(
        _keyframe,
        (_keyframe.game_id == Position.game_id) & (_keyframe.number == Position.keyframe),  # type: ignore[arg-type]
    )
)


def stored_position(session: Session, game_id: int, number: int) -> Row[Any] | None:
    """A position's row with its keyframe's, in one statement."""
    return session.execute(
        _stored_position.where(Position.game_id == game_id, Position.number == number)
    ).first()


def position(session: Session, row: Game, number: int) -> Any:
    """The state after an entry; from the cache, or folded anew where the cache has none."""
    rules = rules_of(session, row)
    stored = stored_position(session, row.id or 0, number)
    if stored is None:
        return folded(session, row, rules, number)
    data, own, keyframe_number, keyframe = tuple(stored)
    plain = inflated(keyframe, None)
    if own != keyframe_number:
        plain = inflated(data, plain)
    return codec.decode(plain, rules.state_type)


def keyframe_before(session: Session, row: Game, number: int) -> tuple[int, bytes] | None:
    """The newest keyframe in front of an entry, inflated; None if the cache has none."""
    found = session.exec(
        select(Position)
        .where(
            Position.game_id == row.id,
            Position.number < number,
            Position.number == Position.keyframe,
        )
        .order_by(col(Position.number).desc())
        .limit(1)
    ).first()
    return None if found is None else (found.number, inflated(found.data, None))


def folded(session: Session, row: Game, rules: GameRules, number: int) -> Any:
    """The state after an entry, by folding its base's state with its events (design: no rules)."""
    entry = session.get(Entry, (row.id, number))
    if entry is None:
        raise LookupError(f"game {row.id} has no entry {number}")
    if entry.base == 0:
        seats = len(session.exec(seats_of(row)).all())
        base = rules.empty_table(seats, codec.decode(row.options.encode(), dict))
    else:
        base = position(session, row, entry.base)
    return journal.fold(base, read_entry(rules, entry).events)


def seats_of(row: Game) -> Any:
    """The seats of a running or finished game, by number."""
    return (
        select(SeatRow)
        .where(SeatRow.game_id == row.id, SeatRow.number.is_not(None))  # type: ignore[union-attr]
        .order_by(SeatRow.number)  # type: ignore[arg-type]
    )


def table(session: Session, row: Game, number: int | None = None) -> Table:
    """The game after an entry, the present one if none is named."""
    number = row.last_entry if number is None else number
    return Table(row, rules_of(session, row), number, position(session, row, number))


# ---- entries ----------------------------------------------------------------------------------


def read_entry(rules: GameRules, row: Entry) -> LoggedEntry:
    """A stored entry in the game's own types."""
    body = codec.decode(row.body, _body_type(rules.move_type, rules.event_type))
    return LoggedEntry(row.number, row.base, row.seat, row.cause, body.move, body.events, row)


@lru_cache(maxsize=8)
def _body_type(move_type: Any, event_type: Any) -> Any:
    fields = [("move", move_type | None), ("events", tuple[event_type, ...])]
    return defstruct("Body", fields, frozen=True)


def entries(session: Session, row: Game, first: int, last: int) -> list[LoggedEntry]:
    """The entries from `first` to `last`, both included, in their order."""
    rules = rules_of(session, row)
    found = session.exec(
        select(Entry)
        .where(Entry.game_id == row.id, Entry.number >= first, Entry.number <= last)
        .order_by(Entry.number)  # type: ignore[arg-type]
    )
    return [read_entry(rules, entry) for entry in found]
