"""What a host may choose for a game, as text: in form fields, on the command line, in words."""

from __future__ import annotations

from typing import Any

from engine.api import Game

TRUTHS = {True: "yes", False: "no"}


def shown(value: Any) -> str:
    """A value of an option as text; truth is yes or no."""
    return TRUTHS[value] if isinstance(value, bool) else str(value)


def meant(rules: Game, option: str, text: str) -> Any | None:
    """The value of an option that a text means; None if it has no such value."""
    return next((each for each in rules.options.get(option, ()) if shown(each) == text), None)
