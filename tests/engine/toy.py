"""A whole game in few lines: take one to three stones in turn; who takes the last one wins."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, ClassVar

from msgspec import Struct
from msgspec.structs import replace

from engine import journal
from engine.api import Event, Move, Seat, SeatQuestion, Standing, Transition
from engine.chance import Chance
from engine.choices import FieldSpec, MoveSpec, Refusal, named, read_number
from engine.errors import GameOver, NotYourTurn
from engine.game import Game
from engine.journal import Journal


class Stones(Struct, frozen=True):
    """The component set."""

    stones: int = 7
    most: int = 3
    digest: str = "stones"


class AwaitTake(SeatQuestion, frozen=True):
    """The seat takes stones (ST-1)."""

    rule: ClassVar[str] = "ST-1"


class StonesState(Struct):
    """The table."""

    stones: int = 0
    awaiting: AwaitTake | None = None
    places: tuple[int, ...] = ()

    def copy(self) -> StonesState:
        return replace(self)


class Take(Move, frozen=True, tag=True):
    """take N: N stones from the heap."""

    stones: int


class StonesLaid(Event, frozen=True, tag=True):
    """The heap lies, and the first seat is asked."""

    stones: int
    seat: Seat

    def apply(self, state: StonesState) -> None:
        state.stones, state.awaiting = self.stones, AwaitTake(self.seat)


class StonesTaken(Event, frozen=True, tag=True):
    """A seat takes stones; the next one is asked."""

    rule: ClassVar[str] = "ST-1"
    stones: int
    following: Seat

    def apply(self, state: StonesState) -> None:
        state.stones, state.awaiting = state.stones - self.stones, AwaitTake(self.following)


class HeapGone(Event, frozen=True, tag=True):
    """A seat took the last stone and wins."""

    rule: ClassVar[str] = "ST-2"
    winner: Seat

    def apply(self, state: StonesState) -> None:
        state.awaiting = None
        state.places = tuple(1 if seat == self.winner else 2 for seat in range(2))


TOO_FEW = Refusal("too_few_stones", "ST-1", named("stones"))
TOO_MANY = Refusal("too_many_stones", "ST-1", named("stones"))


def judge_stones(components: Stones, state: StonesState, _: Seat) -> Any:
    """Judge numbers of stones: from one to the most, and as many as there are (ST-1)."""
    return lambda stones: (
        TOO_MANY if not 1 <= stones <= components.most else
        TOO_FEW if stones > state.stones else None
    )


TAKE = MoveSpec(Take, "take", (
    FieldSpec("stones", attrgetter("stones"),
              lambda components, _state: range(1, components.most + 1), judge_stones, read_number),
))  # fmt: skip


class TakeStones(Game[Stones, StonesState]):
    """The game."""

    key = "stones"
    rulesets = ("stones 1",)
    seats = range(2, 3)
    specs: ClassVar[Any] = {Take: TAKE}
    answered_by: ClassVar[Any] = {AwaitTake: (Take,)}

    def new_initial_state(self, seats: int, options: Any, chance: Chance) -> Transition:
        """Lay the heap."""
        laid = StonesLaid(self.components.stones, 0)
        return journal.turn(StonesState(), chance, lambda records: records.record(laid))

    def play(self, records: Journal, seat: Seat, move: Take) -> None:
        """Take the stones (ST-1); who takes the last one wins (ST-2)."""
        if records.state.awaiting is None:
            raise GameOver("game_over", rule="ST-2")
        if seat not in records.state.awaiting.seats:
            raise NotYourTurn("not_your_turn", rule="ST-1")
        TAKE.check(self.components, records.state, seat, move)
        records.record(StonesTaken(move.stones, 1 - seat))
        if not records.state.stones:
            records.record(HeapGone(seat))

    def returns(self, state: StonesState) -> tuple[Standing, ...]:
        """Return a point for the winner."""
        return tuple(Standing(at, place, 2 - place, {}) for at, place in enumerate(state.places))
