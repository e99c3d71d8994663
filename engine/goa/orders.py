"""Writes moves of Goa as one-line orders, and reads them back (rules/orders.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine import notation
from engine.api import Seat
from engine.choices import MoveSpec
from engine.goa import moves, serving
from engine.goa.components import GoaComponents
from engine.goa.grammar import GOODS, Grammar
from engine.goa.placing import FLAG, MARKER
from engine.goa.state import GoaState
from engine.goa.tiles import DROP
from engine.notation import LineReader

# ---- writing -----------------------------------------------------------------------------------


def to_text(components: GoaComponents, move: Any) -> str:
    """Return the canonical one-line order, or the words that answer ahead after one."""
    spec = SPECS.get(type(move))
    return SPELLINGS[type(move)](move) if spec is None else spec.spell(components, move)


SPECS: dict[type[Any], MoveSpec[GoaComponents, GoaState, Any]] = {
    moves.PlaceFlag: FLAG,
    moves.PlaceMarker: MARKER,
    moves.Drop: DROP,
}
"""The declared moves; each is declared beside its rule."""


def spell_draw(move: moves.DrawCards) -> str:
    return f"draw {move.cards}" + spell_discards(move.discard)


def spell_discards(cards: tuple[int, ...]) -> str:
    return " discard " + ", ".join(map(str, cards)) if cards else ""


def spell_progress(move: moves.Progress) -> str:
    order = f"progress {move.column}" + spell_using(move.using)
    return f"{order} from {', '.join(serving.to_text(move.sacks))}" if move.sacks else order


def spell_using(card: int | None) -> str:
    return "" if card is None else f" using {card}"


def spell_harvest(move: moves.Harvest) -> str:
    goods = [
        f"{number} {word}"
        for number, word in zip((move.ships, move.colonists), GOODS, strict=True) if number
    ]
    said = ", ".join(goods + serving.to_text(move.sacks))
    if move.using is None:
        return f"harvest {said}".strip()
    return f"harvest using {move.using}" + (f": {said}" if said else "")


def spell_expedition(move: moves.Expedition) -> str:
    number = "" if move.cards is None else f" {move.cards}"
    return f"expedition{number}" + spell_discards(move.discard)


def spell_play(move: moves.PlayCard) -> str:
    said = move.column or ", ".join(serving.to_text(move.sacks))
    return f"play {move.card}" + (f": {said}" if said else "")


def spell_fillings(move: moves.UseHarvest) -> str:
    return "use harvest: " + ", ".join(
        " ".join((place, *spices)) for place, spices in move.fillings
    )


def spell_tile(move: moves.UseTile) -> str:
    drop = "" if move.drop is None else f" drop {move.drop}"
    return f"use {move.tile}{drop}" + ("" if move.goods is None else f" gain {move.goods}")


def spell_extra(move: moves.Extra) -> str:
    return f"extra {SPELLINGS[type(move.action)](move.action)}"


def spell_choice(move: moves.ChooseColony) -> str:
    return f"choose {move.tile}: " + ", ".join(move.spices)


SPELLINGS: dict[type[Any], Callable[[Any], str]] = {
    moves.QuickMarkers: lambda move: "quick " + " ".join(move.columns),
    moves.QuickDucats: lambda move: "quick ducats",
    moves.Bid: lambda move: f"bid {move.ducats}",
    moves.Pass: lambda move: "pass",
    moves.ChooseGain: lambda move: f"gain {move.goods}",
    moves.DrawCards: spell_draw,
    moves.Progress: spell_progress,
    moves.BuildShips: lambda move: "ships",
    moves.Harvest: spell_harvest,
    moves.Taxes: lambda move: "taxes",
    moves.Expedition: spell_expedition,
    moves.FoundColony: lambda move: f"found {move.colony}" + spell_using(move.using),
    moves.Pay: lambda move: "pay",
    moves.Decline: lambda move: "decline",
    moves.ChooseColony: spell_choice,
    moves.PlayCard: spell_play,
    moves.UseGoods: lambda move: f"use {move.goods}",
    moves.UseSpice: lambda move: f"use spice {move.spice}@{move.place}",
    moves.UseDuty: lambda move: "use duty: " + ", ".join(serving.to_text(move.sacks)),
    moves.UseHarvest: spell_fillings,
    moves.UseTrade: lambda move: f"use trade {move.space}",
    moves.UseTile: spell_tile,
    moves.Extra: spell_extra,
    moves.Discard: lambda move: f"discard {move.card}",
    moves.EndTurn: lambda move: "done",
    moves.PayUpTo: lambda order: f"pay up to {order.colonists}",
    moves.ChooseAhead: lambda order: spell_choice(order.choice),
    moves.Wait: lambda order: "wait",
}


def line_of(components: GoaComponents, orders: Sequence[Any]) -> str:
    """Return the meaning of one line, written as one line again."""
    if all(isinstance(order, moves.Discard) for order in orders):
        return spell_discards(tuple(order.card for order in orders)).strip()
    return " ".join(to_text(components, order) for order in orders)


# ---- reading -----------------------------------------------------------------------------------


def from_text(
    components: GoaComponents, line: str, state: GoaState, seat: Seat, aliases: Mapping[str, str]
) -> list[Any]:
    """Return the moves and answers ahead that one line means.

    Raise MalformedOrder with corrected lines if it cannot be read.
    """

    grammar = grammar_of(components, state, seat)
    return notation.read(line, grammar, aliases, lambda orders: line_of(components, orders))


def grammar_of(
    components: GoaComponents, state: GoaState, seat: Seat
) -> Callable[[LineReader], list[Any]]:
    """Return the function that reads a line of this seat at this table."""
    return lambda reader: Grammar(reader, components, state, seat).line()
