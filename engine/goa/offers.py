"""Lists what a turn offers: every action, card and tile in every way (GO-4.1 to GO-8.5)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, combinations, combinations_with_replacement, product

from engine.api import Move, Seat
from engine.goa import drawing
from engine.goa.actions import (
    ANY_GOODS,
    WITHOUT_SHIPS,
    WITHOUT_SPICES,
    expedition_of,
    leaves_a_choice,
)
from engine.goa.cards import BUY_PROGRESS, SELL
from engine.goa.colonies import REVEAL_MORE
from engine.goa.components import Card, GoaComponents, Tile
from engine.goa.fields import Empty, empty_of, fillings, payments, room_in, sacks_of, takings
from engine.goa.lookups import (
    ONCE_A_ROUND,
    free_place,
    next_step,
    once_a_round,
    open_colonies,
    playable,
    taken_by,
    unused,
)
from engine.goa.moves import (
    AnyAction,
    BuildShips,
    Expedition,
    FoundColony,
    Harvest,
    PlayCard,
    Progress,
    Taxes,
    UseDuty,
    UseGoods,
    UseHarvest,
    UseSpice,
    UseTile,
    UseTrade,
)
from engine.goa.state import COLUMNS, GRID, PLANTATIONS, AwaitFounding, GoaPlayer, GoaState

BUILD_SHIPS, TAXES, ASKED_EXPEDITION = BuildShips(), Taxes(), Expedition(None, ())

# Moves are immutable values, so equal moves share one object.
progress_move = lru_cache(maxsize=16384)(Progress)
harvest_move = lru_cache(maxsize=16384)(Harvest)
expedition_move = lru_cache(maxsize=16384)(Expedition)
found_move = lru_cache(maxsize=None)(FoundColony)


def subsets(hand: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield every choice of cards, the smallest first."""
    return chain.from_iterable(combinations(hand, size) for size in range(len(hand) + 1))


# ---- actions -----------------------------------------------------------------------------------


def actions(components: GoaComponents, state: GoaState, seat: Seat) -> Iterator[AnyAction]:
    """Yield every action in every way in which it can be taken (GO-4.1)."""
    player = state.players[seat]
    named = [card for card in playable(components, state, player) if card.action]
    yield from progresses(components, player, [card for card in named if card.action == "progress"])
    yield BUILD_SHIPS
    yield from harvests(components, player, [card for card in named if card.effect == ANY_GOODS])
    yield TAXES
    if drawing.to_be_had(state):
        yield from expeditions(components, state, seat)
    revealing = [card.number for card in named if card.effect == REVEAL_MORE]
    for colony in open_colonies(state, player):
        for using in (None, *revealing):
            yield found_move(colony, using)


def progresses(
    components: GoaComponents, player: GoaPlayer, cards: list[Card]
) -> Iterator[Progress]:
    """Yield every column with a step left, with every choice of fields to pay from.

    Rules: GO-4.2, GO-7.2.
    """
    there = sacks_of(player)
    for column in COLUMNS:
        cost = next_step(components, player, column)
        if cost is None:
            continue
        for using in (None, *cards):
            effect = "" if using is None else using.effect
            if effect != WITHOUT_SHIPS and len(cost) > player.ships:
                continue
            number = None if using is None else using.number
            for sacks in payments(there, () if effect == WITHOUT_SPICES else cost):
                yield progress_move(column, number, sacks)


def harvests(components: GoaComponents, player: GoaPlayer, cards: list[Card]) -> Iterator[Harvest]:
    """Yield every choice of spices and fields; a card adds ships and colonists (GO-4.4)."""
    empty, number = empty_of(player), taken_by(components, player, "harvest")
    wanted = min(number, room_in(empty))
    if wanted:
        for sacks in fillings(empty, wanted):
            yield harvest_move(None, 0, 0, sacks)
    for card in cards:
        yield from any_goods(card.number, empty, number)


def any_goods(using: int, empty: Empty, number: int) -> Iterator[Harvest]:
    """Yield every mix of ships, colonists and spices (GO-7.2)."""
    for spices in range(min(number, room_in(empty)), -1, -1):
        for sacks in fillings(empty, spices):
            for ships in range(number - spices + 1):
                yield Harvest(using, ships, number - spices - ships, sacks)


