"""What a game says about orders ahead: its own forms, what they speak to, what conditions compare.

`orders_ahead.py` reads and tries orders ahead with it; a game implements it in its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol

from msgspec import Struct

from engine.errors import MoveRefused
from engine.notation import LineReader
from engine.phrases import Value


class Instruction(Struct, frozen=True, tag=True):
    """What an order ahead says: an order of the game, or a form of the game's own.

    `holds`: stands on when it was used, until its moment is over. `of_a_round`: means one round
    alone, which its text names.
    """

    holds: ClassVar[bool] = False
    of_a_round: ClassVar[bool] = True


class PlainOrder(Instruction, frozen=True, tag=True):
    """An order of the game, in full words; what it leaves open is settled when it is played."""

    text: str
    of_a_round: ClassVar[bool] = False


class Condition(Struct, frozen=True):
    """What must hold: a measure against a number, or whether a seat has done a deed.

    `seat` None: the order's owner, or the table. `sign` is "has", "has not", or compares.
    """

    what: str
    sign: str
    number: int = 0
    seat: int | None = None


class Alternative(Struct, frozen=True):
    """One thing to do, if all its conditions hold."""

    form: Instruction
    conditions: tuple[Condition, ...] = ()


class OrderAhead(Struct, frozen=True):
    """An order ahead. `moment`: at which question; `in_round` from 1, None: whenever it comes.

    `asks`: it ends with `else ask`, which says what is meant anyway.
    """

    alternatives: tuple[Alternative, ...]
    moment: Instruction | None = None
    in_round: int | None = None
    asks: bool = False

    @property
    def forms(self) -> tuple[Instruction, ...]:
        """All its forms, the moment among them."""
        own = tuple(each.form for each in self.alternatives)
        return own if self.moment is None else (self.moment, *own)

    @property
    def holds(self) -> bool:
        """Whether it stands on when it was used."""
        return self.alternatives[0].form.holds


class OrderAheadWords(NamedTuple):
    """The words of a game's orders ahead: rounds in order, measures, deeds of a seat."""

    rounds: tuple[str, ...]  # as `in round` names them
    measures: tuple[str, ...]  # what a condition compares with a number
    of_others: tuple[str, ...]  # those that lie open for every seat
    deeds: tuple[str, ...]  # `ana has not bid`
    same: Mapping[str, str]  # other words for measures


class OrderAheadExample(NamedTuple):
    """An order ahead that a player might care to give, and what it means."""

    line: str
    meaning: Value


class OrdersAhead(Protocol):
    """A game's part of orders ahead. It reads views, and of a state only what is public."""

    words: OrderAheadWords

    def said(self, line: str, state: Any, seat: int, aliases: Mapping[str, str]) -> str:
        """An order line in full words, or MalformedOrder."""

    def read_form(self, reader: LineReader) -> Instruction | None:
        """A form of the game's own, if one begins here."""

    def read_moment(self, reader: LineReader) -> Instruction | None:
        """What stands in front of an order and says at which question it is meant: `at 11:`."""

    def spelt(self, form: Instruction) -> str:
        """A form or moment of the game's own as it is written."""

    def round_meant(self, form: Instruction, state: Any) -> int:
        """The round, counted from 1, that a form means where its line names none."""

    def gone(self, form: Instruction, in_round: int, state: Any, seat: int) -> MoveRefused | None:
        """Why its moment cannot come any more (or never could), or None."""

    def questions(self, form: Instruction) -> frozenset[str]:
        """Names of the questions that it can be about: what goes together has some in common."""

    def speaks(self, form: Instruction, question: Any, seat: int) -> bool:
        """Whether it is about this question, put to this seat."""

    def is_free(self, form: Instruction) -> bool:
        """Whether it answers no question, and so waits until it can be given."""

    def order(self, form: Instruction, view: Any) -> str:
        """The order line that a form of the game's own stands for at the open question."""

    def measured(self, view: Any, seat: int, measure: str) -> int | None:
        """The number as this view shows it; None if it shows none now."""

    def examples(self, view: Any, seat: int) -> Sequence[OrderAheadExample]:
        """Some that could be given now, few and of different kinds."""

    def known(self, view: Any, seat: int, deed: str, facts: Sequence[Any]) -> bool | None:
        """Whether the seat did it, by the view and by late facts; None if they do not tell."""
