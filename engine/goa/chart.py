"""Lays out the chart of the grid: 684 units square, five spaces by five."""

from __future__ import annotations

from msgspec import Struct

from engine.api import Seat
from engine.goa.components import Tile
from engine.goa.form import flag_judge, marker_judge
from engine.goa.lookups import EDGES, SPACES
from engine.goa.state import GRID, AwaitFlag, AwaitMarker
from engine.goa.values import space as space_name
from engine.goa.values import tile_said
from engine.goa.view import GoaView, LotView, SoldLotView
from engine.phrases import Enumeration, Name, Quantity, TermPhrase, Value, text

FIRST, PITCH, SIZE = 76, 108, 100  # start of the first space, distance between spaces, width
NEAR, FAR = 52, 632  # middle of the spaces outside the edge
MIDDLE = 50
FLAG_AT = (-23, -46)  # a flag's corner relative to its middle


class Space(Struct, frozen=True):
    """A space of the grid. `state` is "tile", "lot" (under the hammer), "open" or "sea".

    An open space may take the viewer's flag or marker. `title` is the space in words.
    """

    space: str
    x: int
    y: int
    tile: Tile | None
    state: str
    title: Value


class Banner(Struct, frozen=True):
    """An auction marker, 27 x 32 units. `planned` is True if a previewed order puts it there."""

    number: int
    seat: Seat
    x: int
    y: int
    planned: bool


class Flag(Struct, frozen=True):
    """The flag. Its corner is at x, y."""

    x: int
    y: int
    planned: bool


class Cross(Struct, frozen=True):
    """A space outside the edge. `is_open` is True if the viewer's flag may go there."""

    space: str
    x: int
    y: int
    is_open: bool
    title: Value


class HighBid(Struct, frozen=True):
    """The highest bid for the lot under the hammer."""

    ducats: int
    seat: Seat
    x: int
    y: int


class Sale(Struct, frozen=True):
    """The space where a lot of this round was sold. `says` names the buyer and the price.

    `lies` is "grid", or "stacked" beside it, or "in_row" if markers may lie close below.
    """

    number: int
    auctioneer: Seat
    buyer: Seat
    ducats: int
    x: int
    y: int
    lies: str
    says: Value


class GoaChart(Struct, frozen=True):
    """The whole chart. `course` is the way from the flag along the markers while lots are left."""

    spaces: tuple[Space, ...]
    crosses: tuple[Cross, ...]
    flag: Flag | None
    banners: tuple[Banner, ...]
    sales: tuple[Sale, ...]
    course: tuple[tuple[int, int], ...]
    hammer: Space | None
    offer: HighBid | None


def chart_of(view: GoaView, after: GoaView | None) -> GoaChart:
    """Return the chart as the viewer sees it, with the flag or marker of a previewed order."""
    shown = view if after is None or len(after.lots) <= len(view.lots) else after
    open_spaces = open_to(view)
    spaces = tuple(space_of(view, each.space, open_spaces) for each in view.grid)
    hammer = next((each for each in spaces if each.state == "lot"), None)
    return GoaChart(
        spaces=spaces,
        crosses=tuple(
            Cross(each, *middle(each), each in open_spaces, space_name(each))
            for each in SPACES if each.partition(" ")[0] in EDGES and each != shown.flag
        ),
        flag=flag_of(shown, planned=view.flag is None),
        banners=tuple(
            banner(lot, planned=place >= len(view.lots)) for place, lot in enumerate(shown.lots)
        ),
        sales=tuple(map(sale, view.sold)),
        course=course(shown),
        hammer=hammer,
        offer=None if hammer is None and view.flag is None else offer_of(view),
    )


def course(view: GoaView) -> tuple[tuple[int, int], ...]:
    """Return the way along all markers of the round; it is empty after all lots are sold."""
    if not view.lots:
        return ()
    spaces = [sold.space for sold in view.sold] + [lot.space for lot in view.lots]
    return tuple(map(middle, spaces))


