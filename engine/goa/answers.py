"""What a seat can order now: every distinct answer to its question, and its discards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import chain, combinations, combinations_with_replacement, islice, product
from typing import Any

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
from engine.goa.components import Card, Components, Tile
from engine.goa.fields import (
    Empty,
    empty_of,
    fillings,
    payments,
    room_in,
    sacks_of,
    takings,
)
from engine.goa.lookups import (
    ONCE_A_ROUND,
    current_turn,
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
    Bid,
    BuildShips,
    ChooseColony,
    Decline,
    Discard,
    Done,
    Draw,
    Drop,
    Expedition,
    Extra,
    Found,
    Gain,
    Harvest,
    Pass,
    Pay,
    PlaceFlag,
    PlaceMarker,
    Play,
    Progress,
    QuickDucats,
    QuickMarkers,
    Taxes,
    UseDuty,
    UseGoods,
    UseHarvest,
    UseSpice,
    UseTile,
    UseTrade,
)
from engine.goa.placing import flag_spaces, marker_spaces
from engine.goa.state import (
    COLONIES,
    COLUMNS,
    GRID,
    PLANTATIONS,
    AwaitAction,
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
    Player,
    State,
)

PASS, PAY, DECLINE, DONE = Pass(), Pay(), Decline(), Done()
BUILD_SHIPS, TAXES, QUICK_DUCATS = BuildShips(), Taxes(), QuickDucats()

# Moves are values: one of each is enough.
flag_move = lru_cache(maxsize=None)(PlaceFlag)
marker_move = lru_cache(maxsize=None)(PlaceMarker)
bid_move = lru_cache(maxsize=None)(Bid)
extra_move = lru_cache(maxsize=16384)(Extra)
progress_move = lru_cache(maxsize=16384)(Progress)
harvest_move = lru_cache(maxsize=16384)(Harvest)
expedition_move = lru_cache(maxsize=16384)(Expedition)
found_move = lru_cache(maxsize=None)(Found)
ASKED_EXPEDITION = Expedition(None, ())


def answers(components: Components, state: State, seat: Seat) -> Iterator[Move]:
    """The answers to the question put to this seat; none if it is not asked."""
    question = state.awaiting
    if question is None or seat not in question.seats:
        return iter(())
    return ANSWERS[type(question)](components, state, seat)


def legal(components: Components, state: State, seat: Seat) -> Iterator[Move]:
    """The answers, then the discards, which are free (GO-4.9)."""
    yield from answers(components, state, seat)
    if state.awaiting is not None:
        for card in state.players[seat].hand:
            yield Discard(card)


def is_forced(components: Components, state: State, seat: Seat) -> bool:
    """One answer for every hand that the seat could hold (section 11 of the rules)."""
    question = state.awaiting
    if question is None or seat not in question.seats or could_play(state, seat):
        return False
    return len(list(islice(answers(components, state, seat), 2))) == 1


def could_play(state: State, seat: Seat) -> bool:
    """Whether the seat's cards could matter to its question, whatever they show (GO-7.1)."""
    if not state.players[seat].hand:
        return False
    if isinstance(state.awaiting, AwaitRoom):
        return True
    if isinstance(state.awaiting, AwaitDone | AwaitFounding):
        return not current_turn(state).card_played
    return False


# ---- quick start, placing, auctions ------------------------------------------------------------


def quick_starts(components: Components, state: State, seat: Seat) -> Iterator[Move]:
    """Every choice of different columns, or ducats (GO-1.5)."""
    for columns in combinations(COLUMNS, components.rules.quick_start_markers):
        yield QuickMarkers(columns)
    yield QUICK_DUCATS


def flags(components: Components, state: State, seat: Seat) -> Iterator[Move]:
    """Every space for the flag (GO-2.1)."""
    return map(flag_move, flag_spaces(state))


def markers(components: Components, state: State, seat: Seat) -> Iterator[Move]:
    """Every space for the next marker (GO-2.2, GO-2.3)."""
    return map(marker_move, marker_spaces(state))


def bids(components: Components, state: State, seat: Seat) -> Iterator[Move]:
    """Every higher bid that the purse allows, and passing (GO-3.1)."""
    high: int = state.awaiting.high_bid  # type: ignore[union-attr]
    return chain(map(bid_move, range(high + 1, state.players[seat].ducats + 1)), (PASS,))


