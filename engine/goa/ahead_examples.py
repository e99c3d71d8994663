"""Orders ahead of Goa that a player might care to give now, read off what he sees."""

from __future__ import annotations

from engine.ahead import OrderAheadExample
from engine.api import Seat
from engine.goa.state import AUCTIONS, PLACING
from engine.goa.view import GoaView
from engine.phrases import Text

USUAL = 4  # ducats; what a bid is rarely above


def examples(view: GoaView, seat: Seat) -> tuple[OrderAheadExample, ...]:
    """A bid for a lot still to come and a pass on the others; in actions the mildest one."""
    if view.phase not in (PLACING, AUCTIONS):
        return (OrderAheadExample("taxes", Text("ahead_taxes", {})),)
    lot = next_lot(view)
    rest = OrderAheadExample("pass on the rest", Text("ahead_rest", {}))
    if lot is None:
        return (rest,)
    ducats = min(USUAL, view.players[seat].ducats or USUAL)
    bid = Text("ahead_up_to", {"ducats": ducats, "lot": lot})
    return (OrderAheadExample(f"up to {ducats} for lot {lot}", bid), rest)


def next_lot(view: GoaView) -> int | None:
    """The first lot of this round that is not under the hammer yet."""
    if view.phase == PLACING:
        return 2
    return next((lot.number for lot in view.lots if lot.stands == "waiting"), None)
