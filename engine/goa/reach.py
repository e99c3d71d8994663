"""Tells what a seat could hold at some point of its turn, from its own view.

Cards and tiles come before, during or after the action (GO-4.10). So a form must offer what becomes
possible only behind another part of the turn. The bounds here are never below what the rules allow;
the rules then judge the finished order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from engine.forms import Fields
from engine.goa.cards import SELL
from engine.goa.components import Card, Gain, Tile
from engine.goa.fields import ORDER, Empty
from engine.goa.form_texts import empties, lying
from engine.goa.state import PLANTATIONS, AwaitAdditional, AwaitTurnAction, Sacks
from engine.goa.view import GoaSeatView, GoaView

FILLING = ("additional_harvest", "plantation")


class Reach(NamedTuple):
    """The most that the seat could hold: sacks, empty fields, ducats, colonists."""

    lying: Sacks
    empties: Empty
    ducats: int
    colonists: int


def before_action(view: GoaView, me: GoaSeatView, chosen: Fields | None) -> Reach:
    """Return what the seat could hold when its action begins."""
    return reach(view, me, chosen, acts=False)


def in_turn(view: GoaView, me: GoaSeatView, chosen: Fields | None) -> Reach:
    """Return what the seat could hold before, during or after its action."""
    return reach(view, me, chosen, acts=is_to_act(view))


def is_to_act(view: GoaView) -> bool:
    """Tell whether the action of the turn is still to be chosen."""
    return isinstance(view.question, AwaitTurnAction | AwaitAdditional)


def reach(view: GoaView, me: GoaSeatView, chosen: Fields | None, *, acts: bool) -> Reach:
    """Return the most that cards, tiles and, if `acts`, the action can bring."""
    cards, tiles = playable(view, me), usable(view, me, chosen)
    lays = acts or any(card.gain.spices_of_choice for card in cards) or any(
        tile.kind in FILLING or tile.gain.spices_of_choice for tile in tiles)
    clears = acts or any(card.effect == SELL for card in cards) or any(
        tile.kind == "duty" for tile in tiles)
    room = tuple(capacities(view, me, tiles, chosen if acts else None))
    gains = [*(most_of(tile) for tile in tiles), best_trade(view, tiles)]
    taxes = me.column("taxes").value if acts else 0
    return Reach(
        lying=sacks_at_most(room) if lays else lying(me),
        empties=room if clears else empties(me),
        ducats=(me.ducats or 0) + taxes + sum(gain.ducats for gain in gains),
        colonists=me.colonists + sum(gain.colonists for gain in gains)
        + max((card.gain.colonists for card in cards), default=0),
    )


def playable(view: GoaView, me: GoaSeatView) -> tuple[Card, ...]:
    """Return the hand, if a card may still be played in this turn (GO-7.1)."""
    if view.turn is None or view.turn.card_played:
        return ()
    return me.hand or ()


# ---- tiles -------------------------------------------------------------------------------------


def usable(view: GoaView, me: GoaSeatView, chosen: Fields | None) -> tuple[Tile, ...]:
    """Return the unused tiles in front of the seat, and the one that its chosen Trade takes."""
    kept = [each.tile for each in me.tiles if not each.used]
    traded = [] if chosen is None else [
        there for tile in kept if tile.kind == "trade"
        and tile.id in chosen.getlist("use") and (there := taken(view, chosen, tile))]
    return (*kept, *traded)


def taken(view: GoaView, chosen: Fields, trade: Tile) -> Tile | None:
    """Return the tile of the grid that Trade is to take, or None (GO-8.5)."""
    space = chosen.get(f"space-{trade.id}")
    return next((each.tile for each in view.grid if each.space == space), None)


def most_of(tile: Tile) -> Gain:
    """Return the most that using a tile gives of each of the goods (GO-8.2, GO-8.3)."""
    given = [tile.gain, *(gain for _, gain in tile.choices)]
    return Gain(ducats=max(gain.ducats for gain in given),
                colonists=max(gain.colonists for gain in given))


def best_trade(view: GoaView, tiles: tuple[Tile, ...]) -> Gain:
    """Return the most that a tile taken by Trade gives of each of the goods (GO-8.5)."""
    if not any(tile.kind == "trade" for tile in tiles):
        return Gain()
    gains = [most_of(each.tile) for each in view.grid if each.tile is not None]
    return Gain(ducats=max((gain.ducats for gain in gains), default=0),
                colonists=max((gain.colonists for gain in gains), default=0))


# ---- fields ------------------------------------------------------------------------------------


def capacities(
    view: GoaView, me: GoaSeatView, tiles: tuple[Tile, ...], chosen: Fields | None
) -> Iterator[tuple[str, tuple[str, ...], int]]:
    """Yield (place, spices, fields) for all places, as they are or could become.

    A plantation tile in front of the seat may come on a place, and a colony may be founded.
    """
    for each in me.plantations:
        fields: dict[str, int] = {}
        if each.fields:
            fields[each.fields[0].may_hold[0]] = len(each.fields)
        for tile in tiles:
            if tile.kind == "plantation" and may_take(me, each.place):
                fields[tile.spice] = max(fields.get(tile.spice, 0), tile.fields)
        yield from ((each.place, (spice,), number) for spice, number in fields.items())
    founded = None if chosen is None or chosen.get("act") != "found" else chosen.get("colony")
    for colony in me.colonies:
        stock = view.stock(colony.place)
        if colony.fields:
            yield colony.place, colony.fields[0].may_hold, len(colony.fields)
        elif colony.place == founded and stock.tiles:
            spices = {spice: None for _, may_hold in stock.tiles for spice in may_hold}
            yield colony.place, tuple(spices), stock.fields


def may_take(me: GoaSeatView, place: str) -> bool:
    """Tell whether a plantation may come on this place: the lowest free one, else any (GO-8.1)."""
    free = [each.place for each in me.plantations if each.tile is None]
    return place == free[0] if free else place in PLANTATIONS


def sacks_at_most(room: Empty) -> Sacks:
    """Return each spice of each place with the number of fields."""
    found = [(spice, place, number) for place, may_hold, number in room for spice in may_hold]
    return tuple(sorted(found, key=lambda sack: ORDER[sack[0], sack[1]]))
