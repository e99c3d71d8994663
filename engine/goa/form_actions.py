"""Builds the steps of a turn's action: which one, and its details.

Rules: GO-4.1 to GO-5.1, GO-6.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement

from msgspec.structs import replace

from engine.forms import Choice, Fields, FormRow, FormStep, Group, Option, Select, filtered
from engine.goa.actions import ANY_GOODS
from engine.goa.colonies import REVEAL_MORE
from engine.goa.components import Card
from engine.goa.fields import Empty
from engine.goa.form_extras import extras, is_before
from engine.goa.form_texts import (
    card_face,
    column_name,
    lying,
    one_of,
    spice,
    up_to,
)
from engine.goa.reach import Reach, before_action, playable
from engine.goa.state import PLANTATIONS, ROWS, SPICES, AwaitAdditional
from engine.goa.values import card_said, place
from engine.goa.view import ColonyStockView, ColumnView, GoaSeatView, GoaView
from engine.phrases import Capital, Enumeration, Quantity, Term, TermPhrase, Text, Value, text


def turn(view: GoaView, me: GoaSeatView, chosen: Fields | None) -> Iterator[FormStep]:
    """Offer the action with its parts, a card and tiles, and the end of the turn (GO-4.10)."""
    reach = before_action(view, me, chosen)
    options = [*action_options(view, me, reach)]
    if isinstance(view.question, AwaitAdditional):
        options.append(passing(view, me, may_pass=view.question.may_pass))
    yield FormStep(title=text("the_action"), name="act", kind="radio", options=tuple(options))
    yield from progress(view, me, reach)
    yield from harvest(view, me, reach)
    yield from expedition(view, me)
    yield from found(view, me, reach)
    yield from extras(view, me, chosen)
    yield ending("done", "wait")


def ending(*words: str) -> FormStep:
    """Offer what becomes of the turn behind all that is sent together (GO-4.10)."""
    endings = tuple(Choice(word, text(f"end_{word or 'asked'}")) for word in ("", *words))
    rows = (FormRow(None, (one_of("end", text("then"), endings),)),)
    return FormStep(title=text("the_end"), name="end", kind="rows", rows=rows, rule="GO-4.10",
                hint=text("end_hint"), aside=True)


def going_with(step: FormStep, chosen: Fields, view: GoaView, me: GoaSeatView) -> FormStep:
    """Return the step without the options that other choices exclude."""
    if step.name == "payment":
        return paid_by(step, step_cost(chosen, view, me))
    if step.name == "harvest":
        return still_to_lay(step, chosen, me)
    if step.name == "ahead" and (colony := chosen.get("colony")):
        rows = (FormRow(None, tuple(
            select for select in step.rows[0].selects
            if select.name in ("found-using", "pay-up-to", f"choose-{colony}"))),)
        return replace(step, rows=rows)
    return step


def action_options(view: GoaView, me: GoaSeatView, reach: Reach) -> Iterator[Option]:
    """Offer the six actions with what they bring (GO-4.1)."""
    values = {each.column: each.value for each in me.columns}
    last = all(each.next_cost is None for each in me.columns)
    yield action_option("progress", "GO-4.2", why_not=text("all_in_last_row") if last else "")
    yield action_option("ships", "GO-4.3", end=Quantity("ship", values["ships"]))
    harvested = Quantity("spice", values["harvest"])
    yield action_option("harvest", "GO-4.4", end=harvested,
                        why_not="" if can_harvest(view, me, reach) else text("no_field_empty"))
    taxes = action_option("taxes", "GO-4.5", end=text("get"))
    yield Option(taxes.value, taxes.label, rule=taxes.rule, end=taxes.end, coin=values["taxes"])
    drawn = Quantity("card", values["expedition"])
    too_many = me.cards + values["expedition"] > me.hand_limit
    limit = text("limit_is", limit=me.hand_limit, cards=me.cards) if too_many else ""
    yield action_option("expedition", "GO-4.6", sub=limit, end=drawn)
    colonists = text("column_says", colonists=values["colonists"],
                     cards=Quantity("card", view.figures.reveal))
    yield action_option("found", "GO-4.7", end=colonists)


def can_harvest(view: GoaView, me: GoaSeatView, reach: Reach) -> bool:
    """Tell whether the seat can harvest (GO-4.1).

    A field must be empty or can be emptied in this turn, unless a card needs none.
    """
    if any(card.effect == ANY_GOODS for card in named_cards(me, view, "harvest")):
        return True
    trades = any(not kept.used and kept.tile.kind == "trade" for kept in me.tiles)
    return bool(reach.empties) or (trades and bool(reach.lying))


def action_option(
    action: str, rule: str, *, sub: Value = "", end: Value = "", why_not: Value = ""
) -> Option:
    """Return one action as an option."""
    label = Capital(Term("action", action))
    return Option(action, label, sub=sub, rule=rule, end=end, why_not=why_not)


def passing(view: GoaView, me: GoaSeatView, *, may_pass: bool) -> Option:
    """Return the option to take no more additional actions in this round (GO-6.1)."""
    why_not: Value = ""
    if not may_pass:
        kept, held = view.figures.additional_cards_kept, me.additional_cards
        why_not = text("may_not_pass_turn")
        if held > kept:
            why_not = text("may_not_pass", cards=held, kept=kept)
    return Option("pass", text("pass_actions"), sub=text("pass_actions_sub"), rule="GO-6.1",
                  why_not=why_not)


def named_cards(me: GoaSeatView, view: GoaView, action: str) -> list[Card]:
    """Return the cards in hand that go with this action alone (GO-7.1)."""
    return [card for card in playable(view, me) if card.action == action]


def using(name: str, cards: list[Card]) -> Iterator[Select]:
    """Offer a card that goes with the action; nothing if none is in hand."""
    if cards:
        said = [TermPhrase("card_doing", {"card": c.number, "effect": card_said(c)}) for c in cards]
        pairs = zip(cards, said, strict=True)
        choices = [Choice("", text("no_card")), *(Choice(str(c.number), s) for c, s in pairs)]
        yield one_of(name, text("using"), choices)


# ---- progress ----------------------------------------------------------------------------------


def progress(view: GoaView, me: GoaSeatView, reach: Reach) -> Iterator[FormStep]:
    """Offer a column, a card, and fields to pay from if there is a choice (GO-4.2)."""
    yield FormStep(
        title=text("the_column"),
        name="column",
        kind="radio",
        when="act=progress",
        options=tuple(column_option(view, me, each) for each in me.columns),
        rule="GO-4.2",
    )
    selects = (*using("progress-using", named_cards(me, view, "progress")), *payers(view, reach))
    if selects:
        yield FormStep(
            title=text("the_payment"),
            name="payment",
            kind="rows",
            when="act=progress",
            rows=(FormRow(None, selects),),
            hint=text("payment_hint"),
            rule="GO-4.2",
        )


def column_option(view: GoaView, me: GoaSeatView, column: ColumnView) -> Option:
    """Return a step down, its cost, and whether the seat can pay it as the table stands."""
    label = Capital(column_name(column.column))
    if column.next_cost is None:
        return Option(column.column, label, why_not=text("in_last_row", row=ROWS))
    cost = tuple(spice(each) for each in column.next_cost)
    sub = text("step_costs", spices=Enumeration(cost), ships=Quantity("ship", len(cost)))
    step = step_of(view, column)
    paid = text("can_be_paid", step=step) if can_pay(me, column.next_cost) else step
    return Option(column.column, label, sub=sub, end=paid)


def step_of(view: GoaView, column: ColumnView) -> Text:
    """Return what a step changes: 4 → 6; the expedition column shows the limit: 1/1 → 1/2."""
    values = view.figures.takes[column.column], view.figures.hand_limits
    old, new = (
        f"{values[0][row]}/{values[1][row]}" if column.column == "expedition" else values[0][row]
        for row in (column.row - 1, column.row)
    )
    return text("step", old=old, new=new)


def can_pay(me: GoaSeatView, cost: tuple[str, ...]) -> bool:
    """Tell whether the seat has the spices and ships."""
    have = [name for name, _, number in lying(me) for _ in range(number)]
    enough = all(have.count(each) >= cost.count(each) for each in cost)
    return enough and me.ships >= len(cost)


def payers(view: GoaView, reach: Reach) -> Iterator[Select]:
    """Offer the fields that can pay for a spice, if it can lie in more than one place."""
    for name in SPICES:
        heaps = [where for spice_there, where, _ in reach.lying if spice_there == name]
        if len(heaps) > 1:
            choices = [Choice("", text("any_place")), *(Choice(at, place(at)) for at in heaps)]
            steps = (step for steps in view.figures.costs.values() for step in steps)
            for number in range(1, max(step.count(name) for step in steps) + 1):
                yield one_of(f"pay-{name}-{number}", spice(name), choices)


def step_cost(chosen: Fields, view: GoaView, me: GoaSeatView) -> tuple[str, ...]:
    """Return what the chosen step costs, behind one that a chosen card buys (GO-4.2, GO-7.2)."""
    name = chosen.get("column")
    steps = view.figures.costs.get(name or "", ())
    row = next((each.row for each in me.columns if each.column == name), 1)
    for card in chosen.getlist("play"):
        if chosen.get(f"column-{card}") == name and is_before(chosen, card):
            row += 1
    return steps[row - 1] if row <= len(steps) else ()


def paid_by(step: FormStep, cost: tuple[str, ...]) -> FormStep:
    """Return the step with only the spices that the chosen step costs."""
    wanted = [f"pay-{name}-{number}" for name in cost for number in range(1, cost.count(name) + 1)]
    rows = (FormRow(None, tuple(
        select for select in step.rows[0].selects
        if not select.name.startswith("pay-") or not cost or select.name in wanted)),)
    return replace(step, rows=rows)


# ---- harvest -----------------------------------------------------------------------------------


def harvest(view: GoaView, me: GoaSeatView, reach: Reach) -> Iterator[FormStep]:
    """Ask how many sacks each plantation takes, and which spice each colony field (GO-4.4)."""
    cards = [card for card in named_cards(me, view, "harvest") if card.effect == ANY_GOODS]
    number = me.column("harvest").value
    rows = [FormRow(None, tuple(fields), label=Capital(place(where)))
            for where, *fields in harvest_places(reach.empties)]
    if cards:
        goods = [one_of(f"harvest-{each}", Term("goods", each), up_to(number))
                 for each in ("ships", "colonists")]
        rows.append(FormRow(None, (*using("harvest-using", cards), *goods)))
    if rows:
        yield FormStep(title=text("the_spices"), name="harvest", kind="rows", when="act=harvest",
                   rows=tuple(rows), hint=text("harvest_hint", number=number), rule="GO-4.4")


def harvest_places(empty: Empty) -> Iterator[tuple[str, *tuple[Select, ...]]]:
    """Yield each place with empty fields, with its lists."""
    for where, may_hold, number in empty:
        if where in PLANTATIONS:
            choices = [Choice("", "–"), *up_to(number, 1)]
            yield where, one_of(f"fill-{where}-{may_hold[0]}", spice(may_hold[0]), choices)
            continue
        choices = [Choice("", "–"), *(Choice(each, spice(each)) for each in may_hold)]
        fields = range(1, number + 1)
        label = text("a_field")
        yield where, *(one_of(f"fill-{where}-{field}", label, choices) for field in fields)


def still_to_lay(step: FormStep, chosen: Fields, me: GoaSeatView) -> FormStep:
    """Return the step with lists that hold no more sacks than the harvest has left."""
    number = me.column("harvest").value
    laid = {
        select.name: sacks_in(chosen.get(select.name))
        for row in step.rows for select in row.selects if select.name.startswith("fill-")
    }

    def fits(select: Select, choice: Choice) -> bool:
        others = sum(sacks for name, sacks in laid.items() if name != select.name)
        return select.name not in laid or sacks_in(choice.value) <= max(0, number - others)

    return filtered(step, fits)


def sacks_in(value: str | None) -> int:
    """Return how many sacks a list's entry lays: its number, or one if it names a spice."""
    return int(value) if value and value.isdecimal() and len(value) < 4 else int(bool(value))


