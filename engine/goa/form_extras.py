"""Builds the steps that go with an action: one expedition card and ready tiles (GO-4.10)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement

from engine.forms import Choice, FormRow, FormStep, Group, Option, Select
from engine.goa.cards import BUY_PROGRESS, SELL
from engine.goa.colonies import REVEAL_MORE
from engine.goa.components import Card, Tile
from engine.goa.form_texts import (
    card_face,
    column_name,
    empties,
    lying,
    number_of_each,
    one_of,
    sack,
    spice,
    where_to_lay,
)
from engine.goa.state import PLANTATIONS, AwaitAdditional, AwaitFounding, AwaitTurnAction
from engine.goa.values import card_said, place, tile_said
from engine.goa.view import GoaSeatView, GoaView
from engine.phrases import Capital, Enumeration, Quantity, Term, TermPhrase, Value, text

BEFORE, AFTER = "before", "after"


def extras(view: GoaView, me: GoaSeatView) -> Iterator[FormStep]:
    """Offer a step for cards and one for tiles, if there is something to play or use."""
    rows = tuple(card_rows(view, me))
    if rows:
        title, hint = text("a_card"), text("a_card_hint")
        yield FormStep(title=title, name="play", kind="rows", rows=rows, hint=hint, rule="GO-7.1")
    rows = tuple(tile_rows(view, me))
    if rows:
        title, hint = text("ready_tiles"), text("ready_tiles_hint")
        yield FormStep(title=title, name="use", kind="rows", rows=rows, hint=hint, rule="GO-8.3")


def when(view: GoaView, name: str) -> tuple[Select, ...]:
    """Offer to use it before or after the action, if an action is still to be chosen."""
    if not isinstance(view.question, AwaitTurnAction | AwaitAdditional):
        return ()
    choices = (Choice(BEFORE, text("before")), Choice(AFTER, text("after")))
    return (one_of(f"when-{name}", text("when"), choices),)


# ---- cards -------------------------------------------------------------------------------------


def card_rows(view: GoaView, me: GoaSeatView) -> Iterator[FormRow]:
    """Offer the cards that may be played beside the action (GO-7.1)."""
    if view.turn is None or view.turn.card_played:
        return
    at_founding = isinstance(view.question, AwaitFounding)
    for card in me.hand or ():
        if card.action and not (card.effect == REVEAL_MORE and at_founding):
            continue
        option = Option(
            str(card.number),
            Capital(card_said(card)),
            sub=card_face(card),
            why_not=why_no_card(card, me),
        )
        selects = () if option.why_not else (*card_details(card, me), *when(view, option.value))
        yield FormRow(option, selects)


def why_no_card(card: Card, me: GoaSeatView) -> Value:
    """Return why a card cannot be played as the table stands, or "" if it can (GO-7.2)."""
    if card.effect == SELL and not lying(me):
        return text("nothing_to_sell")
    if card.gain.spices_of_choice and not empties(me):
        return text("no_field_empty")
    if card.effect == BUY_PROGRESS and card.price > (me.ducats or 0):
        return text("costs_you_have", price=Quantity("ducat", card.price), ducats=me.ducats or 0)
    return ""


def card_details(card: Card, me: GoaSeatView) -> Iterator[Select]:
    """Offer what the card's order names beside the card."""
    name = str(card.number)
    if card.effect == SELL:
        yield from number_of_each(f"sell-{name}", lying(me))
    elif card.effect == BUY_PROGRESS:
        yield column_select(f"column-{name}", me)
    elif card.gain.spices_of_choice:
        for number in range(1, card.gain.spices_of_choice + 1):
            yield where_to_lay(f"lay-{name}-{number}", empties(me))


def column_select(name: str, me: GoaSeatView) -> Select:
    """Offer the columns with a step left."""
    columns = [each.column for each in me.columns if each.next_cost is not None]
    choices = [Choice("", "–"), *(Choice(each, column_name(each)) for each in columns)]
    return one_of(name, text("column"), choices)


# ---- tiles -------------------------------------------------------------------------------------


def tile_rows(view: GoaView, me: GoaSeatView) -> Iterator[FormRow]:
    """Offer the tiles in front of the seat that it could use now (GO-8.3)."""
    for kept in me.tiles:
        if kept.ready:
            tile = kept.tile
            option = Option(tile.id, Capital(tile_said(tile)), sub=text("tile_id", tile=tile.id))
            details = tile_details(view, me, tile)
            yield FormRow(option, (*details, *when(view, tile.id)))


def tile_details(view: GoaView, me: GoaSeatView, tile: Tile) -> Iterator[Select]:
    """Offer what the tile's order names beside the tile (GO-8.3 to GO-8.5)."""
    if tile.kind == "once_a_round" and tile.gain.spices_of_choice:
        yield where_to_lay(f"lay-{tile.id}", empties(me))
    elif tile.kind == "duty":
        yield from number_of_each(f"duty-{tile.id}", lying(me))
    elif tile.kind == "additional_harvest":
        for where, may_hold, number in empties(me):
            yield filling(f"fill-{tile.id}-{where}", where, may_hold, number)
    elif tile.kind == "trade":
        yield grid_select(view, f"space-{tile.id}")
    elif tile.kind == "plantation" and all(each.tile is not None for each in me.plantations):
        choices = [Choice(where, place(where)) for where in PLANTATIONS]
        yield one_of(f"drop-{tile.id}", text("discard"), choices)
    elif tile.choices:
        choices = [Choice(goods, Term("goods", goods)) for goods, _ in tile.choices]
        yield one_of(f"gain-{tile.id}", text("goods"), choices)


def filling(name: str, where: str, may_hold: tuple[str, ...], number: int) -> Select:
    """Offer to fill a place or leave it; a colony with each choice of spices (GO-8.4)."""
    choices = [Choice("", text("leave"))]
    if where in PLANTATIONS:
        choices.append(Choice("fill", text("fill_with", sacks=sack(may_hold[0], where, number))))
    else:
        for spices in combinations_with_replacement(may_hold, number):
            said = Enumeration(tuple(spice(each) for each in spices))
            choices.append(Choice(" ".join(spices), said))
    return one_of(name, place(where), choices)


def grid_select(view: GoaView, name: str) -> Select:
    """Offer the tiles of the grid (GO-8.5)."""
    choices = tuple(
        Choice(
            each.space, TermPhrase("some_at", {"space": each.space, "what": tile_said(each.tile)})
        )
        for each in view.grid
        if each.tile is not None
    )
    return Select(name, text("tile_of_the_grid"), (Group("", (Choice("", "–"), *choices)),))
