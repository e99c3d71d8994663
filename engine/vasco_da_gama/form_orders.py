"""Builds the orders that the chosen fields of a form stand for; the rules judge them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from engine.forms import Fields, Incomplete
from engine.phrases import Term
from engine.vasco_da_gama.components import VascoComponents
from engine.vasco_da_gama.form_texts import landing_name
from engine.vasco_da_gama.moves import (
    AnyMove,
    Buy,
    BuyGabriel,
    ChooseProject,
    ChooseSailor,
    DrawSailor,
    EndLaunches,
    GiveUp,
    Host,
    HostManuel,
    HostSernigi,
    Launch,
    PlaceDisc,
    Recruit,
    Send,
    SendMerchant,
    TakeMoney,
)
from engine.vasco_da_gama.state import (
    AREAS,
    CHARACTERS,
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
)
from engine.vasco_da_gama.view import SlotView, VascoView

Builder = Callable[[VascoComponents, Fields, VascoView], AnyMove]


def form_orders(
    components: VascoComponents, fields: Fields, view: VascoView, seat: int
) -> list[list[AnyMove]]:
    """Return the moves of the chosen steps: launches first, then the answer.

    A value that the form does not know counts as not chosen. Raise Incomplete if a choice is
    missing.
    """
    orders: list[list[AnyMove]] = [[launch] for launch in launches(fields, view, seat)]
    if seat in view.asked:
        try:
            orders.append([BUILDERS[type(view.question)](components, fields, view)])
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


def placement(components: VascoComponents, fields: Fields, view: VascoView) -> PlaceDisc:
    """Return the placement of a disc."""
    return PlaceDisc(*number_and_area(fields, view, "number", "area"))


def number_and_area(
    fields: Fields, view: VascoView, number_field: str, area_field: str
) -> tuple[int, str]:
    """Return the chosen sequence number and area. Raise Incomplete unless both are chosen."""
    number = next((n.number for n in view.numbers if str(n.number) == fields.get(number_field)), 0)
    area = fields.get(area_field)
    if not number and not area:
        raise Incomplete("nothing")
    if not number:
        raise Incomplete("number")
    if area not in AREAS:
        raise Incomplete("area")
    return number, area


def action(components: VascoComponents, fields: Fields, view: VascoView) -> AnyMove:
    """Return the move that gives the called action up, or takes it."""
    if fields.get("act") == "give-up":
        return GiveUp()
    question = view.question
    assert isinstance(question, AwaitCalledAction)  # noqa: S101
    taken = ACTIONS[question.area](components, fields, view)
    if not fields.get("act"):
        raise Incomplete("act")
    return taken


def nothing_chosen(fields: Fields, *names: str) -> bool:
    """Tell whether none of these fields has a value."""
    return not any(fields.get(name) for name in (*names, "act"))


def expedition(components: VascoComponents, fields: Fields, view: VascoView) -> Send:
    """Return the expedition of the ticked ships."""
    if nothing_chosen(fields, "to", "ship"):
        raise Incomplete("nothing")
    word = fields.get("to")
    ships = [ship for ship in fields.getlist("ship") if view.tile_of(ship) is not None]
    if word not in LANDINGS:
        raise Incomplete("landing")
    if not ships:
        raise Incomplete("ship")
    if any(ship in projects_of(view) and not fields.get(f"launch-{ship}") for ship in ships):
        raise Incomplete("too_few_launched")
    wanted = {ship: fields.get(f"slot-{ship}") or "" for ship in ships}
    slots = chosen_slots(wanted, view, word)
    slots |= found_slots(wanted, slots, view, word)
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


def recruiting(components: VascoComponents, fields: Fields, view: VascoView) -> Recruit:
    """Return the sailors of a section, a captain, or both."""
    section, captain = fields.get("section"), bool(fields.get("captain"))
    nobody = (0,) * len(SAILORS)
    if section == "captain" or (not section and captain):
        return Recruit(None, nobody, captain=True)
    sections = {str(place): place for place, _ in enumerate(view.sections, 1)}
    if section not in sections:
        raise Incomplete("nothing" if nothing_chosen(fields) else "section")
    sailors = sailors_wanted(fields, view.sections[sections[section] - 1])
    if not any(sailors) and not captain:
        raise Incomplete("sailors")
    return Recruit(sections[section] if any(sailors) else None, sailors, captain)


def sailors_wanted(fields: Fields, there: Sequence[int]) -> tuple[int, ...]:
    """Return the number of sailors of each colour: all of the section, or as the fields say."""
    if fields.get("take") != "some":
        return tuple(there)
    chosen = (fields.get(f"n-{colour}") or "" for colour in SAILORS)
    return tuple(int(n) if n.isdecimal() and len(n) <= 2 else 0 for n in chosen)


def projects(components: VascoComponents, fields: Fields, view: VascoView) -> Buy | BuyGabriel:
    """Return the purchase of one or two projects, or of the São Gabriel project."""
    gabriel = None if view.gabriel is None else view.gabriel.id
    bought = [gabriel if each == "gabriel" else each for each in fields.getlist("buy")]
    ids = [each for each in bought if each is not None and each in components.order]
    if not ids:
        raise Incomplete("nothing" if nothing_chosen(fields) else "project")
    if ids == [gabriel]:
        return BuyGabriel()
    return Buy(tuple(sorted(ids, key=components.order.__getitem__)))


def characters(components: VascoComponents, fields: Fields, view: VascoView) -> AnyMove:
    """Return the move that takes money or hosts a character, with its disc or merchant ship."""
    favour = fields.get("favour")
    if favour in SPACES:
        return TakeMoney(favour)
    if favour not in CHARACTERS:
        raise Incomplete("nothing" if nothing_chosen(fields) else "favour")
    if favour == "sernigi" and fields.get("merchant"):
        return HostSernigi(*target(fields, view))
    if favour == "manuel" and (fields.get("extra-number") or fields.get("extra-area")):
        return HostManuel(*number_and_area(fields, view, "extra-number", "extra-area"))
    return Host(favour)


def target(fields: Fields, view: VascoView) -> tuple[str, int]:
    """Return the landing and the slot that the merchant ship is sent to."""
    word, _, label = (fields.get("merchant") or "").partition(">")
    slots = view.landing(word).slots if word in LANDINGS else ()
    for slot in slots:
        if slot.label == label:
            return word, slot.index
    raise Incomplete("nothing")


def bonus(components: VascoComponents, fields: Fields, view: VascoView) -> AnyMove:
    """Return the choice of a project or a sailor as a bonus."""
    chosen = fields.get("bonus") or ""
    if chosen == "bag":
        return DrawSailor()
    if chosen in components.order:
        return ChooseProject(chosen)
    colour, _, place = chosen.partition(" from ")
    sections = [number for number, _ in enumerate(view.sections, 1) if str(number) == place]
    if colour not in SAILORS or not sections:
        raise Incomplete("nothing")
    return ChooseSailor(colour, sections[0])


def merchant(components: VascoComponents, fields: Fields, view: VascoView) -> SendMerchant:
    """Return the voyage of the merchant ship."""
    return SendMerchant(*target(fields, view))


def last_launches(components: VascoComponents, fields: Fields, view: VascoView) -> EndLaunches:
    """Return the end of the launches, if it is chosen; else only the launches count."""
    if fields.get("act") != "done":
        raise Incomplete("nothing")
    return EndLaunches()


ACTIONS: Mapping[str, Builder] = {
    "navigation": expedition,
    "recruiting": recruiting,
    "projects": projects,
    "characters": characters,
}
BUILDERS: Mapping[type, Builder] = {
    AwaitPlacement: placement,
    AwaitCalledAction: action,
    AwaitProject: bonus,
    AwaitSailor: bonus,
    AwaitFirstMerchant: merchant,
    AwaitMerchant: merchant,
    AwaitLaunches: last_launches,
    AwaitLastLaunches: last_launches,
}