# ---- expedition --------------------------------------------------------------------------------


def expedition(view: GoaView, me: GoaSeatView) -> Iterator[FormStep]:
    """Ask how many cards to draw, and which cards to discard before (GO-4.6)."""
    number = me.column("expedition").value
    choices = (Choice("", text("as_many_as_fit")), *up_to(number, 1))
    yield FormStep(
        title=text("cards_to_draw"),
        name="draw",
        kind="rows",
        when="act=expedition",
        rows=(FormRow(None, (one_of("draw", text("draw"), choices),)),),
        hint=text("limit_is", limit=me.hand_limit, cards=me.cards),
        rule="GO-4.6",
    )
    if me.hand:
        yield discards_step(me, "room", when="act=expedition")


def discards_step(
    me: GoaSeatView, name: str, *, when: str = "", rule: str = "GO-4.6"
) -> FormStep:
    """Offer cards to make room with."""
    options = tuple(hand_options(me))
    return FormStep(title=text("make_room"), name=name, kind="check", when=when, options=options,
                hint=text("make_room_hint"), rule=rule)


def hand_options(me: GoaSeatView) -> Iterator[Option]:
    """Offer the cards in hand."""
    for card in me.hand or ():
        yield Option(str(card.number), Capital(card_said(card)), sub=card_face(card))


