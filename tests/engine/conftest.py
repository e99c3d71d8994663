"""For all tests of games: every game, its play-outs, and generated examples without a deadline."""

from __future__ import annotations

import pytest
from hypothesis import settings

from engine import registry
from tests.engine.play_outs import PlayOut, play_out, tables

# A busy machine is no failing test.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


@pytest.fixture(params=tables(), ids=lambda table: "{}-{}-{}".format(*table))
def played(request: pytest.FixtureRequest) -> PlayOut:
    """A whole game."""
    return play_out(*request.param)


@pytest.fixture(params=registry.GAMES)
def key(request: pytest.FixtureRequest) -> str:
    """A game."""
    return str(request.param)
