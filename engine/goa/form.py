"""Turns a question into the steps of a form: what can be chosen, and why the rest cannot.

The steps are read off the view. No list of all moves is made, because a harvest alone can have
thousands. The engine then tries the chosen order like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from engine.choices import Refusal
from engine.forms import Choice, Fields, Form, FormRow, FormStep, Group, Option, Select
from engine.goa.colonies import REVEAL_MORE
from engine.goa.components import GoaComponents
from engine.goa.form_actions import (
    colony_groups,
    discards_step,
    ending,
    going_with,
    hand_options,
    step_of,
    turn,
)
from engine.goa.form_extras import extras
from engine.goa.form_texts import column_name, lying, one_of, up_to
from engine.goa.lookups import EDGES, SPACES
from engine.goa.placing import SPACE_TAKEN, judge_flag, judge_marker
from engine.goa.reach import in_turn, playable
from engine.goa.state import (
    COLUMNS,
    GRID,
    AwaitAdditional,
    AwaitBid,
    AwaitColony,
    AwaitDone,
    AwaitDrop,
    AwaitFlag,
    AwaitFounding,
    AwaitGoods,
    AwaitMarker,
    AwaitQuickStart,
    AwaitRoom,
    AwaitTurnAction,
)
from engine.goa.values import goods, place, sack_values, space, tile_said
from engine.goa.view import GoaSeatView, GoaView
from engine.phrases import Capital, Enumeration, Quantity, Term, Value, text

CHIPS = 12  # bids shown as cells beside "pass"; a list holds the higher ones


def form_of(
    components: GoaComponents, view: GoaView, seat: int, chosen: Fields | None = None
) -> Form:
    """Return what this seat can send now: the answer to its question, and discards (GO-4.9)."""
    me = view.players[seat]
    steps: Sequence[FormStep] = ()
    if seat in view.asked:
        steps = tuple(STEPS[type(view.question)](components, view, me, chosen))
    if chosen is not None:
        steps = tuple(going_with(step, chosen, view, me) for step in steps)
    free: Sequence[FormStep] = ()
    if view.question is not None and me.hand:
        free = (FormStep(title=text("discard_cards"), name="discard", kind="check",
                     options=tuple(hand_options(me)), hint=text("discard_at_any_time"),
                     rule="GO-4.9", aside=True),)
    return Form(steps=steps, free=free)


Steps = Iterator[FormStep]


def instead(label: Value) -> Option:
    """Return an option that leads on to the next step's choices.

    A pressed button cannot be released, so a player needs this option to choose otherwise.
    """
    return Option("", label)


# ---- quick start, placing, bidding -------------------------------------------------------------


def quick_start(
    components: GoaComponents, view: GoaView, me: GoaSeatView, chosen: Fields | None
) -> Steps:
    """Offer different columns, or ducats (GO-1.5)."""
    rules = components.rules
    markers = Quantity("success_marker", rules.quick_start_markers)
    ducats = Option("ducats", text("take_ducats"), end=text("get"), coin=rules.quick_start_ducats)
    options = (Option("markers", text("move_markers", markers=markers)), ducats)
    yield FormStep(title=text("quick_choice"), name="quick", kind="radio", options=options,
               rule="GO-1.5")
    columns = tuple(
        Option(each, Capital(column_name(each)), sub=step_of(view, me.column(each)))
        for each in COLUMNS
    )
    yield FormStep(title=text("the_columns", markers=markers), name="columns", kind="check",
               when="quick=markers", options=columns, rule="GO-1.5")


def flag(
    components: GoaComponents, view: GoaView, me: GoaSeatView, chosen: Fields | None
) -> Steps:
    """Offer empty spaces of the grid, and those at its edge, with a tile beside them (GO-2.1)."""
    why_not = flag_judge(view)
    cells = tuple(
        Option(each, each, why_not="" if why_not(each) is None else text("why_no_tile_beside"))
        for each in GRID if why_not(each) is not SPACE_TAKEN
    )
    if cells:
        yield FormStep(title=text("on_the_grid"), name="space", kind="grid", rule="GO-2.1",
                   options=(*cells, instead(text("outside"))))
    groups = [Group("", (Choice("", "–"),))]
    for edge in EDGES:
        spaces = [each for each in SPACES if each.startswith(edge) and why_not(each) is None]
        if spaces:
            choices = tuple(Choice(each, space(each)) for each in spaces)
            groups.append(Group(Term("edge", edge), choices))
    edges = Select("edge", text("outside"), tuple(groups))
    yield FormStep(title=text("outside_the_edge"), name="edge", kind="rows", rule="GO-2.1",
               rows=(FormRow(None, (edges,)),), hint=text("flag_hint"))


def flag_judge(view: GoaView) -> Callable[[str], Refusal | None]:
    """Return the judge of spaces for the flag (GO-2.1)."""
    return judge_flag([each.tile for each in view.grid])


def marker_judge(view: GoaView) -> Callable[[str], Refusal | None]:
    """Return the judge of spaces for the next marker (GO-2.2, GO-2.3)."""
    marked = {each.space for each in view.grid if each.marker is not None}
    return judge_marker([each.tile for each in view.grid], marked, view.lots[-1].space)


def marker(
    components: GoaComponents, view: GoaView, me: GoaSeatView, chosen: Fields | None
) -> Steps:
    """Offer the tiles on which the next marker may lie (GO-2.2, GO-2.3)."""
    options, why_not = [], marker_judge(view)
    for where in (each for each in GRID if why_not(each) is None):
        tile = view.space(where).tile
        options.append(Option(where, where, sub="" if tile is None else tile_said(tile)))
    yield FormStep(title=text("the_tile"), name="space", kind="radio", options=tuple(options),
               rule="GO-2.2")


def bid(
    components: GoaComponents, view: GoaView, me: GoaSeatView, chosen: Fields | None
) -> Steps:
    """Offer to pass, the next higher bids, and the rest up to the purse (GO-3.1)."""
    question = view.question
    assert isinstance(question, AwaitBid)  # noqa: S101
    purse = me.ducats or 0
    first = question.high_bid + 1
    listed = first + CHIPS  # a list of one number would be pointless
    is_listed = purse > listed
    chips = [Option("pass", Capital(text("pass")))]
    chips += [Option(str(n), str(n)) for n in range(first, listed if is_listed else purse + 1)]
    chips += [instead(text("more"))] if is_listed else []
    yield FormStep(title=text("the_bid"), name="bid", kind="grid", options=tuple(chips),
               rule="GO-3.1")
    if is_listed:
        choices = [Choice("", "–"), *up_to(purse, listed)]
        yield FormStep(title=text("a_higher_bid"), name="higher", kind="rows",
                   rows=(FormRow(None, (one_of("higher", text("bid"), choices),)),))


# ---- settling a tile, room in hand -------------------------------------------------------------


def gain(
    components: GoaComponents, view: GoaView, me: GoaSeatView, chosen: Fields | None
) -> Steps:
    """Offer ships or colonists (GO-3.4)."""
    question = view.question
    assert isinstance(question, AwaitGoods)  # noqa: S101
    options = tuple(
        Option(word, Capital(goods(given)))
        for word, given in components.by_id[question.tile].choices
    )
    yield FormStep(
        title=text("the_goods"), name="gain", kind="radio", options=options, rule="GO-3.4"
    )


def drop(
    components: GoaComponents, view: GoaView, me: GoaSeatView, chosen: Fields | None
) -> Steps:
    """Offer the four plantations, one of which goes (GO-8.1)."""
    options = []
    for each in me.plantations:
        if each.tile is None:
            continue
        sacks = tuple(one for one in lying(me) if one[1] == each.place)
        vp = text("keeps_vp", vp=Quantity("vp", each.tile.vp)) if each.tile.vp else ""
        lies = text("is_empty")
        if sacks:
            lies = text("goes_with", sacks=Enumeration(sack_values(sacks)))
        options.append(Option(each.place, Capital(place(each.place)), end=vp, sub=Enumeration(
            (tile_said(each.tile), lies))))
    yield FormStep(title=text("the_plantation"), name="drop", kind="radio", options=tuple(options),
               rule="GO-8.1")


def make_room(
    components: GoaComponents, view: GoaView, me: GoaSeatView, chosen: Fields | None
) -> Steps:
    """Offer cards to discard, and a number to draw (GO-4.6, GO-4.8a)."""
    question = view.question
    assert isinstance(question, AwaitRoom)  # noqa: S101
    yield discards_step(me, "room", rule=question.rule)
    choices = (Choice("", text("as_many_as_fit")), *up_to(question.cards))
    limit = text("limit_is", limit=question.limit, cards=me.cards)
    yield FormStep(title=text("cards_to_draw"), name="draw", kind="rows", hint=limit,
               rows=(FormRow(None, (one_of("draw", text("draw"), choices),)),), rule=question.rule)
    if view.turn is not None:
        yield ending("done", "wait")


# ---- a turn ------------------------------------------------------------------------------------


def action(
    components: GoaComponents, view: GoaView, me: GoaSeatView, chosen: Fields | None
) -> Steps:
    """Offer an action with all that goes with it (GO-4.1, GO-6.1)."""
    return turn(view, me, chosen)


def founding(
    components: GoaComponents, view: GoaView, me: GoaSeatView, chosen: Fields | None
) -> Steps:
    """Offer to pay or decline, and a card or tiles before that (GO-5.4)."""
    question = view.question
    assert isinstance(question, AwaitFounding)  # noqa: S101
    short: Value = ""
    reveals = any(card.effect == REVEAL_MORE for card in playable(view, me))
    if in_turn(view, me, chosen).colonists < question.difference and not reveals:
        short = text("you_have_colonists", colonists=Quantity("colonist", me.colonists))
    price = Quantity("colonist", question.difference)
    options = (
        Option("pay", text("pay_difference"), end=price, why_not=short, rule="GO-5.2"),
        Option("decline", text("decline"), sub=text("decline_sub", colonists=Quantity(
            "colonist", components.rules.colonists_after_failure)), rule="GO-5.3"),
    )
    yield FormStep(title=text("the_founding"), name="act", kind="radio", options=options)
    yield from extras(view, me, chosen)
    yield ending("done", "wait")


def colony(
    components: GoaComponents, view: GoaView, me: GoaSeatView, chosen: Fields | None
) -> Steps:
    """Offer a tile of the founded colony, with spices for its fields (GO-5.2)."""
    question = view.question
    assert isinstance(question, AwaitColony)  # noqa: S101
    groups = (Group("", (Choice("", "–"),)), *colony_groups(view.stock(question.colony)))
    select = Select("choose", text("tile_and_spices"), groups)
    yield FormStep(title=text("tile_and_spices"), name="choose", kind="rows", rule="GO-5.2",
               rows=(FormRow(None, (select,)),))
    yield ending("done", "wait")


def done(
    components: GoaComponents, view: GoaView, me: GoaSeatView, chosen: Fields | None
) -> Steps:
    """Offer a card or tiles after the action, or to end (GO-4.10)."""
    options = (Option("done", text("nothing_more"), sub=text("turn_ends")),)
    yield FormStep(title=text("the_answer"), name="act", kind="radio", options=options,
               rule="GO-4.10")
    others = tuple(extras(view, me, chosen))
    yield from others
    if others:
        yield ending("wait")


STEPS: Mapping[type, Callable[[GoaComponents, GoaView, GoaSeatView, Fields | None], Steps]] = {
    AwaitQuickStart: quick_start,
    AwaitFlag: flag,
    AwaitMarker: marker,
    AwaitBid: bid,
    AwaitGoods: gain,
    AwaitDrop: drop,
    AwaitRoom: make_room,
    AwaitTurnAction: action,
    AwaitAdditional: action,
    AwaitFounding: founding,
    AwaitColony: colony,
    AwaitDone: done,
}
