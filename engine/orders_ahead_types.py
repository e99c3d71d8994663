"""Types of orders ahead, and the protocol by which a game takes part in them.

`orders_ahead.py` reads and tries orders ahead for all games. Each game implements `OrdersAhead` in
its own `orders_ahead.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol

from msgspec import Struct

from engine.errors import MoveRefused
from engine.notation import LineReader
from engine.phrases import Value


class Instruction(Struct, frozen=True, tag=True):
    """What an order ahead tells the service to do.

    `holds`: it stays after its use, until its moment is over. `of_a_round`: it is meant for one
    round, which the canonical text names.
    """

    holds: ClassVar[bool] = False
    of_a_round: ClassVar[bool] = True


class PlainOrder(Instruction, frozen=True, tag=True):
    """An ordinary order in full words. What it leaves open is decided when it is played."""

    text: str
    of_a_round: ClassVar[bool] = False


class Condition(Struct, frozen=True):
    """A measure compared with a number, or a deed that a seat has or has not done.

    `seat` is None for the order's owner or the whole table. `sign` is "has", "has not" or one of
    "<=", ">=", "<", ">", "=".
    """

    what: str
    sign: str
    number: int = 0
    seat: int | None = None


class Alternative(Struct, frozen=True):
    """An instruction, used if all its conditions hold."""

    instruction: Instruction
    conditions: tuple[Condition, ...] = ()


class OrderAhead(Struct, frozen=True):
    """An order ahead: alternatives, tried in order when their question is put to the seat.

    `moment` names the question (None: any that the alternatives answer). `in_round` counts from 1
    (None: any round). `asks`: the line ends with `else ask`, which is the default anyway.
    """

    alternatives: tuple[Alternative, ...]
    moment: Instruction | None = None
    in_round: int | None = None
    asks: bool = False

    @property
    def instructions(self) -> tuple[Instruction, ...]:
        """All its instructions, the moment first."""
        own = tuple(each.instruction for each in self.alternatives)
        return own if self.moment is None else (self.moment, *own)

    @property
    def holds(self) -> bool:
        """Whether it stays after its use."""
        return self.alternatives[0].instruction.holds


class OrderAheadWords(NamedTuple):
    """The words of a game's orders ahead."""

    rounds: tuple[str, ...]  # as `in round` names them, in order
    measures: tuple[str, ...]  # what a condition compares with a number
    of_others: tuple[str, ...]  # measures that are public for every seat
    deeds: tuple[str, ...]  # what a seat has done: `bid` in `ana has not bid`
    same: Mapping[str, str]  # other word -> measure


class OrderAheadExample(NamedTuple):
    """An order ahead that a player could give, and its meaning in words."""

    line: str
    meaning: Value


class OrdersAhead(Protocol):
    """A game's part of orders ahead. It reads views, and only the public fields of a state."""

    words: OrderAheadWords

    def in_full(self, line: str, state: Any, seat: int, aliases: Mapping[str, str]) -> str:
        """Return the order line in full words. Raise MalformedOrder if it cannot be read."""

    def read_instruction(self, reader: LineReader) -> Instruction | None:
        """Read an instruction of this game, if one begins here. Raise Slip if it cannot be read."""

    def read_moment(self, reader: LineReader) -> Instruction | None:
        """Read the name of a question in front of an order, without its colon: `at 11`."""

    def to_text(self, instruction: Instruction) -> str:
        """Return an instruction or moment of this game as players write it."""

    def round_meant(self, instruction: Instruction, state: Any) -> int:
        """Return the round, from 1, of an instruction whose line names none."""

    def why_expired(
        self, instruction: Instruction, in_round: int, state: Any, seat: int
    ) -> MoveRefused | None:
        """Return why its moment cannot come any more (or never could), or None."""

    def questions(self, instruction: Instruction) -> frozenset[str]:
        """Return names of the questions that it can answer; alternatives must share one."""

    def applies_to(self, instruction: Instruction, question: Any, seat: int) -> bool:
        """Whether it answers this question, put to this seat."""

    def is_free(self, instruction: Instruction) -> bool:
        """Whether it answers no question. Then it waits until it can be played."""

    def order_line(self, instruction: Instruction, view: Any) -> str:
        """Return the order line that an instruction of this game means at the open question."""

    def measured(self, view: Any, seat: int, measure: str) -> int | None:
        """Return the number that this view shows, or None if it shows none now."""

    def examples(self, view: Any, seat: int) -> Sequence[OrderAheadExample]:
        """Return a few orders ahead of different kinds that the seat could give now."""

    def known(self, view: Any, seat: int, deed: str, facts: Sequence[Any]) -> bool | None:
        """Whether the seat has done it, by the view and recent facts; None if they do not tell."""
