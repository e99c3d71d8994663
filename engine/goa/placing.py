"""Applies the placing of flag and auction markers (GO-2.1 to GO-2.3)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from operator import attrgetter

from engine.api import Seat
from engine.choices import FieldSpec, MoveSpec, Refusal, named
from engine.goa import auction
from engine.goa.components import GoaComponents
from engine.goa.events import FlagPlaced, GoaNowAwaiting, MarkerPlaced, PathBroken
from engine.goa.lookups import AT_GRID, BESIDE_ALONG, BESIDE_AROUND, EDGES, SPACES
from engine.goa.moves import PlaceFlag, PlaceMarker
from engine.goa.state import GRID, AwaitFlag, AwaitMarker, GoaState
from engine.journal import Journal
from engine.notation import LineReader

# ---- the flag ----------------------------------------------------------------------------------

NO_SUCH_SPACE = Refusal("no_such_space", "GO-2.1", named("space"))
SPACE_TAKEN = Refusal("space_taken", "GO-2.1", named("space"))
NO_TILE_BESIDE = Refusal("no_tile_beside", "GO-2.1", named("space"))


def judge_flag(tiles: Sequence[object]) -> Callable[[str], Refusal | None]:
    """Judge spaces for the flag: empty or outside the edge, beside a tile (GO-2.1)."""

    def why_not(space: str) -> Refusal | None:
        if space not in SPACES:
            return NO_SUCH_SPACE
        if space in AT_GRID and tiles[AT_GRID[space]] is not None:
            return SPACE_TAKEN
        beside = any(tiles[place] is not None for place in BESIDE_ALONG[space])
        return None if beside else NO_TILE_BESIDE

    return why_not


def read_flag_space(reader: LineReader, _: GoaComponents, __: GoaState) -> str:
    """Read a space of the grid, or EDGE with a column or row."""
    if not reader.has_word(*EDGES):
        return reader.id(GRID, beside=EDGES)
    edge = reader.word(*EDGES)
    return f"{edge} {reader.id('abcde' if edge in ('north', 'south') else '12345')}"


FLAG: MoveSpec[GoaComponents, GoaState, PlaceFlag] = MoveSpec(
    lru_cache(maxsize=None)(PlaceFlag),
    "flag",
    (
        FieldSpec("space", attrgetter("space"), lambda _components, _state: SPACES,
                  lambda _components, state, _seat: judge_flag(state.grid), read_flag_space),
    ),
)  # fmt: skip


def place_flag(components: GoaComponents, journal: Journal, seat: Seat, move: PlaceFlag) -> None:
    """Place the flag on an empty space, or outside the edge, beside a tile (GO-2.1).

    Raise IllegalMove for any other space.
    """
    FLAG.check(components, journal.state, seat, move)
    journal.record(FlagPlaced(seat, move.space))


# ---- markers -----------------------------------------------------------------------------------


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
    if not path_goes_on(state.grid, marked_in(state), state.markers[-1].space):
        journal.record(PathBroken(number))
    seat = (state.markers[-1].seat + 1) % seats
    journal.record(GoaNowAwaiting(AwaitMarker(seat, number)))


def path_goes_on(tiles: Sequence[object], marked: Collection[str], last: str) -> bool:
    """Tell whether a free tile lies beside the flag or marker last placed (GO-2.3)."""
    return any(
        tiles[place] is not None and GRID[place] not in marked for place in BESIDE_AROUND[last]
    )


def marked_in(state: GoaState) -> set[str]:
    """Return the spaces with a marker."""
    return {marker.space for marker in state.markers}


NO_SUCH_TILE_SPACE = Refusal("no_such_space", "GO-2.2", named("space"))
NO_TILE_THERE = Refusal("no_tile_there", "GO-2.2", named("space"))
MARKER_THERE = Refusal("marker_there", "GO-2.2", named("space"))
NOT_BESIDE_PATH = Refusal(
    "not_beside_path", "GO-2.2",
    lambda _components, state, _seat, space: {"space": space, "last": state.markers[-1].space},
)  # fmt: skip


def judge_marker(
    tiles: Sequence[object], marked: Collection[str], last: str
) -> Callable[[str], Refusal | None]:
    """Judge spaces for a marker: a tile without one, beside the marker before it.

    It may lie beside it diagonally. If no such tile is free, any is. Rules: GO-2.2, GO-2.3.
    """
    around, goes_on = BESIDE_AROUND[last], path_goes_on(tiles, marked, last)

    def why_not(space: str) -> Refusal | None:
        if space not in AT_GRID:
            return NO_SUCH_TILE_SPACE
        if tiles[AT_GRID[space]] is None:
            return NO_TILE_THERE
        if space in marked:
            return MARKER_THERE
        return NOT_BESIDE_PATH if goes_on and AT_GRID[space] not in around else None

    return why_not


def judge_marker_of(
    _: GoaComponents, state: GoaState, __: Seat
) -> Callable[[str], Refusal | None]:
    """Judge spaces for the next marker (GO-2.2, GO-2.3)."""
    return judge_marker(state.grid, marked_in(state), state.markers[-1].space)


MARKER: MoveSpec[GoaComponents, GoaState, PlaceMarker] = MoveSpec(
    lru_cache(maxsize=None)(PlaceMarker),
    "marker",
    (
        FieldSpec("space", attrgetter("space"), lambda _components, _state: GRID,
                  judge_marker_of, lambda reader, _components, _state: reader.id(GRID)),
    ),
)  # fmt: skip


def place_marker(
    components: GoaComponents, journal: Journal, seat: Seat, move: PlaceMarker
) -> None:
    """Place a marker on a tile without one, beside the one before it (GO-2.2, GO-2.3).

    Raise IllegalMove for any other space.
    """
    MARKER.check(components, journal.state, seat, move)
    tile = journal.state.grid[AT_GRID[move.space]]
    journal.record(MarkerPlaced(seat, len(journal.state.markers) + 1, move.space, tile))
