"""Releases to come, for tests: a game that learns a second ruleset, one that changes its first.

What differs is one figure, what the owner of Dias gets at the end of a round.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial

import msgspec
import pytest

from engine import registry
from engine.vasco_da_gama import VascoDaGama
from engine.vasco_da_gama.components import VascoComponents
from pbem.play import positions

KEY = "vasco-da-gama"
FIRST, SECOND = "vasco-da-gama 2", "vasco-da-gama 3"
Become = Callable[[type[VascoDaGama]], None]


def generous(components: VascoComponents) -> VascoComponents:
    """Other figures under the same digest, as a change of a rule would be."""
    characters = msgspec.structs.replace(
        components.characters, dias_vp=components.characters.dias_vp + 3)
    return msgspec.structs.replace(components, characters=characters)


class Learned(VascoDaGama):
    """A release that plays on by the first ruleset and begins games by a second one."""

    rulesets = (FIRST, SECOND)

    def __init__(self, components: VascoComponents, ruleset: str | None = None) -> None:
        super().__init__(components, ruleset)
        self._printed = components
        if self.ruleset == SECOND:
            self.components = generous(components)

    def under(self, ruleset: str) -> Learned:
        return Learned(self._printed, ruleset)


class Changed(VascoDaGama):
    """A release that has changed a rule and kept the ruleset's name, which it must not."""

    def __init__(self, components: VascoComponents, ruleset: str | None = None) -> None:
        super().__init__(generous(components), ruleset)
        self.digest = components.digest


class GivenUp(VascoDaGama):
    """A release that does not play by the first ruleset any more."""

    rulesets = (SECOND,)


@pytest.fixture
def become(monkeypatch: pytest.MonkeyPatch) -> Become:
    """Go over to another release; the test's end goes back."""
    return partial(go_over, monkeypatch)


def go_over(monkeypatch: pytest.MonkeyPatch, kind: type[VascoDaGama]) -> None:
    """The game is this kind from now on, and nothing of the one before it is remembered."""
    monkeypatch.setitem(registry.KINDS, KEY, registry.KINDS[KEY]._replace(game=kind))
    for remembered in ("_by_digest", "_by_ruleset"):
        monkeypatch.setattr(registry, remembered, {})
    monkeypatch.setattr(positions, "_known_sets", {})
    monkeypatch.setattr(registry, "_read", lru_cache(registry._read.__wrapped__))
