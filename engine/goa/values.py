"""How the fields of Goa's facts, questions and moves are said: each value by its field's name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from engine.goa.components import Card, Components, Gain, Tile
from engine.goa.lookups import EDGES
from engine.goa.state import SPICES, Sacks
from engine.phrases import Count, Kinds, Listed, Name, Said, Term, Value

MOST_SAID = 512  # tiles or cards, of some component sets: each page says most of a set's


def a_term(family: str) -> Callable[[Any], Value]:
    """A value that is a key of the game."""
    return lambda key: Term(family, str(key))


def a_count(key: str) -> Callable[[Any], Value]:
    """A value that is a number of things."""
    return lambda number: Count(key, number)


def place(where: str | int) -> Value:
    """A place for spices; a number alone is that of a plantation."""
    return Term("place", where) if isinstance(where, str) else where


def space(where: str) -> Value:
    """A space of the grid, or one outside its edge: north c."""
    edge, _, at = where.partition(" ")
    return Said(f"outside_{edge}", {"at": at}) if edge in EDGES else where


def cards(which: Sequence[int | None] | int | None) -> Value:
    """Faces one by one, or how many cards."""
    if which is None or isinstance(which, int):
        return Count("expedition_card", which or 0)
    return Listed(tuple(Said("a_card", {"card": card}) for card in which if card is not None))


def terms(family: str) -> Callable[[Any], Value]:
    """A value that is a row of keys."""
    return lambda keys: Listed(tuple(Term(family, key) for key in keys))


def spices(row: Sequence[str]) -> Listed:
    """Spices, counted: 2 ginger, 1 clove."""
    return Listed(
        tuple(
            Said("spice_number", {"spice": Term("spice", spice), "number": row.count(spice)})
            for spice in SPICES
            if spice in row
        )
    )


def sack_values(sacks: Sacks) -> tuple[Value, ...]:
    """Sacks with their places: 2 ginger (plantation 1), clove (Quilon)."""
    return tuple(
        Said(
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
"""The words of goods by the fields of facts, moves and gains."""


def goods(thing: Any) -> Listed:
    """All that a fact, a move or a gain gives: ships, colonists, .., sacks."""
    counted = [Count(word, n) for f, word in GOODS.items() if (n := getattr(thing, f, 0))]
    return Listed((*counted, *sack_values(getattr(thing, "sacks", ()))))


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
    "sacks": lambda sacks: Listed(sack_values(sacks)),
    "tiles": Listed,
}


# ---- tiles and cards of the component set ------------------------------------------------------


def of_tile(components: Components, name: str) -> Said:
    """What the tile of this id is."""
    return tile_said(components.by_id[name])


@lru_cache(MOST_SAID)
def tile_said(tile: Tile) -> Said:
    """What a tile is: ginger plantation, 2 fields (GO-8)."""
    key = f"tile_{tile.kind}"
    if tile.kind == "plantation" and tile.vp:
        key += "_vp"
    elif tile.choices:
        key = "tile_choice"
    first, second = [gain for _, gain in tile.choices] or (Gain(), Gain())
    return Said(
        key,
        {
            "spice": Term("spice", tile.spice),
            "fields": Count("field", tile.fields),
            "vp": Count("vp", tile.vp),
            "goods": goods(tile.gain),
            "first": goods(first),
            "second": goods(second),
            "spices": Count("spice", tile.spices),
            "places": tile.places,
        },
    )


def of_card(components: Components, number: int) -> Said:
    """What the expedition card of this number does."""
    return card_said(components.cards[number])


@lru_cache(MOST_SAID)
def card_said(card: Card) -> Said:
    """What an expedition card does: take 2 ships (GO-7.2)."""
    return Said(
        f"card_{card.effect}",
        {
            "goods": goods(card.gain),
            "spices": Count("spice", card.most),
            "ducats": Count("ducat", card.price or card.ducats_each),
            "cards": Count("card", card.reveal),
        },
    )


def tile_doing(components: Components, name: str | None) -> Said | None:
    """A tile's id and what it is; None where there is none, or nobody may know it."""
    if name is None:
        return None
    return Said("tile_doing", {"tile": name, "what": of_tile(components, name)})


def tiles_doing(components: Components, names: Sequence[str | None]) -> Listed:
    """The tiles that the reader may know, each with what it is."""
    return Listed(tuple(said for name in names if (said := tile_doing(components, name))))


def card_doing(components: Components, number: int) -> Said:
    """A card's number and what it does."""
    return Said("card_doing", {"card": number, "effect": of_card(components, number)})


def cards_doing(components: Components, which: Sequence[int | None] | int) -> Value:
    """Faces one by one with what they do, or how many cards."""
    if isinstance(which, int):
        return cards(which)
    return Listed(tuple(Said("a_card_doing", {"card": card, "effect": of_card(components, card)})
                        for card in which if card is not None))  # fmt: skip
