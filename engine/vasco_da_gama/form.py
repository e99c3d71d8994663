"""Turns a question into the steps of a form: what can be chosen, and why the rest cannot.

The steps are read off the view. No list of all moves is made, because an expedition alone can have
hundreds. The engine then tries the chosen order like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations

from engine.choices import Refusal
from engine.forms import Choice, Fields, Form, FormRow, FormStep, Group, Option, Select
from engine.phrases import Capital, Enumeration, Name, Term, TermPhrase, Text, text
from engine.vasco_da_gama.characters import TARGET
from engine.vasco_da_gama.components import VascoComponents
from engine.vasco_da_gama.expedition import CHOOSE_PROJECT, CHOOSE_SAILOR
from engine.vasco_da_gama.form_actions import action, at_landing
from engine.vasco_da_gama.form_table import FormTable
from engine.vasco_da_gama.form_texts import (
    bonus_of,
    has_additional_left,
    landing_name,
    launchable,
    project,
)
from engine.vasco_da_gama.lookups import Slot
from engine.vasco_da_gama.placing import PLACE
from engine.vasco_da_gama.slot_orders import label_of
from engine.vasco_da_gama.state import (
    CREW,
    LAST_LAUNCHES,
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
from engine.vasco_da_gama.view import VascoSeatView, VascoView, observation


def form_of(
    components: VascoComponents, state: VascoState, seat: int, chosen: Fields | None = None
) -> Form:
    """Return what this seat can send now: the answer to its question, and launches (VG-4.3)."""
    view = observation(components, state, seat)
    me = view.players[seat]
    steps: Sequence[FormStep] = ()
    if seat in view.asked:
        table = FormTable(components, state, view, me)
        steps = tuple(STEPS[type(view.question)](table))
    if chosen is not None:
        steps = tuple(at_landing(step, chosen) if step.name == "ship" else step for step in steps)
    may = may_launch(view, seat)
    return Form(
        steps=steps,
        free=launch_steps(me) if may else (),
        free_hint=launch_hint(me) if may else "",
        free_rule="VG-4.3",
    )


# ---- phase 1 -----------------------------------------------------------------------------------


def placement(table: FormTable) -> Iterator[FormStep]:
    """Ask for a free number and an area with a free action slot (VG-2.2, VG-2.3)."""
    number, area = PLACE.fields
    view = table.view
    by_number = {each.number: each for each in view.numbers}

    def number_option(value: int, why: Refusal | None) -> Option:
        there = by_number[value]
        taken_by = {} if there.disc is None else {"name": Name(there.disc.seat)}
        why_not = table.reason(why, value, **taken_by)
        return Option("", str(value), why_not=why_not, coin=there.price or None)

    # Only a seat with an additional disc to place sees its numbers.
    additional = has_additional_left(view, table.me)
    numbers = table.options(number, number_option)
    yield FormStep(
        title=text("the_number"),
        name=number.in_form,
        kind="grid",
        options=numbers if additional else numbers[: table.components.numbers.ordinary],
        hint=text("number_hint", marker=view.marker),
        rule="VG-3.3",
    )

    def area_option(value: str, why: Refusal | None) -> Option:
        there = view.area(value)
        free = text("slots_free", free=there.free, all=there.slots)
        why_not = table.reason(why, value)
        return Option("", Capital(Term("area", value)), end=free, why_not=why_not)

    yield FormStep(title=text("the_area"), name=area.in_form, kind="radio", rule="VG-2.4",
               options=table.options(area, area_option))


# ---- bonuses, merchant ship, last launches -----------------------------------------------------


def bonus_project(table: FormTable) -> Iterator[FormStep]:
    """Offer the upper projects, free (VG-5.3)."""
    (field,) = CHOOSE_PROJECT.fields

    def option(value: str, _: Refusal | None) -> Option:
        tile = table.view.tile_of(value)
        return Option("", value, sub="" if tile is None else project(tile))

    yield FormStep(title=text("the_project"), name=field.in_form, kind="radio", rule="VG-5.3",
               options=table.options(field, option))


def bonus_sailor(table: FormTable) -> Iterator[FormStep]:
    """Offer a sailor of a section, or one drawn from the bag (VG-5.3)."""
    (field,) = CHOOSE_SAILOR.fields

    def option(value: tuple[str, int], _: Refusal | None) -> Option:
        colour, place = value
        return Option("", Term("colour", colour), end=text("section", place=place))

    options = table.options(field, option)
    if left := sum(table.view.bag):
        bag = Option("bag", text("draw_from_bag"), end=text("left_in_bag", left=left))
        options = (*options, bag)
    yield FormStep(
        title=text("the_sailor"), name=field.in_form, kind="radio", rule="VG-5.3", options=options
    )


def merchant(table: FormTable) -> Iterator[FormStep]:
    """Offer any empty slot within the merchant ship's limit (VG-6.6)."""
    landings = {landing.word: landing for landing in table.view.landings}

    def option(slot: Slot, why: Refusal | None) -> Option:
        landing, number = landings[slot[0]], label_of(table.components, slot)
        label = TermPhrase("some_of", {"what": landing_name(landing), "number": number})
        return Option("", label, sub=bonus_of(landing), why_not=table.reason(why, slot))

    slots = [each for each in table.options(TARGET, option) if not each.why_not]
    places = list(landings)
    slots.sort(key=lambda each: -places.index(each.value.partition(">")[0]))
    yield FormStep(
        title=text("the_slot"),
        name=TARGET.in_form,
        kind="radio",
        rule="VG-6.6",
        hint=text("merchant_hint"),
        options=tuple(slots),
    )


