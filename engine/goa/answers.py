"""Lists the moves of a seat: every distinct answer to its question, and its discards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import chain, combinations, combinations_with_replacement, islice
from typing import Any

from engine.api import Move, Seat
from engine.goa import drawing
from engine.goa.components import GoaComponents
from engine.goa.lookups import current_turn
from engine.goa.moves import (
    Bid,
    ChooseColony,
    ChooseGain,
    Decline,
    Discard,
    DrawCards,
    EndTurn,
    Extra,
    Pass,
    Pay,
    QuickDucats,
    QuickMarkers,
)
from engine.goa.offers import actions, playings, subsets, usings
from engine.goa.placing import FLAG, MARKER
from engine.goa.state import (
    COLONIES,
    COLUMNS,
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
    GoaState,
)
from engine.goa.tiles import DROP

PASS, PAY, DECLINE, DONE, QUICK_DUCATS = Pass(), Pay(), Decline(), EndTurn(), QuickDucats()

# Moves are immutable values, so equal moves share one object.
bid_move = lru_cache(maxsize=None)(Bid)
extra_move = lru_cache(maxsize=16384)(Extra)


def answers(components: GoaComponents, state: GoaState, seat: Seat) -> Iterator[Move]:
    """Yield the answers to the question put to this seat; none if it is not asked."""
    question = state.awaiting
    if question is None or seat not in question.seats:
        return iter(())
    return ANSWERS[type(question)](components, state, seat)


def legal(components: GoaComponents, state: GoaState, seat: Seat) -> Iterator[Move]:
    """Yield the answers, then the discards, which are free (GO-4.9)."""
    yield from answers(components, state, seat)
    if state.awaiting is not None:
        for card in state.players[seat].hand:
            yield Discard(card)


def is_forced(components: GoaComponents, state: GoaState, seat: Seat) -> bool:
    """Tell whether every hand that the seat could hold leaves one answer (rules, section 11)."""
    question = state.awaiting
    if question is None or seat not in question.seats or could_play(state, seat):
        return False
    return len(list(islice(answers(components, state, seat), 2))) == 1


def could_play(state: GoaState, seat: Seat) -> bool:
    """Tell whether the seat's cards could matter to its question, whatever they show (GO-7.1)."""
    if not state.players[seat].hand:
        return False
    if isinstance(state.awaiting, AwaitRoom):
        return True
    if isinstance(state.awaiting, AwaitDone | AwaitFounding):
        return not current_turn(state).card_played
    return False


# ---- quick start, placing, auctions ------------------------------------------------------------


def quick_starts(components: GoaComponents, state: GoaState, seat: Seat) -> Iterator[Move]:
    """Yield every choice of different columns, and ducats (GO-1.5)."""
    for columns in combinations(COLUMNS, components.rules.quick_start_markers):
        yield QuickMarkers(columns)
    yield QUICK_DUCATS


def bids(components: GoaComponents, state: GoaState, seat: Seat) -> Iterator[Move]:
    """Yield every higher bid that the purse allows, and passing (GO-3.1)."""
    high: int = state.awaiting.high_bid  # type: ignore[union-attr]
    return chain(map(bid_move, range(high + 1, state.players[seat].ducats + 1)), (PASS,))


def goods_choices(components: GoaComponents, state: GoaState, seat: Seat) -> Iterator[Move]:
    """Yield ships and colonists (GO-3.4)."""
    question: AwaitGoods = state.awaiting  # type: ignore[assignment]
    for goods, _ in components.by_id[question.tile].choices:
        yield ChooseGain(goods)


def rooms(components: GoaComponents, state: GoaState, seat: Seat) -> Iterator[Move]:
    """Yield every choice of discards, with the draws that they allow (GO-4.6, GO-4.8a)."""
    question: AwaitRoom = state.awaiting  # type: ignore[assignment]
    for discards in subsets(state.players[seat].hand):
        most = drawing.most_drawn(state, question, len(discards))
        for cards in range(1 if question.why == "expedition" else most, most + 1):
            yield DrawCards(cards, discards)


# ---- a turn ------------------------------------------------------------------------------------


def turn_answers(components: GoaComponents, state: GoaState, seat: Seat) -> Iterator[Move]:
    """Yield every action, card and tile (GO-4.1, GO-4.10)."""
    yield from actions(components, state, seat)
    yield from playings(components, state, seat)
    yield from usings(components, state, seat)


def additional_answers(components: GoaComponents, state: GoaState, seat: Seat) -> Iterator[Move]:
    """Yield every additional action, card and tile, and passing if it is allowed (GO-6.1)."""
    yield from map(extra_move, actions(components, state, seat))
    yield from playings(components, state, seat)
    yield from usings(components, state, seat)
    if state.awaiting.may_pass:  # type: ignore[union-attr]
        yield PASS


def done_answers(components: GoaComponents, state: GoaState, seat: Seat) -> Iterator[Move]:
    """Yield the cards and tiles after the action, and the turn's end (GO-4.10)."""
    yield from playings(components, state, seat)
    yield from usings(components, state, seat)
    yield DONE


def founding_answers(components: GoaComponents, state: GoaState, seat: Seat) -> Iterator[Move]:
    """Yield paying, declining, cards and tiles (GO-5.4)."""
    question: AwaitFounding = state.awaiting  # type: ignore[assignment]
    if state.players[seat].colonists >= question.difference:
        yield PAY
    yield DECLINE
    yield from playings(components, state, seat)
    yield from usings(components, state, seat)


def colony_choices(components: GoaComponents, state: GoaState, seat: Seat) -> Iterator[Move]:
    """Yield each tile left with each choice of spices (GO-5.2)."""
    question: AwaitColony = state.awaiting  # type: ignore[assignment]
    fields = components.colonies[question.colony].fields
    for tile in dict.fromkeys(state.colony_tiles[COLONIES.index(question.colony)]):
        for spices in combinations_with_replacement(components.may_hold[tile], fields):
            yield ChooseColony(tile, spices)


ANSWERS: dict[type[Any], Callable[[GoaComponents, GoaState, Seat], Iterator[Move]]] = {
    AwaitQuickStart: quick_starts,
    AwaitFlag: FLAG.moves,
    AwaitMarker: MARKER.moves,
    AwaitBid: bids,
    AwaitGoods: goods_choices,
    AwaitDrop: DROP.moves,
    AwaitRoom: rooms,
    AwaitTurnAction: turn_answers,
    AwaitAdditional: additional_answers,
    AwaitFounding: founding_answers,
    AwaitColony: colony_choices,
    AwaitDone: done_answers,
}