# ---- founding ----------------------------------------------------------------------------------


def found(view: GoaView, me: GoaSeatView, reach: Reach) -> Iterator[FormStep]:
    """Offer a colony, a card, and answers given ahead (GO-5.1, GO-5.2)."""
    yield FormStep(
        title=text("the_colony"),
        name="colony",
        kind="radio",
        when="act=found",
        options=tuple(colony_option(me, stock) for stock in view.colonies),
        rule="GO-5.1",
    )
    reveal = [c for c in named_cards(me, view, "found") if c.effect == REVEAL_MORE]
    open_ones = [stock for stock in view.colonies if not why_no_colony(me, stock)]
    most = min(reach.colonists, max((stock.needed for stock in open_ones), default=0))
    pay_choices = (Choice("", text("ask_me")), *up_to(most, 1))
    selects = (
        *using("found-using", reveal),
        one_of("pay-up-to", text("pay_up_to"), pay_choices),
        *(tiles_ahead(stock) for stock in open_ones),
    )
    yield FormStep(title=text("if_founded"), name="ahead", kind="rows", when="act=found",
               rows=(FormRow(None, selects),), hint=text("if_founded_hint"), rule="GO-5.2",
               aside=True)


def colony_option(me: GoaSeatView, stock: ColonyStockView) -> Option:
    """Return a colony with what it needs."""
    sub = text("colony_needs", colonists=Quantity("colonist", stock.needed),
               fields=Quantity("field", stock.fields))
    end = text("tiles_left", number=len(stock.tiles))
    return Option(stock.colony, Term("colony", stock.colony), sub=sub, end=end,
                  why_not=why_no_colony(me, stock))


def why_no_colony(me: GoaSeatView, stock: ColonyStockView) -> Value:
    """Return why a colony cannot be named, or "" if it can (GO-5.1)."""
    if any(each.place == stock.colony and each.tile is not None for each in me.colonies):
        return text("you_own_it")
    return "" if stock.tiles else text("none_left")


def tiles_ahead(stock: ColonyStockView) -> Select:
    """Offer the tile and spices of a colony, for the case that it is founded."""
    groups = (Group("", (Choice("", text("ask_me")),)), *colony_groups(stock))
    return Select(f"choose-{stock.colony}", Term("colony", stock.colony), groups)


def colony_groups(stock: ColonyStockView) -> Iterator[Group]:
    """Yield each tile left with each choice of spices (GO-5.2)."""
    for tile, may_hold in dict(stock.tiles).items():
        heading = text("tile_for", tile=tile, spices=Enumeration(tuple(spice(s) for s in may_hold)))
        yield Group(heading, tuple(
            Choice(f"{tile}: {', '.join(spices)}", Enumeration(tuple(spice(s) for s in spices)))
            for spices in combinations_with_replacement(may_hold, stock.fields)
        ))
