"""What is accepted as a component set can be played with to the end."""

from __future__ import annotations

from itertools import islice

import pytest

from engine import registry
from tests.engine.odd_sets import accepted, play

EVERY = 40  # the soak plays all of them, 200 games each


@pytest.mark.parametrize("key", registry.GAMES)
def test_odd_sets_that_are_accepted_can_be_played_with(key):
    tried = 0
    for name, game in islice(accepted(key), 0, None, EVERY):
        try:
            play(game, seed=tried)
        except Exception as fault:
            raise AssertionError(f"{key}: {name}") from fault
        tried += 1

    assert tried > 3
