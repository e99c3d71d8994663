"""Samples of what each game says: a module a game, for every folder of words there is."""

from importlib import import_module
from typing import Any

from pbem.i18n import words

KEYS = tuple(sorted(path.parent.name for path in words.GAMES.glob("*/words")))


def samples(key: str) -> Any:
    """The samples of one game."""
    return import_module(f"tests.support.said.{key.replace('-', '_')}")


def all_of(what: str) -> list[tuple[str, Any]]:
    """The facts, questions or moves of all games, each with its game's key."""
    return [(key, one) for key in KEYS for one in getattr(samples(key), what)]
