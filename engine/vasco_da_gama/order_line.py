"""Turns the steps of a form into an order line (rules/orders.md); the engine judges it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.forms import Fields, Incomplete
from engine.phrases import Term
from engine.vasco_da_gama.form_texts import landing_name
from engine.vasco_da_gama.state import (
    LANDINGS,
    SAILORS,
    AwaitCalledAction,
    AwaitFirstMerchant,
    AwaitLastLaunches,
    AwaitLaunches,
    AwaitMerchant,
    AwaitPlacement,
    AwaitProject,
    AwaitSailor,
)
from engine.vasco_da_gama.view import SlotView, VascoView

Writer = Callable[[Fields, VascoView], str]


def order_line(fields: Fields, view: VascoView, seat: int) -> str:
    """Return the line for the chosen steps: launches first, then the answer.

    Raise Incomplete if a choice is missing.
    """
    launches = launch_lines(fields, view, seat)
    try:
        answer = answer_line(fields, view) if seat in view.asked else ""
    except Incomplete as missing:
        if not launches or missing.key != "nothing":
            raise
        answer = ""
    lines = [*launches, answer] if answer else launches
    if not lines:
        raise Incomplete("nothing")
    return "; ".join(lines)


def launch_lines(fields: Fields, view: VascoView, seat: int) -> list[str]:
    """Return a `launch ID: COLOUR, ..` for every project with a crew chosen."""
    return [
        f"launch {tile.id}: {crew.replace(',', ', ')}"
        for tile in view.players[seat].projects
        if (crew := fields.get(f"launch-{tile.id}"))
    ]


def answer_line(fields: Fields, view: VascoView) -> str:
    """Return the answer to the open question, or "". Raise Incomplete if a choice is missing."""
    return WRITERS[type(view.question)](fields, view)


def placement(fields: Fields, view: VascoView) -> str:
    """Return `place N AREA`."""
    number, area = fields.get("number"), fields.get("area")
    if not number and not area:
        raise Incomplete("nothing")
    if not number or not area:
        raise Incomplete("area" if number else "number")
    return f"place {number} {area}"


def action(fields: Fields, view: VascoView) -> str:
    """Return `give up`, or the order of the called area."""
    if fields.get("act") == "give-up":
        return "give up"
    question = view.question
    assert isinstance(question, AwaitCalledAction)  # noqa: S101
    taken = ACTIONS[question.area](fields, view)
    if not fields.get("act"):
        raise Incomplete("act")
    return taken


def nothing_chosen(fields: Fields, *names: str) -> bool:
    """Tell whether none of these fields has a value."""
    return not any(fields.get(name) for name in (*names, "act"))


def expedition(fields: Fields, view: VascoView) -> str:
    """Return `send LANDING: ID>SLOT, ..`."""
    if nothing_chosen(fields, "to", "ship"):
        raise Incomplete("nothing")
    word, ships = fields.get("to"), fields.getlist("ship")
    if word not in LANDINGS:
        raise Incomplete("landing")
    if not ships:
        raise Incomplete("ship")
    if any(ship in projects_of(view) and not fields.get(f"launch-{ship}") for ship in ships):
        raise Incomplete("too_few_launched")
    landing = view.landing(word)
    wanted = {ship: fields.get(f"slot-{ship}") or "" for ship in ships}
    slots = chosen_slots(wanted, word)
    slots |= found_slots(wanted, slots, view, word)
    index = {slot.label: slot.index for slot in landing.slots}
    by_slot = sorted(slots.items(), key=lambda pair: index.get(pair[1], 0))
    return f"send {word}: " + ", ".join(f"{ship}>{label}" for ship, label in by_slot)


def projects_of(view: VascoView) -> set[str]:
    """Return the ids of the viewer's tiles that are not launched."""
    return set() if view.viewer is None else {t.id for t in view.players[view.viewer].projects}


def chosen_slots(wanted: Mapping[str, str], word: str) -> dict[str, str]:
    """Return the slots that the player named, by ship."""
    slots = {}
    for ship, choice in wanted.items():
        landing, colon, label = choice.partition(":")
        if colon and landing != word:
            raise Incomplete("other_landing", ship=ship, landing=Term("landing", word))
        if colon:
            slots[ship] = label
    return slots


