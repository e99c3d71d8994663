"""The mildest answer for a seat that is asked and absent (orders.md, last section)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.api import Move, Seat
from engine.goa import drawing
from engine.goa.answers import (
    DECLINE,
    DONE,
    PASS,
    QUICK_DUCATS,
    drops,
    flags,
    goods_choices,
    markers,
)
from engine.goa.components import GoaComponents
from engine.goa.moves import ChooseColony, ChooseGain, DrawCards, Extra
from engine.goa.offers import TAXES
from engine.goa.state import (
    COLONIES,
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

EXTRA_TAXES, SHIPS = Extra(TAXES), ChooseGain("ships")


def default_action(components: GoaComponents, state: GoaState, seat: Seat) -> Move:
    """The mildest answer for an awaited, absent seat."""
    mildest = DEFAULTS[type(state.awaiting)]
    return mildest(components, state, seat) if callable(mildest) else mildest


def first_flag(components: GoaComponents, state: GoaState, seat: Seat) -> Move:
    """The first space in reading order (GO-2.1)."""
    return next(flags(components, state, seat))


def first_marker(components: GoaComponents, state: GoaState, seat: Seat) -> Move:
    """The first tile in reading order (GO-2.2)."""
    return next(markers(components, state, seat))


def ships(components: GoaComponents, state: GoaState, seat: Seat) -> Move:
    """Ships rather than colonists (GO-3.4)."""
    choices = list(goods_choices(components, state, seat))
    return SHIPS if SHIPS in choices else choices[0]


def lowest_drop(components: GoaComponents, state: GoaState, seat: Seat) -> Move:
    """The plantation in the lowest place (GO-8.1)."""
    return next(drops(components, state, seat))


def no_discards(components: GoaComponents, state: GoaState, seat: Seat) -> Move:
    """What fits is drawn; an expedition with a full hand discards the highest card (GO-4.8a)."""
    question: AwaitRoom = state.awaiting  # type: ignore[assignment]
    most = drawing.most_drawn(state, question, 0)
    if most or question.why != "expedition":
        return DrawCards(most, ())
    hand = state.players[seat].hand
    # With an option the hand may be above the limit: then more must go.
    for count in range(1, len(hand) + 1):
        most = drawing.most_drawn(state, question, count)
        if most:
            return DrawCards(most, hand[-count:])
    raise AssertionError("an expedition draws a card")


def first_colony(components: GoaComponents, state: GoaState, seat: Seat) -> Move:
    """The first tile left, its first spice in the component file in every field (GO-5.2)."""
    question: AwaitColony = state.awaiting  # type: ignore[assignment]
    tile = state.colony_tiles[COLONIES.index(question.colony)][0]
    fields = components.colonies[question.colony].fields
    return ChooseColony(tile, components.printed_spices[tile][:1] * fields)


def pass_or_taxes(components: GoaComponents, state: GoaState, seat: Seat) -> Move:
    """Out of the additional actions where that is allowed, else taxes (GO-6.1)."""
    question: AwaitAdditional = state.awaiting  # type: ignore[assignment]
    return PASS if question.may_pass else EXTRA_TAXES


DEFAULTS: dict[type[Any], Callable[[GoaComponents, GoaState, Seat], Move] | Move] = {
    AwaitQuickStart: QUICK_DUCATS,
    AwaitFlag: first_flag,
    AwaitMarker: first_marker,
    AwaitBid: PASS,
    AwaitGoods: ships,
    AwaitDrop: lowest_drop,
    AwaitRoom: no_discards,
    AwaitTurnAction: TAXES,
    AwaitAdditional: pass_or_taxes,
    AwaitFounding: DECLINE,
    AwaitColony: first_colony,
    AwaitDone: DONE,
}
