"""Orders ahead of Vasco da Gama that a player might care to give now, read off what he sees."""

from __future__ import annotations

from engine.ahead import OrderAheadExample
from engine.api import Seat
from engine.phrases import Text
from engine.vasco_da_gama.state import ACTIONS
from engine.vasco_da_gama.view import VascoView

DEAR = 3  # Reals


def examples(view: VascoView, seat: Seat) -> tuple[OrderAheadExample, ...]:
    """A placing with a second choice; once numbers are called, the next of one's own given up."""
    if view.phase == ACTIONS:
        own = next((each.number for each in view.numbers
                    if each.disc is not None and each.disc.seat == seat
                    and each.disc.status == "placed"), None)
        if own is not None:
            said = Text("ahead_give_up", {"number": own, "price": DEAR})
            return (OrderAheadExample(f"at {own}: give up if price > {DEAR}", said),)
    free = [each.number for each in view.numbers if each.ordinary and each.disc is None]
    if len(free) < 2:
        return ()
    first, second = free[len(free) // 3], free[len(free) // 3 + 1]
    said = Text("ahead_place", {"first": first, "second": second})
    return (OrderAheadExample(f"place {first} recruiting else {second} recruiting else ask", said),)
