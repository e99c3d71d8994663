"""Holds the table of Goa as plain values; events change it, rules live elsewhere.

Every field holds an immutable value, so a copy of the state is a shallow one. A *space* is written
as orders write it: `c3` on the grid, `north c`, `west 2`, .. outside its edge. A *place* for spices
is `1` to `4`, a plantation place, or a colony's name. *Sacks* are (spice, place, number).
"""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct
from msgspec.structs import replace

from engine.api import Awaiting, Seat, SeatQuestion

SPICES = ("ginger", "pepper", "cinnamon", "nutmeg", "clove")
COLUMNS = ("ships", "harvest", "taxes", "expedition", "colonists")
COLONIES = ("quilon", "cochin", "madras", "calicut")
PLANTATIONS = ("1", "2", "3", "4")  # places on the supply board
PLACES = (*PLANTATIONS, *COLONIES)  # places for spices, in the order of orders
ACTIONS_NAMED = ("progress", "ships", "harvest", "taxes", "expedition", "found")
SYMBOLS = ("tiger", "elephant", "fish", "palm", "shell")
ROWS = 5  # of a development board
GRID = tuple(f"{column}{row}" for row in range(1, 6) for column in "abcde")  # reading order
PARTS = ("A", "B")
SOURCES = ("markers", "colonies", "cards", "ducats", "tiles")  # where VP come from
HAND_LIMITS = ("always", "expedition_only")  # option `hand_limit` (GO-4.8a)

SETUP, QUICK_START, PLACING, AUCTIONS, ACTIONS, ADDITIONAL, OVER = range(7)  # State.phase

Sacks = tuple[tuple[str, str, int], ...]
"""(spice, place, number), by PLACES, then SPICES. Each pair of spice and place is there once."""


class Plantation(Struct, frozen=True):
    """A plantation on a supply board. Its fields hold one spice only."""

    tile: str
    spice: str
    fields: int
    sacks: int


class Colony(Struct, frozen=True):
    """A founded colony. `spices` lists what its fields may hold; `sacks` counts by SPICES."""

    tile: str
    fields: int
    spices: tuple[str, ...]
    sacks: tuple[int, ...]


class GoaPlayer(Struct, frozen=True):
    """The possessions of one seat. `ducats` and the faces of `hand` are its own secret."""

    ducats: int = 0
    ships: int = 0
    colonists: int = 0
    additional_cards: int = 0  # additional action cards
    hand: tuple[int, ...] = ()  # expedition cards, ascending
    markers: tuple[int, ...] = (1, 1, 1, 1, 1)  # rows of the success markers, by COLUMNS
    plantations: tuple[Plantation | None, ...] = (None, None, None, None)
    colonies: tuple[Colony | None, ...] = (None, None, None, None)  # by COLONIES
    tiles: tuple[str, ...] = ()  # face up in front of the seat, except plantation places
    used: tuple[str, ...] = ()  # those of `tiles` that are used in this round (GO-8.3)
    face_down: tuple[str, ...] = ()  # missions, duties done, discarded plantations, for their VP
    points: tuple[int, ...] = (0, 0, 0, 0, 0)  # by SOURCES

    @property
    def vp(self) -> int:
        """Return the Victory Points from all sources."""
        return sum(self.points)


class Marker(Struct, frozen=True):
    """An auction marker on the table. Number 1 lies on the flag."""

    number: int
    seat: Seat
    space: str


class SoldLot(Struct, frozen=True):
    """A lot of this round that has been auctioned; `tile` is None for the flag (GO-3.2).

    If the buyer is the auctioneer, the bank was paid.
    """

    number: int
    space: str  # space of its marker
    tile: str | None
    auctioneer: Seat
    buyer: Seat
    ducats: int  # 0: nobody bid, the auctioneer took it free


class TurnSoFar(Struct, frozen=True):
    """The turn in progress (GO-4.10): what its seat has done in it."""

    seat: Seat
    number: int  # 1 to 3; in the additional actions the lap, from 1
    action: str | None = None  # one of ACTIONS_NAMED, after it is chosen
    card_played: bool = False
    tile_used: bool = False
    drew: bool = False  # the action itself drew or revealed a card
    founding: str | None = None  # colony of an open attempt
    reveal: int = 0  # number of cards that the attempt reveals in all


# ---- what the game waits for -------------------------------------------------------------------


class AwaitQuickStart(SeatQuestion, frozen=True, tag=True):
    """A seat moves two markers to row 2, or takes ducats (GO-1.5)."""

    rule: ClassVar[str] = "GO-1.5"


class AwaitFlag(SeatQuestion, frozen=True, tag=True):
    """The start player places the flag, with marker 1 on it (GO-2.1)."""

    rule: ClassVar[str] = "GO-2.1"


class AwaitMarker(SeatQuestion, frozen=True, tag=True):
    """A seat places the marker of this number (GO-2.2)."""

    number: int
    rule: ClassVar[str] = "GO-2.2"


class AwaitBid(Awaiting, frozen=True, tag=True):
    """The lot waits for the first of `still_to_bid`; the auctioneer speaks last (GO-3.1)."""

    lot: int  # the marker's number
    tile: str | None  # None: the flag
    auctioneer: Seat
    still_to_bid: tuple[Seat, ...]
    high_bid: int = 0  # ducats; 0 means nobody has bid
    high_bidder: Seat | None = None
    rule: ClassVar[str] = "GO-3.1"

    @property
    def seats(self) -> tuple[Seat, ...]:
        return self.still_to_bid[:1]


class AwaitGoods(SeatQuestion, frozen=True, tag=True):
    """A seat takes ships or colonists of a won tile (GO-3.4)."""

    tile: str
    rule: ClassVar[str] = "GO-3.4"


