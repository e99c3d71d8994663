"""Lists every random draw of a finished game, recomputed from the revealed secret."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

from sqlmodel import Session, col, select

from engine import codec
from engine.chance import Stream
from pbem.models import Entry, Game, SeatRow
from pbem.play import positions
from pbem.play.chance import secret_of
from pbem.record.replay import Misfit, Rerun, Written

T = TypeVar("T")
GAMES_KEPT = 32  # whose draws are cached


class Draw(NamedTuple):
    """One draw of one entry; entry 0 is the seating.

    `number` is how many things it was drawn from.
    """

    entry: int
    draw: int
    purpose: str
    among: int
    shuffled: bool
    number: int
    result: tuple[str, ...]

    @property
    def place(self) -> int:
        """The position, from 0, of the thing that a single draw took."""
        return self.number % self.among


class Noting(Stream):
    """A random stream that records what is drawn from it.

    A long row is recorded by its first number.
    """

    def __init__(self, secret: bytes, label: str, entry: int, notes: list[Draw]) -> None:
        super().__init__(secret, f"{label}|{entry}")
        self._entry = entry
        self._notes = notes
        self._numbers: list[int] = []

    def _outcome(self, why: str) -> int:
        self._numbers.append(super()._outcome(why))
        return self._numbers[-1]

    def drawn(self, items: Sequence[T], *, why: str) -> T:
        """Draw and record one of the items."""
        first = self._draws
        found = super().drawn(items, why=why)
        self._note(first, why, len(items), shuffled=False, result=(found,))
        return found

    def shuffled(self, items: Sequence[T], *, why: str) -> tuple[T, ...]:
        """Shuffle the items and record their order."""
        first = self._draws
        found = super().shuffled(items, why=why)
        self._note(first, why, len(items), shuffled=True, result=found)
        return found

    def _note(
        self, first: int, why: str, among: int, *, shuffled: bool, result: Sequence[Any]
    ) -> None:
        self._notes.append(Draw(self._entry, first, why, among, shuffled, self._numbers[first],
                                tuple(map(told, result))))


class Redrawing(Rerun):
    """A replay that records every draw."""

    notes: list[Draw]

    def chance(self, number: int) -> Any:
        """Return the recorded random outcomes of an entry."""
        assert self.secret is not None  # noqa: S101  # a game that is over has told it
        return Noting(self.secret, self.label, number, self.notes)


def told(item: Any) -> str:
    """Return a thing's name as in records."""
    if isinstance(item, str):
        return item
    found = codec.decode(codec.encode(item), dict | list | int | str | None)
    if isinstance(found, dict):
        return str(found.get("id", found.get("number", ", ".join(map(str, found.values())))))
    return str(found)


_known: dict[tuple[Any, ...], tuple[Draw, ...]] = {}


def draws_of(session: Session, row: Game) -> tuple[Draw, ...]:
    """Return every draw of a finished game, up to an entry that cannot be replayed."""
    last = session.get_one(Entry, (row.id, row.last_entry))
    phrases = tuple(seat.phrase or "" for seat in session.exec(positions.seats_of(row)))
    key = (row.id, row.server_part, last.hash, phrases)
    if key not in _known:
        if len(_known) >= GAMES_KEPT:
            _known.clear()
        _known[key] = tuple(redrawn(session, row, phrases))
    return (*seats_drawn(session, row), *_known[key])


def redrawn(session: Session, row: Game, phrases: Sequence[str]) -> list[Draw]:
    """Replay the entries by the rules and return their draws."""
    rerun = Redrawing(
        positions.rules_of(session, row), label=row.commitment, seats=len(phrases),
        options=codec.decode(row.options.encode(), dict),
        secret=secret_of(row.server_part, phrases),
    )  # fmt: skip
    rerun.notes = []
    entries = select(Entry).where(Entry.game_id == row.id).order_by(col(Entry.number))
    with suppress(Misfit):  # nightly verification reports it
        for entry in session.exec(entries):
            rerun.follow(Written(entry.number, entry.base, entry.seat, entry.cause, entry.ruleset,
                                 entry.body.encode(), entry.state_hash, entry.hash))
    return rerun.notes


def seats_drawn(session: Session, row: Game) -> Iterator[Draw]:
    """Yield the draws that seated the players, from the server part alone."""
    if row.chosen_order:
        return
    joined = session.exec(
        select(SeatRow).where(SeatRow.game_id == row.id).order_by(col(SeatRow.id)))
    notes: list[Draw] = []
    Noting(row.server_part, row.commitment, 0, notes).shuffled(
        [seat.name for seat in joined], why="seats")
    yield from notes
