"""Prepares what the table's templates show beside the view, once per request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from engine.api import Seat
from engine.phrases import text
from engine.vasco_da_gama.chart import chart_of, planned_ships
from engine.vasco_da_gama.form_texts import bonus_of, earned, favour
from engine.vasco_da_gama.state import AREAS, CHARACTERS, CREW, SAILORS, SPACES, AwaitCalledAction
from engine.vasco_da_gama.view import NumberView, VascoView

NUMBERS_A_ROW = 5


class NumberRow(Struct, frozen=True):
    """A row of up to five numbers that pay the same for giving up."""

    first: int
    last: int
    gain: int
    additional: bool
    numbers: tuple[NumberView, ...]


class Money(Struct, frozen=True):
    """A money space: the amount laid there, and whether it is gone (VG-2.1, VG-6.1)."""

    space: str
    reals: int | str
    gone: bool
    printed: bool


class PlacedDisc(Struct, frozen=True):
    """A disc in an action slot."""

    number: int
    seat: Seat


def page(view: VascoView, after: VascoView | None) -> dict[str, Any]:
    """Return what the templates show; `after` is the table after a previewed order."""
    question = view.question
    called = question.number if isinstance(question, AwaitCalledAction) else None
    return {
        "chart": chart_of(view, {} if after is None else planned_ships(view, after)),
        "earnings": {tile.id: earned(tile.reals, tile.vp) for tile in view.open_tiles()},
        "bonuses": {each.word: bonus_of(each) for each in view.landings},
        "favours": {key: favour(key, view) for key in CHARACTERS},
        "number_rows": tuple(number_rows(view)),
        "called": called,
        "decision": None if called is None else text("action_number", number=called),
        "discs_in": {area: discs_in(view, area) for area in AREAS},
        "money": tuple(money(view)),
        "sailors": SAILORS,
        "crew": CREW,
    }


def thumbnail(view: VascoView) -> dict[str, Any]:
    """Return the landings from India down: their slots and whether they are complete.

    A slot is the seat of its ship, -1 for a merchant ship, or None.
    """
    return {"landings": [
        {"complete": landing.complete, "slots": [
            None if slot.ship is None else -1 if slot.ship.owner is None else slot.ship.owner
            for slot in landing.slots]}
        for landing in reversed(view.landings)
    ]}


def number_rows(view: VascoView) -> Iterator[NumberRow]:
    """Yield the numbers in rows of five that pay the same for giving up."""
    row: list[NumberView] = []
    for number in view.numbers:
        if row and (
            len(row) == NUMBERS_A_ROW
            or number.gain != row[0].gain
            or number.ordinary != row[0].ordinary
        ):
            yield number_row(row)
            row = []
        row.append(number)
    yield number_row(row)


def number_row(row: list[NumberView]) -> NumberRow:
    """Return one row of the numbers zone."""
    return NumberRow(row[0].number, row[-1].number, row[0].gain, not row[0].ordinary, tuple(row))


def discs_in(view: VascoView, area: str) -> tuple[PlacedDisc, ...]:
    """Return the discs that wait in an area's action slots, by number."""
    return tuple(
        PlacedDisc(number.number, number.disc.seat)
        for number in view.numbers
        if number.disc is not None and number.disc.area == area and number.disc.status == "placed"
    )


def money(view: VascoView) -> Iterator[Money]:
    """Yield the two money spaces."""
    for place, (space, left) in enumerate(zip(SPACES, view.money, strict=True)):
        printed = view.tile.money[place] if view.tile is not None else None
        shown = left if left is not None else printed
        yield Money(space, "–" if shown is None else shown, left is None, shown is not None)