class AwaitDrop(SeatQuestion, frozen=True, tag=True):
    """A seat chooses which of four plantations makes room for the one won (GO-8.1)."""

    tile: str
    rule: ClassVar[str] = "GO-8.1"


class AwaitRoom(SeatQuestion, frozen=True, tag=True):
    """A seat discards before drawing `cards` expedition cards (GO-4.8a).

    `why` is "expedition", "progress" (GO-4.8, by the action), "card" (GO-4.8, by a card) or "tile".
    """

    cards: int  # number to draw, as far as they fit
    limit: int  # the hand limit
    why: str
    additional_cards: int = 0  # additional action cards that follow the draw (GO-4.8)

    @property
    def rule(self) -> str:  # type: ignore[override]
        """Return the rule to cite: the expedition's own, or the hand limit's."""
        return "GO-4.6" if self.why == "expedition" else "GO-4.8a"


class AwaitTurnAction(SeatQuestion, frozen=True, tag="AwaitAction"):
    """A seat takes its action of this number, 1 to 3 (GO-4.1)."""

    number: int
    rule: ClassVar[str] = "GO-4.1"


class AwaitAdditional(SeatQuestion, frozen=True, tag=True):
    """A seat takes an additional action or, if it may, passes; `number` is the lap (GO-6.1)."""

    number: int
    may_pass: bool
    rule: ClassVar[str] = "GO-6.1"

    def same_for(self, seat: Seat, later: Awaiting | None) -> bool:
        """Tell whether the question stays the same: a card or tile only removes the pass."""
        return (
            isinstance(later, AwaitAdditional)
            and (later.seat, later.number) == (self.seat, self.number)
        )


class AwaitFounding(SeatQuestion, frozen=True, tag=True):
    """A colony lacks colonists: pay the `difference`, decline, or first play a card (GO-5.4).

    `counted` is the number of colonists of the column and the revealed cards.
    """

    colony: str
    needed: int
    counted: int
    rule: ClassVar[str] = "GO-5.4"

    @property
    def difference(self) -> int:
        """Return the number of colonists to pay."""
        return self.needed - self.counted


class AwaitColony(SeatQuestion, frozen=True, tag=True):
    """A seat chooses a founded colony's tile and the spices on its fields (GO-5.2)."""

    colony: str
    rule: ClassVar[str] = "GO-5.2"


class AwaitDone(SeatQuestion, frozen=True, tag=True):
    """The action is taken: a seat plays a card or uses ready tiles, then ends (GO-4.10)."""

    rule: ClassVar[str] = "GO-4.10"


Question = (
    AwaitQuickStart
    | AwaitFlag
    | AwaitMarker
    | AwaitBid
    | AwaitGoods
    | AwaitDrop
    | AwaitRoom
    | AwaitTurnAction
    | AwaitAdditional
    | AwaitFounding
    | AwaitColony
    | AwaitDone
)


class GoaState(Struct):
    """The whole table. Hidden parts: hands' faces, purses, `deck`, `left_out`."""

    players: tuple[GoaPlayer, ...]
    first_player: Seat = 0  # seat that turns the first card (GO-1.3)
    quick_start: bool = False  # option (GO-1.5)
    hand_limit: str = "always"  # option, of HAND_LIMITS (GO-4.8a)
    part: str = "A"
    round: int = 0  # 1 to 4 in each part
    phase: int = SETUP
    start_player: Seat = 0  # seat that has the flag
    grid: tuple[str | None, ...] = (None,) * len(GRID)  # tiles by GRID
    left_out: tuple[str, ...] = ()  # tiles out of the game that nobody has seen
    flag: str | None = None  # its space; None: it lies before the start player
    markers: tuple[Marker, ...] = ()  # auction markers on the table, by number
    sold: tuple[SoldLot, ...] = ()  # this round's auctioned lots, by number
    deck: tuple[int, ...] = ()  # expedition cards; the front is the top
    discards: tuple[int, ...] = ()  # the open pile; the last one lies on top
    revealed: tuple[int, ...] = ()  # by an open founding
    colony_tiles: tuple[tuple[str, ...], ...] = ((), (), (), ())  # left, by COLONIES
    turn: TurnSoFar | None = None
    passed: tuple[Seat, ...] = ()  # out of this round's additional actions
    awaiting: Question | None = None
    places: tuple[int, ...] = ()  # by seat, after the end

    def copy(self) -> GoaState:
        """Return an independent state; all values are immutable, so a shallow copy is enough."""
        return replace(self)

    def change(self, seat: Seat, **fields: Any) -> None:
        """Set new values for one seat's player."""
        players = self.players
        self.players = (*players[:seat], replace(players[seat], **fields), *players[seat + 1 :])

    def change_turn(self, **fields: Any) -> None:
        """Set new values for the turn in progress."""
        if self.turn is None:
            raise AssertionError("no turn is under way")
        self.turn = replace(self.turn, **fields)

    def score(self, seat: Seat, source: str, vp: int) -> None:
        """Add Victory Points to one of `SOURCES`."""
        points = self.players[seat].points
        self.change(seat, points=added(points, SOURCES.index(source), vp))


def added(counts: tuple[int, ...], place: int, number: int) -> tuple[int, ...]:
    """Return the counts with `number` added at one place."""
    return (*counts[:place], counts[place] + number, *counts[place + 1 :])


def put(row: tuple[Any, ...], place: int, value: Any) -> tuple[Any, ...]:
    """Return the row with another value at one place."""
    return (*row[:place], value, *row[place + 1 :])
