"""Reading a game: its engine, the position after any entry, and its entries."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from types import GenericAlias
from typing import Any, NamedTuple

import msgspec
import sqlalchemy
from msgspec import defstruct
from sqlalchemy import bindparam
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from engine import codec, journal, registry
from engine.api import Ahead, Viewer
from engine.api import Game as GameRules
from pbem import packing
from pbem.models import MARKED, ComponentSet, Entry, Game, Position, SeatRow
from pbem.models.causes import BACK
from pbem.once import holds, is_empty, once

# Entries; the positions between are deflated against the keyframe's. Fewer keyframes would make
# those longer, more would weigh themselves (measured: 8 is smallest, and flat around it).
KEYFRAME_EVERY = 8


@dataclass(frozen=True)
class LoggedEntry:
    """An entry; its body is read into the game's own types when somebody asks for it.

    `stored` is the body as the table holds it.
    """

    number: int
    base: int
    seat: int | None
    cause: str
    at: datetime
    state_hash: bytes
    submission_id: int | None
    rules: GameRules
    stored: bytes

    @cached_property
    def _body(self) -> Any:
        return body_of(self.rules, self.stored)

    @property
    def move(self) -> Any:
        """The move; None where none was made."""
        return self._body.move

    @property
    def events(self) -> Sequence[Any]:
        """The facts."""
        found: Sequence[Any] = self._body.events
        return found

    @property
    def note(self) -> Mapping[str, str | int] | None:
        """What an entry says that moves nothing."""
        found: Mapping[str, str | int] | None = self._body.note
        return found


@dataclass(frozen=True)
class Table:
    """A game at one of its entries."""

    row: Game
    rules: GameRules
    number: int
    state: Any


def locked(session: Session, game_id: int) -> Game | None:
    """A game's row behind its lock, as it is now: one submission or advance at a time."""
    present = select(Game).where(Game.id == game_id).with_for_update()
    return session.exec(present.execution_options(populate_existing=True)).first()


def game(session: Session, game_id: int) -> Game | None:
    """A game's row."""
    return session.get(Game, game_id)


_known_sets: dict[str, GameRules] = {}


def rules_of(session: Session, row: Game) -> GameRules:
    """The rules and the component set that this game is played with.

    Where this release does not play by them: its newest ones, which can read the game as well, but
    must not go on with it (`Writer.locked` does not).
    """
    known = _known_sets.get(row.components)
    if known is None:
        stored = session.get_one(ComponentSet, row.components)
        known = _known_sets[row.components] = registry.game(row.game, stored.toml)
    if len(known.rulesets) == 1:
        return known
    ruleset = ruleset_of(session, row)
    return registry.under(known, ruleset) if ruleset in known.rulesets else known


def ruleset_of(session: Session, row: Game) -> str | None:
    """The ruleset that a game goes on by; None before its start, which is by the newest."""
    if row.ruleset is None and row.last_entry:  # begun by a release that did not note it
        return once(session, ("ruleset", row.id),
                    lambda: session.exec(_RULESET, params={"game": row.id}).first())
    return row.ruleset


def is_playable(session: Session, row: Game) -> bool:
    """Whether this release plays by the game's rules; else it stands still here."""
    return ruleset_of(session, row) in (None, *rules_of(session, row).rulesets)


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


class Stored(NamedTuple):
    """A position as its row holds it: canonical JSON, and the keyframe's number and JSON."""

    state: bytes
    keyframe: tuple[int, bytes]


_keyframe: Any = aliased(Position)
OF_POSITION: Any = Position.data, _keyframe.number, _keyframe.data
"""What `unfolded` makes a position of."""
_is_its_keyframe = (_keyframe.game_id == Position.game_id) & (
    _keyframe.number == Position.keyframe)
_OF_GAME = (
    select(Position.number, *OF_POSITION)
    .join(_keyframe, _is_its_keyframe)
    .where(Position.game_id == bindparam("game"),
           col(Position.number).in_(bindparam("numbers", expanding=True)))
)  # fmt: skip


def with_position(entries: Any) -> Any:
    """Entries, each with its position and keyframe where the cache has them.

    One behind the other: of a pair in brackets SQLite would make all rows of the table.
    """
    is_of_entry = (Position.game_id == Entry.game_id) & (Position.number == Entry.number)
    return entries.outerjoin(Position, is_of_entry).outerjoin(_keyframe, _is_its_keyframe)


def stored_position(session: Session, game_id: int, number: int) -> Stored | None:
    """A position with its keyframe, in one statement; None if the cache has none."""
    found = session.exec(_OF_GAME, params={"game": game_id, "numbers": [number]}).first()
    return None if found is None else unfolded(*found)


def unfolded(number: int, data: bytes, of: int, keyframe: bytes) -> Stored:
    """A position as its row and its keyframe's hold it."""
    plain = inflated(keyframe, None)
    state = plain if of == number else inflated(data, plain)
    return Stored(state, (of, plain))


def position(session: Session, row: Game, number: int) -> Any:
    """The state after an entry; from the cache, or folded anew where the cache has none."""
    return once(session, ("position", row.id, number), lambda: _position(session, row, number))


def read_both(session: Session, row: Game, first: int, second: int) -> None:
    """Read two positions by one statement; a session that keeps what it reads has them then."""
    kind = rules_of(session, row).state_type
    both = {"game": row.id, "numbers": [first, second]}
    for found in session.exec(_OF_GAME, params=both):
        state = codec.decode(unfolded(*found).state, kind)
        holds(session, ("position", row.id, found[0]), state)


