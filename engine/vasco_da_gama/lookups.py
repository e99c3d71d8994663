"""Answers questions about the table that several rules ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import filterfalse
from operator import attrgetter
from typing import Any

from engine.api import Seat
from engine.choices import FieldSpec, Refusal, named
from engine.vasco_da_gama.components import VascoComponents
from engine.vasco_da_gama.state import (
    AREAS,
    LANDINGS,
    AwaitCalledAction,
    Disc,
    Ship,
    VascoPlayer,
    VascoState,
)


def turn_under_way(state: VascoState) -> tuple[int, int, int]:
    """Return a key for a called action with its bonuses (VG-3.2, VG-5.3), or for a phase."""
    question = state.awaiting
    if isinstance(question, AwaitCalledAction):
        return state.round, state.phase, question.number
    called = (disc.number for disc in state.discs if disc.status != "placed")
    return state.round, state.phase, max(called, default=0)


def free_slots(components: VascoComponents, state: VascoState) -> dict[str, int]:
    """Return the empty action slots by area (VG-2.4, VG-3.5).

    Only a disc that is still to be called occupies a slot.
    """
    free = dict(components.slots[len(state.players)])
    for disc in state.discs:
        if disc.status == "placed":
            free[disc.area] -= 1
    return free


def has_free_slot(components: VascoComponents, state: VascoState) -> bool:
    """Tell whether any action slot is empty (VG-2.4)."""
    taken = [disc.status for disc in state.discs].count("placed")
    return taken < sum(components.slots[len(state.players)].values())


def additional_disc(components: VascoComponents, state: VascoState, seat: Seat) -> Disc | None:
    """Return the additional disc that this seat has placed in this round, or None (VG-2.3)."""
    for disc in state.discs:
        if disc.seat == seat and disc.number in components.numbers.additional:
            return disc
    return None


def additional_left(components: VascoComponents, state: VascoState) -> list[int]:
    """Return the additional disc's numbers that nobody uses in this round (VG-6.2)."""
    used = {disc.number for disc in state.discs}
    return [number for number in components.numbers.additional if number not in used]


def discs_to_place(components: VascoComponents, state: VascoState, seat: Seat) -> int:
    """Return the number of discs that a seat still has to place in phase 1 (VG-2.2, VG-2.3)."""
    player = state.players[seat]
    if player.additional and additional_disc(components, state, seat) is None:
        return player.discs + 1
    return player.discs


Slot = tuple[str, int]
"""A landing's word and the slot's index, from 0 at the left."""


def fitting_slots(components: VascoComponents, state: VascoState, limit: int) -> list[Slot]:
    """Return every empty slot that a ship of this limit may take (VG-5.2, VG-6.6).

    They are listed from Natal up.
    """
    why_not = judge_slot(components, state, limit, rule="VG-6.6")
    return list(filterfalse(why_not, components.all_slots))


def judge_slot(
    components: VascoComponents, state: VascoState, limit: int, *, rule: str
) -> Callable[[Slot], Refusal | None]:
    """Judge slots for a ship of this limit: empty, and within the limit (VG-5.2, VG-6.6)."""
    known, moored = components.all_slots, state.landings
    taken, above = slot_refusals(rule, limit)

    def why_not(slot: Slot) -> Refusal | None:
        there = known.get(slot)
        if there is None:
            return unknown_slot(slot, rule=rule)
        place, index, value = there
        if moored[place][index] is not None:
            return taken
        return above if value > limit else None

    return why_not


@cache
def slot_refusals(rule: str, limit: int) -> tuple[Refusal, Refusal]:
    """Return the refusals of a slot that another ship has, and of one beyond the limit."""

    def numbers(components: VascoComponents, _: VascoState, __: Seat, slot: Slot) -> dict[str, Any]:
        return {"landing": slot[0], "slot": components.labels[slot[0]][slot[1]]}

    return Refusal("slot_taken", rule, numbers), Refusal(
        "slot_above_limit", rule, lambda *choice: {**numbers(*choice), "limit": limit})


def unknown_slot(slot: Slot, *, rule: str) -> Refusal:
    """Return the refusal of a slot that does not exist."""
    if slot[0] in LANDINGS:
        return Refusal("no_such_slot", rule, named("landing", "slot"))
    return Refusal("no_such_landing", rule, lambda _c, _s, _seat, slot: {"landing": slot[0]})


def check_slot(
    components: VascoComponents, state: VascoState, seat: Seat, slot: Slot, limit: int, *, rule: str
) -> None:
    """Raise IllegalMove unless the slot is empty and within the ship's limit."""
    why = judge_slot(components, state, limit, rule=rule)(slot)
    if why is not None:
        raise why.as_error(components, state, seat, slot)


def has_crew(components: VascoComponents, player: VascoPlayer, project: str) -> bool:
    """Tell whether the seat has a crew of different colours for a project (VG-4.3)."""
    return components.by_id[project].crew <= sum(1 for count in player.crew if count)


def could_launch(components: VascoComponents, state: VascoState, seat: Seat) -> bool:
    """Tell whether a seat has the crew for at least one of its projects (VG-8.2)."""
    player = state.players[seat]
    return any(has_crew(components, player, project) for project in player.projects)


def is_complete(moored: Sequence[Ship | None]) -> bool:
    """Tell whether all slots of a landing are taken (VG-5.4)."""
    return None not in moored


NO_SUCH_AREA = Refusal("no_such_area", "VG-2.2", named("area"))
AREA_FULL = Refusal(
    "area_full", "VG-2.4", lambda components, state, _seat, area: {
        "area": area, "slots": components.slots[len(state.players)][area]},
)  # fmt: skip


def area_field(
    free: Callable[[VascoComponents, VascoState], Mapping[str, int]], form_field: str = ""
) -> FieldSpec[VascoComponents, VascoState, str]:
    """Return the field of a disc's area: one with a free action slot (VG-2.2, VG-2.4)."""

    def judge(
        components: VascoComponents, state: VascoState, _: Seat
    ) -> Callable[[str], Refusal | None]:
        left = free(components, state)
        return lambda area: (
            NO_SUCH_AREA if area not in left else AREA_FULL if left[area] <= 0 else None
        )

    return FieldSpec(
        "area", attrgetter("area"), lambda _components, _state: AREAS, judge,
        lambda reader, _components, _state: reader.word(*AREAS), form_field=form_field,
    )  # fmt: skip
