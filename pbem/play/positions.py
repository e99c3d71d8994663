"""Reads a game: its rules, the position after any entry, and its entries."""

from __future__ import annotations

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
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from engine import codec, journal, registry
from engine.api import AnswerAhead, Event, GameRules
from pbem.models import MARKED, ComponentSet, Entry, Game, SeatRow, Snapshot
from pbem.models.causes import BACK

SNAPSHOT_EVERY = 25  # entries; the positions between are folded from the events


@dataclass(frozen=True)
class LoggedEntry:
    """A log entry; `body` is its canonical JSON, decoded on first use."""

    number: int
    base: int
    seat: int | None
    cause: str
    at: datetime
    state_hash: bytes
    submission_id: int | None
    rules: GameRules
    body: str

    @cached_property
    def _body(self) -> Any:
        return read_body(self.rules, self.body)

    @property
    def move(self) -> Any:
        """The move; None if the entry has none."""
        return self._body.move

    @property
    def events(self) -> Sequence[Event]:
        """The entry's events."""
        found: Sequence[Event] = self._body.events
        return found

    @property
    def note(self) -> Mapping[str, str | int] | None:
        """The figures of an entry that moves nothing."""
        found: Mapping[str, str | int] | None = self._body.note
        return found


@dataclass(frozen=True)
class GamePosition:
    """A game and its state after one of its entries."""

    row: Game
    rules: GameRules
    number: int
    state: Any


def locked(session: Session, game_id: int) -> Game | None:
    """Lock a game's row and read it afresh; None if there is no such game."""
    present = select(Game).where(Game.id == game_id).with_for_update()
    return session.exec(present.execution_options(populate_existing=True)).first()


def game(session: Session, game_id: int) -> Game | None:
    """A game's row."""
    return session.get(Game, game_id)


_known_sets: dict[str, GameRules] = {}


def rules_of(session: Session, row: Game) -> GameRules:
    """The rules and component set of this game.

    If this release does not have the game's rules, its newest ones: they can read the game, but
    must not advance it (`Writer.locked` refuses).
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
    """The ruleset that the game is played by; None before its start."""
    if row.ruleset is None and row.last_entry:  # started by a release that did not store it
        return session.exec(_RULESET, params={"game": row.id}).first()
    return row.ruleset


def is_playable(session: Session, row: Game) -> bool:
    """Whether this release has the game's rules; otherwise the game stands still."""
    return ruleset_of(session, row) in (None, *rules_of(session, row).rulesets)


# ---- positions --------------------------------------------------------------------------------


def needs_snapshot(number: int, base: int) -> bool:
    """Whether an entry gets a snapshot: every 25th, and each that continues an older position."""
    return (number - 1) % SNAPSHOT_EVERY == 0 or base != number - 1


def position(session: Session, row: Game, number: int) -> Any:
    """The state after an entry: the nearest snapshot before it and the events since.

    Raises LookupError if the game has no such entry.
    """
    at, state = _newest_snapshot(session, row, number)
    later = {entry.number: entry for entry in entries(session, row, at + 1, number)}
    if number > at and number not in later:
        raise LookupError(f"game {row.id} has no entry {number}")
    way, base = [], number
    while base in later:
        way.append(later[base])
        base = later[base].base
    if base != at:  # an undo's snapshot is missing
        state = position(session, row, base)
    for entry in reversed(way):
        state = journal.fold(state, entry.events)
    return state


def _newest_snapshot(session: Session, row: Game, number: int) -> tuple[int, Any]:
    """The newest snapshot up to `number`, as (entry, state); (0, empty table) if there is none."""
    rules = rules_of(session, row)
    newest = (
        select(Snapshot)
        .where(Snapshot.game_id == row.id, Snapshot.number <= number)
        .order_by(col(Snapshot.number).desc())
        .limit(1)
    )
    found = session.exec(newest).first()
    if found is not None:
        return found.number, codec.decode(found.state, rules.state_type)
    options = codec.decode(row.options, dict)
    return 0, rules.empty_table(len(seats(session, row)), options)


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


def seats_of(row: Game) -> SelectOfScalar[SeatRow]:
    """The statement that reads the seats of a started game, by number."""
    return SEATS.params(game=row.id)


def seats(session: Session, row: Game) -> list[SeatRow]:
    """The seats of a started game, by number."""
    return list(session.exec(seats_of(row)))


def table(session: Session, row: Game, number: int | None = None) -> GamePosition:
    """The game after an entry; the newest if `number` is None."""
    number = row.last_entry if number is None else number
    return GamePosition(row, rules_of(session, row), number, position(session, row, number))


def ahead_of(rules: GameRules, seat: SeatRow) -> Sequence[AnswerAhead]:
    """What a seat's earlier submissions said ahead and still holds; its owner's secret."""
    if seat.ahead is None:
        return ()
    try:
        given: Sequence[AnswerAhead] = codec.decode(
            seat.ahead.encode(), GenericAlias(tuple, (rules.ahead_type, ...)))
    except msgspec.DecodeError:  # written by an older engine; orders must not fail for it
        return ()
    return given


def store_ahead(seat: SeatRow, ahead: Sequence[AnswerAhead]) -> None:
    """Store what a submission said ahead; the caller writes the row."""
    seat.ahead = codec.encode(tuple(ahead)).decode() if ahead else None


# ---- entries ----------------------------------------------------------------------------------


_body_types: dict[str, Any] = {}


def read_body(rules: GameRules, body: str) -> Any:
    """A stored entry's move, events and note in the game's own types.

    The type of a game's bodies is memoized, as hashing its union of moves is slow.
    """
    known = _body_types.get(rules.key)
    if known is None:
        move, event = rules.move_type, rules.event_type
        facts = tuple.__class_getitem__((event, ...))
        fields: list[Any] = [("move", move | None), ("events", facts),
                             ("note", dict[str, str | int] | None, None)]
        known = _body_types[rules.key] = defstruct("Body", fields, frozen=True)
    return codec.decode(body, known)


_LOGGED = (
    sqlalchemy.select(
        col(Entry.number), col(Entry.base), col(Entry.seat), col(Entry.cause),
        col(Entry.at), col(Entry.state_hash), col(Entry.submission_id),
        col(Entry.body),
    )
    .where(
        col(Entry.game_id) == bindparam("game"),
        col(Entry.number).between(bindparam("first"), bindparam("last")),
    )
    .order_by(col(Entry.number))
)  # fmt: skip


def entries(session: Session, row: Game, first: int, last: int) -> list[LoggedEntry]:
    """The entries from `first` to `last`, both included, in order."""
    rules = rules_of(session, row)
    found = session.execute(_LOGGED, {"game": row.id, "first": first, "last": last})
    return [LoggedEntry(number, base, seat, cause, at, state_hash, submission, rules, body)
            for number, base, seat, cause, at, state_hash, submission, body in found]


class Mark(NamedTuple):
    """An entry that moves nothing; `seat` is None if it is about the whole table."""

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
    """All marks of a game, oldest first; read by their own index."""
    return [Mark(*found) for found in session.exec(_MARKS, params={"game": row.id})]


def taken_back(found: Sequence[Mark]) -> dict[int, int]:
    """The entries that were undone, each with the number of the first entry that undid it.

    Notes about seats and clocks stay in force: a player who has left is gone, whatever is undone.
    """
    back: dict[int, int] = {}
    notes = {mark.number for mark in found if mark.cause not in BACK}
    for mark in found:
        if mark.cause in BACK:
            for number in range(mark.base + 1, mark.number):
                if number not in notes:
                    back.setdefault(number, mark.number)
    return back
