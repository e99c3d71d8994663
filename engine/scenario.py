"""Runs worked examples: a position, orders in one-line form, and what must hold after them.

An example is plain values, as read from TOML; docs/record.md describes the format.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, Literal

import msgspec
from msgspec import Struct

from engine import codec, play, registry
from engine.api import GameRules, Transition
from engine.chance import Scripted, Unshuffled
from engine.errors import MoveRefused

NONE = "none"  # TOML has no null
AS_IT_LIES = "as it lies"  # in `chance`: a shuffle that changes nothing

class BadScenario(ValueError):
    """An example that cannot be run, or that asserts nothing."""


class ExamplePosition(Struct, frozen=True, forbid_unknown_fields=True):
    """A named position, changed by a merge patch (RFC 7396). `chance` is the set-up's."""

    base: str = "actions"
    players: Literal[2, 3, 4] = 4
    first_player: int | str = 0
    chance: list[Any] | None = None
    patch: dict[str, Any] = {}


class WorkedExample(Struct, frozen=True, forbid_unknown_fields=True):
    """One worked example. Orders are "seat: order line"; `chance` holds their outcomes."""

    name: str = ""
    rule: str = ""
    game: str = "vasco-da-gama"
    position: ExamplePosition = ExamplePosition()
    chance: list[Any] | None = None
    orders: list[str] = []  # each a letter; `;` separates its orders
    expect: dict[str, Any] = {}  # a subset of the position after the orders
    refusal: dict[str, Any] = {}  # of the last order: rule, key, numbers
    allowed: list[str] = []  # orders that could be given next
    refused: list[str] = []  # orders that could not


def examples_in(raw: Mapping[str, Any]) -> list[WorkedExample]:
    """Read the examples of a file: its [[scenario]] tables, or itself. Raise BadScenario."""
    if set(raw) != {"scenario"}:
        return [example_of(raw)]
    examples = [example_of(each) for each in raw["scenario"]]
    if not examples:
        raise BadScenario("there is no scenario in it")
    return examples


def example_of(raw: Mapping[str, Any]) -> WorkedExample:
    """Read one example. Raise BadScenario for a wrong key, or if it asserts nothing."""
    try:
        example = msgspec.convert(raw, WorkedExample)
    except msgspec.ValidationError as wrong:
        raise BadScenario(f"{raw.get('name', 'an example')}: {wrong}") from None
    if example.game not in registry.KINDS:
        raise BadScenario(f"there is no game {example.game!r}")
    if not (example.expect or example.refusal or example.allowed or example.refused):
        raise BadScenario(f"{example.name or 'it'}: asserts nothing; write what must hold")
    return example


def run(example: WorkedExample) -> list[str]:
    """Run the example and return what does not hold, in words. Raise BadScenario."""
    table = ExampleTable(registry.game(example.game))
    table.lay(example.position)
    problems = table.play(example)
    if problems:
        return problems
    return [
        *table.differences(example.expect),
        *table.not_accepted(example.allowed),
        *table.not_refused(example.refused),
    ]


