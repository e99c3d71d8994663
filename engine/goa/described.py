"""Describes the tiles and cards that events name, since their ids say nothing to a reader.

An event is described as its reader may see it: a hidden face is None and is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.goa import events as facts
from engine.goa.components import GoaComponents
from engine.goa.values import card_doing, cards_doing, of_tile, tile_doing, tiles_doing
from engine.phrases import Enumeration, Name, Quantity, Term, TermPhrase, Value

DESCRIBED: Mapping[str, Callable[[GoaComponents, Any], Value | None]] = {
    "tile": tile_doing,
    "taken": tile_doing,
    "tiles": tiles_doing,
    "card": card_doing,
    "cards": cards_doing,
}
"""The fields that hold ids of the component set, with the function that describes each."""

TELL_IT_ANYWAY = {
    facts.CardGoodsTaken,
    facts.ColonyPlaced,
    facts.PlantationPlaced,
    facts.ImmediateTaken,
    facts.OnceARoundUsed,
    facts.AdditionalHarvestDone,
    facts.MissionTaken,
}
"""Events whose line says already what the tile or the card is for."""


def described(components: GoaComponents, event: Any) -> dict[str, Value]:
    """Return the tiles and cards of an event with their descriptions; hidden ones stay hidden."""
    kind = type(event)
    if kind in TELL_IT_ANYWAY:
        return {}
    if kind in DESCRIBED_OTHERWISE:
        return DESCRIBED_OTHERWISE[kind](components, event)
    told = {
        field: say(components, getattr(event, field))
        for field, say in DESCRIBED.items() if field in event.__struct_fields__
    }  # fmt: skip
    return {field: value for field, value in told.items() if value is not None}


def card_turned(components: GoaComponents, event: facts.CardTurned) -> dict[str, Value]:
    """Return the card with its symbol, because players look for the tiger."""
    symbol = Term("symbol", components.cards[event.card].symbol)
    return {"card": TermPhrase("card_doing", {"card": event.card, "effect": symbol})}


def cards_revealed(components: GoaComponents, event: facts.CardsRevealed) -> dict[str, Value]:
    """Return each card with its colonists, the only reason to reveal it."""
    return {"cards": Enumeration(tuple(
        TermPhrase("a_card_doing", {"card": card, "effect":
             Quantity("colonist", components.cards[card].colonists)})
        for card in event.cards))}  # fmt: skip


def hands_shown(components: GoaComponents, event: facts.HandsShown) -> dict[str, Value]:
    """Return each purse and hand by symbols: Anna (12 ducats, cards: fish 5, palm 9)."""
    purses = [Quantity("ducat", ducats) for ducats in event.ducats]
    said = [
        TermPhrase("hand_shown", {"seat": Name(seat), "ducats": purse, "cards": Enumeration(tuple(
            TermPhrase("symbol_card", {"card": card,
                 "symbol": Term("symbol", components.cards[card].symbol)})
            for card in hand))})
        for seat, (purse, hand) in enumerate(zip(purses, event.hands, strict=True))
    ]  # fmt: skip
    return {"ducats": Enumeration(tuple(purses)), "hands": Enumeration(tuple(said))}


def trade_made(components: GoaComponents, event: facts.TradeMade) -> dict[str, Value]:
    """Describe the tile that is taken; the line itself says that the other is Trade."""
    return {"taken": TermPhrase("tile_doing", {"tile": event.taken,
                          "what": of_tile(components, event.taken)})}  # fmt: skip


DESCRIBED_OTHERWISE: Mapping[type, Callable[[GoaComponents, Any], dict[str, Value]]] = {
    facts.CardTurned: card_turned,
    facts.CardsRevealed: cards_revealed,
    facts.HandsShown: hands_shown,
    facts.TradeMade: trade_made,
}
