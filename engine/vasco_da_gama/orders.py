"""Writes moves of Vasco da Gama as one-line orders, and reads them back (rules/orders.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from engine import notation
from engine.api import Seat
from engine.errors import IllegalMove
from engine.notation import LineReader
from engine.vasco_da_gama import moves
from engine.vasco_da_gama.state import (
    AREAS,
    CHARACTERS,
    CREW,
    LANDINGS,
    SAILORS,
    SPACES,
    VascoState,
)

if TYPE_CHECKING:
    from engine.vasco_da_gama.components import VascoComponents

GABRIEL = "gabriel"
MISSIONARY = "missionary"  # a synonym of white
VERBS = (
    "place",
    "give up",
    "buy",
    "recruit",
    "send",
    "bonus",
    "take",
    "host",
    "merchant",
    "launch",
    "done",
)


# ---- writing -----------------------------------------------------------------------------------


def to_text(components: VascoComponents, move: moves.AnyMove) -> str:
    """Return the canonical one-line order."""
    return SPELLINGS[type(move)](components, move)


def spell_buy(components: VascoComponents, move: moves.Buy) -> str:
    return "buy " + " ".join(in_file_order(components, move.projects))


def spell_recruit(components: VascoComponents, move: moves.Recruit) -> str:
    if not any(move.sailors):
        return "recruit captain"
    entries = [
        f"{count} {colour}" for colour, count in zip(SAILORS, move.sailors, strict=True) if count
    ]
    return f"recruit {move.section}: " + ", ".join(entries + ["captain"] * move.captain)


def spell_send(components: VascoComponents, move: moves.Send) -> str:
    ships = sorted(move.ships, key=lambda ship: ship[1])
    labels = components.labels[move.landing]
    return f"send {move.landing}: " + ", ".join(f"{tile}>{labels[slot]}" for tile, slot in ships)


def spell_launch(components: VascoComponents, move: moves.Launch) -> str:
    return f"launch {move.project}: " + ", ".join(sorted(move.crew, key=CREW.index))


def spell_target(components: VascoComponents, landing: str, slot: int) -> str:
    return f"{landing}>{components.labels[landing][slot]}"


SPELLINGS: dict[type, Callable[[Any, Any], str]] = {
    moves.PlaceDisc: lambda _, move: f"place {move.number} {move.area}",
    moves.GiveUp: lambda _, move: "give up",
    moves.Buy: spell_buy,
    moves.BuyGabriel: lambda _, move: "buy gabriel",
    moves.Recruit: spell_recruit,
    moves.Send: spell_send,
    moves.ChooseProject: lambda _, move: f"bonus {move.project}",
    moves.ChooseSailor: lambda _, move: f"bonus {move.colour} from {move.section}",
    moves.DrawSailor: lambda _, move: "bonus bag",
    moves.TakeMoney: lambda _, move: f"take {move.space}",
    moves.Host: lambda _, move: f"host {move.character}",
    moves.HostSernigi: lambda components, move: (
        "host sernigi merchant " + spell_target(components, move.landing, move.slot)
    ),
    moves.HostManuel: lambda _, move: f"host manuel {move.number} {move.area}",
    moves.SendMerchant: lambda components, move: (
        "merchant " + spell_target(components, move.landing, move.slot)
    ),
    moves.Launch: spell_launch,
    moves.EndLaunches: lambda _, move: "done",
}


def in_file_order(components: VascoComponents, ids: tuple[str, ...]) -> list[str]:
    """Return the tile ids in the order of the component set."""
    return sorted(ids, key=lambda each: components.order[each])


# ---- reading -----------------------------------------------------------------------------------


def from_text(
    components: VascoComponents,
    line: str,
    state: VascoState,
    seat: Seat,
    aliases: Mapping[str, str],
) -> list[moves.AnyMove]:
    """Return the move that one order line means.

    Raise MalformedOrder with corrected lines if any.
    """

    def to_line(move: moves.AnyMove) -> str:
        return to_text(components, move)

    return [notation.read(line, grammar_of(components, state), aliases, to_line)]


def grammar_of(
    components: VascoComponents, state: VascoState
) -> Callable[[LineReader], moves.AnyMove]:
    """Return the function that reads a line at this table."""

    def grammar(reader: LineReader) -> moves.AnyMove:
        verb = reader.word(*VERBS, unknown="unknown_verb")
        return GRAMMAR[verb](reader, components, state)

    return grammar


def read_place(reader: LineReader, components: VascoComponents, state: VascoState) -> moves.AnyMove:
    return moves.PlaceDisc(reader.number(), reader.word(*AREAS))


def read_buy(reader: LineReader, components: VascoComponents, state: VascoState) -> moves.AnyMove:
    bought = [read_bought(reader, components, state)]
    while not reader.is_at_end():
        reader.has_sign(",")
        bought.append(read_bought(reader, components, state))
    if bought in ([GABRIEL], [state.gabriel]):
        return moves.BuyGabriel()
    if GABRIEL in bought and state.gabriel is None:
        raise IllegalMove("gabriel_gone", rule="VG-4.1")
    projects = tuple(state.gabriel or each if each == GABRIEL else each for each in bought)
    return moves.Buy(tuple(in_file_order(components, projects)))


def read_bought(reader: LineReader, components: VascoComponents, state: VascoState) -> str:
    """Read a project's id, or the word for the São Gabriel project."""
    ids = list(components.order)
    if reader.has_word(GABRIEL) and not reader.has_id(ids):
        return reader.word(GABRIEL)
    return reader.id(ids)