def last_launches(table: FormTable) -> Iterator[FormStep]:
    """Offer to end the launches; the launches themselves follow below (VG-8.2)."""
    yield FormStep(
        title=text("the_last_launches"),
        name="act",
        kind="radio",
        rule="VG-8.2",
        options=(
            Option("launch", text("launch_on")),
            Option("done", text("no_more_launches"), sub=text("for_good")),
        ),
    )


def launches_before_the_refill(table: FormTable) -> Iterator[FormStep]:
    """Offer to end the launches, so that the round goes on (VG-4.3)."""
    yield FormStep(
        title=text("the_last_launches"),
        name="act",
        kind="radio",
        rule="VG-4.3",
        options=(
            Option("launch", text("launch_on")),
            Option("done", text("no_more_launches")),
        ),
    )


# ---- launching, at any time --------------------------------------------------------------------


def may_launch(view: VascoView, seat: int) -> bool:
    """Tell whether the seat may launch now (VG-8.2).

    It may launch while the game waits for anyone. At the end of the game it must be asked itself.
    """
    return seat in view.asked or (bool(view.asked) and view.phase != LAST_LAUNCHES)


def launch_steps(me: VascoSeatView) -> tuple[FormStep, ...]:
    """Return a list of crews for each project that can be launched, or no step if none can."""
    tiles = launchable(me)
    if not tiles:
        return ()
    rows = tuple(
        FormRow(None, (crew_select(me, tile.id, tile.crew),), label=tile.id, sub=project(tile))
        for tile in tiles
    )
    title, hint = text("launch"), text("launch_at_any_time")
    return (FormStep(title=title, name="launch", kind="rows", rows=rows, hint=hint, rule="VG-4.3"),)


def crew_select(me: VascoSeatView, tile: str, size: int) -> Select:
    """Offer all crews for a project."""
    choices = (Choice("", text("do_not_launch")), *crews(me, size))
    return Select(f"launch-{tile}", text("crew"), (Group("", choices),))


def crews(me: VascoSeatView, size: int) -> Iterator[Choice]:
    """Offer all crews of different colours."""
    have = [colour for colour, n in zip(CREW, me.crew, strict=True) if n]
    for crew in combinations(have, size):
        yield Choice(",".join(crew), Enumeration(tuple(Term("colour", colour) for colour in crew)))


def launch_hint(me: VascoSeatView) -> Text | str:
    """Return why projects cannot be launched now."""
    colours = sum(1 for n in me.crew if n)
    short = tuple(f"{tile.id} ({tile.crew})" for tile in me.projects if tile.crew > colours)
    if not short:
        return ""
    return text("not_to_be_launched", projects=Enumeration(short), colours=colours)


Steps = Callable[[FormTable], Iterator[FormStep]]
STEPS: Mapping[type, Steps] = {
    AwaitPlacement: placement,
    AwaitCalledAction: action,
    AwaitProject: bonus_project,
    AwaitSailor: bonus_sailor,
    AwaitFirstMerchant: merchant,
    AwaitMerchant: merchant,
    AwaitLaunches: launches_before_the_refill,
    AwaitLastLaunches: last_launches,
}