class ExampleTable:
    """The table of one example, from its position through its orders."""

    def __init__(self, game: GameRules) -> None:
        self.game: Any = game
        self.positions = registry.KINDS[game.key].positions
        self.state: Any = None

    def lay(self, position: ExamplePosition) -> None:
        """Lay out the named base, changed by the merge patch. Raise BadScenario."""
        if position.base not in self.positions.BASES:
            raise BadScenario(f"base: one of {', '.join(self.positions.BASES)}")
        script = None if position.chance is None else scripted(position.chance)
        build = self.positions.BASES[position.base]
        first = self._meant(position.first_player)
        document = as_json_values(build(self.game.components, position.players, first, script))
        patch = self._meant(position.patch)
        patched = self._patched(document, patch, "position")
        try:
            self.state = codec.decode(codec.encode(patched), self.game.state_type)
            if "awaiting" not in patch:
                self.state = self.positions.questioned(self.game.components, self.state)
        except ValueError as wrong:  # a ValidationError is one
            raise BadScenario(f"position: {wrong}") from None
        lost = list(self._differences(patch, as_json_values(self.state), "position.patch"))
        if lost:
            raise BadScenario(f"the patch does not fit: {lost[0]}")

    def play(self, example: WorkedExample) -> list[str]:
        """Play the orders and return what went wrong. An expected refusal is the last order's."""
        quiet = example.chance is None
        chance: Any = Unshuffled() if quiet else scripted(example.chance or [])
        for number, order in enumerate(example.orders, start=1):
            try:
                for turn in self.turns(order, chance):
                    self.state = turn.state
            except MoveRefused as refused:
                if example.refusal and number == len(example.orders):
                    return wrongly_refused(example.refusal, refused)
                return [f"order {number}, {order!r}, is refused: {refused}"]
        if example.refusal:
            last = example.orders[-1] if example.orders else "nothing"
            return [f"{last!r} is not refused, though {example.refusal} was expected"]
        return []

    def differences(self, expected: Mapping[str, Any]) -> list[str]:
        """Return where the position differs from what is expected."""
        return list(self._differences(self._meant(expected), as_json_values(self.state), ""))

    def not_accepted(self, orders: Sequence[str]) -> list[str]:
        """Return those of the orders that cannot be given now, each with the reason."""
        return [
            f"{order!r} should be allowed: {why}"
            for order in orders
            if (why := self._why_not(order)) is not None
        ]

    def not_refused(self, orders: Sequence[str]) -> list[str]:
        """Return those of the orders that can be given now."""
        return [f"{order!r} should be refused" for order in orders if self._why_not(order) is None]

    def _why_not(self, order: str) -> MoveRefused | None:
        try:
            list(self.turns(order, Unshuffled()))
        except MoveRefused as refused:
            return refused
        return None

    def turns(self, order: str, chance: Any) -> Iterator[Transition]:
        """Yield the transition of each move of "seat: order line"; the table stays as it is."""
        who, _, line = order.partition(":")
        seat = self._meant(who.strip())
        if not isinstance(seat, int) or not 0 <= seat < len(self.state.players):
            raise BadScenario(f"order {order!r}: it must begin with a seat and a colon")
        state, given = self.state, play.LetterOrders(self.game, self.state, seat)
        lines = line.split(";")
        for place, each in enumerate(lines, start=1):
            given.add(self.game.from_text(each.strip(), state, seat, {}))
            while (move := given.next_move(state, last=place == len(lines))) is not None:
                turn = play.move(self.game, state, seat, move, chance)
                given.mark_made()
                state = turn.state
                yield turn

    def _meant(self, value: Any) -> Any:
        """Replace names of seats by their numbers, and `none` by None."""
        if isinstance(value, Mapping):
            meant = {key: self._meant(each) for key, each in value.items()}
            return {key: by_number(key, each) if key in self.positions.BY_NUMBER else each
                    for key, each in meant.items()}
        if isinstance(value, list):
            return [self._meant(each) for each in value]
        if value in self.positions.SEATS:
            return self.positions.SEATS.index(value)
        return None if value == NONE else value

    def _place(self, key: str, rows: list[Any], path: str) -> int:
        """Return the index that a key names: a name, or a number from 0. Raise BadScenario."""
        parent, name = ["", *path.split(".")][-2:]
        names = self.positions.ROWS.get(name) or self.positions.ROWS_WITHIN.get(parent, ())
        place = names.index(key) if key in names else int(key) if key.isdigit() else -1
        if not 0 <= place < len(rows):
            raise BadScenario(f"{path}.{key}: there is no such place")
        return int(place)

    def _patched(self, target: Any, patch: Any, path: str) -> Any:
        """Apply a JSON merge patch (RFC 7396); in arrays, keys name indexes."""
        if not isinstance(patch, Mapping) or not isinstance(target, dict | list):
            return patch
        if isinstance(target, list):
            rows = list(target)
            for key, each in patch.items():
                place = self._place(key, rows, path)
                rows[place] = self._patched(rows[place], each, f"{path}.{key}")
            return rows
        if patch.get("type", target.get("type")) != target.get("type"):
            return patch
        changed = {key: self._patched(target.get(key), each, f"{path}.{key}")
                   for key, each in patch.items()}
        return {**target, **changed}

    def _differences(self, expected: Any, found: Any, path: str) -> Iterator[str]:
        if isinstance(expected, Mapping) and isinstance(found, list):
            for key, each in expected.items():
                there = found[self._place(key, found, path)]
                yield from self._differences(each, there, f"{path}.{key}")
        elif isinstance(expected, Mapping) and isinstance(found, dict):
            for key, each in expected.items():
                here = f"{path}.{key}".lstrip(".")
                if key in found or key in self.positions.LEFT_OUT:
                    yield from self._differences(each, found.get(key), here)
                else:
                    yield f"{here}: there is no such field"
        elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
            for place, (one, other) in enumerate(zip(expected, found, strict=True)):
                yield from self._differences(one, other, f"{path}.{place}")
        elif expected != found:
            yield f"{path}: expected {expected!r}, found {found!r}"


def by_number(name: str, rows: Any) -> Any:
    """Sort rows by their numbers, as the game keeps them. Raise BadScenario for a double one."""
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        return rows
    numbers = [row.get("number") for row in rows]
    if not all(isinstance(number, int) for number in numbers):
        return rows  # decoding the position refuses it
    if len(set(numbers)) < len(numbers):
        raise BadScenario(f"{name}: a number is there twice")
    return [row for _, row in sorted(zip(numbers, rows, strict=True), key=itemgetter(0))]


def wrongly_refused(expected: Mapping[str, Any], refused: MoveRefused) -> list[str]:
    """Return where a refusal differs from the expected one."""
    found = {"rule": refused.rule, "key": refused.key, **refused.numbers}
    return [
        f"refusal.{name}: expected {wanted!r}, found {found.get(name)!r}"
        for name, wanted in expected.items()
        if found.get(name) != wanted
    ]


def as_json_values(state: Any) -> Any:
    """Return the position's JSON as plain values."""
    return msgspec.json.decode(codec.encode(state))


def scripted(outcomes: Sequence[Any]) -> Scripted:
    """Build the chance that gives these outcomes in turn."""
    return Scripted([None if each == AS_IT_LIES else each for each in outcomes])
