"""Placing flag and markers (GO-2.1 to GO-2.3)."""

from __future__ import annotations

from engine.goa.events import PathBroken
from engine.goa.moves import PlaceFlag, PlaceMarker
from engine.goa.state import AwaitBid, AwaitFlag, AwaitMarker
from tests.engine.goa.positions import (
    ANNA,
    BRAM,
    CHAIM,
    FOUR_SHIPS,
    SHIP,
    facts,
    move,
    offered,
    placing,
    play,
    refusal,
)

CORNERS = {"a1": "A01", "b1": "A02", "a2": "A03", "e5": "A04", "d5": "A05", "c5": "A06"}


def test_on_a_full_grid_the_flag_lies_outside_the_edge():
    """GO-2.1: twenty spaces, no corners, in reading order."""
    spaces = [flag.space for flag in offered(placing(), ANNA, PlaceFlag)]

    assert len(spaces) == 20
    assert spaces[:7] == ["north a", "north b", "north c", "north d", "north e", "west 1", "east 1"]
    assert spaces[-5:] == ["south a", "south b", "south c", "south d", "south e"]


def test_a_tile_must_lie_orthogonally_beside_the_flag():
    """GO-2.1: diagonally is not enough."""
    state = placing(tiles={"b2": SHIP, "e5": FOUR_SHIPS})

    assert [flag.space for flag in offered(state, ANNA, PlaceFlag)] == [
        "b1", "a2", "c2", "b3", "e4", "d5", "east 5", "south e",
    ]  # fmt: skip
    assert refusal(state, ANNA, PlaceFlag("c3")) == ("no_tile_beside", "GO-2.1")
    assert refusal(state, ANNA, PlaceFlag("b2")) == ("space_taken", "GO-2.1")
    assert refusal(state, ANNA, PlaceFlag("north z")) == ("no_such_space", "GO-2.1")


def test_the_next_markers_lie_beside_the_one_before_also_diagonally():
    """GO-2.2: marker 2 beside the flag, outside the edge as well."""
    state = play(placing(), (ANNA, PlaceFlag("west 1")))
    assert state.awaiting == AwaitMarker(BRAM, 2)
    assert [marker.space for marker in offered(state, BRAM, PlaceMarker)] == ["a1", "a2"]

    state = play(state, (BRAM, PlaceMarker("a2")))

    assert [marker.space for marker in offered(state, CHAIM, PlaceMarker)] == [
        "a1", "b1", "b2", "a3", "b3",
    ]  # fmt: skip
    assert refusal(state, CHAIM, PlaceMarker("a2")) == ("marker_there", "GO-2.2")
    assert refusal(state, CHAIM, PlaceMarker("c2")) == ("not_beside_path", "GO-2.2")
    assert refusal(state, CHAIM, PlaceMarker("west 1")) == ("no_such_space", "GO-2.2")


def test_a_marker_needs_a_tile():
    """GO-2.2."""
    state = play(placing(tiles=CORNERS), (ANNA, PlaceFlag("b2")))

    assert [marker.space for marker in offered(state, BRAM, PlaceMarker)] == ["a1", "b1", "a2"]
    assert refusal(state, BRAM, PlaceMarker("c2")) == ("no_tile_there", "GO-2.2")


def test_a_broken_path_goes_on_from_any_free_tile():
    """GO-2.3: behind c1 nothing is left beside it, and the path may break more than once."""
    tiles = {"a1": "A01", "e1": "A02", "c3": "A03", "e3": "A04", "a5": "A05"}
    state = play(placing(4, tiles=tiles), (ANNA, PlaceFlag("north a")))

    turn = move(state, BRAM, PlaceMarker("a1"))

    assert [fact.number for fact in facts(turn, PathBroken)] == [3]
    assert [marker.space for marker in offered(turn.state, CHAIM, PlaceMarker)] == [
        "e1", "c3", "e3", "a5",
    ]  # fmt: skip
    turn = move(turn.state, CHAIM, PlaceMarker("e3"))
    assert [fact.number for fact in facts(turn, PathBroken)] == [4]


def test_behind_the_last_marker_the_flag_comes_under_the_hammer():
    """GO-2.2, GO-3.1."""
    state = play(placing(2), (ANNA, PlaceFlag("north c")), (BRAM, PlaceMarker("c1")),
                 (ANNA, PlaceMarker("c2")))

    assert state.awaiting == AwaitBid(1, None, ANNA, (BRAM, ANNA))


def test_the_start_player_places_the_flag():
    """GO-2.1."""
    assert placing(start_player=CHAIM).awaiting == AwaitFlag(CHAIM)
