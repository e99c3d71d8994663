"""Records events on a state, the only way to change one, and folds events to a state."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from engine.api import Event, Transition
from engine.chance import Chance, WouldReveal

S = TypeVar("S")


class Journal:
    """A working copy of a state and the events recorded on it.

    `ruleset` is the one in use, for rules that differ between rulesets.
    """

    def __init__(self, state: Any, chance: Chance, ruleset: str = "") -> None:
        self.state = state.copy()
        self.chance = chance
        self.ruleset = ruleset
        self.events: list[Event] = []

    def record(self, event: Event) -> None:
        """Apply the event to the working state and keep it. Raise WouldReveal."""
        if event.reveals:
            self.chance.unveil()
        event.apply(self.state)
        self.events.append(event)


def turn(
    state: Any, chance: Chance, rule: Callable[[Journal], None], *, ruleset: str = ""
) -> Transition:
    """Run one rule on a new journal; stops before a reveal that `chance` forbids."""
    journal = Journal(state, chance, ruleset)
    try:
        rule(journal)
    except WouldReveal:
        return Transition(journal.state, tuple(journal.events), stopped=True)
    return Transition(journal.state, tuple(journal.events))


def fold(state: S, events: Iterable[Event]) -> S:
    """Return the state after these events; runs no rule."""
    folded = state.copy()  # type: ignore[attr-defined]
    for event in events:
        event.apply(folded)
    return folded  # type: ignore[no-any-return]
