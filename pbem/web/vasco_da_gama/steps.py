"""From a question to the steps of a form: what can be chosen, and why the rest cannot.

Everything is read off the view, so no list of all moves is made: an expedition alone can have
hundreds. What the steps allow is then tried by the engine like any other order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations

from engine.vasco_da_gama.state import (
    CREW,
    LAST_LAUNCHES,
    SAILORS,
    AwaitAction,
    AwaitFirstMerchant,
    AwaitLastLaunches,
    AwaitMerchant,
    AwaitPlacement,
    AwaitProject,
    AwaitSailor,
)
from engine.vasco_da_gama.view import PlayerView, TableView
from pbem.web.forms import Form, Option, Reader, Row, Select, Step
from pbem.web.vasco_da_gama.actions import action
from pbem.web.vasco_da_gama.pieces import (
    bonus_in_words,
    has_additional_left,
    landing_name,
    launchable,
    project_in_words,
)


def form_of(view: TableView, seat: int, reader: Reader) -> Form:
    """What this seat can send now: the answer to its question, and launches (VG-4.3)."""
    me = view.players[seat]
    steps: Sequence[Step] = ()
    if seat in view.asked:
        steps = tuple(STEPS[type(view.question)](view, me, reader))
    return Form(
        steps=steps,
        free=launch_steps(me, reader) if may_launch(view, seat) else (),
        free_hint=launch_hint(me, reader) if may_launch(view, seat) else "",
        free_rule="VG-4.3",
    )


# ---- phase 1 -----------------------------------------------------------------------------------


def placement(view: TableView, me: PlayerView, reader: Reader) -> Iterator[Step]:
    """A free number and an area with a free action slot (VG-2.2, VG-2.3)."""
    ordinary = me.discs_to_place > int(has_additional_left(view, me))
    yield Step(
        title=reader.say("The number"), name="number", kind="grid",
        options=tuple(number_options(view, me, reader, ordinary)),
        hint=reader.say("Low numbers act first. Below the first free number an action costs the "
                        "difference; the marker stands at %(marker)s and moves by −3 to +3 before "
                        "the actions.", marker=view.marker),
        rule="VG-3.3",
    )
    yield area_step(view, reader, name="area", title=reader.say("The area"))


def number_options(
    view: TableView, me: PlayerView, reader: Reader, ordinary: bool  # noqa: FBT001
) -> Iterator[Option]:
    """All numbers; 21 and 22 only for who has the additional disc to place."""
    additional = has_additional_left(view, me)
    for number in view.numbers:
        if not number.ordinary and not additional:
            continue
        why_not = ""
        if number.disc is not None:
            why_not = reader.say("taken by %(name)s", name=reader.name(number.disc.seat))
        elif number.ordinary and not ordinary:
            why_not = reader.say("only 21 or 22 is left to you")
        yield Option(str(number.number), str(number.number), why_not=why_not,
                     coin=number.price or None)


def area_step(view: TableView, reader: Reader, *, name: str, title: str, when: str = "",
              left: str = "") -> Step:
    """The four areas; `left` is the one whose slot the acting disc leaves."""
    options = []
    for area in view.areas:
        free = area.free + (area.area == left)
        options.append(Option(
            area.area, reader.term(f"area_{area.area}").capitalize(),
            end=reader.say("%(free)s of %(all)s free", free=free, all=area.slots),
            why_not="" if free > 0 else reader.say("no action slot is free"),
        ))
    return Step(title=title, name=name, kind="radio", options=tuple(options), when=when,
                rule="VG-2.4")


# ---- bonuses, merchant ship, last launches -----------------------------------------------------


def bonus_project(view: TableView, me: PlayerView, reader: Reader) -> Iterator[Step]:
    """One of the upper projects, free (VG-5.3)."""
    yield Step(title=reader.say("The project"), name="bonus", kind="radio", rule="VG-5.3",
               options=tuple(Option(tile.id, tile.id, sub=project_in_words(tile, reader))
                             for tile in view.offer if tile is not None))


def bonus_sailor(view: TableView, me: PlayerView, reader: Reader) -> Iterator[Step]:
    """A sailor of a section, or one drawn from the bag (VG-5.3)."""
    options = [
        Option(f"{colour} from {place}", reader.term(f"colour_{colour}"),
               end=reader.say("Section %(place)s", place=place))
        for place, sailors in enumerate(view.sections, 1)
        for colour, n in zip(SAILORS, sailors, strict=True) if n
    ]
    left = sum(view.bag)
    if left:
        options.append(Option("bag", reader.say("Draw from the bag"),
                              end=reader.say("%(left)s in it", left=left)))
    yield Step(title=reader.say("The sailor"), name="bonus", kind="radio", rule="VG-5.3",
               options=tuple(options))


def merchant(view: TableView, me: PlayerView, reader: Reader) -> Iterator[Step]:
    """Any empty slot within the merchant ship's limit (VG-6.6)."""
    question = view.question
    assert isinstance(question, AwaitMerchant | AwaitFirstMerchant)  # noqa: S101
    yield Step(
        title=reader.say("The slot"), name="merchant", kind="radio", rule="VG-6.6",
        hint=reader.say("It earns nobody anything, but you get the landing's bonus."),
        options=tuple(
            Option(f"{landing.word}>{slot.label}", f"{landing_name(landing, reader)} {slot.label}",
                   sub=bonus_in_words(landing, reader))
            for landing in reversed(view.landings)
            for slot in landing.empty if slot.value <= question.limit
        ),
    )


