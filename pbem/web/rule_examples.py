"""The worked examples of the rules page: their orders are played, and the log says what follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from engine import registry
from engine.api import Transition
from engine.chance import Unshuffled
from engine.errors import MoveRefused
from engine.scenario import POSITIONS, ExampleTable, WorkedExample
from pbem.i18n import rulebook, words


@dataclass(frozen=True)
class Order:
    """One order of an example and what follows: lines of the log, or why it is refused."""

    seat: str
    line: str
    lines: Sequence[str] = ()
    allowed: bool = False
    refused: str = ""


@dataclass(frozen=True)
class Shown:
    """An example as a little table."""

    key: str
    told: rulebook.ExampleText
    orders: Sequence[Order]


@cache
def examples_of(game_key: str, language: str) -> Mapping[str, Sequence[Shown]]:
    """The examples by the rule that they show; worked out once a process and language."""
    told = rulebook.rulebook(game_key, language).examples
    found: dict[str, list[Shown]] = {}
    for key, example in rulebook.examples(game_key).items():
        played = Played(game_key, example, language)
        shown = Shown(key, told[key], played.orders())
        found.setdefault(played.rules[0], []).append(shown)
    return found


class Played:
    """An example that is played for readers of one language, who call the seats by colours."""

    def __init__(self, game_key: str, example: WorkedExample, language: str) -> None:
        self.key, self.example, self.language = game_key, example, language
        self.positions = POSITIONS[game_key]
        self.rules = example.rule.split(", ")
        self.names = [words.term(game_key, f"seat_{each}", language)
                      for each in self.positions.SEATS]
        self.table = ExampleTable(registry.game(game_key), self.positions)
        self.table.lay(example.position)

    def orders(self) -> list[Order]:
        """Those that are played, then those that could follow, then those that could not."""
        played = [self.play(order) for order in self.example.orders]
        allowed = [Order(*self.parts(order), allowed=True) for order in self.example.allowed]
        return [*played, *allowed, *map(self.refuse, self.example.refused)]

    def play(self, order: str) -> Order:
        """The order, and what the log says of it."""
        turns = list(self.table.turns(order, Unshuffled()))
        self.table.state = turns[-1].state
        return Order(*self.parts(order), lines=self.lines(order, turns))

    def lines(self, order: str, turns: Sequence[Transition]) -> list[str]:
        """The log's lines by the example's rules, as who ordered may read them."""
        viewer = self.positions.SEATS.index(order.partition(":")[0])
        told = (
            words.event_line(self.table.game, event, names=self.names, viewer=viewer,
                             language=self.language)
            for turn in turns for event in turn.events
        )  # fmt: skip
        return [words.first_upper(line.text) for line in told
                if line is not None and line.rule in self.rules]

    def refuse(self, order: str) -> Order:
        """The order, and why it cannot be given."""
        try:
            list(self.table.turns(order, Unshuffled()))
        except MoveRefused as why:
            said = words.refusal(self.key, why.key, why.rule, why.numbers, self.language,
                                 names=self.names)
            return Order(*self.parts(order), refused=said)
        return Order(*self.parts(order), allowed=True)

    def parts(self, order: str) -> tuple[str, str]:
        """Whose order it is, and the line."""
        seat, _, line = order.partition(":")
        return self.names[self.positions.SEATS.index(seat)], line.strip()
