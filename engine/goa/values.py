"""Makes the values in phrases from fields of Goa's events, questions and moves, by field name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from engine.goa.components import Card, Gain, GoaComponents, Tile
from engine.goa.lookups import EDGES
from engine.goa.state import SPICES, Sacks
from engine.phrases import Enumeration, Kinds, Name, Quantity, Term, TermPhrase, Value

MOST_SAID = 512  # cache size for several component sets; a page shows most of one


def a_term(family: str) -> Callable[[Any], Value]:
    """Return a function that makes a term of the game."""
    return lambda key: Term(family, str(key))


def a_count(key: str) -> Callable[[Any], Value]:
    """Return a function that makes a number of things."""
    return lambda number: Quantity(key, number)


def place(where: str | int) -> Value:
    """Return a place for spices; a number alone is that of a plantation."""
    return Term("place", where) if isinstance(where, str) else where


def space(where: str) -> Value:
    """Return a space of the grid, or one outside its edge: north c."""
    edge, _, at = where.partition(" ")
    return TermPhrase(f"outside_{edge}", {"at": at}) if edge in EDGES else where


def cards(which: Sequence[int | None] | int | None) -> Value:
    """Return faces one by one, or the number of cards."""
    if which is None or isinstance(which, int):
        return Quantity("expedition_card", which or 0)
    return Enumeration(
        tuple(TermPhrase("a_card", {"card": card}) for card in which if card is not None)
    )


def terms(family: str) -> Callable[[Any], Value]:
    """Return a function that makes a row of terms."""
    return lambda keys: Enumeration(tuple(Term(family, key) for key in keys))


def spices(row: Sequence[str]) -> Enumeration:
    """Return spices with their counts: 2 ginger, 1 clove."""
    return Enumeration(
        tuple(
            TermPhrase("spice_number", {"spice": Term("spice", spice), "number": row.count(spice)})
            for spice in SPICES
            if spice in row
        )
    )


def sack_values(sacks: Sacks) -> tuple[Value, ...]:
    """Return sacks with their places: 2 ginger (plantation 1), clove (Quilon)."""
    return tuple(
        TermPhrase(
            "sack_at" if number == 1 else "sacks_at",
            {"spice": Term("spice", spice), "place": place(where), "number": number},
        )
        for spice, where, number in sacks
    )


GOODS = {
    "ships": "ship",
    "colonists": "colonist",
    "ducats": "ducat",
    "additional_cards": "additional_action_card",
    "additional_action_cards": "additional_action_card",
    "expedition_cards": "expedition_card",
    "spices_of_choice": "spice",
}
"""The words of goods by the fields of events, moves and gains."""


def goods(thing: Any) -> Enumeration:
    """Return all that an event, a move or a gain gives: ships, colonists, .., sacks."""
    counted = [Quantity(word, n) for f, word in GOODS.items() if (n := getattr(thing, f, 0))]
    return Enumeration((*counted, *sack_values(getattr(thing, "sacks", ()))))


KINDS: Kinds = {
    "seat": Name,
    "payee": Name,
    "auctioneer": Name,
    "high_bidder": Name,
    "ships": a_count("ship"),
    "colonists": a_count("colonist"),
    "ducats": a_count("ducat"),
    "others": a_count("ducat"),
    "high_bid": a_count("ducat"),
    "additional_cards": a_count("additional_action_card"),
    "fields": a_count("field"),
    "colonies": a_count("colony"),
    "vp": a_count("vp"),
    "cards": cards,
    "discard": cards,
    "column": a_term("column"),
    "columns": terms("column"),
    "colony": a_term("colony"),
    "spice": a_term("spice"),
    "spices": spices,
    "symbol": a_term("symbol"),
    "goods": a_term("goods"),
    "place": place,
    "space": space,
    "sacks": lambda sacks: Enumeration(sack_values(sacks)),
    "tiles": Enumeration,
}


# ---- tiles and cards of the component set ------------------------------------------------------


def of_tile(components: GoaComponents, name: str) -> TermPhrase:
    """Return what the tile of this id is."""
    return tile_said(components.by_id[name])


@lru_cache(MOST_SAID)
def tile_said(tile: Tile) -> TermPhrase:
    """Return what a tile is: ginger plantation, 2 fields (GO-8)."""
    key = f"tile_{tile.kind}"
    if tile.kind == "plantation" and tile.vp:
        key += "_vp"
    elif tile.choices:
        key = "tile_choice"
    first, second = [gain for _, gain in tile.choices] or (Gain(), Gain())
    return TermPhrase(
        key,
        {
            "spice": Term("spice", tile.spice),
            "fields": Quantity("field", tile.fields),
            "vp": Quantity("vp", tile.vp),
            "goods": goods(tile.gain),
            "first": goods(first),
            "second": goods(second),
            "spices": Quantity("spice", tile.spices),
            "places": tile.places,
        },
    )


def of_card(components: GoaComponents, number: int) -> TermPhrase:
    """Return what the expedition card of this number does."""
    return card_said(components.cards[number])


@lru_cache(MOST_SAID)
def card_said(card: Card) -> TermPhrase:
    """Return what an expedition card does: take 2 ships (GO-7.2)."""
    return TermPhrase(
        f"card_{card.effect}",
        {
            "goods": goods(card.gain),
            "spices": Quantity("spice", card.most),
            "ducats": Quantity("ducat", card.price or card.ducats_each),
            "cards": Quantity("card", card.reveal),
        },
    )


def tile_doing(components: GoaComponents, name: str | None) -> TermPhrase | None:
    """Return a tile's id and what it is; None if there is none or nobody may know it."""
    if name is None:
        return None
    return TermPhrase("tile_doing", {"tile": name, "what": of_tile(components, name)})


def tiles_doing(components: GoaComponents, names: Sequence[str | None]) -> Enumeration:
    """Return the tiles that the reader may know, each with what it is."""
    return Enumeration(tuple(said for name in names if (said := tile_doing(components, name))))


def card_doing(components: GoaComponents, number: int) -> TermPhrase:
    """Return a card's number and what it does."""
    return TermPhrase("card_doing", {"card": number, "effect": of_card(components, number)})


def cards_doing(components: GoaComponents, which: Sequence[int | None] | int) -> Value:
    """Return faces one by one with what they do, or the number of cards."""
    if isinstance(which, int):
        return cards(which)
    return Enumeration(tuple(
        TermPhrase("a_card_doing", {"card": card, "effect": of_card(components, card)})
                        for card in which if card is not None))  # fmt: skip