def middle(space: str) -> tuple[int, int]:
    """Return the middle of a space, also of one outside the edge."""
    column, row = SPACES[space]
    return along(column), along(row)


def along(place: int) -> int:
    """Return the middle of a column or row, from -1 to 5."""
    if place < 0:
        return NEAR
    return FAR if place > 4 else FIRST + PITCH * place + MIDDLE


def open_to(view: GoaView) -> list[str]:
    """Return the spaces that the viewer could name in answer to the question (GO-2.1, GO-2.2)."""
    if view.viewer is None or view.viewer not in view.asked:
        return []
    if isinstance(view.question, AwaitMarker):
        why_not = marker_judge(view)
        return [each for each in GRID if why_not(each) is None]
    if isinstance(view.question, AwaitFlag):
        why_not = flag_judge(view)
        return [each for each in SPACES if why_not(each) is None]
    return []


def space_of(view: GoaView, space: str, open_spaces: list[str]) -> Space:
    """Return a space with its tile."""
    at = view.space(space)
    x, y = middle(space)
    lot = next((each for each in view.lots if each.space == space), None)
    state = "sea" if at.tile is None else "tile"
    if space in open_spaces:
        state = "open"
    if lot is not None and lot.stands == "open":
        state = "lot"
    return Space(space, x - MIDDLE, y - MIDDLE, at.tile, state, title_of(view, space, lot))


def title_of(view: GoaView, space: str, lot: LotView | None) -> Value:
    """Return a space in words."""
    tile = view.space(space).tile
    what: Value = text("empty_space") if tile is None else tile_said(tile)
    said: Value = TermPhrase("some_at", {"space": space, "what": what})
    return said if lot is None else Enumeration((said, lot_of(lot)))


def lot_of(lot: LotView) -> Value:
    """Return a lot and its auctioneer."""
    return text("lot_by", lot=lot.number, name=Name(lot.auctioneer))


def flag_of(view: GoaView, *, planned: bool) -> Flag | None:
    """Return the flag, if it is on the table."""
    if view.flag is None:
        return None
    x, y = middle(view.flag)
    return Flag(x + FLAG_AT[0], y + FLAG_AT[1], planned)


def banner(lot: LotView, *, planned: bool) -> Banner:
    """Return a marker: below the flag, or at the upper edge of its tile and within it."""
    x, y = middle(lot.space)
    if lot.number == 1:
        return Banner(lot.number, lot.auctioneer, x - 13, y - 4, planned)
    return Banner(lot.number, lot.auctioneer, x - 17, y - MIDDLE, planned)


def sale(lot: SoldLotView) -> Sale:
    """Return a sold lot at its marker's space."""
    edge, _, at = lot.space.partition(" ")
    lies = "grid" if not at else "in_row" if edge in ("north", "south") else "stacked"
    return Sale(
        lot.number, lot.auctioneer, lot.buyer, lot.ducats, *middle(lot.space), lies,
        Enumeration((text("lot_number", lot=lot.number), sale_said(lot))),
    )  # fmt: skip


def sale_said(lot: SoldLotView) -> Value:
    """Return the buyer, the price and the payee of a lot in words (GO-3.2)."""
    buyer, price = Name(lot.buyer), Quantity("ducat", lot.ducats)
    if not lot.ducats:
        return text("kept_free", name=buyer)
    if lot.buyer == lot.auctioneer:
        return text("kept_for", name=buyer, price=price)
    return text("sold_to", name=buyer, price=price, payee=Name(lot.auctioneer))


def offer_of(view: GoaView) -> HighBid | None:
    """Return the highest bid with the place to show it, or None."""
    lot = next((each for each in view.lots if each.stands == "open"), None)
    if lot is None or lot.high_bidder is None:
        return None
    x, y = middle(lot.space)
    return HighBid(lot.high_bid, lot.high_bidder, x + (0 if lot.number == 1 else 47),
                 y + (46 if lot.number == 1 and lot.space not in GRID else 43))