def found_slots(
    wanted: Mapping[str, str], taken: Mapping[str, str], view: VascoView, word: str
) -> dict[str, str]:
    """Return the best empty slot per ship without a named one; the shortest ship chooses first."""
    landing = view.landing(word)
    free = [slot for slot in landing.empty if slot.label not in taken.values()]
    slots = {}
    for ship in sorted((s for s in wanted if s not in taken), key=lambda s: limit_of(view, s)):
        fitting = [slot for slot in free if slot.value <= limit_of(view, ship)]
        if not fitting:
            raise Incomplete("no_slot", ship=ship, landing=landing_name(landing))
        best: SlotView = max(fitting, key=lambda slot: (slot.value, -slot.index))
        free.remove(best)
        slots[ship] = best.label
    return slots


def limit_of(view: VascoView, ship: str) -> int:
    """Return the navigation limit of a tile that lies open; 0 for any other."""
    tile = view.tile_of(ship)
    return 0 if tile is None else tile.limit


def recruiting(fields: Fields, view: VascoView) -> str:
    """Return `recruit S: N COLOUR, .. [, captain]` or `recruit captain`."""
    section, captain = fields.get("section"), bool(fields.get("captain"))
    if not section:
        if captain:
            return "recruit captain"
        raise Incomplete("nothing" if nothing_chosen(fields) else "section")
    if section == "captain":
        return "recruit captain"
    counts = sailors_wanted(fields, view, section)
    entries = [f"{n} {colour}" for colour, n in zip(SAILORS, counts, strict=True) if n]
    if not entries and not captain:
        raise Incomplete("sailors")
    return f"recruit {section}: " + ", ".join(entries + ["captain"] * captain)


def sailors_wanted(fields: Fields, view: VascoView, section: str) -> tuple[int, ...]:
    """Return the number of sailors of each colour: all of the section, or as the fields say."""
    sections = {str(place): sailors for place, sailors in enumerate(view.sections, 1)}
    if fields.get("take") != "some" and section in sections:
        return sections[section]
    chosen = (fields.get(f"n-{colour}") or "" for colour in SAILORS)
    return tuple(int(n) if n.isdecimal() and len(n) <= 2 else 0 for n in chosen)


def projects(fields: Fields, view: VascoView) -> str:
    """Return `buy ID [ID]` or `buy gabriel`."""
    bought = fields.getlist("buy")
    if not bought:
        raise Incomplete("nothing" if nothing_chosen(fields) else "project")
    return "buy " + " ".join(bought)


def characters(fields: Fields, view: VascoView) -> str:
    """Return `take SPACE` or `host CHARACTER`, with its disc or merchant ship if it has one."""
    favour = fields.get("favour")
    if not favour:
        raise Incomplete("nothing" if nothing_chosen(fields) else "favour")
    if favour in ("upper", "lower"):
        return f"take {favour}"
    if favour == "sernigi" and fields.get("merchant"):
        return f"host sernigi merchant {fields.get('merchant')}"
    if favour == "manuel" and (fields.get("extra-number") or fields.get("extra-area")):
        number, area = fields.get("extra-number"), fields.get("extra-area")
        if not number or not area:
            raise Incomplete("area" if number else "number")
        return f"host manuel {number} {area}"
    return f"host {favour}"


def bonus(fields: Fields, view: VascoView) -> str:
    """Return `bonus ID`, `bonus COLOUR from S` or `bonus bag`."""
    if not fields.get("bonus"):
        raise Incomplete("nothing")
    return f"bonus {fields.get('bonus')}"


def merchant(fields: Fields, view: VascoView) -> str:
    """Return `merchant LANDING>SLOT`."""
    if not fields.get("merchant"):
        raise Incomplete("nothing")
    return f"merchant {fields.get('merchant')}"


def last_launches(fields: Fields, view: VascoView) -> str:
    """Return `done`, or "": then only the launches count."""
    if fields.get("act") != "done":
        raise Incomplete("nothing")
    return "done"


ACTIONS: Mapping[str, Writer] = {
    "navigation": expedition,
    "recruiting": recruiting,
    "projects": projects,
    "characters": characters,
}
WRITERS: Mapping[type, Writer] = {
    AwaitPlacement: placement,
    AwaitCalledAction: action,
    AwaitProject: bonus,
    AwaitSailor: bonus,
    AwaitFirstMerchant: merchant,
    AwaitMerchant: merchant,
    AwaitLaunches: last_launches,
    AwaitLastLaunches: last_launches,
}
