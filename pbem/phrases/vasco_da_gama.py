"""Vasco da Gama: which phrase fits a fact, a question, a move, and which values stand in it.

Each value is made by its field's name, so a new fact needs code here only if one sentence is not
enough for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from engine.vasco_da_gama import events as facts
from engine.vasco_da_gama import moves, state
from engine.vasco_da_gama.state import CREW, SAILORS
from pbem.words import Phrase, Say, snake

Value = Callable[[Any, Say], Any]


def crew_in_words(colours: Iterable[str], say: Say) -> str:
    """Colours, counted: turquoise 2, orange 1."""
    number = Counter(colours)
    return say.listed([f"{say.term(f'colour_{c}')} {number[c]}" for c in CREW if number[c]])


def sailors_in_words(counts: Sequence[int], say: Say) -> str:
    """Counts by SAILORS: turquoise 2, orange 1."""
    return crew_in_words(
        [colour for colour, n in zip(SAILORS, counts, strict=False) for _ in range(n)], say
    )


def standings_in_words(event: facts.GameEnded, say: Say) -> str:
    """Seats by place: 1. Anna (45 VP), 2. Bram (40 VP)."""
    seats = sorted(range(len(event.places)), key=lambda seat: (event.places[seat], seat))
    return say.listed(
        [f"{event.places[s]}. {say.name(s)} ({say.count('vp', event.points[s])})" for s in seats]
    )


def signed(number: int) -> str:
    """+2, 0, −1."""
    return f"{number:+d}".replace("-", "−") if number else "0"


def a_term(prefix: str) -> Value:
    """A value that is a key of the game; in a refusal it can be what a player made up."""
    return lambda key, say: say.known(f"{prefix}_{key}", str(key))


def a_count(key: str) -> Value:
    """A value that is a number of things."""
    return lambda number, say: say.count(key, number)


def a_name(seat: Any, say: Say) -> str:
    """A value that is a seat, or nobody."""
    return say.name(seat)


def some_tiles(tiles: Sequence[str | None], say: Say) -> str:
    """A value that is a row of tiles, gaps left out."""
    return say.listed([tile for tile in tiles if tile is not None])


VALUES: Mapping[str, Value] = {
    "seat": a_name,
    "owner": a_name,
    "first_player": a_name,
    "owner_before": a_name,
    "asked": lambda seats, say: say.listed([say.name(seat) for seat in seats]),
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
    "colours": crew_in_words,
    "crew": crew_in_words,
    "projects": some_tiles,
    "offer": some_tiles,
    "gabriel": lambda tile, say: some_tiles((tile,), say),
    "variation": lambda number, say: signed(number),
}


def values_of(thing: Any, say: Say) -> dict[str, Any]:
    """The fields of a fact, a question or a move, in words."""
    return in_words({field: getattr(thing, field) for field in thing.__struct_fields__}, say)


def in_words(fields: Mapping[str, Any], say: Say) -> dict[str, Any]:
    """Named values in words; what has no words of its own stays."""
    return {
        field: VALUES[field](value, say) if field in VALUES else value
        for field, value in fields.items()
    }


# ---- facts -------------------------------------------------------------------------------------


def of_event(event: Any, say: Say) -> Phrase | None:
    """The phrase for a fact; None if it is not worth a line."""
    kind = type(event)
    if kind in SILENT or (kind in SILENT_IF_EMPTY and not getattr(event, SILENT_IF_EMPTY[kind])):
        return None
    key, values = snake(kind.__name__), values_of(event, say)
    special = SPECIAL.get(kind)
    if special is None:
        return Phrase(key, values)
    variant, more = special(event, say)
    if variant is None:
        return None
    return Phrase(f"{key}_{variant}" if variant else key, {**values, **more})


SILENT = {facts.NowAwaiting}
SILENT_IF_EMPTY: Mapping[Any, str] = {
    facts.MoneyReturned: "reals",
    facts.ProjectsDiscarded: "projects",
    facts.SailorsDrawn: "colours",
    facts.SectionRefilled: "colours",
    facts.CaptainsBoarded: "ships",
    facts.LandingPaid: "vp",
    facts.BonusReals: "reals",
}

Special = tuple[str | None, Mapping[str, Any]]  # variant of the phrase (None: no line), more values


def crew_recruited(event: facts.CrewRecruited, say: Say) -> Special:
    sailors = {"sailors": sailors_in_words(event.sailors, say)}
    if not any(event.sailors):
        return "captain_only", sailors
    return "with_captain" if event.captain else "", sailors


def character_hosted(event: facts.CharacterHosted, say: Say) -> Special:
    if event.owner_before is None:
        return "", {}
    return "again" if event.owner_before == event.seat else "from", {}


def ship_earned(event: facts.ShipEarned, say: Say) -> Special:
    earned = [say.count("real", event.reals)] if event.reals else []
    earned += [say.count("vp", event.vp)] if event.vp else []
    return ("" if earned else None), {"earned": say.listed(earned)}


SPECIAL: Mapping[type, Callable[[Any, Say], Special]] = {
    facts.TableLaid: lambda event, say: ("", {"players": event.seats}),
    facts.MerchantShipsShuffled: lambda event, say: (
        "",
        {"first": event.limits[0], "second": event.limits[1]},
    ),
    facts.MarkerSet: lambda event, say: (
        "",
        {
            "upper": say.count("real", event.money[0]),
            "lower": say.count("real", event.money[1]),
        },
    ),
    facts.ActionTaken: lambda event, say: ("" if event.reals else "free", {}),
    facts.ActionGivenUp: lambda event, say: ("" if event.reals else "for_nothing", {}),
    facts.CrewRecruited: crew_recruited,
    facts.CharacterHosted: character_hosted,
    facts.ShipEarned: ship_earned,
    facts.ShipSailed: lambda event, say: ("merchant" if event.seat is None else "", {}),
    facts.ShipLeft: lambda event, say: ("merchant" if event.seat is None else "", {}),
    facts.GameEnded: lambda event, say: ("", {"standings": standings_in_words(event, say)}),
}


# ---- questions and refusals --------------------------------------------------------------------


def of_question(question: Any, say: Say) -> Phrase:
    """The phrase for a question; a called number names its area's action."""
    key, values = snake(type(question).__name__), values_of(question, say)
    if isinstance(question, state.AwaitAction):
        values["action"] = say.term(f"act_{question.area}")
        return Phrase(key if question.price else f"{key}_free", values)
    values.setdefault("seat", VALUES["asked"](question.seats, say))
    return Phrase(key, values)


