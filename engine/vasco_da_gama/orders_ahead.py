"""Reads and applies orders ahead in Vasco da Gama: called numbers, and measures of conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine import notation
from engine.api import Event, Seat
from engine.errors import IllegalMove, MoveRefused
from engine.notation import LineReader
from engine.orders_ahead_types import Instruction, OrderAheadExample, OrderAheadWords, PlainOrder
from engine.phrases import Text
from engine.vasco_da_gama import orders
from engine.vasco_da_gama.components import VascoComponents
from engine.vasco_da_gama.state import (
    ACTIONS,
    AREAS,
    PLACING,
    SAILORS,
    AwaitCalledAction,
    AwaitFirstMerchant,
    AwaitLastLaunches,
    AwaitLaunches,
    AwaitMerchant,
    AwaitPlacement,
    AwaitProject,
    AwaitSailor,
    Disc,
    VascoState,
)
from engine.vasco_da_gama.view import VascoView

ANSWERED_BY: dict[str, tuple[type[Any], ...]] = {
    "place": (AwaitPlacement,),
    "give": (AwaitCalledAction,),
    "buy": (AwaitCalledAction,),
    "recruit": (AwaitCalledAction,),
    "send": (AwaitCalledAction,),
    "take": (AwaitCalledAction,),
    "host": (AwaitCalledAction,),
    "bonus": (AwaitProject, AwaitSailor),
    "merchant": (AwaitFirstMerchant, AwaitMerchant),
    "done": (AwaitLaunches, AwaitLastLaunches),
}
"""The questions that an order can answer, by its first word. A launch answers none."""

AREA_OF = {
    "buy": "projects",
    "recruit": "recruiting",
    "send": "navigation",
    "take": "characters",
    "host": "characters",
}

OPEN = ("reals", "points", "captains", "sailors", "missionaries", *SAILORS, "projects", "ships")
MEASURES = (*OPEN, "price", "crew", "first", "round")

DEAR = 3  # Reals


class At(Instruction, frozen=True, tag=True):
    """at N: when the disc with number N is called (VG-3.2)."""

    number: int


class VascoOrdersAhead:
    """Vasco da Gama's part of orders ahead, with one component set."""

    def __init__(self, components: VascoComponents) -> None:
        self.components = components
        self.words = OrderAheadWords(
            rounds=tuple(str(each + 1) for each in range(components.profile.rounds)),
            measures=MEASURES,
            of_others=OPEN,
            deeds=(),
            same={"money": "reals"},
        )

    def in_full(self, line: str, state: VascoState, seat: Seat, aliases: Mapping[str, str]) -> str:
        """Return the order line in full words. Raise MalformedOrder if it cannot be read."""
        return notation.in_full_words(line, orders.grammar_of(self.components, state), aliases)

    # ---- instructions

    def read_instruction(self, reader: LineReader) -> Instruction | None:
        """Return None: every order ahead of this game is an ordinary order."""
        return None

    def read_moment(self, reader: LineReader) -> Instruction | None:
        """Read `at N` in front of an order."""
        if not reader.has_word("at"):
            return None
        reader.word("at")
        return At(reader.number())

    def to_text(self, instruction: Instruction) -> str:
        """Return the moment as players write it."""
        return f"at {instruction.number}" if isinstance(instruction, At) else ""

    def order_line(self, instruction: Instruction, view: VascoView) -> str:
        """Raise AssertionError: no instruction of this game stands for another order."""
        raise AssertionError(f"{instruction} is no order")

    # ---- moments

    def round_meant(self, instruction: Instruction, state: VascoState) -> int:
        """Return this round, or the next one once this round's numbers are called."""
        return max(1, state.round) + (state.phase > ACTIONS)

    def why_expired(
        self, instruction: Instruction, in_round: int, state: VascoState, seat: Seat
    ) -> MoveRefused | None:
        """Refuse a number that does not exist, or at which no disc of the seat is called."""
        if not isinstance(instruction, At):
            return self.placed_too_late(instruction, in_round, state)
        numbers = self.components.numbers
        if instruction.number not in (*range(1, numbers.ordinary + 1), *numbers.additional):
            return IllegalMove("no_such_number", rule="VG-2.2", number=instruction.number)
        if in_round != state.round or state.phase < PLACING:
            return None
        disc = next((disc for disc in state.discs if disc.number == instruction.number), None)
        if disc is not None and disc.seat != seat:
            return IllegalMove("number_taken", rule="VG-2.2", number=instruction.number)
        if self.may_be_called(instruction.number, disc, state):
            return None
        return IllegalMove("number_called", rule="VG-3.2", number=instruction.number)

    def placed_too_late(
        self, instruction: Instruction, in_round: int, state: VascoState
    ) -> MoveRefused | None:
        """Refuse to place an ordinary number in a round whose discs are all placed (VG-3.2)."""
        if not isinstance(instruction, PlainOrder):
            return None
        verb, _, rest = instruction.text.partition(" ")
        number = rest.partition(" ")[0]
        if verb != "place" or in_round != state.round or state.phase <= PLACING:
            return None
        if not number.isdecimal() or int(number) > self.components.numbers.ordinary:
            return None  # the host of Manuel may still place the additional disc (VG-6.2)
        return IllegalMove("number_called", rule="VG-3.2", number=int(number))

    def may_be_called(self, number: int, disc: Disc | None, state: VascoState) -> bool:
        """Tell whether a disc of the seat with this number may still be called in this round."""
        if state.phase == PLACING:
            return True
        if disc is None:  # the host of Manuel may still place the additional one (VG-6.2)
            return state.phase == ACTIONS and number in self.components.numbers.additional
        return disc.status == "placed"

    def questions(self, instruction: Instruction) -> frozenset[str]:
        """Return the questions it can answer, by name; a called number's has its area."""
        if isinstance(instruction, At):
            return frozenset(named(AwaitCalledAction, None))
        if not isinstance(instruction, PlainOrder):
            return frozenset()
        first, _, rest = instruction.text.partition(" ")
        kinds = QUESTIONS if first == "launch" else ANSWERED_BY[first]
        if first == "bonus":
            kinds = (AwaitSailor if is_sailor(rest) else AwaitProject,)
        return frozenset(name for kind in kinds for name in named(kind, AREA_OF.get(first)))

    def applies_to(self, instruction: Instruction, question: Any, seat: Seat) -> bool:
        """Tell whether the instruction answers this question."""
        if isinstance(instruction, At):
            return isinstance(question, AwaitCalledAction) and question.number == instruction.number
        if not isinstance(instruction, PlainOrder):
            return False
        first, _, rest = instruction.text.partition(" ")
        if first == "launch":
            return True
        if not isinstance(question, ANSWERED_BY[first]):
            return False
        if first == "bonus":
            return isinstance(question, AwaitSailor) == is_sailor(rest)
        area = AREA_OF.get(first)
        return area is None or area == question.area

    def is_free(self, instruction: Instruction) -> bool:
        """Tell whether the order is a launch, which answers no question (VG-4.3)."""
        return isinstance(instruction, PlainOrder) and instruction.text.startswith("launch ")

    def examples(self, view: VascoView, seat: Seat) -> Sequence[OrderAheadExample]:
        """Return orders ahead that the seat could give now."""
        return order_examples(view, seat)

    # ---- conditions

    def measured(self, view: VascoView, seat: Seat, measure: str) -> int | None:
        """Return the number that this view shows, or None."""
        player = view.players[seat]
        if measure in SAILORS:
            return player.crew[SAILORS.index(measure)]
        found: dict[str, int | None] = {
            "reals": player.reals,
            "points": player.vp,
            "captains": player.captains,
            "sailors": sum(player.crew[: len(SAILORS)]),
            "missionaries": player.crew[len(SAILORS)],
            "projects": len(player.projects),
            "ships": len(player.ships),
            "price": getattr(view.question, "price", None),
            "crew": None if view.gabriel is None else view.gabriel.crew,
            "first": view.marker,
            "round": view.round,
        }
        return found[measure]

    def known(
        self, view: VascoView, seat: Seat, deed: str, facts: Sequence[Event]
    ) -> bool | None:
        """Return None: this game has no deeds in conditions."""
        return None


