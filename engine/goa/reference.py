"""Lists tiles, cards and bonuses as phrases for the rules page's template."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from engine.goa.components import NOTHING, Gain, GoaComponents, Tile
from engine.goa.state import COLUMNS, PARTS, ROWS, SPICES
from engine.goa.values import card_said, goods, tile_said
from engine.phrases import Enumeration, TermPhrase


class Alike(Struct, frozen=True):
    """Tiles of a part that differ only by their ids, and their row in the set."""

    tiles: tuple[Tile, ...]
    says: TermPhrase
    row: int


class BonusRow(Struct, frozen=True):
    """The gains of a row: for all players' first marker in a column, and for five (GO-4.8)."""

    row: int
    first: Enumeration
    all_markers: Enumeration


def reference(components: GoaComponents) -> dict[str, Any]:
    """Return what the template shows."""
    return {
        "spices": SPICES,
        "columns": COLUMNS,
        "parts": {part: tuple(alike(components, part)) for part in PARTS},
        "card_words": {card.number: card_said(card) for card in components.cards.values()},
        "bonuses": tuple(bonuses(components)),
    }


def alike(components: GoaComponents, part: str) -> Iterator[Alike]:
    """Yield a part's tiles by what they are, in the order of the set."""
    found: dict[str, list[Tile]] = {}
    for tile in components.by_id.values():
        if tile.part == part:
            found.setdefault(repr(tile_said(tile)), []).append(tile)
    row_of = rows(components, part)
    for tiles in found.values():
        yield Alike(tuple(tiles), tile_said(tiles[0]), row_of[tiles[0].id])


def rows(components: GoaComponents, part: str) -> dict[str, int]:
    """Return the component set's row of each tile of a part, by the tile's id."""
    places = [
        place
        for place, row in enumerate(components.tiles)
        if row.part == part
        for _ in range(row.n * (len(row.spices) if isinstance(row.spices, tuple) else 1))
    ]
    ids = [tile.id for tile in components.by_id.values() if tile.part == part]
    return dict(zip(ids, places, strict=True))


def bonuses(components: GoaComponents) -> Iterator[BonusRow]:
    """Yield the rows that markers move into."""
    bonus = components.development.bonus
    first: Mapping[Any, Gain] = bonus.first_in_row
    every: Mapping[Any, Gain] = bonus.all_markers_in_row
    for row in range(2, ROWS + 1):
        here = str(row)
        yield BonusRow(row, goods(first.get(here, NOTHING)), goods(every.get(here, NOTHING)))