def goods_choices(components: Components, state: State, seat: Seat) -> Iterator[Move]:
    """Ships or colonists (GO-3.4)."""
    question: AwaitGoods = state.awaiting  # type: ignore[assignment]
    for goods, _ in components.by_id[question.tile].choices:
        yield Gain(goods)


def drops(components: Components, state: State, seat: Seat) -> Iterator[Move]:
    """Each of the four plantations (GO-8.1)."""
    return map(Drop, range(1, len(PLANTATIONS) + 1))


def rooms(components: Components, state: State, seat: Seat) -> Iterator[Move]:
    """Every choice of discards, and the draws that they allow (GO-4.6, GO-4.8a)."""
    question: AwaitRoom = state.awaiting  # type: ignore[assignment]
    for discards in subsets(state.players[seat].hand):
        most = drawing.most_drawn(state, question, len(discards))
        for cards in range(1 if question.why == "expedition" else most, most + 1):
            yield Draw(cards, discards)


def subsets(hand: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Every choice of cards, the smallest first."""
    return chain.from_iterable(combinations(hand, size) for size in range(len(hand) + 1))


# ---- a turn ------------------------------------------------------------------------------------


def turn_answers(components: Components, state: State, seat: Seat) -> Iterator[Move]:
    """Every action, card and tile (GO-4.1, GO-4.10)."""
    yield from actions(components, state, seat)
    yield from playings(components, state, seat)
    yield from usings(components, state, seat)


def additional_answers(components: Components, state: State, seat: Seat) -> Iterator[Move]:
    """Every additional action, card and tile, and passing where it is allowed (GO-6.1)."""
    yield from map(extra_move, actions(components, state, seat))
    yield from playings(components, state, seat)
    yield from usings(components, state, seat)
    if state.awaiting.may_pass:  # type: ignore[union-attr]
        yield PASS


def done_answers(components: Components, state: State, seat: Seat) -> Iterator[Move]:
    """Cards and tiles behind the action, and the turn's end (GO-4.10)."""
    yield from playings(components, state, seat)
    yield from usings(components, state, seat)
    yield DONE


def founding_answers(components: Components, state: State, seat: Seat) -> Iterator[Move]:
    """Paying, declining, cards and tiles (GO-5.4)."""
    question: AwaitFounding = state.awaiting  # type: ignore[assignment]
    if state.players[seat].colonists >= question.difference:
        yield PAY
    yield DECLINE
    yield from playings(components, state, seat)
    yield from usings(components, state, seat)


def colony_choices(components: Components, state: State, seat: Seat) -> Iterator[Move]:
    """Each tile left with each choice of spices (GO-5.2)."""
    question: AwaitColony = state.awaiting  # type: ignore[assignment]
    fields = components.colonies[question.colony].fields
    for tile in dict.fromkeys(state.colony_tiles[COLONIES.index(question.colony)]):
        for spices in combinations_with_replacement(components.may_hold[tile], fields):
            yield ChooseColony(tile, spices)


# ---- actions -----------------------------------------------------------------------------------


def actions(components: Components, state: State, seat: Seat) -> Iterator[AnyAction]:
    """Every action in every way in which it can be taken (GO-4.1)."""
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
    components: Components, player: Player, cards: list[Card]
) -> Iterator[Progress]:
    """Every column with a step left, every choice of fields to pay from (GO-4.2, GO-7.2)."""
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


def harvests(components: Components, player: Player, cards: list[Card]) -> Iterator[Harvest]:
    """Every choice of spices and empty fields; with a card also ships, colonists (GO-4.4)."""
    empty, number = empty_of(player), taken_by(components, player, "harvest")
    wanted = min(number, room_in(empty))
    if wanted:
        for sacks in fillings(empty, wanted):
            yield harvest_move(None, 0, 0, sacks)
    for card in cards:
        yield from any_goods(card.number, empty, number)


def any_goods(using: int, empty: Empty, number: int) -> Iterator[Harvest]:
    """Every mix of ships, colonists and spices (GO-7.2)."""
    for spices in range(min(number, room_in(empty)), -1, -1):
        for sacks in fillings(empty, spices):
            for ships in range(number - spices + 1):
                yield Harvest(using, ships, number - spices - ships, sacks)


