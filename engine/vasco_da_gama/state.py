"""Holds the table of Vasco da Gama as plain values; events change it, rules live elsewhere.

Every field holds an immutable value, so a copy of the state is a shallow one. Crews are counted by
colour in the order of `CREW`; sections and the bag hold the first four only.
"""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct
from msgspec.structs import replace

from engine.api import Awaiting, Seat, SeatQuestion

SAILORS = ("turquoise", "violet", "grey", "orange")
CREW = (*SAILORS, "white")  # white: missionaries
AREAS = ("navigation", "recruiting", "projects", "characters")
CHARACTERS = ("dias", "alvares", "sernigi", "manuel")
LANDINGS = ("natal", "terra", "mozambique", "mombasa", "malindi", "calicut")  # from the lowest up
SPACES = ("upper", "lower")  # the two money spaces
SOURCES = ("dias", "slots", "ships", "landings", "reals", "captains")  # where VP come from

SETUP, PLACING, ACTIONS, NAVIGATION, LAST_LAUNCHES, OVER = range(6)  # State.phase


class VascoPlayer(Struct, frozen=True):
    """The possessions of one seat. Reals are whole Reals, points whole VP by `SOURCES`."""

    reals: int = 0
    captains: int = 0  # in the seat's own supply
    captains_waiting: int = 0  # in the recruiting area
    crew: tuple[int, ...] = (0, 0, 0, 0, 0)
    projects: tuple[str, ...] = ()  # tile ids, project side
    ships: tuple[str, ...] = ()  # tile ids, launched, not under sail
    discs: int = 0  # ordinary action discs left to place this round
    additional: bool = False  # holds the additional disc of its colour (VG-2.3, VG-6.2)
    points: tuple[int, ...] = (0, 0, 0, 0, 0, 0)
    boarded: int = 0  # ships with a captain on board at the end of the game (VG-8.2)

    @property
    def vp(self) -> int:
        """Return the Victory Points from all sources."""
        return sum(self.points)


class Disc(Struct, frozen=True):
    """An action disc with its sequence number, kept until the round's end.

    `status` is "placed" (still to be called), "taken", "given_up" or "hosting". Only a placed disc
    occupies an action slot.
    """

    number: int
    seat: Seat
    area: str
    status: str = "placed"


class Ship(Struct, frozen=True, omit_defaults=True):
    """A ship in the navigation area; a merchant ship has neither owner nor tile."""

    limit: int
    owner: Seat | None = None
    tile: str | None = None


# ---- what the game waits for -------------------------------------------------------------------


class AwaitFirstMerchant(SeatQuestion, frozen=True, tag=True):
    """Sernigi's owner sends the first merchant ship before round 1 (VG-1.7)."""

    limit: int
    rule: ClassVar[str] = "VG-1.7"


class AwaitPlacement(SeatQuestion, frozen=True, tag=True):
    """A seat places one action disc (VG-2.2)."""

    rule: ClassVar[str] = "VG-2.2"


class AwaitCalledAction(SeatQuestion, frozen=True, tag="AwaitAction"):
    """A number is called: its seat takes the action for `price` Reals or gives up for `gain`.

    Rules: VG-3.2.
    """

    number: int
    area: str
    price: int
    gain: int
    rule: ClassVar[str] = "VG-3.2"


class AwaitProject(SeatQuestion, frozen=True, tag=True):
    """A seat takes a bonus project from the upper ones; `left` more bonuses follow (VG-5.3)."""

    landing: str
    left: int
    rule: ClassVar[str] = "VG-5.3"


class AwaitSailor(SeatQuestion, frozen=True, tag=True):
    """A seat takes a bonus sailor from a section or the bag; `left` bonuses follow (VG-5.3)."""

    landing: str
    left: int
    rule: ClassVar[str] = "VG-5.3"


class AwaitMerchant(SeatQuestion, frozen=True, tag=True):
    """Sernigi's owner sends the round's merchant ship at the start of phase 3 (VG-7.1)."""

    limit: int
    rule: ClassVar[str] = "VG-7.1"


class AwaitLaunches(SeatQuestion, frozen=True, tag=True):
    """The seat of the round's last move may launch before the refill, then ends it (VG-4.3)."""

    rule: ClassVar[str] = "VG-4.3"


class AwaitLastLaunches(Awaiting, frozen=True, tag=True):
    """After round 5 all seats that could launch are asked at once (VG-8.2)."""

    asked: tuple[Seat, ...]
    rule: ClassVar[str] = "VG-8.2"

    @property
    def seats(self) -> tuple[Seat, ...]:
        return self.asked

    def same_for(self, seat: Seat, later: Awaiting | None) -> bool:
        """Tell whether the question stays the same for the seat when others launch or end."""
        return isinstance(later, AwaitLastLaunches) and seat in later.asked


Question = (
    AwaitFirstMerchant
    | AwaitPlacement
    | AwaitCalledAction
    | AwaitProject
    | AwaitSailor
    | AwaitMerchant
    | AwaitLaunches
    | AwaitLastLaunches
)


class VascoState(Struct):
    """The whole table, hidden parts included: `decks` below their tops, `tiles`, `merchants`."""

    players: tuple[VascoPlayer, ...]
    round: int = 0
    phase: int = SETUP
    first_player: Seat = 0
    bag: tuple[int, ...] = (0, 0, 0, 0)
    sections: tuple[tuple[int, ...], ...] = ()  # active sections, section 1 first
    missionaries: int = 0  # in the characters area
    decks: tuple[tuple[str, ...], ...] = ((), (), ())  # I, II, III; the front is the open top
    offer: tuple[str | None, ...] = ()  # the upper spaces from the left; None: a gap
    gabriel: str | None = None
    tile: int | None = None  # this round's Vasco da Gama tile (left pile)
    upcoming: int | None = None  # next round's tile, face up on the right
    tiles: tuple[int, ...] = ()  # face down
    money: tuple[int | None, int | None] = (None, None)  # upper, lower; None: taken or not laid
    marker: int = 0  # phase 1: the initial number; then the first free action number
    merchant: int | None = None  # limit of the merchant ship that is still to be sent
    next_merchant: int | None = None  # open only before round 1 (VG-1.6)
    merchants: tuple[int, ...] = ()  # face down
    discs: tuple[Disc, ...] = ()  # by number
    owners: tuple[Seat | None, ...] = (None, None, None, None)  # by CHARACTERS
    hosts: tuple[Seat | None, ...] = (None, None, None, None)  # seat whose disc hosts it now
    landings: tuple[tuple[Ship | None, ...], ...] = ()  # by LANDINGS, slots from the left
    awaiting: Question | None = None
    places: tuple[int, ...] = ()  # by seat, after the end

    def copy(self) -> VascoState:
        """Return an independent state; all values are immutable, so a shallow copy is enough."""
        return replace(self)

    def change(self, seat: Seat, **fields: Any) -> None:
        """Set new values for one seat's player."""
        players = self.players
        self.players = (*players[:seat], replace(players[seat], **fields), *players[seat + 1 :])

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
