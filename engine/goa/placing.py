"""Applies the placing of flag and auction markers (GO-2.1 to GO-2.3)."""

from __future__ import annotations

from engine.api import Seat
from engine.errors import IllegalMove
from engine.goa import auction
from engine.goa.components import GoaComponents
from engine.goa.events import FlagPlaced, GoaNowAwaiting, MarkerPlaced, PathBroken
from engine.goa.lookups import BESIDE_ALONG, BESIDE_AROUND, SPACES
from engine.goa.moves import PlaceFlag, PlaceMarker
from engine.goa.state import GRID, AwaitFlag, AwaitMarker, GoaState
from engine.journal import Journal


def place_flag(components: GoaComponents, journal: Journal, seat: Seat, move: PlaceFlag) -> None:
    """Place the flag on an empty space, or outside the edge, beside a tile (GO-2.1).

    Raise IllegalMove for any other space.
    """
    state: GoaState = journal.state
    space = move.space
    if space not in SPACES:
        raise IllegalMove("no_such_space", rule="GO-2.1", space=space)
    if space in GRID and state.grid[GRID.index(space)] is not None:
        raise IllegalMove("space_taken", rule="GO-2.1", space=space)
    if not has_tile_beside(state, space):
        raise IllegalMove("no_tile_beside", rule="GO-2.1", space=space)
    journal.record(FlagPlaced(seat, space))


def has_tile_beside(state: GoaState, space: str) -> bool:
    """Tell whether a tile lies orthogonally beside a space (GO-2.1)."""
    return any(state.grid[place] is not None for place in BESIDE_ALONG[space])


def flag_spaces(state: GoaState) -> list[str]:
    """Return every space for the flag, in reading order (GO-2.1)."""
    return [
        space for space in SPACES
        if (space not in GRID or state.grid[GRID.index(space)] is None)
        and has_tile_beside(state, space)
    ]


def ask_for_marker(components: GoaComponents, journal: Journal) -> None:
    """Ask for the flag, then clockwise for one marker a seat, until all lie.

    Rules: GO-1.4, GO-2.1 to GO-2.3.
    """
    state: GoaState = journal.state
    seats = len(state.players)
    number = len(state.markers) + 1
    if number == 1:
        journal.record(GoaNowAwaiting(AwaitFlag(state.start_player)))
        return
    if number > components.auction_markers[str(seats)]:
        auction.open_lot(components, journal)
        return
    if not path_goes_on(state):
        journal.record(PathBroken(number))
    seat = (state.markers[-1].seat + 1) % seats
    journal.record(GoaNowAwaiting(AwaitMarker(seat, number)))


def free_tiles(state: GoaState) -> list[int]:
    """Return the positions in GRID of tiles without a marker (GO-2.2)."""
    marked = {marker.space for marker in state.markers}
    return [
        place for place, tile in enumerate(state.grid)
        if tile is not None and GRID[place] not in marked
    ]


def path_goes_on(state: GoaState) -> bool:
    """Tell whether a free tile lies beside the flag or marker last placed (GO-2.3)."""
    around = BESIDE_AROUND[state.markers[-1].space]
    return any(place in around for place in free_tiles(state))


def marker_spaces(state: GoaState) -> list[str]:
    """Return the tiles beside the last marker, also diagonally; if none, any tile.

    Rules: GO-2.2, GO-2.3.
    """
    around = BESIDE_AROUND[state.markers[-1].space]
    free = free_tiles(state)
    near = [place for place in free if place in around]
    return [GRID[place] for place in near or free]


def place_marker(
    components: GoaComponents, journal: Journal, seat: Seat, move: PlaceMarker
) -> None:
    """Place a marker on a tile without one, beside the one before it (GO-2.2, GO-2.3).

    Raise IllegalMove for any other space.
    """
    state: GoaState = journal.state
    space = move.space
    if space not in GRID:
        raise IllegalMove("no_such_space", rule="GO-2.2", space=space)
    tile = state.grid[GRID.index(space)]
    if tile is None:
        raise IllegalMove("no_tile_there", rule="GO-2.2", space=space)
    if space in {marker.space for marker in state.markers}:
        raise IllegalMove("marker_there", rule="GO-2.2", space=space)
    if space not in marker_spaces(state):
        last = state.markers[-1].space
        raise IllegalMove("not_beside_path", rule="GO-2.2", space=space, last=last)
    journal.record(MarkerPlaced(seat, len(state.markers) + 1, space, tile))
