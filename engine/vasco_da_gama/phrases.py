"""Picks the phrase for an event, a question, a refusal or a move, and the values in it.

Each value is made from its field's name, so a new event needs code here only if one phrase is not
enough for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from engine.phrases import (
    Enumeration,
    Kinds,
    Name,
    Phrase,
    Quantity,
    Signed,
    Term,
    TermPhrase,
    Value,
    WordForm,
    in_kinds,
    key_of,
    values_of,
)
from engine.vasco_da_gama import events as facts
from engine.vasco_da_gama import moves, state
from engine.vasco_da_gama.components import VascoComponents
from engine.vasco_da_gama.state import CREW, SAILORS

# ---- values ------------------------------------------------------------------------------------


def crew(colours: Iterable[str]) -> Enumeration:
    """Return colours with their counts: turquoise 2, orange 1."""
    number = Counter(colours)
    return Enumeration(
        tuple(
            TermPhrase("some_of", {"what": Term("colour", colour), "number": number[colour]})
            for colour in CREW
            if number[colour]
        )
    )


def sailors(counts: Sequence[int]) -> Enumeration:
    """Return counts in the order of SAILORS: turquoise 2, orange 1."""
    return crew(colour for colour, n in zip(SAILORS, counts, strict=False) for _ in range(n))


def tiles(row: Sequence[str | None]) -> Enumeration:
    """Return a row of tiles without its gaps."""
    return Enumeration(tuple(tile for tile in row if tile is not None))


def a_term(family: str) -> Callable[[Any], Value]:
    """Return a function that makes a term of the game."""
    return lambda key: Term(family, str(key))


def a_count(key: str) -> Callable[[Any], Value]:
    """Return a function that makes a number of things."""
    return lambda number: Quantity(key, number)


KINDS: Kinds = {
    "seat": Name,
    "owner": Name,
    "first_player": Name,
    "owner_before": Name,
    "asked": lambda seats: Enumeration(tuple(Name(seat) for seat in seats)),
    "area": a_term("area"),
    "landing": a_term("landing"),
    "from_landing": a_term("landing"),
    "character": a_term("character"),
    "colour": a_term("colour"),
    "space": a_term("space"),
    "reals": a_count("real"),
    "price": a_count("real"),
    "gain": a_count("real"),
    "cost": a_count("real"),
    "right": a_count("real"),
    "action": a_count("real"),
    "vp": a_count("vp"),
    "colours": crew,
    "crew": crew,
    "projects": tiles,
    "offer": tiles,
    "gabriel": lambda tile: tiles((tile,)),
    "variation": Signed,
}


# ---- events ------------------------------------------------------------------------------------


def of_event(event: Any) -> Phrase | None:
    """Return the phrase for an event, or None if it gets no line."""
    kind = type(event)
    if kind in SILENT or (kind in SILENT_IF_EMPTY and not getattr(event, SILENT_IF_EMPTY[kind])):
        return None
    key, values = key_of(event), values_of(event, KINDS)
    special = SPECIAL.get(kind)
    if special is None:
        return Phrase(key, values)
    variant, more = special(event)
    if variant is None:
        return None
    return Phrase(f"{key}_{variant}" if variant else key, {**values, **more})


SILENT = {facts.VascoNowAwaiting}
SILENT_IF_EMPTY: Mapping[Any, str] = {
    facts.MoneyReturned: "reals",
    facts.ProjectsDiscarded: "projects",
    facts.SailorsDrawn: "colours",
    facts.SectionRefilled: "colours",
    facts.CaptainsBoarded: "ships",
    facts.LandingPaid: "vp",
    facts.BonusReals: "reals",
}

Special = tuple[str | None, Mapping[str, Value]]  # variant (None: no line), values


def crew_recruited(event: facts.CrewRecruited) -> Special:
    said = {"sailors": sailors(event.sailors)}
    if not any(event.sailors):
        return "captain_only", said
    return "with_captain" if event.captain else "", said


def character_hosted(event: facts.CharacterHosted) -> Special:
    if event.owner_before is None:
        return "", {}
    return "again" if event.owner_before == event.seat else "from", {}


def ship_earned(event: facts.ShipEarned) -> Special:
    earned = [Quantity("real", event.reals)] if event.reals else []
    earned += [Quantity("vp", event.vp)] if event.vp else []
    return ("" if earned else None), {"earned": Enumeration(tuple(earned))}


def standings(event: facts.VascoGameEnded) -> Enumeration:
    """Return the seats by place: 1. Anna (45 VP), 2. Bram (40 VP)."""
    seats = sorted(range(len(event.places)), key=lambda seat: (event.places[seat], seat))
    return Enumeration(
        tuple(
            TermPhrase(
                "standing",
                {
                    "place": event.places[seat],
                    "seat": Name(seat),
                    "points": Quantity("vp", event.points[seat]),
                },
            )
            for seat in seats
        )
    )


SPECIAL: Mapping[type, Callable[[Any], Special]] = {
    facts.VascoTableLaid: lambda event: ("", {"players": event.seats}),
    facts.MerchantShipsShuffled: lambda event: (
        "",
        {"first": event.limits[0], "second": event.limits[1]},
    ),
    facts.MarkerSet: lambda event: (
        "",
        {"upper": Quantity("real", event.money[0]), "lower": Quantity("real", event.money[1])},
    ),
    facts.ActionTaken: lambda event: ("" if event.reals else "free", {}),
    facts.ActionGivenUp: lambda event: ("" if event.reals else "for_nothing", {}),
    facts.CrewRecruited: crew_recruited,
    facts.CharacterHosted: character_hosted,
    facts.ShipEarned: ship_earned,
    facts.ShipSailed: lambda event: ("merchant" if event.seat is None else "", {}),
    facts.ShipLeft: lambda event: ("merchant" if event.seat is None else "", {}),
    facts.VascoGameEnded: lambda event: ("", {"standings": standings(event)}),
}


# ---- questions and refusals --------------------------------------------------------------------


def of_question(question: Any) -> Phrase:
    """Return the phrase for a question; a called number names its area's action."""
    key, values = key_of(question), values_of(question, KINDS)
    if isinstance(question, state.AwaitCalledAction):
        values["action"] = WordForm(f"act_{question.area}")
        return Phrase(key if question.price else f"{key}_free", values)
    values.setdefault("seat", KINDS["asked"](question.seats))
    return Phrase(key, values)


