"""Writes moves of Vasco da Gama as one-line orders, and reads them back (rules/orders.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine import notation
from engine.api import Move, Seat
from engine.choices import MoveSpec
from engine.errors import IllegalMove
from engine.notation import LineReader
from engine.vasco_da_gama import moves
from engine.vasco_da_gama.actions import END_LAUNCHES, GIVE_UP
from engine.vasco_da_gama.characters import (
    HOST,
    HOST_MANUEL,
    HOST_SERNIGI,
    HOSTED_WITH,
    SEND_MERCHANT,
    TAKE_MONEY,
)
from engine.vasco_da_gama.components import VascoComponents
from engine.vasco_da_gama.expedition import CHOOSE_PROJECT, CHOOSE_SAILOR, DRAW_SAILOR
from engine.vasco_da_gama.placing import PLACE
from engine.vasco_da_gama.slot_orders import read_slot, settled
from engine.vasco_da_gama.state import CREW, LANDINGS, SAILORS, VascoState

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


SPECS: dict[type[Move], MoveSpec[VascoComponents, VascoState, Any]] = {
    moves.PlaceDisc: PLACE,
    moves.GiveUp: GIVE_UP,
    moves.TakeMoney: TAKE_MONEY,
    moves.Host: HOST,
    moves.HostSernigi: HOST_SERNIGI,
    moves.HostManuel: HOST_MANUEL,
    moves.SendMerchant: SEND_MERCHANT,
    moves.ChooseProject: CHOOSE_PROJECT,
    moves.ChooseSailor: CHOOSE_SAILOR,
    moves.DrawSailor: DRAW_SAILOR,
    moves.EndLaunches: END_LAUNCHES,
}
"""The declared moves; each is declared beside its rule."""

SPELLINGS: dict[type, Callable[[Any, Any], str]] = {
    **{move: spec.spell for move, spec in SPECS.items()},
    moves.Buy: spell_buy,
    moves.BuyGabriel: lambda _, move: "buy gabriel",
    moves.Recruit: spell_recruit,
    moves.Send: spell_send,
    moves.Launch: spell_launch,
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
    if reader.has_id(list(components.order)) or not reader.has_word(*SAILORS, "bag"):
        return CHOOSE_PROJECT.read(reader, components, state)
    if reader.has_word(*SAILORS):
        return CHOOSE_SAILOR.read(reader, components, state)
    reader.word("bag")
    return DRAW_SAILOR.make()


def read_host(reader: LineReader, components: VascoComponents, state: VascoState) -> moves.AnyMove:
    host = HOST.read(reader, components, state)
    spec = HOSTED_WITH.get(host.character)
    return host if spec is None or reader.is_at_end() else spec.read(reader, components, state)


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
    "place": PLACE.read,
    "give up": GIVE_UP.read,
    "buy": read_buy,
    "recruit": read_recruit,
    "send": read_send,
    "bonus": read_bonus,
    "take": TAKE_MONEY.read,
    "host": read_host,
    "merchant": SEND_MERCHANT.read,
    "launch": read_launch,
    "done": END_LAUNCHES.read,
}
