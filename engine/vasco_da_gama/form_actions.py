"""Builds the steps of a called action: take it or give it up, then its area's choices.

Rules: VG-3 to VG-6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from engine.forms import Choice, Fields, FormRow, FormStep, Group, Option, Select, filtered
from engine.phrases import (
    Enumeration,
    Quantity,
    Term,
    TermPhrase,
    Text,
    Value,
    WordForm,
    text,
)
from engine.vasco_da_gama.form_characters import TAKE, characters
from engine.vasco_da_gama.form_table import FormTable
from engine.vasco_da_gama.form_texts import (
    bonus_of,
    landing_name,
    launchable,
    project,
    ship,
)
from engine.vasco_da_gama.state import SAILORS, AwaitCalledAction
from engine.vasco_da_gama.view import LandingView, VascoSeatView, VascoView


def action(table: FormTable) -> Iterator[FormStep]:
    """Offer to take the action or give it up, then what the area offers (VG-3.2 to 3.4)."""
    view, question = table.view, table.view.question
    assert isinstance(question, AwaitCalledAction)  # noqa: S101
    purse = table.me.reals - question.price
    steps = tuple(ACTIONS[question.area](table, purse)) if purse >= 0 else ()
    why_not = why_no_action(steps, purse, question)
    take = Option(
        "take",
        text("take_it", what=WordForm(f"act_{question.area}")),
        sub=price_of(view, question),
        rule="VG-3.3",
        end=text("pay") if question.price else text("free"),
        coin=question.price or None,
        why_not=why_not,
    )
    give_up = Option(
        "give-up",
        text("give_it_up"),
        sub=text("for_the_reals"),
        rule="VG-3.4",
        end=text("get") if question.gain else text("nothing"),
        coin=question.gain or None,
    )
    yield FormStep(title=text("the_action"), name="act", kind="radio", options=(take, give_up))
    if not why_not:
        yield from steps


def price_of(view: VascoView, question: AwaitCalledAction) -> Text:
    """Return why the right to the action costs what it costs."""
    if not question.price:
        return text("free_from", free=view.marker)
    return text("below_free", number=question.number, below=question.price, free=view.marker)


def why_no_action(steps: Sequence[FormStep], purse: int, question: AwaitCalledAction) -> Text | str:
    """Return why the action cannot be taken, or "" if it can (VG-3.3)."""
    if purse < 0:
        price = Quantity("real", question.price)
        return text("too_dear", price=price, reals=Quantity("real", purse + question.price))
    if all(option.why_not for step in steps[:1] for option in step.options):
        return text("nothing_to_be_had")
    return ""


# ---- expeditions -------------------------------------------------------------------------------


def expedition(table: FormTable, purse: int) -> Iterator[FormStep]:
    """Ask for a landing, then for ships and their slots (VG-5.1, VG-5.2)."""
    view, me = table.view, table.me
    fleet = [*me.ships, *launchable(me)] if me.captains else []
    reach = max((tile.limit for tile in fleet), default=0)
    landings = tuple(reversed(view.landings))
    yield FormStep(
        title=text("the_landing"),
        name="to",
        kind="radio",
        when=TAKE,
        options=tuple(landing_option(landing, reach, me) for landing in landings),
    )
    open_landings = [landing for landing in landings if landing.empty]
    rows = tuple(
        FormRow(
            Option(tile.id, tile.id, sub=ship(tile, ready=tile in me.ships)),
            (Select(f"slot-{tile.id}", text("slot"), slot_groups(open_landings, tile.limit)),),
        )
        for tile in fleet
    )
    yield FormStep(
        title=text("ships_and_slots"),
        name="ship",
        kind="rows",
        rows=rows,
        when=TAKE,
        rule="VG-5.1",
        hint=text("ships_hint", captains=me.captains),
    )


def landing_option(landing: LandingView, reach: int, me: VascoSeatView) -> Option:
    """Return a landing with the slots within reach, or with the reason why there is none."""
    within = tuple(slot.label for slot in landing.empty if slot.value <= reach)
    why_not: Value = ""
    if landing.complete:
        why_not = text("landing_complete")
    elif not me.captains:
        why_not = text("no_captain")
    elif not reach:
        why_not = text("no_ship_ready")
    elif not within:
        why_not = text("too_far")
    return Option(
        landing.word,
        landing_name(landing),
        sub=bonus_of(landing),
        end=Enumeration(within) if within else "",
        why_not=why_not,
    )


def slot_groups(landings: Sequence[LandingView], limit: int) -> Sequence[Group]:
    """Return the slots within a limit, by landing."""
    groups = [Group("", (Choice("", text("the_best")),))]
    for landing in landings:
        slots = tuple(
            Choice(f"{landing.word}:{slot.label}", slot.label)
            for slot in landing.empty
            if slot.value <= limit
        )
        if slots:
            groups.append(Group(landing_name(landing), slots))
    return tuple(groups)


def at_landing(step: FormStep, chosen: Fields) -> FormStep:
    """Return the step with only the chosen landing's slots that no other ship takes."""
    landing = chosen.get("to")
    taken = {f"slot-{ship}": chosen.get(f"slot-{ship}") for ship in chosen.getlist("ship")}

    def fits(select: Select, slot: Choice) -> bool:
        if not slot.value:
            return True
        if landing and not slot.value.startswith(f"{landing}:"):
            return False
        holder = next((name for name, value in taken.items() if value == slot.value), select.name)
        return holder == select.name

    return filtered(step, fits)


