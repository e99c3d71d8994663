"""A game's options as text: in forms, on the command line, in words."""

from __future__ import annotations

from typing import Any

from engine.api import GameRules

TRUTHS = {True: "yes", False: "no"}


def value_text(value: Any) -> str:
    """An option's value as text; booleans are yes and no."""
    return TRUTHS[value] if isinstance(value, bool) else str(value)


def value_of_text(rules: GameRules, option: str, text: str) -> Any | None:
    """The option's value that a text names; None if there is none."""
    return next((each for each in rules.options.get(option, ()) if value_text(each) == text), None)