def expeditions(components: Components, state: State, seat: Seat) -> Iterator[Expedition]:
    """Every choice of discards and draws; being asked where not all cards fit (GO-4.6)."""
    question = expedition_of(components, state, seat)
    if leaves_a_choice(state, question):
        yield ASKED_EXPEDITION
    for discards in subsets(state.players[seat].hand):
        most = drawing.most_drawn(state, question, len(discards))
        for cards in range(1, most + 1):
            yield expedition_move(cards, discards)


# ---- cards and tiles ---------------------------------------------------------------------------


def playings(components: Components, state: State, seat: Seat) -> Iterator[Move]:
    """Every card that may be played now, in every way (GO-7.1, GO-7.2)."""
    player = state.players[seat]
    at_founding = isinstance(state.awaiting, AwaitFounding)
    for card in playable(components, state, player):
        if card.action and not (card.effect == REVEAL_MORE and at_founding):
            continue
        if card.effect == SELL:
            for number in range(1, card.most + 1):
                for sacks in takings(sacks_of(player), number):
                    yield Play(card.number, sacks, None)
        elif card.effect == BUY_PROGRESS:
            yield from buyings(components, player, card)
        elif card.gain.spices_of_choice:
            empty = empty_of(player)
            wanted = min(card.gain.spices_of_choice, room_in(empty))
            for sacks in fillings(empty, wanted) if wanted else ():
                yield Play(card.number, sacks, None)
        else:
            yield Play(card.number, (), None)


def buyings(components: Components, player: Player, card: Card) -> Iterator[Move]:
    """Every column with a step left, if the purse holds the price (GO-7.2)."""
    if card.price <= player.ducats:
        for column in COLUMNS:
            if next_step(components, player, column) is not None:
                yield Play(card.number, (), column)


def usings(components: Components, state: State, seat: Seat) -> Iterator[Move]:
    """Every ready tile, in every way (GO-8.3 to GO-8.5)."""
    player = state.players[seat]
    if not player.tiles:
        return
    for word in ONCE_A_ROUND:
        if once_a_round(components, player, word) is not None:
            yield from once_a_round_uses(player, word)
    for duty in unused(components, player, "duty")[:1]:
        for sacks in takings(sacks_of(player), duty.spices):
            yield UseDuty(sacks)
    for tile in unused(components, player, "additional_harvest")[:1]:
        yield from harvest_uses(empty_of(player), tile.places)
    for _ in unused(components, player, "trade"):
        for space, there in zip(GRID, state.grid, strict=True):
            if there is not None:
                yield UseTrade(space)
    for tile in unused(components, player, "plantation"):
        places = (None,) if free_place(player) else range(1, len(PLANTATIONS) + 1)
        yield from (UseTile(tile.id, place, None) for place in places)
    for tile in unused(components, player, "immediate"):
        yield from immediate_uses(tile)


def once_a_round_uses(player: Player, word: str) -> Iterator[Move]:
    """A once-a-round tile's use; for a spice on every field that is empty (GO-8.3)."""
    if word != "spice":
        yield UseGoods(word)
        return
    for place, may_hold, _ in empty_of(player):
        for spice in may_hold:
            yield UseSpice(spice, place)


def harvest_uses(empty: Empty, most: int) -> Iterator[Move]:
    """Every choice of places to fill, with every choice of spices for colonies (GO-8.4)."""
    for number in range(1, most + 1):
        for places in combinations(empty, number):
            for filled in product(*(list(fills(*place)) for place in places)):
                yield UseHarvest(filled)


def fills(
    place: str, may_hold: tuple[str, ...], empty: int
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every way to fill one place (GO-8.4)."""
    if place in PLANTATIONS:
        yield place, ()
    else:
        for spices in combinations_with_replacement(may_hold, empty):
            yield place, spices


def immediate_uses(tile: Tile) -> Iterator[Move]:
    """An immediate tile taken by Trade, with each choice that it offers (GO-8.5)."""
    if not tile.choices:
        yield UseTile(tile.id, None, None)
    for goods, _ in tile.choices:
        yield UseTile(tile.id, None, goods)


ANSWERS: dict[type[Any], Callable[[Components, State, Seat], Iterator[Move]]] = {
    AwaitQuickStart: quick_starts,
    AwaitFlag: flags,
    AwaitMarker: markers,
    AwaitBid: bids,
    AwaitGoods: goods_choices,
    AwaitDrop: drops,
    AwaitRoom: rooms,
    AwaitAction: turn_answers,
    AwaitAdditional: additional_answers,
    AwaitFounding: founding_answers,
    AwaitColony: colony_choices,
    AwaitDone: done_answers,
}
