"""Builds the steps that go with an action: one expedition card and ready tiles (GO-4.10)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement

from engine.forms import Choice, Fields, FormRow, FormStep, Group, Option, Select
from engine.goa.cards import BUY_PROGRESS, SELL
from engine.goa.colonies import REVEAL_MORE
from engine.goa.components import Card, Tile
from engine.goa.fields import number_of
from engine.goa.form_texts import (
    by_place,
    card_face,
    column_name,
    number_of_each,
    one_of,
    sack,
    spice,
    where_to_lay,
    whole,
)
from engine.goa.reach import Reach, in_turn, is_to_act, playable, usable
from engine.goa.state import PLANTATIONS, AwaitFounding
from engine.goa.values import card_said, place, tile_said
from engine.goa.view import GoaSeatView, GoaView
from engine.phrases import Capital, Enumeration, Quantity, Term, TermPhrase, Value, text

BEFORE, AFTER = "before", "after"


def extras(view: GoaView, me: GoaSeatView, chosen: Fields | None) -> Iterator[FormStep]:
    """Offer a step for cards and one for tiles, if there is something to play or use."""
    reach = in_turn(view, me, chosen)
    cards = [card for card in playable(view, me) if stands_alone(view, card)]
    tiles = [each for each in usable(view, me, chosen) if can_use(view, each, reach)]
    places = bool(cards) + len(tiles)
    rows = tuple(card_row(view, me, card, reach, places) for card in cards)
    if rows:
        title, hint = text("a_card"), text("a_card_hint")
        yield FormStep(title=title, name="play", kind="rows", rows=rows, hint=hint, rule="GO-7.1")
    rows = tuple(tile_row(view, me, tile, reach, places) for tile in tiles)
    if rows:
        title, hint = text("ready_tiles"), text("ready_tiles_hint")
        yield FormStep(title=title, name="use", kind="rows", rows=rows, hint=hint, rule="GO-8.3")


def when(view: GoaView, name: str, places: int) -> tuple[Select, ...]:
    """Offer to use it before or after the action, and in which place among the others."""
    moments = (BEFORE, AFTER) if is_to_act(view) else ("",)
    choices = [
        Choice(f"{moment}-{place}" if place > 1 else moment, said_when(moment, place))
        for moment in moments for place in range(1, places + 1)
    ]
    return (one_of(f"when-{name}", text("when"), choices),) if len(choices) > 1 else ()


def said_when(moment: str, place: int) -> Value:
    """Return a moment and place in words: after the action, 2nd in turn."""
    if place == 1 and moment:
        return text(moment)
    return text(f"{moment}_as_number" if moment else "as_number", number=place)


def is_before(chosen: Fields, name: str) -> bool:
    """Tell whether a card or tile is to come before the action."""
    return not (chosen.get(f"when-{name}") or "").startswith(AFTER)


def place_in_turn(chosen: Fields, name: str) -> int:
    """Return the chosen place among the cards and tiles before or after the action, from 1."""
    return whole((chosen.get(f"when-{name}") or "").rpartition("-")[2]) or 1


# ---- cards -------------------------------------------------------------------------------------


def stands_alone(view: GoaView, card: Card) -> bool:
    """Tell whether the card may be played beside the action (GO-7.1)."""
    at_founding = isinstance(view.question, AwaitFounding)
    return not card.action or (card.effect == REVEAL_MORE and at_founding)


def card_row(
    view: GoaView, me: GoaSeatView, card: Card, reach: Reach, places: int
) -> FormRow:
    """Offer a card with what its order names (GO-7.1)."""
    why_not, name = why_no_card(card, me, reach), str(card.number)
    option = Option(name, Capital(card_said(card)), sub=card_face(card), why_not=why_not)
    selects = () if why_not else (*card_details(card, me, reach), *when(view, name, places))
    return FormRow(option, selects)


def why_no_card(card: Card, me: GoaSeatView, reach: Reach) -> Value:
    """Return why a card cannot be played in this turn, or "" if it can (GO-7.2)."""
    if card.effect == SELL and not reach.lying:
        return text("nothing_to_sell")
    if card.gain.spices_of_choice and not reach.empties:
        return text("no_field_empty")
    if card.effect == BUY_PROGRESS and card.price > reach.ducats:
        return text("costs_you_have", price=Quantity("ducat", card.price), ducats=me.ducats or 0)
    return ""


def card_details(card: Card, me: GoaSeatView, reach: Reach) -> Iterator[Select]:
    """Offer what the card's order names beside the card."""
    name = str(card.number)
    if card.effect == SELL:
        yield from number_of_each(f"sell-{name}", reach.lying)
    elif card.effect == BUY_PROGRESS:
        yield column_select(f"column-{name}", me)
    elif card.gain.spices_of_choice:
        for number in range(1, card.gain.spices_of_choice + 1):
            yield where_to_lay(f"lay-{name}-{number}", reach.empties)