def _position(session: Session, row: Game, number: int) -> Any:
    rules = rules_of(session, row)
    stored = stored_position(session, row.id or 0, number)
    if stored is None:
        return folded(session, row, rules, number)
    return codec.decode(stored.state, rules.state_type)


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


_RULESET = (  # of the newest entry
    select(Entry.ruleset)
    .where(Entry.game_id == bindparam("game"))
    .order_by(col(Entry.number).desc())
    .limit(1)
)


SEATS = (
    select(SeatRow)
    .where(SeatRow.game_id == bindparam("game"), col(SeatRow.number).is_not(None))
    .order_by(col(SeatRow.number))
)


def seats_of(row: Game) -> Any:
    """The seats of a running or finished game, by number."""
    return SEATS.params(game=row.id)


def seats(session: Session, row: Game) -> list[SeatRow]:
    """The same, read."""
    return list(session.exec(seats_of(row)))


def table(session: Session, row: Game, number: int | None = None) -> Table:
    """The game after an entry, the present one if none is named."""
    number = row.last_entry if number is None else number
    return Table(row, rules_of(session, row), number, position(session, row, number))


def seen(session: Session, table: Table, seat: Viewer) -> Any:
    """The table as this seat sees it; several parts of a letter show something of it."""
    return once(session, ("seen", table.row.id, table.number, seat),
                lambda: table.rules.observation(table.state, seat))


def ahead_of(rules: GameRules, seat: SeatRow) -> Sequence[Ahead]:
    """What a seat's earlier letters said ahead and still holds; its owner's secret."""
    if seat.ahead is None:
        return ()
    try:
        given: Sequence[Ahead] = codec.decode(
            seat.ahead.encode(), GenericAlias(tuple, (rules.ahead_type, ...)))
    except msgspec.DecodeError:  # an older engine's; orders must not fail for it
        return ()
    return given


def keep_ahead(seat: SeatRow, ahead: Sequence[Ahead]) -> None:
    """Keep what a letter has said ahead for the seat's next one; the caller writes the row."""
    seat.ahead = codec.encode(tuple(ahead)).decode() if ahead else None


# ---- entries ----------------------------------------------------------------------------------


def read_entry(rules: GameRules, row: Entry) -> Any:
    """The move, events and note of a stored entry in the game's own types."""
    return codec.decode(row.body, _body_type(rules))


def body_of(rules: GameRules, stored: bytes) -> Any:
    """The same, of a body as the table holds it."""
    return codec.decode(packing.unpacked(stored), _body_type(rules))


_body_types: dict[str, Any] = {}


def _body_type(rules: GameRules) -> Any:
    """The type of an entry's body; by the game's key, as hashing its union of moves takes long."""
    known = _body_types.get(rules.key)
    if known is None:
        move, event = rules.move_type, rules.event_type
        facts = tuple.__class_getitem__((event, ...))
        fields: list[Any] = [("move", move | None), ("events", facts),
                             ("note", dict[str, str | int] | None, None)]
        known = _body_types[rules.key] = defstruct("Body", fields, frozen=True)
    return known


_LOGGED = (
    sqlalchemy.select(
        col(Entry.number), col(Entry.base), col(Entry.seat), col(Entry.cause),
        col(Entry.at), col(Entry.state_hash), col(Entry.submission_id),
        sqlalchemy.type_coerce(col(Entry.body), sqlalchemy.LargeBinary).label("stored"),
    )
    .where(
        col(Entry.game_id) == bindparam("game"),
        col(Entry.number).between(bindparam("first"), bindparam("last")),
    )
    .order_by(col(Entry.number))
)  # fmt: skip


def entries(session: Session, row: Game, first: int, last: int) -> list[LoggedEntry]:
    """The entries from `first` to `last`, both included, in their order."""
    rules = rules_of(session, row)
    found = session.execute(_LOGGED, {"game": row.id, "first": first, "last": last})
    return [LoggedEntry(number, base, seat, cause, at, state_hash, submission, rules, bytes(stored))
            for number, base, seat, cause, at, state_hash, submission, stored in found]


class Mark(NamedTuple):
    """An entry that is no move; `seat` None where it is about the whole table."""

    number: int
    base: int
    seat: int | None
    cause: str


_MARKS = (
    select(Entry.number, Entry.base, Entry.seat, Entry.cause)
    .where(Entry.game_id == bindparam("game"), sqlalchemy.text(MARKED))
    .order_by(col(Entry.number))
)


def marks(session: Session, row: Game) -> list[Mark]:
    """All entries of a game that are no moves, oldest first; by an index of their own."""
    if is_empty(session, ("marks", row.id)):
        return []
    return once(session, ("marks", row.id), lambda: [
        Mark(*found) for found in session.exec(_MARKS, params={"game": row.id})])


def taken_back(found: Sequence[Mark]) -> dict[int, int]:
    """The entries that do not stand any more, each with the one that took it back (the first).

    What is noted of seats and clocks stands: who has left is gone, whatever is played anew.
    """
    back: dict[int, int] = {}
    notes = {mark.number for mark in found if mark.cause not in BACK}
    for mark in found:
        if mark.cause in BACK:
            for number in range(mark.base + 1, mark.number):
                if number not in notes:
                    back.setdefault(number, mark.number)
    return back