def of_refusal(key: str, numbers: Mapping[str, Any]) -> Phrase:
    """Return the phrase for a refusal; its `crew` is a number of people."""
    said = {field: number for field, number in numbers.items() if field != "crew"}
    return Phrase(key, {**numbers, **in_kinds(said, KINDS)})


# ---- moves -------------------------------------------------------------------------------------


def slot_name(components: VascoComponents, landing: str, slot: int) -> str:
    """Return a slot as orders write it."""
    return components.labels[landing][slot]


def of_move(components: VascoComponents, move: Any) -> Phrase:
    """Return the phrase for a move."""
    key, values = key_of(move), values_of(move, KINDS)
    if isinstance(move, moves.Recruit):
        values["sailors"] = sailors(move.sailors)
        if not any(move.sailors):
            key += "_captain_only"
        elif move.captain:
            key += "_with_captain"
    elif isinstance(move, moves.Send):
        values["ships"] = Enumeration(
            tuple(
                TermPhrase(
                    "ship_in_slot",
                    {"ship": ship, "slot": slot_name(components, move.landing, slot)},
                )
                for ship, slot in move.ships
            )
        )
    elif isinstance(move, moves.SendMerchant | moves.HostSernigi):
        values["slot"] = slot_name(components, move.landing, move.slot)
    return Phrase(key, values)
