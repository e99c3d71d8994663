"""Builds the orders that the chosen fields of a form stand for; the rules judge them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.choices import MoveSpec
from engine.forms import Fields, Incomplete
from engine.phrases import Term
from engine.vasco_da_gama.actions import END_LAUNCHES, GIVE_UP
from engine.vasco_da_gama.characters import HOST, HOSTED_WITH, SEND_MERCHANT, TAKE_MONEY
from engine.vasco_da_gama.components import VascoComponents
from engine.vasco_da_gama.expedition import CHOOSE_PROJECT, CHOOSE_SAILOR, DRAW_SAILOR
from engine.vasco_da_gama.form_table import FormTable
from engine.vasco_da_gama.form_texts import landing_name
from engine.vasco_da_gama.moves import (
    AnyMove,
    Buy,
    BuyGabriel,
    EndLaunches,
    HostManuel,
    HostSernigi,
    Launch,
    Recruit,
    Send,
)
from engine.vasco_da_gama.placing import PLACE
from engine.vasco_da_gama.state import (
    CREW,
    LANDINGS,
    SAILORS,
    SPACES,
    AwaitCalledAction,
    AwaitFirstMerchant,
    AwaitLastLaunches,
    AwaitLaunches,
    AwaitMerchant,
    AwaitPlacement,
    AwaitProject,
    AwaitSailor,
    VascoState,
)
from engine.vasco_da_gama.view import SlotView, VascoView, observation

Builder = Callable[[FormTable, Fields], AnyMove]


def form_orders(
    components: VascoComponents, fields: Fields, state: VascoState, seat: int
) -> list[list[AnyMove]]:
    """Return the moves of the chosen steps: launches first, then the answer.

    A value that the form does not know counts as not chosen. Raise Incomplete if a choice is
    missing.
    """
    view = observation(components, state, seat)
    table = FormTable(components, state, view, view.players[seat])
    orders: list[list[AnyMove]] = [[launch] for launch in launches(fields, view, seat)]
    if seat in view.asked:
        try:
            orders.append([BUILDERS[type(view.question)](table, fields)])
        except Incomplete as missing:
            if not orders or missing.key != "nothing":
                raise
    if not orders:
        raise Incomplete("nothing")
    return orders


def launches(fields: Fields, view: VascoView, seat: int) -> list[Launch]:
    """Return the launch of every project with a crew chosen."""
    return [
        Launch(tile.id, tuple(colour for colour in CREW if colour in crew.split(",")))
        for tile in view.players[seat].projects
        if (crew := fields.get(f"launch-{tile.id}"))
    ]


def action(table: FormTable, fields: Fields) -> AnyMove:
    """Return the move that gives the called action up, or takes it."""
    if fields.get("act") == "give-up":
        return GIVE_UP.make()
    question = table.view.question
    assert isinstance(question, AwaitCalledAction)  # noqa: S101
    taken = ACTIONS[question.area](table, fields)
    if not fields.get("act"):
        raise Incomplete("act")
    return taken


def nothing_chosen(fields: Fields, *names: str) -> bool:
    """Tell whether none of these fields has a value."""
    return not any(fields.get(name) for name in (*names, "act"))


def expedition(table: FormTable, fields: Fields) -> Send:
    """Return the expedition of the ticked ships."""
    if nothing_chosen(fields, "to", "ship"):
        raise Incomplete("nothing")
    word = fields.get("to")
    ships = [ship for ship in fields.getlist("ship") if table.view.tile_of(ship) is not None]
    if word not in LANDINGS:
        raise Incomplete("landing")
    if not ships:
        raise Incomplete("ship")
    if any(ship in projects_of(table.view) and not fields.get(f"launch-{ship}") for ship in ships):
        raise Incomplete("too_few_launched")
    wanted = {ship: fields.get(f"slot-{ship}") or "" for ship in ships}
    slots = chosen_slots(wanted, table.view, word)
    slots |= found_slots(wanted, slots, table.view, word)
    by_slot = sorted(slots.items(), key=lambda pair: pair[1].index)
    return Send(word, tuple((ship, slot.index) for ship, slot in by_slot))


def projects_of(view: VascoView) -> set[str]:
    """Return the ids of the viewer's tiles that are not launched."""
    return set() if view.viewer is None else {t.id for t in view.players[view.viewer].projects}


def chosen_slots(wanted: Mapping[str, str], view: VascoView, word: str) -> dict[str, SlotView]:
    """Return the slots that the player named, by ship."""
    by_label = {slot.label: slot for slot in view.landing(word).slots}
    slots = {}
    for ship, choice in wanted.items():
        landing, _, label = choice.partition(":")
        if label and landing != word:
            raise Incomplete("other_landing", ship=ship, landing=Term("landing", word))
        if label in by_label:
            slots[ship] = by_label[label]
    return slots


