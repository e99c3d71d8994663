"""Orders ahead of Vasco da Gama: called numbers, and what conditions compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine import notation
from engine.ahead import Instruction, OrderAheadExample, OrderAheadWords, PlainOrder
from engine.api import Event, Seat
from engine.errors import IllegalMove, MoveRefused
from engine.notation import LineReader
from engine.vasco_da_gama import ahead_examples, orders
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

SPEAKS: dict[str, tuple[type[Any], ...]] = {
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
"""The questions that an order can answer, by its first word; a launch answers none."""

AREA_OF = {
    "buy": "projects",
    "recruit": "recruiting",
    "send": "navigation",
    "take": "characters",
    "host": "characters",
}

OPEN = ("reals", "points", "captains", "sailors", "missionaries", *SAILORS, "projects", "ships")
MEASURES = (*OPEN, "price", "crew", "first", "round")


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

    def said(self, line: str, state: VascoState, seat: Seat, aliases: Mapping[str, str]) -> str:
        """An order line in full words."""
        return notation.as_said(line, orders.grammar_of(self.components, state), aliases)

    # ---- forms

    def read_form(self, reader: LineReader) -> Instruction | None:
        """Every order ahead is an order of the game."""
        return None

    def read_moment(self, reader: LineReader) -> Instruction | None:
        """at N"""
        if not reader.has_word("at"):
            return None
        reader.word("at")
        return At(reader.number())

    def spelt(self, form: Instruction) -> str:
        """The moment as it is written."""
        return f"at {form.number}" if isinstance(form, At) else ""

    def order(self, form: Instruction, view: VascoView) -> str:
        """No form stands for another order."""
        raise AssertionError(f"{form} is no order")

    # ---- moments

    def round_meant(self, form: Instruction, state: VascoState) -> int:
        """This round, or once its numbers are called the next one."""
        return max(1, state.round) + (state.phase > ACTIONS)

    def gone(
        self, form: Instruction, in_round: int, state: VascoState, seat: Seat
    ) -> MoveRefused | None:
        """A number that there is not, or under which no disc of the seat will be called."""
        if not isinstance(form, At):
            return self.placed_too_late(form, in_round, state)
        numbers = self.components.numbers
        if form.number not in (*range(1, numbers.ordinary + 1), *numbers.additional):
            return IllegalMove("no_such_number", rule="VG-2.2", number=form.number)
        if in_round != state.round or state.phase < PLACING:
            return None
        disc = next((disc for disc in state.discs if disc.number == form.number), None)
        if disc is not None and disc.seat != seat:
            return IllegalMove("number_taken", rule="VG-2.2", number=form.number)
        if self.may_be_called(form.number, disc, state):
            return None
        return IllegalMove("number_called", rule="VG-3.2", number=form.number)

    def placed_too_late(
        self, form: Instruction, in_round: int, state: VascoState
    ) -> MoveRefused | None:
        """An ordinary number of a round whose discs all lie (VG-3.2)."""
        if not isinstance(form, PlainOrder):
            return None
        verb, _, rest = form.text.partition(" ")
        number = rest.partition(" ")[0]
        if verb != "place" or in_round != state.round or state.phase <= PLACING:
            return None
        if not number.isdecimal() or int(number) > self.components.numbers.ordinary:
            return None  # who hosts Manuel may still place his (VG-6.2)
        return IllegalMove("number_called", rule="VG-3.2", number=int(number))

    def may_be_called(self, number: int, disc: Disc | None, state: VascoState) -> bool:
        """Whether the seat's disc may still be called in this round; it may lie there later."""
        if state.phase == PLACING:
            return True
        if disc is None:  # who hosts Manuel may still place his (VG-6.2)
            return state.phase == ACTIONS and number in self.components.numbers.additional
        return disc.status == "placed"

    def questions(self, form: Instruction) -> frozenset[str]:
        """The questions that it can be about; that for a called number by its area."""
        if isinstance(form, At):
            return frozenset(named(AwaitCalledAction, None))
        if not isinstance(form, PlainOrder):
            return frozenset()
        first, _, rest = form.text.partition(" ")
        kinds = QUESTIONS if first == "launch" else SPEAKS[first]
        if first == "bonus":
            kinds = (AwaitSailor if is_sailor(rest) else AwaitProject,)
        return frozenset(name for kind in kinds for name in named(kind, AREA_OF.get(first)))

    def speaks(self, form: Instruction, question: Any, seat: Seat) -> bool:
        """Whether the form is about this question."""
        if isinstance(form, At):
            return isinstance(question, AwaitCalledAction) and question.number == form.number
        if not isinstance(form, PlainOrder):
            return False
        first, _, rest = form.text.partition(" ")
        if first == "launch":
            return True
        if not isinstance(question, SPEAKS[first]):
            return False
        if first == "bonus":
            return isinstance(question, AwaitSailor) == is_sailor(rest)
        area = AREA_OF.get(first)
        return area is None or area == question.area

    def is_free(self, form: Instruction) -> bool:
        """Launches answer no question (VG-4.3)."""
        return isinstance(form, PlainOrder) and form.text.startswith("launch ")

    def examples(self, view: VascoView, seat: Seat) -> Sequence[OrderAheadExample]:
        """Some that could be given now."""
        return ahead_examples.examples(view, seat)

    # ---- conditions

    def measured(self, view: VascoView, seat: Seat, measure: str) -> int | None:
        """The number as this view shows it."""
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
        """No condition asks for a deed."""
        return None


QUESTIONS = tuple(dict.fromkeys(kind for kinds in SPEAKS.values() for kind in kinds))


def named(kind: type[Any], area: str | None) -> list[str]:
    """A kind of question; that for a called number once an area."""
    if kind is AwaitCalledAction:
        return [f"{kind.__name__} {each}" for each in (AREAS if area is None else (area,))]
    return [kind.__name__]


def is_sailor(bonus: str) -> bool:
    """Whether a bonus is a sailor, not a project (VG-5.3)."""
    return bonus.startswith((*SAILORS, "bag"))
