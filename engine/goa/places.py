"""Lists what lies where on the table, by place, so that two positions can be compared.

It has only what the viewer sees: a hidden purse is no place, and no lot stays after its round.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.api import SeatTally
from engine.goa.view import GoaSeatView, GoaView


def places(view: GoaView) -> dict[str, Any]:
    """Return all places that a template can mark as changed."""
    return dict(_places(view))


def _places(view: GoaView) -> Iterator[tuple[str, Any]]:
    for each in view.grid:
        yield f"space:{each.space}", each.tile
    if view.flag is not None:
        yield "flag", view.flag
    for lot in view.lots:
        yield f"lot:{lot.number}", (lot.stands, lot.high_bid, lot.high_bidder)
    for sold in view.sold:
        yield f"lot:{sold.number}", ("sold", sold.ducats, sold.buyer)
    for stock in view.colonies:
        yield f"stock:{stock.colony}", stock.tiles
    yield "deck", view.deck
    yield "discards", len(view.discards)
    for player in view.players:
        yield from _holdings(player)


def _holdings(player: GoaSeatView) -> Iterator[tuple[str, Any]]:
    mine = f"seat:{player.seat}"
    yield f"{mine}:vp", player.vp
    if player.ducats is not None:
        yield f"{mine}:ducats", player.ducats
    yield f"{mine}:ships", player.ships
    yield f"{mine}:colonists", player.colonists
    yield f"{mine}:additional", player.additional_cards
    yield f"{mine}:cards", player.cards
    for column in player.columns:
        yield f"{mine}:column:{column.column}", column.row
    for plantation in player.plantations:
        if plantation.tile is not None:
            yield f"{mine}:place:{plantation.place}", (plantation.tile, plantation.fields)
    for colony in player.colonies:
        if colony.tile is not None:
            yield f"{mine}:place:{colony.place}", (colony.tile, colony.fields)
    for kept in player.tiles:
        yield f"{mine}:tile:{kept.tile.id}", kept.used


def tallies(view: GoaView) -> tuple[SeatTally, ...]:
    """Return each seat's points by source and ducats; None for a purse the viewer may not see."""
    return tuple(SeatTally(player.points, player.ducats) for player in view.players)
