"""Turns a question into the steps of a form: what can be chosen, and why the rest cannot.

The steps are read off the view. No list of all moves is made, because an expedition alone can have
hundreds. The engine then tries the chosen order like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations

from engine.forms import Choice, Fields, Form, FormRow, FormStep, Group, Option, Select
from engine.phrases import Capital, Enumeration, Name, Term, TermPhrase, Text, Value, text
from engine.vasco_da_gama.form_actions import action, at_landing
from engine.vasco_da_gama.form_texts import (
    bonus_of,
    has_additional_left,
    landing_name,
    launchable,
    project,
)
from engine.vasco_da_gama.state import (
    CREW,
    LAST_LAUNCHES,
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
from engine.vasco_da_gama.view import VascoSeatView, VascoView


def form_of(view: VascoView, seat: int, chosen: Fields | None = None) -> Form:
    """Return what this seat can send now: the answer to its question, and launches (VG-4.3)."""
    me = view.players[seat]
    steps: Sequence[FormStep] = ()
    if seat in view.asked:
        steps = tuple(STEPS[type(view.question)](view, me))
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


def placement(view: VascoView, me: VascoSeatView) -> Iterator[FormStep]:
    """Ask for a free number and an area with a free action slot (VG-2.2, VG-2.3)."""
    yield FormStep(
        title=text("the_number"),
        name="number",
        kind="grid",
        options=tuple(number_options(view, me)),
        hint=text("number_hint", marker=view.marker),
        rule="VG-3.3",
    )
    yield area_step(view)


def number_options(view: VascoView, me: VascoSeatView) -> Iterator[Option]:
    """Offer all numbers; 21 and 22 only to a seat with an additional disc to place."""
    additional = has_additional_left(view, me)
    ordinary = me.discs_to_place > int(additional)
    for number in view.numbers:
        if not number.ordinary and not additional:
            continue
        why_not: Value = ""
        if number.disc is not None:
            why_not = text("taken_by", name=Name(number.disc.seat))
        elif number.ordinary and not ordinary:
            why_not = text("only_additional_left")
        shown = str(number.number)
        yield Option(shown, shown, why_not=why_not, coin=number.price or None)


def area_step(view: VascoView) -> FormStep:
    """Offer the four areas."""
    options = [
        Option(
            area.area,
            Capital(Term("area", area.area)),
            end=text("slots_free", free=area.free, all=area.slots),
            why_not="" if area.free > 0 else text("no_slot_free"),
        )
        for area in view.areas
    ]
    return FormStep(
        title=text("the_area"), name="area", kind="radio", options=tuple(options), rule="VG-2.4"
    )


# ---- bonuses, merchant ship, last launches -----------------------------------------------------


def bonus_project(view: VascoView, me: VascoSeatView) -> Iterator[FormStep]:
    """Offer the upper projects, free (VG-5.3)."""
    options = tuple(
        Option(tile.id, tile.id, sub=project(tile)) for tile in view.offer if tile is not None
    )
    yield FormStep(
        title=text("the_project"), name="bonus", kind="radio", rule="VG-5.3", options=options
    )


def bonus_sailor(view: VascoView, me: VascoSeatView) -> Iterator[FormStep]:
    """Offer a sailor of a section, or one drawn from the bag (VG-5.3)."""
    options = [
        Option(
            f"{colour} from {place}", Term("colour", colour), end=text("section", place=place)
        )
        for place, sailors in enumerate(view.sections, 1)
        for colour, n in zip(SAILORS, sailors, strict=True)
        if n
    ]
    left = sum(view.bag)
    if left:
        options.append(Option("bag", text("draw_from_bag"), end=text("left_in_bag", left=left)))
    yield FormStep(
        title=text("the_sailor"), name="bonus", kind="radio", rule="VG-5.3", options=tuple(options)
    )


def merchant(view: VascoView, me: VascoSeatView) -> Iterator[FormStep]:
    """Offer any empty slot within the merchant ship's limit (VG-6.6)."""
    question = view.question
    assert isinstance(question, AwaitMerchant | AwaitFirstMerchant)  # noqa: S101
    yield FormStep(
        title=text("the_slot"),
        name="merchant",
        kind="radio",
        rule="VG-6.6",
        hint=text("merchant_hint"),
        options=tuple(
            Option(
                f"{landing.word}>{slot.label}",
                TermPhrase("some_of", {"what": landing_name(landing), "number": slot.label}),
                sub=bonus_of(landing),
            )
            for landing in reversed(view.landings)
            for slot in landing.empty
            if slot.value <= question.limit
        ),
    )


def last_launches(view: VascoView, me: VascoSeatView) -> Iterator[FormStep]:
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


def launches_before_the_refill(view: VascoView, me: VascoSeatView) -> Iterator[FormStep]:
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


Steps = Callable[[VascoView, VascoSeatView], Iterator[FormStep]]
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