# ---- recruiting --------------------------------------------------------------------------------


def recruiting(table: FormTable, purse: int) -> Iterator[FormStep]:
    """Ask for a section, how many sailors of each colour, and a captain (VG-4.4)."""
    view, me = table.view, table.me
    prices = view.figures.sailor_prices
    options = [
        section_option(place, sailors, prices, purse)
        for place, sailors in enumerate(view.sections, 1)
    ]
    no_captain = "" if me.captains_waiting else text("all_captains_with_you")
    options.append(
        Option("captain", text("only_a_captain"), end=text("free"), why_not=no_captain)
    )
    yield FormStep(
        title=text("the_section"),
        name="section",
        kind="radio",
        when=TAKE,
        options=tuple(options),
        rule="VG-4.4",
    )
    yield sailors_step(view)
    price = Quantity("real", view.figures.captain_price)
    captain = Option(
        "yes", text("take_captain"), sub=text("captain_price", price=price), why_not=no_captain
    )
    yield FormStep(
        title=text("a_captain"),
        name="captain",
        kind="check",
        when=TAKE,
        rule="VG-4.4",
        options=(captain,),
    )


def sailors_step(view: VascoView) -> FormStep:
    """Offer all sailors of the section, or a number of each colour (VG-4.4)."""
    most = [max((section[i] for section in view.sections), default=0) for i in range(len(SAILORS))]
    choices = (Choice("all", text("take_all")), Choice("some", text("take_some")))
    numbers = tuple(
        Select(
            f"n-{colour}",
            Term("colour", colour),
            (Group("", tuple(Choice(str(n), n) for n in range(most[i] + 1))),),
        )
        for i, colour in enumerate(SAILORS)
        if most[i]
    )
    prices = tuple(
        text("colours_for", colours=n, price=Quantity("real", price))
        for n, price in enumerate(view.figures.sailor_prices)
        if n
    )
    return FormStep(
        title=text("the_sailors"),
        name="take",
        kind="rows",
        when=TAKE,
        rule="VG-4.4",
        rows=(
            FormRow(None, (Select("take", text("take"), (Group("", choices),)),)),
            FormRow(None, numbers),
        ),
        hint=text("sailor_prices", prices=Enumeration(prices)),
    )


def section_option(
    place: int, sailors: Sequence[int], prices: Sequence[int], purse: int
) -> Option:
    """Return a section with its sailors and the price of all of them."""
    who = tuple(
        TermPhrase("some_of", {"what": Term("colour", colour), "number": n})
        for colour, n in zip(SAILORS, sailors, strict=True)
        if n
    )
    why_not: Value = ""
    if not who:
        why_not = text("empty")
    elif purse < prices[1]:
        why_not = text("costs_at_least", price=Quantity("real", prices[1]))
    return Option(
        str(place),
        text("section", place=place),
        sub=Enumeration(who) if who else "",
        end=text("all_for") if who else "",
        coin=prices[len(who)] if who else None,
        why_not=why_not,
    )


# ---- projects ----------------------------------------------------------------------------------


def projects(table: FormTable, purse: int) -> Iterator[FormStep]:
    """Offer one or two upper projects, or the São Gabriel project (VG-4.1, VG-4.2)."""
    view = table.view
    prices = view.figures.project_prices
    one, two = Quantity("real", prices[0]), Quantity("real", prices[1])
    options = [
        Option(
            tile.id,
            tile.id,
            sub=project(tile),
            coin=prices[0],
            why_not="" if purse >= prices[0] else text("costs", price=one),
        )
        for tile in view.offer
        if tile is not None
    ]
    if view.gabriel is not None:
        tile = view.gabriel
        dear = text("costs", price=Quantity("real", tile.crew))
        options.append(
            Option(
                "gabriel",
                text("gabriel_tile", tile=tile.id),
                coin=tile.crew,
                rule="VG-4.2",
                sub=text("gabriel_launched", project=project(tile)),
                why_not="" if purse >= tile.crew else dear,
            )
        )
    yield FormStep(
        title=text("what_to_buy"),
        name="buy",
        kind="check",
        when=TAKE,
        options=tuple(options),
        rule="VG-4.1",
        hint=text("project_prices", one=one, two=two),
    )


ActionSteps = Callable[[FormTable, int], Iterator[FormStep]]
ACTIONS: Mapping[str, ActionSteps] = {
    "navigation": expedition,
    "recruiting": recruiting,
    "projects": projects,
    "characters": characters,
}