def last_launches(view: TableView, me: PlayerView, reader: Reader) -> Iterator[Step]:
    """Launch what you can below, or say that you are done (VG-8.2)."""
    yield Step(title=reader.say("The last launches"), name="act", kind="radio", rule="VG-8.2",
               options=(Option("launch", reader.say("Launch, and perhaps more later")),
                        Option("done", reader.say("No more launches"),
                               sub=reader.say("for good; the final count follows"))))


# ---- launching, at any time --------------------------------------------------------------------


def may_launch(view: TableView, seat: int) -> bool:
    """At any moment while the game waits; at its end only while the seat is asked (VG-8.2)."""
    return seat in view.asked or (bool(view.asked) and view.phase != LAST_LAUNCHES)


def launch_steps(me: PlayerView, reader: Reader) -> tuple[Step, ...]:
    """A list of crews for each project that can be launched; no step if none can."""
    tiles = launchable(me)
    if not tiles:
        return ()
    rows = tuple(
        Row(None, (Select(f"launch-{tile.id}", reader.say("crew"), {
            "": (("", reader.say("do not launch")), *crews(me, tile.crew, reader))}),),
            label=tile.id, sub=project_in_words(tile, reader))
        for tile in tiles
    )
    return (Step(title=reader.say("Launch, if you like"), name="launch", kind="rows", rows=rows,
                 rule="VG-4.3"),)


def crews(me: PlayerView, size: int, reader: Reader) -> Iterator[tuple[str, str]]:
    """All crews of different colours: (value, words)."""
    have = [colour for colour, n in zip(CREW, me.crew, strict=True) if n]
    for crew in combinations(have, size):
        yield ",".join(crew), ", ".join(reader.term(f"colour_{colour}") for colour in crew)


def launch_hint(me: PlayerView, reader: Reader) -> str:
    """Why projects cannot be launched now."""
    colours = sum(1 for n in me.crew if n)
    short = [f"{tile.id} ({tile.crew})" for tile in me.projects if tile.crew > colours]
    if not short:
        return ""
    return reader.say("Not yet to be launched: %(projects)s. The crew must be of different "
                      "colours; you have %(colours)s.", projects=", ".join(short), colours=colours)


Steps = Callable[[TableView, PlayerView, Reader], Iterator[Step]]
STEPS: Mapping[type, Steps] = {
    AwaitPlacement: placement,
    AwaitAction: action,
    AwaitProject: bonus_project,
    AwaitSailor: bonus_sailor,
    AwaitFirstMerchant: merchant,
    AwaitMerchant: merchant,
    AwaitLastLaunches: last_launches,
}
