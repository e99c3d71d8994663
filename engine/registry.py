"""Builds and caches the games, each with a component set."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from importlib.resources import files
from types import ModuleType
from typing import Any, NamedTuple

from engine import goa, vasco_da_gama
from engine.api import GameRules
from engine.errors import UnknownRuleset
from engine.goa import bots as goa_bots
from engine.goa import component_sets as goa_components
from engine.goa import position as goa_position
from engine.vasco_da_gama import bots as vasco_bots
from engine.vasco_da_gama import component_sets as vasco_components
from engine.vasco_da_gama import position as vasco_position


class Kind(NamedTuple):
    """A game's class, and its modules: component sets, own players, positions of examples."""

    game: Any
    components: ModuleType
    bots: ModuleType
    positions: ModuleType


KINDS: dict[str, Kind] = {
    "vasco-da-gama": Kind(
        vasco_da_gama.VascoDaGama, vasco_components, vasco_bots, vasco_position),
    "goa": Kind(goa.Goa, goa_components, goa_bots, goa_position),
}


def made(key: str, components_toml: str | None) -> GameRules:
    """Build a game with this component set, its own if None. Raise BadComponents."""
    toml = standard(key) if components_toml is None else components_toml
    found: GameRules = KINDS[key].game(KINDS[key].components.read(toml))
    return found


GAMES: dict[str, Callable[[str | None], Any]] = {key: partial(made, key) for key in KINDS}

KEPT = 64  # component sets in memory
_by_digest: dict[tuple[str, str], GameRules] = {}
_by_ruleset: dict[tuple[str, str, str], GameRules] = {}


def standard(key: str) -> str:
    """Return the game's own component set as TOML."""
    return _package_text(key, "components.toml")


def _package_text(key: str, name: str) -> str:
    """Read a file of the game's package, whose name follows from the key."""
    return files(f"engine.{key.replace('-', '_')}").joinpath(name).read_text("utf-8")


def game(key: str, components_toml: str | None = None, ruleset: str | None = None) -> GameRules:
    """Return the game with this component set (None: its own) and ruleset (None: the newest).

    Two texts with the same figures give the same object. Raise BadComponents, UnknownRuleset, or
    KeyError for the key.
    """
    newest = _read(key, components_toml)
    return newest if ruleset is None else under(newest, ruleset)


def under(game: GameRules, ruleset: str) -> GameRules:
    """Return the same game and figures by another ruleset. Raise UnknownRuleset."""
    if ruleset == game.ruleset:
        return game
    if ruleset not in game.rulesets:
        raise UnknownRuleset(ruleset)
    known = _by_ruleset.get((game.key, game.digest, ruleset))
    if known is None:
        if len(_by_ruleset) >= KEPT:
            _by_ruleset.clear()
        known = _by_ruleset[(game.key, game.digest, ruleset)] = game.under(ruleset)
    return known


@lru_cache(maxsize=KEPT)
def _read(key: str, components_toml: str | None) -> GameRules:
    made: GameRules = GAMES[key](components_toml)
    if len(_by_digest) >= KEPT:
        _by_digest.clear()
    return _by_digest.setdefault((key, made.digest), made)
