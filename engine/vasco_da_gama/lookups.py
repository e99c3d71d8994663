"""Answers questions about the table that several rules ask."""

from __future__ import annotations

from collections.abc import Sequence

from engine.api import Seat
from engine.errors import IllegalMove
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


def fitting_slots(
    components: VascoComponents, state: VascoState, limit: int
) -> list[tuple[str, int]]:
    """Return every empty slot that a ship of this limit may take (VG-5.2, VG-6.6).

    They are listed from Natal up, as landing word and slot index.
    """
    return [
        (landing.word, slot)
        for landing, moored in zip(components.landings, state.landings, strict=True)
        for slot, value in enumerate(landing.slots)
        if value <= limit and moored[slot] is None
    ]


def check_slot(
    components: VascoComponents,
    state: VascoState,
    landing: str,
    slot: int,
    limit: int,
    *,
    rule: str,
) -> None:
    """Raise IllegalMove unless the slot is empty and within the ship's limit (VG-5.2, VG-6.6)."""
    if landing not in components.by_word:
        raise IllegalMove("no_such_landing", rule=rule, landing=landing)
    values = components.by_word[landing].slots
    if not 0 <= slot < len(values):
        raise IllegalMove("no_such_slot", rule=rule, landing=landing, slot=slot)
    label = components.labels[landing][slot]
    if state.landings[LANDINGS.index(landing)][slot] is not None:
        raise IllegalMove("slot_taken", rule=rule, landing=landing, slot=label)
    if values[slot] > limit:
        raise IllegalMove("slot_above_limit", rule=rule, landing=landing, slot=label, limit=limit)


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


def check_area(area: str) -> None:
    """Raise IllegalMove unless the area is one of the four (VG-2.2)."""
    if area not in AREAS:
        raise IllegalMove("no_such_area", rule="VG-2.2", area=area)


def check_free_slot(components: VascoComponents, state: VascoState, area: str) -> None:
    """Raise IllegalMove unless the area has a free action slot (VG-2.2, VG-2.4)."""
    check_area(area)
    slots = components.slots[len(state.players)][area]
    taken = sum(1 for disc in state.discs if disc.area == area and disc.status == "placed")
    if taken >= slots:
        raise IllegalMove("area_full", rule="VG-2.4", area=area, slots=slots)
