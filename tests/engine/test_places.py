"""Places and tallies of every game: one name each, and nothing of what the viewer may not see."""

from __future__ import annotations

from itertools import pairwise

import pytest

from engine import registry
from tests.engine.play_outs import play_out

SEED = 2


@pytest.mark.parametrize("key", registry.GAMES)
def test_tallies_hold_the_points_that_the_table_shows(key: str) -> None:
    played = play_out(key, registry.game(key).seats[-1], SEED)
    for state in played.states[::25]:
        view = played.game.observation(state, None)

        tallies = played.game.tallies(view)

        assert [sum(each.points.values()) for each in tallies] == [
            player.vp for player in view.players]


@pytest.mark.parametrize("key", registry.GAMES)
def test_positions_that_look_alike_lie_alike(key: str) -> None:
    """What a viewer cannot tell apart has the same places, so that nothing hidden is marked."""
    played = play_out(key, registry.game(key).seats[-1], SEED)
    for state in played.states[::25]:
        views = [played.game.observation(state, viewer) for viewer in (None, 0)]

        assert played.game.places(views[0]) == played.game.places(
            played.game.observation(state.copy(), None))
        assert set(played.game.places(views[0])) <= set(played.game.places(views[1]))


@pytest.mark.parametrize("key", registry.GAMES)
def test_most_entries_change_some_place(key: str) -> None:
    played = play_out(key, registry.game(key).seats[-1], SEED)
    places = [played.game.places(played.game.observation(state, None)) for state in played.states]

    changed = sum(a != b for a, b in pairwise(places))

    assert changed > len(places) / 2
