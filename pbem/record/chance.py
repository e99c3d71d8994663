"""What chance has decided in a game that is over: every draw, made again from what it reveals."""

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
GAMES_KEPT = 32  # whose draws are in memory


class Draw(NamedTuple):
    """One draw of one entry; entry 0 stands for the seats. `number` is what it was taken from."""

    entry: int
    draw: int
    purpose: str
    among: int
    shuffled: bool
    number: int
    result: tuple[str, ...]

    @property
    def place(self) -> int:
        """Which of the things a single draw took, from 0."""
        return self.number % self.among


class Noting(Stream):
    """A stream that notes what is drawn from it; a long row's first number stands for all."""

    def __init__(self, secret: bytes, label: str, entry: int, notes: list[Draw]) -> None:
        super().__init__(secret, f"{label}|{entry}")
        self._entry = entry
        self._notes = notes
        self._numbers: list[int] = []

    def _outcome(self, why: str) -> int:
        self._numbers.append(super()._outcome(why))
        return self._numbers[-1]

    def drawn(self, items: Sequence[T], *, why: str) -> T:
        """One of the items."""
        first = self._draws
        found = super().drawn(items, why=why)
        self._note(first, why, len(items), shuffled=False, result=(found,))
        return found

    def shuffled(self, items: Sequence[T], *, why: str) -> tuple[T, ...]:
        """All items in a chance order."""
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
    """A re-run that notes every draw."""

    notes: list[Draw]

    def chance(self, number: int) -> Any:
        """The outcomes of an entry, noted."""
        assert self.secret is not None  # noqa: S101  # a game that is over has told it
        return Noting(self.secret, self.label, number, self.notes)


def told(item: Any) -> str:
    """A thing as the records name it."""
    if isinstance(item, str):
        return item
    found = codec.decode(codec.encode(item), dict | list | int | str | None)
    if isinstance(found, dict):
        return str(found.get("id", found.get("number", ", ".join(map(str, found.values())))))
    return str(found)


_known: dict[tuple[Any, ...], tuple[Draw, ...]] = {}


def draws_of(session: Session, row: Game) -> tuple[Draw, ...]:
    """Every draw of a game that is over, up to an entry that cannot be re-run."""
    last = session.get_one(Entry, (row.id, row.last_entry))
    phrases = tuple(seat.phrase or "" for seat in session.exec(positions.seats_of(row)))
    key = (row.id, row.server_part, last.hash, phrases)
    if key not in _known:
        if len(_known) >= GAMES_KEPT:
            _known.clear()
        _known[key] = tuple(redrawn(session, row, phrases))
    return (*seats_drawn(session, row), *_known[key])


def redrawn(session: Session, row: Game, phrases: Sequence[str]) -> list[Draw]:
    """The draws of the entries, by the rules."""
    rerun = Redrawing(
        positions.rules_of(session, row), label=row.commitment, seats=len(phrases),
        options=codec.decode(row.options.encode(), dict),
        secret=secret_of(row.server_part, phrases),
    )  # fmt: skip
    rerun.notes = []
    entries = select(Entry).where(Entry.game_id == row.id).order_by(col(Entry.number))
    with suppress(Misfit):  # what the nightly verification tells
        for entry in session.exec(entries):
            rerun.follow(Written(entry.number, entry.base, entry.seat, entry.cause, entry.ruleset,
                                 entry.body.encode(), entry.state_hash, entry.hash))
    return rerun.notes


def seats_drawn(session: Session, row: Game) -> Iterator[Draw]:
    """How chance seated those who had joined, by the server part alone."""
    if row.chosen_order:
        return
    joined = session.exec(
        select(SeatRow).where(SeatRow.game_id == row.id).order_by(col(SeatRow.id)))
    notes: list[Draw] = []
    Noting(row.server_part, row.commitment, 0, notes).shuffled(
        [seat.name for seat in joined], why="seats")
    yield from notes
