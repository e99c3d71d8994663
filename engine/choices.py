"""Declares a move once: its fields, what each can be at this table, and why it cannot.

A game declares a `MoveSpec` beside the rule of a move. The rule's refusals, the list of legal
moves, the form's options with the reasons against them, and the order line follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain, filterfalse, product, repeat, starmap
from typing import Any, Generic, NamedTuple, TypeVar

from msgspec.structs import replace

from engine.api import Move, Seat
from engine.errors import IllegalMove
from engine.forms import Fields, Incomplete, Option
from engine.notation import LineReader

C = TypeVar("C")
"""A game's component set."""
S = TypeVar("S")
"""A game's state."""
V = TypeVar("V")
"""What a field can be."""
M = TypeVar("M", bound=Move)


Numbers = Callable[[Any, Any, Seat, Any], Mapping[str, Any]]
"""(components, state, seat, value) -> the numbers that decide a refusal, by name."""


def no_numbers(_components: object, _state: object, _seat: Seat, _value: object) -> dict[str, Any]:
    """Return no numbers: the refusal has none."""
    return {}


def named(*names: str) -> Numbers:
    """Return the numbers of a refusal that names the value: its parts, if it has several."""

    def numbers(
        _components: object, _state: object, _seat: Seat, value: Any
    ) -> dict[str, Any]:
        return dict(zip(names, value if len(names) > 1 else (value,), strict=True))

    return numbers


class Refusal(NamedTuple):
    """Why something cannot be chosen: a key and the rule's id, and numbers worked out if needed."""

    key: str
    rule: str
    numbers: Numbers = no_numbers

    def as_error(self, components: object, state: object, seat: Seat, value: object) -> IllegalMove:
        """Return the refusal of a move for this reason."""
        return IllegalMove(
            self.key, rule=self.rule, **self.numbers(components, state, seat, value))


class FieldSpec(NamedTuple, Generic[C, S, V]):
    """One field of a move.

    `candidates` are the values that can be named at this table, in the order of the list of moves.
    `judge` looks at the table once and returns the judge of any value: why it cannot be chosen, or
    None.
    """

    name: str  # the key of what is missing in a form
    of: Callable[[Any], V]  # the value in a move
    candidates: Callable[[C, S], Iterable[V]]
    judge: Callable[[C, S, Seat], Callable[[V], Refusal | None]]
    read: Callable[[LineReader, C, S], V]
    write: Callable[[C, V], str] = lambda _components, value: str(value)
    lead: str = ""  # the word in front of it in an order
    form_field: str = ""  # its field in a form, if that has another name

    @property
    def in_form(self) -> str:
        """Return the name of its field in a form."""
        return self.form_field or self.name

    def open(self, components: C, state: S, seat: Seat) -> list[V]:
        """Return the values that can be chosen."""
        why_not = self.judge(components, state, seat)
        return list(filterfalse(why_not, self.candidates(components, state)))

    def check(self, components: C, state: S, seat: Seat, value: V) -> None:
        """Raise IllegalMove if the value cannot be chosen."""
        why = self.judge(components, state, seat)(value)
        if why is not None:
            raise why.as_error(components, state, seat, value)

    def options(
        self, components: C, state: S, seat: Seat, show: Callable[[V, Refusal | None], Option]
    ) -> tuple[Option, ...]:
        """Return all candidates as the form shows them: `show` gets each with what is against it.

        The form's value is what an order says.
        """
        why_not = self.judge(components, state, seat)
        return tuple(
            replace(show(value, why_not(value)), value=self.write(components, value))
            for value in self.candidates(components, state)
        )

    def chosen(self, fields: Fields, components: C, state: S) -> tuple[V] | None:
        """Return the candidate that a form's field names, or None."""
        said = fields.get(self.in_form)
        for value in self.candidates(components, state) if said else ():
            if self.write(components, value) == said:
                return (value,)
        return None


class MoveSpec(NamedTuple, Generic[C, S, M]):
    """A move: how it is made of its fields, the verb of its order, and what may forbid it."""

    make: Callable[..., M]
    verb: str
    fields: tuple[FieldSpec[C, S, Any], ...] = ()
    why_not: Callable[[C, S, Seat], Refusal | None] | None = None  # None: nothing forbids it

    def refusal(self, components: C, state: S, seat: Seat) -> Refusal | None:
        """Return what forbids the move as a whole, or None."""
        return None if self.why_not is None else self.why_not(components, state, seat)

    def moves(self, components: C, state: S, seat: Seat) -> Iterator[M]:
        """Return every such move that is legal where it answers the question."""
        if self.why_not is not None and self.why_not(components, state, seat) is not None:
            return iter(())
        rows = [field.open(components, state, seat) for field in self.fields]
        if len(rows) == 2:  # the common case, worth its own loop
            pairs = map(with_each, repeat(self.make), rows[0], repeat(tuple(rows[1])))
            return chain.from_iterable(pairs)
        return starmap(self.make, product(*rows))

    def check(self, components: C, state: S, seat: Seat, move: Move) -> None:
        """Raise IllegalMove for the first reason against the move."""
        why = self.refusal(components, state, seat)
        if why is not None:
            raise why.as_error(components, state, seat, None)
        for field in self.fields:
            field.check(components, state, seat, field.of(move))

    def spell(self, components: C, move: Move) -> str:
        """Return the order of the move."""
        words = [self.verb]
        for field in self.fields:
            words += [field.lead, field.write(components, field.of(move))]
        return " ".join(word for word in words if word)

    def read(self, reader: LineReader, components: C, state: S) -> M:
        """Read the fields of an order behind its verb."""
        values = []
        for field in self.fields:
            if field.lead:
                reader.word(field.lead)
            values.append(field.read(reader, components, state))
        return self.make(*values)

    def chosen(self, fields: Fields, components: C, state: S) -> M:
        """Return the move that a form's fields choose. Raise Incomplete."""
        values = [field.chosen(fields, components, state) for field in self.fields]
        if self.fields and not any(values):
            raise Incomplete("nothing")
        for field, value in zip(self.fields, values, strict=True):
            if value is None:
                raise Incomplete(field.name)
        return self.make(*(value for (value,) in filter(None, values)))


def read_number(reader: LineReader, _components: object, _state: object) -> int:
    """Read a whole number."""
    return reader.number()


@lru_cache(maxsize=4096)
def with_each(make: Callable[..., M], first: object, others: tuple[object, ...]) -> tuple[M, ...]:
    """Return the moves of one value with each of the others; moves are immutable, so shared."""
    return tuple(make(first, other) for other in others)