def read_recruit(
    reader: LineReader, components: VascoComponents, state: VascoState
) -> moves.AnyMove:
    if reader.has_word("captain"):
        reader.word("captain")
        return moves.Recruit(None, (0,) * len(SAILORS), captain=True)
    start = reader.place
    section = reader.number()
    reader.sign(":")
    sailors, captain = [0] * len(SAILORS), False
    while True:
        number = reader.number() if reader.has_number() else None
        word = reader.word(*SAILORS, *(["captain"] if number is None and not captain else []))
        if word == "captain":
            captain = True
        else:
            sailors[SAILORS.index(word)] += 1 if number is None else number
        if not reader.has_sign(","):
            break
    if not any(sailors) and not captain:
        raise reader.fail("wrong_shape", since=start)
    # A captain stands in no section; a section that does not exist is refused all the same.
    is_idle = not any(sailors) and 1 <= section <= len(state.sections)
    return moves.Recruit(None if is_idle else section, tuple(sailors), captain)


def read_send(reader: LineReader, components: VascoComponents, state: VascoState) -> moves.AnyMove:
    landing = reader.word(*LANDINGS)
    reader.sign(":")
    ships = []
    while True:
        tile = reader.id(list(components.order))
        reader.sign(">")
        ships.append((tile, read_slot(reader, components, landing)))
        if not reader.has_sign(","):
            break
    slots = settled(components, state, landing, [slot for _, slot in ships])
    placed = zip((tile for tile, _ in ships), slots, strict=True)
    return moves.Send(landing, tuple(sorted(placed, key=lambda ship: ship[1])))


def read_bonus(reader: LineReader, components: VascoComponents, state: VascoState) -> moves.AnyMove:
    ids = list(components.order)
    if reader.has_id(ids) or not reader.has_word(*SAILORS, "bag"):
        start = reader.place
        try:
            return moves.ChooseProject(reader.id(ids))
        except notation.Slip as slip:
            raise notation.Slip(
                slip.key, start, slip.end, (*slip.instead, *SAILORS, "bag")
            ) from None
    word = reader.word(*SAILORS, "bag")
    if word == "bag":
        return moves.DrawSailor()
    reader.word("from")
    return moves.ChooseSailor(word, reader.number())


def read_take(reader: LineReader, components: VascoComponents, state: VascoState) -> moves.AnyMove:
    if not reader.has_number():
        return moves.TakeMoney(reader.word(*SPACES))
    start = reader.place
    amount = reader.number()
    spaces = [space for space, reals in zip(SPACES, state.money, strict=True) if reals == amount]
    if len(spaces) != 1:
        key = "ambiguous_amount" if spaces else "no_such_amount"
        raise reader.unsettled(key, since=start)
    return moves.TakeMoney(spaces[0])


def read_host(reader: LineReader, components: VascoComponents, state: VascoState) -> moves.AnyMove:
    character = reader.word(*CHARACTERS)
    if reader.is_at_end() or character not in ("sernigi", "manuel"):
        return moves.Host(character)
    if character == "manuel":
        return moves.HostManuel(reader.number(), reader.word(*AREAS))
    reader.word("merchant")
    return moves.HostSernigi(*read_target(reader, components, state))


def read_merchant(
    reader: LineReader, components: VascoComponents, state: VascoState
) -> moves.AnyMove:
    return moves.SendMerchant(*read_target(reader, components, state))


def read_launch(
    reader: LineReader, components: VascoComponents, state: VascoState
) -> moves.AnyMove:
    project = reader.id(list(components.order))
    reader.sign(":")
    crew = [read_crew(reader)]
    while reader.has_sign(","):
        crew.append(read_crew(reader))
    return moves.Launch(project, tuple(sorted(crew, key=CREW.index)))


def read_crew(reader: LineReader) -> str:
    """Read a crew colour; a missionary is white."""
    word = reader.word(*CREW, MISSIONARY)
    return "white" if word == MISSIONARY else word


GRAMMAR: dict[str, Callable[[LineReader, Any, VascoState], moves.AnyMove]] = {
    "place": read_place,
    "give up": lambda reader, components, state: moves.GiveUp(),
    "buy": read_buy,
    "recruit": read_recruit,
    "send": read_send,
    "bonus": read_bonus,
    "take": read_take,
    "host": read_host,
    "merchant": read_merchant,
    "launch": read_launch,
    "done": lambda reader, components, state: moves.EndLaunches(),
}


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
