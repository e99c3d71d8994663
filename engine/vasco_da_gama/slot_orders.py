"""Reads and writes slots in orders: by label, or by a bare value that several slots share."""

from __future__ import annotations

from engine import notation
from engine.notation import LineReader
from engine.vasco_da_gama.components import VascoComponents
from engine.vasco_da_gama.state import LANDINGS, VascoState


def write_target(components: VascoComponents, target: tuple[str, int]) -> str:
    """Return LANDING>SLOT."""
    return f"{target[0]}>{label_of(components, target)}"


def label_of(components: VascoComponents, target: tuple[str, int]) -> str:
    """Return a slot's name within its landing."""
    landing, slot = target
    return components.labels[landing][slot]


def read_target(
    reader: LineReader, components: VascoComponents, state: VascoState
) -> tuple[str, int]:
    """Read LANDING>SLOT."""
    landing = reader.word(*LANDINGS)
    reader.sign(">")
    slot = read_slot(reader, components, landing)
    return landing, settled(components, state, landing, [slot])[0]


def read_slot(reader: LineReader, components: VascoComponents, landing: str) -> str:
    """Read a slot's label, or a bare value that several slots share."""
    values = components.by_word[landing].slots
    names = list(dict.fromkeys((*components.labels[landing], *map(str, values))))
    try:
        return reader.id(names)
    except notation.Slip as slip:
        if slip.key == "unknown_id":
            slip.key = "unknown_slot"
        raise


def settled(
    components: VascoComponents, state: VascoState, landing: str, named: list[str]
) -> list[int]:
    """Return slot indexes: labels first, then the leftmost empty slot for each bare value."""
    labels = components.labels[landing]
    values = components.by_word[landing].slots
    ships = state.landings[LANDINGS.index(landing)]
    taken = {labels.index(name) for name in named if name in labels}
    slots = []
    for name in named:
        if name in labels:
            slots.append(labels.index(name))
            continue
        such = [slot for slot, value in enumerate(values) if str(value) == name]
        # If none is empty, take the first: the rules refuse it as taken.
        free = [slot for slot in such if ships[slot] is None and slot not in taken]
        slot = (free or [s for s in such if s not in taken] or such)[0]
        taken.add(slot)
        slots.append(slot)
    return slots