def found_slots(
    wanted: Mapping[str, str], taken: Mapping[str, SlotView], view: VascoView, word: str
) -> dict[str, SlotView]:
    """Return the best empty slot per ship without a named one; the shortest ship chooses first."""
    landing = view.landing(word)
    free = [slot for slot in landing.empty if slot not in taken.values()]
    slots = {}
    for ship in sorted((s for s in wanted if s not in taken), key=lambda s: limit_of(view, s)):
        fitting = [slot for slot in free if slot.value <= limit_of(view, ship)]
        if not fitting:
            raise Incomplete("no_slot", ship=ship, landing=landing_name(landing))
        slots[ship] = max(fitting, key=lambda slot: (slot.value, -slot.index))
        free.remove(slots[ship])
    return slots


def limit_of(view: VascoView, ship: str) -> int:
    """Return the navigation limit of a tile that lies open; 0 for any other."""
    tile = view.tile_of(ship)
    return 0 if tile is None else tile.limit


def recruiting(table: FormTable, fields: Fields) -> Recruit:
    """Return the sailors of a section, a captain, or both."""
    section, captain = fields.get("section"), bool(fields.get("captain"))
    nobody = (0,) * len(SAILORS)
    if section == "captain" or (not section and captain):
        return Recruit(None, nobody, captain=True)
    sections = {str(place): place for place, _ in enumerate(table.view.sections, 1)}
    if section not in sections:
        raise Incomplete("nothing" if nothing_chosen(fields) else "section")
    sailors = sailors_wanted(fields, table.view.sections[sections[section] - 1])
    if not any(sailors) and not captain:
        raise Incomplete("sailors")
    return Recruit(sections[section] if any(sailors) else None, sailors, captain)


def sailors_wanted(fields: Fields, there: Sequence[int]) -> tuple[int, ...]:
    """Return the number of sailors of each colour: all of the section, or as the fields say."""
    if fields.get("take") != "some":
        return tuple(there)
    chosen = (fields.get(f"n-{colour}") or "" for colour in SAILORS)
    return tuple(int(n) if n.isdecimal() and len(n) <= 2 else 0 for n in chosen)


def projects(table: FormTable, fields: Fields) -> Buy | BuyGabriel:
    """Return the purchase of one or two projects, or of the São Gabriel project."""
    tile, order = table.view.gabriel, table.components.order
    gabriel = None if tile is None else tile.id
    bought = [gabriel if each == "gabriel" else each for each in fields.getlist("buy")]
    ids = [each for each in bought if each is not None and each in order]
    if not ids:
        raise Incomplete("nothing" if nothing_chosen(fields) else "project")
    if ids == [gabriel]:
        return BuyGabriel()
    return Buy(tuple(sorted(ids, key=order.__getitem__)))


def characters(table: FormTable, fields: Fields) -> AnyMove:
    """Return the move that takes money or hosts a character, with its disc or merchant ship."""
    favour = fields.get("favour") or ""
    if not favour:
        raise Incomplete("nothing" if nothing_chosen(fields) else "favour")
    spec = HOSTED_WITH.get(favour)
    if spec is not None and any(fields.get(field.in_form) for field in spec.fields):
        hosting: HostSernigi | HostManuel = table.chosen(spec, fields)
        return hosting
    if favour in SPACES:
        return table.chosen(TAKE_MONEY, fields)
    return table.chosen(HOST, fields)


def bonus(table: FormTable, fields: Fields) -> AnyMove:
    """Return the choice of a sailor as a bonus."""
    if fields.get("bonus") == "bag":
        return DRAW_SAILOR.make()
    return table.chosen(CHOOSE_SAILOR, fields)


def last_launches(table: FormTable, fields: Fields) -> EndLaunches:
    """Return the end of the launches, if it is chosen; else only the launches count."""
    if fields.get("act") != "done":
        raise Incomplete("nothing")
    return END_LAUNCHES.make()


def declared(spec: MoveSpec[VascoComponents, VascoState, Any]) -> Builder:
    """Return the builder of a move whose form has its fields."""
    return lambda table, fields: table.chosen(spec, fields)


ACTIONS: Mapping[str, Builder] = {
    "navigation": expedition,
    "recruiting": recruiting,
    "projects": projects,
    "characters": characters,
}
BUILDERS: Mapping[type, Builder] = {
    AwaitPlacement: declared(PLACE),
    AwaitCalledAction: action,
    AwaitProject: declared(CHOOSE_PROJECT),
    AwaitSailor: bonus,
    AwaitFirstMerchant: declared(SEND_MERCHANT),
    AwaitMerchant: declared(SEND_MERCHANT),
    AwaitLaunches: last_launches,
    AwaitLastLaunches: last_launches,
}
