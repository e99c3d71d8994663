"""Computes how likely it is to found a colony, from what a seat can see (GO-5.2)."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from engine.goa.components import GoaComponents
from engine.goa.view import GoaSeatView, GoaView


def odds(components: GoaComponents, view: GoaView) -> dict[str, int]:
    """Return for each colony the viewer may found the chance in percent, own colonists paid.

    Empty for spectators, and where the deck has too few cards: a reshuffle would count then.
    """
    if view.viewer is None or view.places or view.deck < view.figures.reveal:
        return {}
    me = view.players[view.viewer]
    open_ones = [stock for place, stock in enumerate(view.colonies)
                 if stock.tiles and me.colonies[place].tile is None]
    unseen = colonists_unseen(components, view, me)
    has = me.column("colonists").value + me.colonists
    return {stock.colony: chance(unseen, view.figures.reveal, stock.needed - has)
            for stock in open_ones}


def colonists_unseen(components: GoaComponents, view: GoaView, me: GoaSeatView) -> list[int]:
    """Return the colonists on each card that may lie in the deck, as far as the viewer knows."""
    seen = {card.number for card in (*view.discards, *view.revealed, *(me.hand or ()))}
    return [card.colonists for card in components.cards.values() if card.number not in seen]


def chance(unseen: list[int], drawn: int, needed: int) -> int:
    """Return the chance in percent that `drawn` of the unseen cards bring the colonists needed."""
    if needed <= 0:
        return 100
    draws = list(combinations(unseen, drawn))
    enough = sum(sum(draw) >= needed for draw in draws)
    return round(100 * Fraction(enough, len(draws))) if draws else 0
