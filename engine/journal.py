"""The one way in which a state changes, `journal.record(event)`; and folding events back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from engine.api import Event, Transition
from engine.chance import Chance, WouldReveal

S = TypeVar("S")


class Journal:
    """A working copy of a state and the events recorded on it, in one step each.

    `ruleset`: by which the rule is to play, for rules that differ.
    """

    def __init__(self, state: Any, chance: Chance, ruleset: str = "") -> None:
        self.state = state.copy()
        self.chance = chance
        self.ruleset = ruleset
        self.events: list[Event] = []

    def record(self, event: Event) -> None:
        """Change the working state and keep the event."""
        if event.reveals:
            self.chance.unveil()
        event.apply(self.state)
        self.events.append(event)


def turn(
    state: Any, chance: Chance, rule: Callable[[Journal], None], *, ruleset: str = ""
) -> Transition:
    """Run one rule on a journal of its own; stops in front of a reveal if `chance` forbids it."""
    journal = Journal(state, chance, ruleset)
    try:
        rule(journal)
    except WouldReveal:
        return Transition(journal.state, tuple(journal.events), stopped=True)
    return Transition(journal.state, tuple(journal.events))


def fold(state: S, events: Iterable[Event]) -> S:
    """The state after these events; runs no rule."""
    folded = state.copy()  # type: ignore[attr-defined]
    for event in events:
        event.apply(folded)
    return folded  # type: ignore[no-any-return]