QUESTIONS = tuple(dict.fromkeys(kind for kinds in ANSWERED_BY.values() for kind in kinds))


def named(kind: type[Any], area: str | None) -> list[str]:
    """Return the names of a kind of question: one for each area for called numbers."""
    if kind is AwaitCalledAction:
        return [f"{kind.__name__} {each}" for each in (AREAS if area is None else (area,))]
    return [kind.__name__]


def is_sailor(bonus: str) -> bool:
    """Tell whether a bonus is a sailor, not a project (VG-5.3)."""
    return bonus.startswith((*SAILORS, "bag"))


# ---- examples -----------------------------------------------------------------------------------


def order_examples(view: VascoView, seat: Seat) -> tuple[OrderAheadExample, ...]:
    """Return a placement with a second choice; in phase 2, giving up the seat's next number."""
    if view.phase == ACTIONS:
        own = next((each.number for each in view.numbers
                    if each.disc is not None and each.disc.seat == seat
                    and each.disc.status == "placed"), None)
        if own is not None:
            said = Text("ahead_give_up", {"number": own, "price": DEAR})
            return (OrderAheadExample(f"at {own}: give up if price > {DEAR}", said),)
    free = [each.number for each in view.numbers if each.ordinary and each.disc is None]
    if len(free) < 2:
        return ()
    first, second = free[len(free) // 3], free[len(free) // 3 + 1]
    said = Text("ahead_place", {"first": first, "second": second})
    return (OrderAheadExample(f"place {first} recruiting else {second} recruiting else ask", said),)
