"""Chooses the mildest answer for an absent seat that is asked (orders.md, last section)."""

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
    goods_choices,
)
from engine.goa.components import GoaComponents
from engine.goa.moves import ChooseColony, ChooseGain, DrawCards, Extra
from engine.goa.offers import TAXES
from engine.goa.placing import FLAG, MARKER
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
from engine.goa.tiles import DROP

EXTRA_TAXES, SHIPS = Extra(TAXES), ChooseGain("ships")


def default_action(components: GoaComponents, state: GoaState, seat: Seat) -> Move:
    """Return the mildest answer for an absent seat that the game waits for."""
    mildest = DEFAULTS[type(state.awaiting)]
    return mildest(components, state, seat) if callable(mildest) else mildest


def first_flag(components: GoaComponents, state: GoaState, seat: Seat) -> Move:
    """Return the first space in reading order (GO-2.1)."""
    return next(FLAG.moves(components, state, seat))


def first_marker(components: GoaComponents, state: GoaState, seat: Seat) -> Move:
    """Return the first tile in reading order (GO-2.2)."""
    return next(MARKER.moves(components, state, seat))


def ships(components: GoaComponents, state: GoaState, seat: Seat) -> Move:
    """Return ships rather than colonists (GO-3.4)."""
    choices = list(goods_choices(components, state, seat))
    return SHIPS if SHIPS in choices else choices[0]


def lowest_drop(components: GoaComponents, state: GoaState, seat: Seat) -> Move:
    """Return the plantation in the lowest place (GO-8.1)."""
    return next(DROP.moves(components, state, seat))


def no_discards(components: GoaComponents, state: GoaState, seat: Seat) -> Move:
    """Draw the cards that fit; with a full hand an expedition discards the highest (GO-4.8a)."""
    question: AwaitRoom = state.awaiting  # type: ignore[assignment]
    most = drawing.most_drawn(state, question, 0)
    if most or question.why != "expedition":
        return DrawCards(most, ())
    hand = state.players[seat].hand
    # An option lets the hand exceed the limit: then more cards must go.
    for count in range(1, len(hand) + 1):
        most = drawing.most_drawn(state, question, count)
        if most:
            return DrawCards(most, hand[-count:])
    raise AssertionError("an expedition draws a card")


def first_colony(components: GoaComponents, state: GoaState, seat: Seat) -> Move:
    """Return the first tile left, with its first spice in every field (GO-5.2).

    The first spice is that of the component file.
    """
    question: AwaitColony = state.awaiting  # type: ignore[assignment]
    tile = state.colony_tiles[COLONIES.index(question.colony)][0]
    fields = components.colonies[question.colony].fields
    return ChooseColony(tile, components.printed_spices[tile][:1] * fields)


def pass_or_taxes(components: GoaComponents, state: GoaState, seat: Seat) -> Move:
    """Pass out of the additional actions if allowed, else take taxes (GO-6.1)."""
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
