"""Counts the final score and the places (VG-8.2 to VG-8.4)."""

from __future__ import annotations

from engine.api import Seat, Standing
from engine.journal import Journal
from engine.vasco_da_gama.components import VascoComponents
from engine.vasco_da_gama.events import (
    CaptainsBoarded,
    CaptainsCounted,
    RealsCounted,
    VascoGameEnded,
)
from engine.vasco_da_gama.state import SAILORS, SOURCES, VascoState


def count_up(components: VascoComponents, journal: Journal) -> None:
    """Board captains, count Reals and boarded ships, and set the places (VG-8.2 to VG-8.4)."""
    seats = range(len(journal.state.players))
    for seat in seats:
        board_captains(journal, seat)
    for seat in seats:
        count_reals(components, journal, seat)
        count_captains(components, journal, seat)
    points = tuple(player.vp for player in journal.state.players)
    journal.record(VascoGameEnded(places(journal.state), points))


def board_captains(journal: Journal, seat: Seat) -> None:
    """Board as many captains as there are on their owner's launched ships (VG-8.2)."""
    player = journal.state.players[seat]
    ships = min(player.captains, len(player.ships))
    if ships:
        journal.record(CaptainsBoarded(seat, ships))


def count_reals(components: VascoComponents, journal: Journal, seat: Seat) -> None:
    """Score 1 VP for each full 3 Reals (VG-8.3)."""
    reals = journal.state.players[seat].reals
    vp = reals // components.final.reals_per_vp
    if vp:
        journal.record(RealsCounted(seat, reals, vp))


def count_captains(components: VascoComponents, journal: Journal, seat: Seat) -> None:
    """Score 3 VP for each launched ship of the owner with a captain on board (VG-8.3)."""
    ships = journal.state.players[seat].boarded
    vp = ships * components.final.vp_per_ship_with_captain
    if vp:
        journal.record(CaptainsCounted(seat, ships, vp))


def strength(state: VascoState, seat: Seat) -> tuple[int, int, int]:
    """Return VP, then ships at sea, then sailors without missionaries, for comparison (VG-8.4)."""
    player = state.players[seat]
    at_sea = sum(
        1 for moored in state.landings for ship in moored if ship is not None and ship.owner == seat
    )
    return player.vp, at_sea, sum(player.crew[: len(SAILORS)])


def places(state: VascoState) -> tuple[int, ...]:
    """Return places by seat, from 1; seats equal in every step share one (VG-8.4)."""
    strengths = [strength(state, seat) for seat in range(len(state.players))]
    return tuple(1 + sum(other > own for other in strengths) for own in strengths)


def standings(state: VascoState) -> tuple[Standing, ...]:
    """Return each seat's place and points by source; before the end, as of now."""
    ranks = state.places or places(state)
    return tuple(
        Standing(seat, ranks[seat], player.vp, dict(zip(SOURCES, player.points, strict=True)))
        for seat, player in enumerate(state.players)
    )
