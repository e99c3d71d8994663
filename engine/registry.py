"""The games there are, each made over a component set."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from engine.api import Game
from engine.vasco_da_gama import VascoDaGama
from engine.vasco_da_gama.components import STANDARD as VASCO_DA_GAMA
from engine.vasco_da_gama.components import read

GAMES: dict[str, Callable[[str | None], Any]] = {
    "vasco-da-gama": lambda toml: VascoDaGama(read(toml or standard("vasco-da-gama"))),
}

STANDARD_SETS = {"vasco-da-gama": VASCO_DA_GAMA}

KEPT = 64  # component sets in memory
_by_digest: dict[tuple[str, str], Game] = {}


def standard(key: str) -> str:
    """The component set as printed, TOML."""
    return STANDARD_SETS[key].read_text("utf-8")


def game(key: str, components_toml: str | None = None) -> Game:
    """The game with this component set, its own if None; BadComponents, or KeyError for the key.

    Two texts with the same figures are one game.
    """
    return _read(key, components_toml)


@lru_cache(maxsize=KEPT)
def _read(key: str, components_toml: str | None) -> Game:
    made: Game = GAMES[key](components_toml)
    if len(_by_digest) >= KEPT:
        _by_digest.clear()
    return _by_digest.setdefault((key, made.digest), made)