def expeditions(components: GoaComponents, state: GoaState, seat: Seat) -> Iterator[Expedition]:
    """Yield every choice of discards and draws, and being asked if not all cards fit (GO-4.6)."""
    question = expedition_of(components, state, seat)
    if leaves_a_choice(state, question):
        yield ASKED_EXPEDITION
    for discards in subsets(state.players[seat].hand):
        most = drawing.most_drawn(state, question, len(discards))
        for cards in range(1, most + 1):
            yield expedition_move(cards, discards)


# ---- cards and tiles ---------------------------------------------------------------------------


def playings(components: GoaComponents, state: GoaState, seat: Seat) -> Iterator[Move]:
    """Yield every card that may be played now, in every way (GO-7.1, GO-7.2)."""
    player = state.players[seat]
    at_founding = isinstance(state.awaiting, AwaitFounding)
    for card in playable(components, state, player):
        if card.action and not (card.effect == REVEAL_MORE and at_founding):
            continue
        if card.effect == SELL:
            for number in range(1, card.most + 1):
                for sacks in takings(sacks_of(player), number):
                    yield PlayCard(card.number, sacks, None)
        elif card.effect == BUY_PROGRESS:
            yield from buyings(components, player, card)
        elif card.gain.spices_of_choice:
            empty = empty_of(player)
            wanted = min(card.gain.spices_of_choice, room_in(empty))
            for sacks in fillings(empty, wanted) if wanted else ():
                yield PlayCard(card.number, sacks, None)
        else:
            yield PlayCard(card.number, (), None)


def buyings(components: GoaComponents, player: GoaPlayer, card: Card) -> Iterator[Move]:
    """Yield every column with a step left, if the purse holds the price (GO-7.2)."""
    if card.price <= player.ducats:
        for column in COLUMNS:
            if next_step(components, player, column) is not None:
                yield PlayCard(card.number, (), column)


def usings(components: GoaComponents, state: GoaState, seat: Seat) -> Iterator[Move]:
    """Yield every ready tile, in every way (GO-8.3 to GO-8.5)."""
    player = state.players[seat]
    if not player.tiles:
        return
    for word in ONCE_A_ROUND:
        if once_a_round(components, player, word) is not None:
            yield from once_a_round_uses(player, word)
    for spices in dict.fromkeys(duty.spices for duty in unused(components, player, "duty")):
        for sacks in takings(sacks_of(player), spices):
            yield UseDuty(sacks)
    most = [tile.places for tile in unused(components, player, "additional_harvest")]
    yield from harvest_uses(empty_of(player), max(most, default=0))
    for _ in unused(components, player, "trade"):
        for space, there in zip(GRID, state.grid, strict=True):
            if there is not None:
                yield UseTrade(space)
    for tile in unused(components, player, "plantation"):
        places = (None,) if free_place(player) else range(1, len(PLANTATIONS) + 1)
        yield from (UseTile(tile.id, place, None) for place in places)
    for tile in unused(components, player, "immediate"):
        yield from immediate_uses(tile)


def once_a_round_uses(player: GoaPlayer, word: str) -> Iterator[Move]:
    """Yield each use of a once-a-round tile; a spice goes on every empty field (GO-8.3)."""
    if word != "spice":
        yield UseGoods(word)
        return
    for place, may_hold, _ in empty_of(player):
        for spice in may_hold:
            yield UseSpice(spice, place)


def harvest_uses(empty: Empty, most: int) -> Iterator[Move]:
    """Yield every choice of places to fill, with every choice of spices for colonies (GO-8.4)."""
    for number in range(1, most + 1):
        for places in combinations(empty, number):
            for filled in product(*(list(fills(*place)) for place in places)):
                yield UseHarvest(filled)


def fills(
    place: str, may_hold: tuple[str, ...], empty: int
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield every way to fill one place (GO-8.4)."""
    if place in PLANTATIONS:
        yield place, ()
    else:
        for spices in combinations_with_replacement(may_hold, empty):
            yield place, spices


def immediate_uses(tile: Tile) -> Iterator[Move]:
    """Yield an immediate tile taken by Trade, with each choice that it offers (GO-8.5)."""
    if not tile.choices:
        yield UseTile(tile.id, None, None)
    for goods, _ in tile.choices:
        yield UseTile(tile.id, None, goods)
