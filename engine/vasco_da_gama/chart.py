"""Lays out the chart of the landings: 360 units wide, Calicut at the top.

A component set may have up to 12 slots a landing. More rows of slots make the chart longer.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from engine.phrases import Name, Text, WordForm, text
from engine.vasco_da_gama.form_texts import earned
from engine.vasco_da_gama.state import AwaitFirstMerchant, AwaitMerchant
from engine.vasco_da_gama.view import LandingView, ShipView, SlotView, VascoView

PITCH = 55  # units from slot to slot
ROW = 88  # units from one row of slots to the next
COAST = {"calicut": 20, "malindi": 52, "mombasa": 50, "mozambique": 58, "terra": 54, "natal": 55}
FIRST_TITLE, CALICUT_HEIGHT, HEIGHT = 68, 164, 126
CAPE, AFRICA = 198, 662  # top of the coast, and its drawn length


class Box(Struct, frozen=True):
    """A ship slot. `state`: "ship", "plan", "open", "far" or "free"."""

    slot: SlotView
    x: int
    y: int
    state: str
    ship: ShipView | None

    @property
    def title(self) -> Text:
        """Return the slot in words."""
        ship, label = self.ship, self.slot.label
        if ship is None:
            state = {"open": "state_open", "far": "state_too_far"}.get(self.state, "state_free")
            return text("slot_empty", slot=label, state=WordForm(state))
        if ship.owner is None:
            return text("slot_merchant", slot=label, limit=ship.limit)
        return text(
            "slot_planned" if self.state == "plan" else "slot_taken",
            slot=label,
            name=Name(ship.owner),
            tile=ship.tile or "",
            limit=ship.limit,
            earned=earned(ship.reals, ship.vp),
        )


class Harbour(Struct, frozen=True):
    """A landing: the positions of its title and its dot on the coast, and its slots."""

    landing: LandingView
    x: int
    y: int
    dot: int
    boxes: tuple[Box, ...]
    taken: int


class VascoChart(Struct, frozen=True):
    """The whole chart. `coast` is the transform that stretches Africa, or "" if none is needed."""

    height: int
    coast: str
    harbours: tuple[Harbour, ...]
    legend: int | None  # top of the legend beside Terra de Boa Gente; None: no room
    rose: int | None  # middle of the compass rose beside Natal


def chart_of(view: VascoView, planned: Mapping[tuple[str, int], ShipView]) -> VascoChart:
    """Return the chart as the viewer sees it, with the ships of a previewed order."""
    reach = reach_of(view)
    y = FIRST_TITLE
    shift = 0
    harbours = []
    for landing in reversed(view.landings):
        harbour = harbour_at(landing, y, reach, planned)
        harbours.append(harbour)
        more = ROW * (rows_of(landing) - 1)
        if landing.word == "calicut":
            shift = more
        y += (CALICUT_HEIGHT if landing.word == "calicut" else HEIGHT) + more
    terra, natal = harbours[-2], harbours[-1]
    return VascoChart(
        height=y - 2,
        coast=coast(shift, y - 2),
        harbours=tuple(harbours),
        legend=terra.y + 24 if len(terra.boxes) <= 2 else None,
        rose=natal.y + 66 if len(natal.boxes) <= 2 else None,
    )


def coast(shift: int, height: int) -> str:
    """Return the transform that starts Africa `shift` units lower and ends it at the foot."""
    stretch = (height - CAPE - shift) / AFRICA
    if stretch == 1 and not shift:
        return ""
    return f"translate(0 {CAPE + shift - CAPE * stretch:.2f}) scale(1 {stretch:.4f})"


def columns_of(landing: LandingView) -> int:
    """Return the number of slots in a row; there is more room off India."""
    return 6 if landing.word == "calicut" else 5


def rows_of(landing: LandingView) -> int:
    """Return the number of rows of slots."""
    return -(-len(landing.slots) // columns_of(landing))


def harbour_at(
    landing: LandingView, y: int, reach: int, planned: Mapping[tuple[str, int], ShipView]
) -> Harbour:
    """Return a landing with its title at `y` and its slots below."""
    india = landing.word == "calicut"
    left = 15 if india else 70
    columns = columns_of(landing)
    boxes = []
    for slot in landing.slots:
        row, column = divmod(slot.index, columns)
        plan = planned.get((landing.word, slot.index))
        boxes.append(Box(slot, left + PITCH * column, y + 24 + ROW * row,
                         state_of(slot, plan, reach), plan or slot.ship))
    taken = sum(1 for slot in landing.slots if slot.ship is not None)
    return Harbour(landing, 30 if india else 70, y, COAST[landing.word], tuple(boxes), taken)


def state_of(slot: SlotView, plan: ShipView | None, reach: int) -> str:
    """Return the viewer's state of a slot: one of the states of `Box`."""
    if plan is not None:
        return "plan"
    if slot.ship is not None:
        return "ship"
    if not reach:
        return "free"
    return "open" if slot.value <= reach else "far"


def reach_of(view: VascoView) -> int:
    """Return the highest slot that the viewer's ships can take.

    It is 0 for spectators and for seats without ships.
    """
    question = view.question
    if view.viewer is None:
        return 0
    if isinstance(question, AwaitMerchant | AwaitFirstMerchant):
        return question.limit if view.viewer == question.seat else 0
    me = view.players[view.viewer]
    return max((tile.limit for tile in me.ships), default=0) if me.captains else 0


def planned_ships(before: VascoView, after: VascoView) -> dict[tuple[str, int], ShipView]:
    """Return the ships that an order would add, by landing and slot."""
    return {
        (landing.word, new.index): new.ship
        for landing, then in zip(before.landings, after.landings, strict=True)
        for old, new in zip(landing.slots, then.slots, strict=True)
        if old.ship is None and new.ship is not None
    }
