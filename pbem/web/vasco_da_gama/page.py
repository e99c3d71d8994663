"""Everything that Vasco da Gama's templates ask for, read off one view, once a request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engine.vasco_da_gama.state import AREAS, CHARACTERS, CREW, SAILORS, SPACES, AwaitAction
from engine.vasco_da_gama.view import NumberView, ShipView, TableView
from pbem.web.forms import Reader
from pbem.web.vasco_da_gama.chart import Box, Chart, chart_of
from pbem.web.vasco_da_gama.pieces import bonus_in_words, favour_in_words, landing_name

SEAT_COLOURS = ("yellow", "red", "black", "blue")
NUMBERS_A_ROW = 5


@dataclass(frozen=True)
class NumberRow:
    """Up to five numbers that giving up pays alike."""

    first: int
    last: int
    gain: int
    additional: bool
    numbers: tuple[NumberView, ...]


@dataclass(frozen=True)
class Money:
    """A money space: what was laid there, and whether it is gone (VG-2.1, VG-6.1)."""

    space: str
    reals: int | str
    gone: bool
    printed: bool


def context(
    view: TableView, reader: Reader, planned: Mapping[tuple[str, int], ShipView]
) -> dict[str, Any]:
    """What the table's templates show."""
    question = view.question
    chart = chart_of(view, planned)
    return {
        "view": view,
        "reader": reader,
        "t": reader.term,
        "chart": chart,
        "slot_titles": slot_titles(chart, reader),
        "earnings": {tile.id: earned(tile.reals, tile.vp, reader) for tile in view.open_tiles()},
        "bonuses": {each.word: bonus_in_words(each, reader) for each in view.landings},
        "favours": {key: favour_in_words(key, view, reader) for key in CHARACTERS},
        "number_rows": tuple(number_rows(view)),
        "called": question.number if isinstance(question, AwaitAction) else None,
        "discs_in": {area: discs_in(view, area) for area in AREAS},
        "money": tuple(money(view)),
        "areas_in_words": {area: reader.term(f"area_{area}") for area in AREAS},
        "area_marks": {area: first_upper(reader.term(f"area_{area}")[:3]) for area in AREAS},
        "colours": {colour: reader.term(f"colour_{colour}") for colour in CREW},
        "sailors": SAILORS,
        "crew": CREW,
        "seat_colours": [reader.term(f"seat_{colour}") for colour in SEAT_COLOURS],
        "landing_names": {each.word: landing_name(each, reader) for each in view.landings},
        "short_names": {key: short_name(key, reader) for key in CHARACTERS},
        "reals": reader.term("reals"),
        "word_limit": reader.say("limit"),
        "signed": signed,
        "first_upper": first_upper,
        "by_place": sorted(range(len(view.places)), key=lambda seat: view.places[seat]),
    }


def slot_titles(chart: Chart, reader: Reader) -> dict[str, str]:
    """Every ship slot in words, by landing and index."""
    return {
        f"{harbour.landing.word}{box.slot.index}": slot_title(box, reader)
        for harbour in chart.harbours
        for box in harbour.boxes
    }


def slot_title(box: Box, reader: Reader) -> str:
    """A ship slot in words."""
    ship, label = box.ship, box.slot.label
    if ship is None:
        return reader.say("Slot %(slot)s: %(state)s", slot=label, state=reader.term(
            {"open": "state_open", "far": "state_too_far"}.get(box.state, "state_free")))
    if ship.owner is None:
        return reader.say("Slot %(slot)s: merchant ship, limit %(limit)s, nobody’s", slot=label,
                          limit=ship.limit)
    text = reader.say("Slot %(slot)s: %(name)s, %(tile)s, limit %(limit)s, earns %(earned)s",
                      slot=label, name=reader.names[ship.owner], tile=ship.tile, limit=ship.limit,
                      earned=earned(ship.reals, ship.vp, reader))
    return f"{text} ({reader.term('state_plan')})" if box.state == "plan" else text


def earned(reals: int, vp: int, reader: Reader) -> str:
    """What a ship earns in each phase 3."""
    parts = [reader.count("real", reals)] * bool(reals) + [reader.count("vp", vp)] * bool(vp)
    return ", ".join(parts) or reader.say("nothing")


def number_rows(view: TableView) -> Iterator[NumberRow]:
    """The numbers in rows of five that pay alike for giving up."""
    row: list[NumberView] = []
    for number in view.numbers:
        if row and (len(row) == NUMBERS_A_ROW or number.gain != row[0].gain
                    or number.ordinary != row[0].ordinary):
            yield number_row(row)
            row = []
        row.append(number)
    yield number_row(row)


def number_row(row: list[NumberView]) -> NumberRow:
    """One row of the numbers zone."""
    return NumberRow(row[0].number, row[-1].number, row[0].gain, not row[0].ordinary, tuple(row))


@dataclass(frozen=True)
class PlacedDisc:
    """A disc in an action slot."""

    number: int
    seat: int


def discs_in(view: TableView, area: str) -> tuple[PlacedDisc, ...]:
    """The discs that wait in an area's action slots, by number."""
    return tuple(
        PlacedDisc(number.number, number.disc.seat)
        for number in view.numbers
        if number.disc is not None and number.disc.area == area and number.disc.status == "placed"
    )


def money(view: TableView) -> Iterator[Money]:
    """The two money spaces."""
    for place, (space, left) in enumerate(zip(SPACES, view.money, strict=True)):
        printed = view.tile.money[place] if view.tile is not None else None
        shown = left if left is not None else printed
        yield Money(space, "–" if shown is None else shown, left is None, shown is not None)


def short_name(key: str, reader: Reader) -> str:
    """A character's name as the seats' table has room for it."""
    words = reader.term(f"character_{key}").split()
    return words[0] if key == "manuel" else words[-1]


def first_upper(text: str) -> str:
    """The text with a capital at its beginning; names within it keep theirs."""
    return text[:1].upper() + text[1:]


def signed(number: int) -> str:
    """+2, 0 or −1, with a real minus."""
    return "0" if not number else f"{number:+d}".replace("-", "−")
