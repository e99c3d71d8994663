"""Changes the holdings of seats and the table for the events, which check nothing."""

from __future__ import annotations

from bisect import bisect
from operator import attrgetter

from msgspec.structs import replace

from engine.api import Seat
from engine.vasco_da_gama.state import (
    LANDINGS,
    Disc,
    Ship,
    VascoState,
    put,
)


def pay(state: VascoState, seat: Seat, reals: int) -> None:
    """Move Reals from a seat to the common supply; a negative number reverses it (VG-1.1)."""
    if reals:
        state.change(seat, reals=state.players[seat].reals - reals)


def lay_disc(state: VascoState, disc: Disc) -> None:
    """Add a disc and keep the discs in the order of their numbers."""
    discs = state.discs
    place = bisect(discs, disc.number, key=attrgetter("number"))
    state.discs = (*discs[:place], disc, *discs[place:])


def mark_disc(state: VascoState, number: int, status: str) -> None:
    """Set the status of a disc."""
    place = next(place for place, disc in enumerate(state.discs) if disc.number == number)
    state.discs = put(state.discs, place, replace(state.discs[place], status=status))


def take_project(state: VascoState, seat: Seat, project: str) -> None:
    """Move an upper project to a seat and leave a gap."""
    state.offer = tuple(None if tile == project else tile for tile in state.offer)
    state.change(seat, projects=(*state.players[seat].projects, project))


def moor(state: VascoState, landing: str, slot: int, ship: Ship | None) -> None:
    """Put a ship into a slot, or empty the slot."""
    place = LANDINGS.index(landing)
    state.landings = put(state.landings, place, put(state.landings[place], slot, ship))
