"""A base for games with what most of them do alike; a game replaces what it does otherwise.

The rules are a game's own. What declared moves (choices.py) say once gives the list of moves, the
order lines, the form and the mildest answer. A game without words and pages is whole without more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from engine import journal, notation
from engine.api import (
    AnswerAhead,
    Awaiting,
    Event,
    Happening,
    History,
    Move,
    Seat,
    Standing,
    Transition,
)
from engine.chance import Chance
from engine.choices import FieldSpec, MoveSpec, Refusal
from engine.forms import Fields, Form, FormStep, Lapse, Option
from engine.lessons import Lesson
from engine.measurements import POINTS, Measurement
from engine.phrases import Value, text


class Figures(Protocol):
    """A component set."""

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of its canonical form."""


C = TypeVar("C", bound=Figures)
S = TypeVar("S")
G = TypeVar("G", bound="Game[Any, Any]")


class Game(Generic[C, S]):
    """One game with one component set. Its state has `awaiting` and `places`."""

    rulesets: tuple[str, ...]
    options: Mapping[str, tuple[Any, ...]] = {}
    ahead_type: Any = AnswerAhead
    happening_keys: tuple[str, ...] = ()
    specs: ClassVar[Mapping[type[Move], MoveSpec[Any, Any, Any]]] = {}
    answered_by: ClassVar[Mapping[type[Awaiting], tuple[type[Move], ...]]] = {}
    """The declared moves that answer each question."""

    def __init__(self, components: C, ruleset: str | None = None) -> None:
        self.components = components
        self.digest = components.digest
        self.ruleset = ruleset or self.rulesets[-1]

    def thumbnail(self, view: Any) -> Mapping[str, Any]:
        """Return nothing to draw: a game without pages needs no picture."""
        return {}

    def under(self: G, ruleset: str) -> G:
        """Return the game with the same figures under another of its rulesets."""
        return type(self)(self.components, ruleset)

    def empty_table(self, seats: int, options: Mapping[str, Any]) -> S:
        """Return the state before the first event."""
        raise NotImplementedError

    def returns(self, state: S) -> Sequence[Standing]:
        """Return each seat's place and points by source, in seat order."""
        raise NotImplementedError

    def play(self, records: journal.Journal, seat: Seat, move: Any) -> None:
        """Find the rule for the open question and apply the move. Raise MoveRefused."""
        raise NotImplementedError

    def apply_action(self, state: S, seat: Seat, move: Any, chance: Chance) -> Transition:
        """Return the new state and the events of a move. Raise MoveRefused if a rule forbids it."""
        return journal.turn(
            state, chance, lambda records: self.play(records, seat, move), ruleset=self.ruleset
        )

    def current_players(self, state: Any) -> tuple[Seat, ...]:
        """Return all seats that the game waits for."""
        question: Awaiting | None = state.awaiting
        return () if question is None else question.seats

    def is_terminal(self, state: Any) -> bool:
        """Tell whether the game is over."""
        return bool(state.places)

    # ---- moves -----------------------------------------------------------------------------------

    def answers(self, state: Any, seat: Seat) -> Iterator[Any]:
        """Return the moves that answer the question put to this seat."""
        return chain.from_iterable(
            spec.moves(self.components, state, seat) for spec in self.asked(state, seat)
        )

    def asked(self, state: Any, seat: Seat) -> list[MoveSpec[C, S, Any]]:
        """Return the declared moves that answer the question put to this seat."""
        if seat not in self.current_players(state):
            return []
        return [self.specs[move] for move in self.answered_by[type(state.awaiting)]]

    def legal_actions(self, state: S, seat: Seat) -> Iterator[Any]:
        """Return exactly the moves that `apply_action` accepts: the answers."""
        return self.answers(state, seat)

    def is_forced(self, state: S, seat: Seat) -> bool:
        """Tell whether the seat has only one answer."""
        return len(list(islice(self.answers(state, seat), 2))) == 1

    def default_action(self, state: S, seat: Seat) -> Any:
        """Return the mildest answer: the first in the list."""
        return next(self.answers(state, seat))

    def implied(
        self, before: S, said: Sequence[Any], state: S, seat: Seat, *, last: bool
    ) -> Any | None:
        """Return no move: only those that a letter orders are made."""
        return None

    def outlasting(
        self, before: S, said: Sequence[Any], state: S, seat: Seat
    ) -> tuple[Any, ...]:
        """Return nothing: only the moves of a letter outlast it."""
        return ()

    # ---- orders and forms ------------------------------------------------------------------------

    def to_text(self, move: Any) -> str:
        """Return the canonical one-line order of a move."""
        return self.specs[type(move)].spell(self.components, move)

    def from_text(self, line: str, state: S, seat: Seat, aliases: Mapping[str, str]) -> list[Any]:
        """Return the move that one order line means. Raise MalformedOrder."""
        verbs = {spec.verb: spec for spec in self.specs.values()}

        def grammar(reader: notation.LineReader) -> Any:
            verb = reader.word(*verbs, unknown="unknown_verb")
            return verbs[verb].read(reader, self.components, state)

        return [notation.read(line, grammar, aliases, self.to_text)]

    def form(self, state: S, seat: Seat, chosen: Fields | None = None) -> Form:
        """Return a step for each move to choose among, and for each field of a move."""
        specs = self.asked(state, seat)
        which = tuple(Option(spec.verb, text(f"act_{spec.verb}")) for spec in specs)
        first = (FormStep(text("act"), "act", "radio", which),) if len(specs) > 1 else ()
        fields = (
            self.step(field, state, seat, when=f"act={spec.verb}" if first else "")
            for spec in specs for field in spec.fields
        )
        return Form((*first, *fields))

    def step(
        self, field: FieldSpec[C, S, Any], state: S, seat: Seat, *, when: str
    ) -> FormStep:
        """Return the step of a declared field."""

        def show(value: Any, why: Refusal | None) -> Option:
            label = field.write(self.components, value)
            return Option("", label, why_not="" if why is None else text(f"why_{why.key}"))

        options = field.options(self.components, state, seat, show)
        return FormStep(text(field.name), field.in_form, "radio", options, when=when)

    def form_orders(self, fields: Fields, state: S, seat: Seat) -> Sequence[Sequence[Any] | str]:
        """Return the move of the chosen fields. Raise Incomplete if a choice is missing."""
        specs = self.asked(state, seat)
        act = fields.get("act")
        spec = next((each for each in specs if each.verb == act), specs[0])
        return [[spec.chosen(fields, self.components, state)]]

    # ---- what a game need not have ---------------------------------------------------------------

    def lapses(self, before: S, turns: Sequence[Transition], seat: Seat) -> Sequence[Lapse]:
        """Return nothing: a seat loses nothing by leaving it unused."""
        return ()

    def consequences(self, view: Any, events: Sequence[Event], seat: Seat) -> Sequence[Value]:
        """Return nothing: what an order does stands in its events."""
        return ()

    def reference(self) -> Mapping[str, Any]:
        """Return nothing: the template of the rules reads the components itself."""
        return {}

    def measurements(
        self, seats: int, options: Mapping[str, Any], history: History
    ) -> Iterator[Measurement]:
        """Yield what statistics are made of: what `measured` finds, and the points by source.

        Folds the facts onto an empty table and runs no rule.
        """
        state: Any = self.empty_table(seats, options)
        state = state.copy()
        for events in history:
            for event in events:
                event.apply(state)
                yield from self.measured(event, state)
        for standing in self.returns(state):
            for source, points in standing.by_source.items():
                yield Measurement(POINTS, f"source_{source}", standing.seat, points)

    def measured(self, event: Event, state: S) -> Iterator[Measurement]:
        """Return what an event measures; nothing if the game measures only its points."""
        return iter(())

    def happenings(
        self, seats: int, options: Mapping[str, Any], history: Iterable[Sequence[Event]]
    ) -> Iterator[Happening]:
        """Yield nothing memorable."""
        return iter(())

    def lessons_of_question(self, view: Any, seat: Seat) -> Sequence[Lesson]:
        """Return no lessons."""
        return ()

    def lessons_of_move(self, view: Any, seat: Seat, move: Any) -> Sequence[Lesson]:
        """Return no lessons."""
        return ()
