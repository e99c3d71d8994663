"""Plays phase 3: ships earn, complete landings pay, ships sail on (VG-7.2 to VG-7.5)."""

from __future__ import annotations

from engine.journal import Journal
from engine.vasco_da_gama.components import VascoComponents
from engine.vasco_da_gama.events import LandingPaid, ShipEarned, ShipLeft, ShipSailed
from engine.vasco_da_gama.lookups import is_complete
from engine.vasco_da_gama.state import LANDINGS, Ship, VascoState


def pay_ships(components: VascoComponents, journal: Journal) -> None:
    """Pay every ship's owner the Reals and VP printed on the ship (VG-7.2, VG-6.7)."""
    for moored in journal.state.landings:
        for ship in moored:
            if ship is None or ship.owner is None:
                continue
            tile = components.by_id[ship.tile]
            if tile.reals or tile.vp:
                journal.record(ShipEarned(ship.owner, tile.id, tile.reals, tile.vp))


def pay_landings(components: VascoComponents, journal: Journal) -> None:
    """Pay the landing's VP for every ship in a complete landing (VG-7.3, VG-5.4)."""
    state: VascoState = journal.state
    for landing, moored in zip(components.landings, state.landings, strict=True):
        if not landing.complete_vp or not is_complete(moored):
            continue
        for seat in range(len(state.players)):
            ships = sum(1 for ship in moored if ship is not None and ship.owner == seat)
            if ships:
                vp = landing.complete_vp * ships
                journal.record(LandingPaid(seat, landing.word, ships, vp))


def sail_on(components: VascoComponents, journal: Journal) -> None:
    """Move the ships of each complete landing on, from Calicut down (VG-7.4, VG-7.5)."""
    for place in range(len(LANDINGS) - 1, -1, -1):
        moored = journal.state.landings[place]
        if is_complete(moored):
            for slot, ship in enumerate(moored):
                if ship is not None:
                    sail(components, journal, place, slot, ship)


def sail(components: VascoComponents, journal: Journal, place: int, slot: int, ship: Ship) -> None:
    """Move a ship to the leftmost fitting slot of the next landing, or out of the game (VG-7.4)."""
    here = LANDINGS[place]
    target = leftmost_slot(components, journal.state, place + 1, ship.limit)
    if target is None:
        journal.record(ShipLeft(ship.owner, ship.tile, here, slot))
        return
    there = LANDINGS[place + 1]
    label = components.labels[there][target]
    journal.record(ShipSailed(ship.owner, ship.tile, here, slot, there, target, label))


def leftmost_slot(
    components: VascoComponents, state: VascoState, place: int, limit: int
) -> int | None:
    """Return the leftmost empty slot within the limit; None if there is none (VG-7.4).

    There is none beyond Calicut.
    """
    if place == len(LANDINGS):
        return None
    moored = state.landings[place]
    for slot, value in enumerate(components.landings[place].slots):
        if value <= limit and moored[slot] is None:
            return slot
    return None
