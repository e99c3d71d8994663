"""Holds what one reader's game page is made of: game, entry, seat, view, sent orders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from engine.forms import Change, Lapse
from engine.phrases import Value
from pbem.archive.news import News
from pbem.i18n import words
from pbem.models import Game, SeatRow
from pbem.play import positions, results
from pbem.tables import players
from pbem.web import context
from pbem.web.table.forms import GameReader, SentForm


@dataclass(frozen=True)
class RefusedOrders:
    """Refused orders: the reason, its rule, lines that would be legal, and the line to edit."""

    text: str
    rule: str = ""
    choices: tuple[str, ...] = ()
    line: str = ""
    news: News | None = None
    later: bool = False  # refused by the worker after it was recorded


@dataclass(frozen=True)
class OrdersPreview:
    """What orders would do, up to the first point where something hidden is revealed."""

    orders: str
    deeds: list[str]  # its moves in words
    lines: list[words.LogLine]
    changes: Sequence[Change]
    consequences: Sequence[Value]
    lapses: Sequence[Lapse]
    stopped: bool
    later: Sequence[tuple[str, str]]  # orders ahead, and what each would do
    view: Any  # what the table would look like


@dataclass
class Desk:
    """One reader's page at one entry of a game."""

    row: Game
    number: int
    sent: SentForm | None = None
    refused: RefusedOrders | None = None
    outlook: OrdersPreview | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def is_present(self) -> bool:
        """Tell whether this is the newest entry."""
        return self.number == self.row.last_entry

    @cached_property
    def sitting(self) -> players.Seating:
        """The people at the table. Loaded on use: a typed order needs none of it."""
        return players.seating(context.reading(), self.row, context.person())

    @cached_property
    def own(self) -> SeatRow | None:
        """The reader's seat; None for spectators."""
        return self.sitting.own

    @property
    def seat(self) -> int | None:
        """The number of the reader's seat; None for spectators and before the start."""
        return None if self.own is None else self.own.number

    @property
    def own_number(self) -> int:
        """The number of the reader's seat, who must have one."""
        assert self.seat is not None  # noqa: S101
        return self.seat

    @cached_property
    def reader(self) -> GameReader:
        """The reader's language, seat and names at the table."""
        names = [words.called(name, context.language()) for name in self.sitting.names]
        return GameReader(
            context.language(), self.row.game, names, self.seat, words.seat_letters(names))

    @cached_property
    def table(self) -> positions.GamePosition:
        """The game's position at this entry. Loaded on use: a typed order needs none of it."""
        return positions.table(context.reading(), self.row, self.number)

    @cached_property
    def view(self) -> Any:
        """The observation of this reader's seat."""
        view = self.table.rules.observation(self.table.state, self.seat)
        return results.seen(context.reading(), self.row, view)


def desk_of(row: Game, number: int | None = None) -> Desk:
    """Return the page of the current reader, at the newest entry if `number` is None."""
    return Desk(row, row.last_entry if number is None else number)