def column_select(name: str, me: GoaSeatView) -> Select:
    """Offer the columns with a step left."""
    columns = [each.column for each in me.columns if each.next_cost is not None]
    choices = [Choice("", "–"), *(Choice(each, column_name(each)) for each in columns)]
    return one_of(name, text("column"), choices)


# ---- tiles -------------------------------------------------------------------------------------


def tile_row(
    view: GoaView, me: GoaSeatView, tile: Tile, reach: Reach, places: int
) -> FormRow:
    """Offer a tile with what its order names (GO-8.3)."""
    option = Option(tile.id, Capital(tile_said(tile)), sub=text("tile_id", tile=tile.id))
    details = tile_details(view, me, tile, reach)
    return FormRow(option, (*details, *when(view, tile.id, places)))


def can_use(view: GoaView, tile: Tile, reach: Reach) -> bool:
    """Tell whether the tile could be used at some point of the turn (GO-8.3 to GO-8.5)."""
    if tile.kind == "mission":
        return False
    if tile.kind == "additional_harvest" or tile.gain.spices_of_choice:
        return bool(reach.empties)
    if tile.kind == "duty":
        return number_of(reach.lying) >= tile.spices
    return tile.kind != "trade" or any(each.tile is not None for each in view.grid)


def tile_details(
    view: GoaView, me: GoaSeatView, tile: Tile, reach: Reach
) -> Iterator[Select]:
    """Offer what the tile's order names beside the tile (GO-8.3 to GO-8.5)."""
    if tile.kind == "once_a_round" and tile.gain.spices_of_choice:
        yield where_to_lay(f"lay-{tile.id}", reach.empties)
    elif tile.kind == "duty":
        yield from number_of_each(f"duty-{tile.id}", reach.lying)
    elif tile.kind == "additional_harvest":
        for where, fields in by_place(reach.empties).items():
            yield filling(f"fill-{tile.id}-{where}", where, fields)
    elif tile.kind == "trade":
        yield grid_select(view, f"space-{tile.id}")
    elif tile.kind == "plantation" and all(each.tile is not None for each in me.plantations):
        choices = [Choice(where, place(where)) for where in PLANTATIONS]
        yield one_of(f"drop-{tile.id}", text("discard"), choices)
    elif tile.choices:
        choices = [Choice(goods, Term("goods", goods)) for goods, _ in tile.choices]
        yield one_of(f"gain-{tile.id}", text("goods"), choices)


def filling(name: str, where: str, fields: dict[str, int]) -> Select:
    """Offer to fill a place or leave it; a colony with each choice of spices (GO-8.4)."""
    choices = [Choice("", text("leave"))]
    if where in PLANTATIONS:
        sacks = Enumeration(tuple(sack(each, where, number) for each, number in fields.items()))
        choices.append(Choice("fill", text("fill_with", sacks=sacks)))
    else:
        for number in range(max(fields.values()), 0, -1):
            for spices in combinations_with_replacement(fields, number):
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