def of_numbers(numbers: Mapping[str, Any], say: Say) -> Mapping[str, Any]:
    """The values of a refusal, in words; its `crew` is a number of people."""
    said = {field: number for field, number in numbers.items() if field != "crew"}
    return {**numbers, **in_words(said, say)}


# ---- moves -------------------------------------------------------------------------------------


def slot_name(slots: Mapping[str, Sequence[str]], landing: str, slot: int) -> str:
    """A slot as orders write it, or its place from the left."""
    return slots[landing][slot] if landing in slots else str(slot + 1)


def of_move(move: Any, say: Say, slots: Mapping[str, Sequence[str]]) -> Phrase:
    """The phrase for a move."""
    key, values = snake(type(move).__name__), values_of(move, say)
    if isinstance(move, moves.Recruit):
        values["sailors"] = sailors_in_words(move.sailors, say)
        if not any(move.sailors):
            key += "_captain_only"
        elif move.captain:
            key += "_with_captain"
    elif isinstance(move, moves.Send):
        in_slot = say.term("ship_in_slot")
        values["ships"] = say.listed(
            [
                in_slot.format(ship=ship, slot=slot_name(slots, move.landing, slot))
                for ship, slot in move.ships
            ]
        )
    elif isinstance(move, moves.SendMerchant | moves.HostSernigi):
        values["slot"] = slot_name(slots, move.landing, move.slot)
    return Phrase(key, values)
