"""Implements the game contract of engine/api.py for Goa by delegation.

Each section of the rules has its module. RULES.md beside the modules lists the rules: preparation,
placing, auction, actions and drawing, colonies, cards, tiles and scoring. The module flow decides
what follows what.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from engine import happenings as memorable
from engine import journal
from engine.api import Event, Happening, Seat, SeatTally, Standing, Transition, Viewer
from engine.chance import Chance
from engine.forms import Lapse
from engine.game import Game
from engine.goa import (
    answers,
    defaults,
    driver,
    flow,
    happenings,
    letters,
    measurements,
    phrases,
    preparation,
    proofs,
    scoring,
)
from engine.goa.components import SEATS, GoaComponents
from engine.goa.events import AnyEvent
from engine.goa.moves import AnyMove, Earlier
from engine.goa.state import HAND_LIMITS, PARTS, GoaPlayer, GoaState
from engine.lessons import Lesson
from engine.measurements import Measurement
from engine.orders_ahead_types import OrdersAhead
from engine.phrases import Phrase, Term, Value

OPTIONS = {"quick_start": (False, True), "hand_limit": HAND_LIMITS}  # GO-1.5, GO-4.8a


class Goa(Game[GoaComponents, GoaState]):
    """The game Goa with one component set."""

    key = "goa"
    name = "Goa"
    rulesets: tuple[str, ...] = ("goa 1",)  # oldest first, newest last
    over_rule = driver.OVER_RULE
    seats = SEATS
    seat_colours = ("red", "blue", "green", "yellow")
    options: Mapping[str, tuple[Any, ...]] = OPTIONS
    state_type = GoaState
    move_type = AnyMove
    event_type = AnyEvent
    ahead_type = Earlier
    happening_keys = happenings.KEYS

    @property
    def orders_ahead(self) -> OrdersAhead:
        """Return the adapter that reads and applies orders ahead."""
        from engine.goa import orders_ahead  # noqa: PLC0415

        return orders_ahead.GoaOrdersAhead(self.components)

    def empty_table(self, seats: int, options: Mapping[str, Any]) -> GoaState:
        """Return the state in which every fold starts (GO-1.3, GO-1.5, GO-4.8a).

        Options: `first_player` (the seat that turns the first card), `quick_start`, `hand_limit`.
        """
        first = int(options.get("first_player", 0))
        quick_start = bool(options.get("quick_start", False))
        hand_limit = str(options.get("hand_limit", HAND_LIMITS[0]))
        if seats not in SEATS or not 0 <= first < seats or hand_limit not in HAND_LIMITS:
            raise ValueError(f"no table for {seats} seats, {dict(options)}")
        return GoaState(
            players=(GoaPlayer(),) * seats,
            first_player=first,
            quick_start=quick_start,
            hand_limit=hand_limit,
        )

    def new_initial_state(
        self, seats: int, options: Mapping[str, Any], chance: Chance
    ) -> Transition:
        """Set up the table and return it with the events that built it (GO-1)."""
        return journal.turn(self.empty_table(seats, options), chance, self._prepare)

    def _prepare(self, records: journal.Journal) -> None:
        preparation.prepare(self.components, records)
        flow.go_on(self.components, records)

    def answers(self, state: GoaState, seat: Seat) -> Iterator[Any]:
        """Yield the moves that answer the question put to this seat."""
        return answers.answers(self.components, state, seat)

    def legal_actions(self, state: GoaState, seat: Seat) -> Iterator[Any]:
        """Yield exactly the moves that `apply_action` accepts: answers first, then discards."""
        return answers.legal(self.components, state, seat)

    def is_forced(self, state: GoaState, seat: Seat) -> bool:
        """Tell whether the seat has only one answer, whatever its hand holds.

        The answer must stay the only one after any discards of that seat.
        """
        return answers.is_forced(self.components, state, seat)

    def play(self, records: journal.Journal, seat: Seat, move: Any) -> None:
        """Find the rule for the open question and apply the move. Raise MoveRefused."""
        driver.play(self.components, records, seat, move)

    def turn_under_way(self, state: GoaState) -> tuple[Any, ...]:
        """Return a key for a seat's turn, a lot with its settling, or a marker to place."""
        return letters.turn_under_way(state)

    def chapter(self, state: GoaState) -> tuple[int, int]:
        """Return the round, counted through both parts, and the phase."""
        before = self.components.rules.rounds_per_part if state.part == "B" else 0
        return before + state.round, state.phase

    def rounds(self) -> tuple[Mapping[str, Value], ...]:
        """Return one mapping per round: values for the words `chapter` and `chapter_short`."""
        return tuple(
            {"part": Term("part", part.lower()), "letter": part, "round": number}
            for part in PARTS
            for number in range(1, self.components.rules.rounds_per_part + 1)
        )

    def returns(self, state: GoaState) -> tuple[Standing, ...]:
        """Return each seat's place and points by source, in seat order (GO-9.2)."""
        return scoring.standings(state)

    def observation(self, state: GoaState, viewer: Viewer) -> Any:
        """Return the table as this viewer may see it, as plain values."""
        from engine.goa import view  # noqa: PLC0415

        return view.observation(self.components, state, viewer)

    def seat_view(self, state: GoaState, seat: Seat, viewer: Viewer) -> Any:
        """Return one seat's part of the observation."""
        from engine.goa import view  # noqa: PLC0415

        return view.seat_view(self.components, state, seat, viewer)

    def to_text(self, move: Any) -> str:
        """Return the canonical one-line order of a move."""
        from engine.goa import orders  # noqa: PLC0415

        return orders.to_text(self.components, move)

    def from_text(
        self, line: str, state: GoaState, seat: Seat, aliases: Mapping[str, str]
    ) -> list[Any]:
        """Return the moves and answers ahead that one order line means.

        Raise MalformedOrder if the line cannot be read.
        """
        from engine.goa import orders  # noqa: PLC0415

        return orders.from_text(self.components, line, state, seat, aliases)

    def implied(
        self, before: GoaState, said: Sequence[Any], state: GoaState, seat: Seat, *, last: bool
    ) -> Any | None:
        """Return the next move from answers given ahead, or the end of a turn (GO-4.10, GO-5.4).

        Return None if neither follows.
        """
        return letters.implied(self.components, before, said, state, seat, last=last)

    def outlasting(
        self, before: GoaState, said: Sequence[Any], state: GoaState, seat: Seat
    ) -> tuple[Any, ...]:
        """Return what the turn's next letter must know of this one.

        It holds the answers given ahead while their founding goes on, and that the turn's question
        was put.
        """
        return letters.outlasting(before, said, state, seat)

    def event_phrase(self, event: Any) -> Phrase | None:
        """Return the phrase for an event, or None if it gets no line."""
        return phrases.of_event(self.components, event)

    def question_phrase(self, question: Any) -> Phrase:
        """Return the phrase for a question."""
        return phrases.of_question(self.components, question)

    def refusal_phrase(self, key: str, numbers: Mapping[str, Any]) -> Phrase:
        """Return the phrase for a refusal."""
        return phrases.of_refusal(key, numbers)

    def move_phrase(self, move: Any) -> Phrase:
        """Return the phrase for a move."""
        return phrases.of_move(self.components, move)

    def happenings(
        self, seats: int, options: Mapping[str, Any], history: Iterable[Sequence[Any]]
    ) -> Iterator[Happening]:
        """Yield the memorable moments of a game, read from its events."""
        notice = partial(happenings.notice, self.components)
        table = self.empty_table(seats, options)
        return memorable.happenings_in(table, history, notice, self.chapter)

    def happening_phrase(self, key: str) -> Phrase:
        """Return the phrase for a happening."""
        return happenings.phrase(key)

    def measured(self, event: Any, state: GoaState) -> Iterator[Measurement]:
        """Return what an event measures: prices, actions, colonies, success markers at the end."""
        return measurements.measured(self.components, event, state, self.chapter(state)[0])

    def form(self, state: GoaState, seat: Seat, chosen: Any = None) -> Any:
        """Return the steps of the form: what a seat can choose now."""
        from engine.goa import form  # noqa: PLC0415

        return form.form_of(self.components, self.observation(state, seat), seat, chosen)

    def form_orders(
        self, fields: Any, state: GoaState, seat: Seat
    ) -> Sequence[Sequence[Any] | str]:
        """Return the order lines of the chosen fields. Raise Incomplete if a choice is missing."""
        from engine.goa import order_line  # noqa: PLC0415

        return order_line.order_line(fields, self.observation(state, seat), seat).split("; ")

    def changes(self, before: Any, after: Any) -> Sequence[Any]:
        """Return the holdings in which two views of a seat differ."""
        from engine.goa import changes  # noqa: PLC0415

        return changes.changes(before, after)

    def places(self, view: Any) -> Mapping[str, Any]:
        """Return what lies on the table, by place."""
        from engine.goa import changes  # noqa: PLC0415

        return changes.places(view)

    def tallies(self, view: Any) -> Sequence[SeatTally]:
        """Return each seat's points and ducats."""
        from engine.goa import changes  # noqa: PLC0415

        return changes.tallies(view)

    def consequences(self, view: Any, events: Sequence[Event], seat: Seat) -> Sequence[Value]:
        """Return what a bid costs if nobody bids more (GO-3.2)."""
        from engine.goa import changes  # noqa: PLC0415

        return tuple(changes.if_won(view, events, seat))

    def lapses(self, before: GoaState, turns: Sequence[Transition], seat: Seat) -> Sequence[Lapse]:
        """Return the tiles that would stay unused in a round (GO-8.3)."""
        from engine.goa import changes  # noqa: PLC0415

        return changes.lapses(self.components, before, turns, seat)

    def page(self, view: Any, after: Any | None) -> Mapping[str, Any]:
        """Return what the templates show beside the view."""
        from engine.goa import page  # noqa: PLC0415

        return page.page(self.components, view, after)

    def thumbnail(self, view: Any) -> Mapping[str, Any]:
        """Return the grid, or at the end the development boards, for a small picture."""
        from engine.goa import page  # noqa: PLC0415

        return page.thumbnail(view)

    def reference(self) -> Mapping[str, Any]:
        """Return what the template of the rules shows beside the components."""
        from engine.goa import reference  # noqa: PLC0415

        return reference.reference(self.components)

    def lessons_of_question(self, view: Any, seat: Seat) -> tuple[Lesson, ...]:
        """Return the lessons that explain the open question to a learner at this seat."""
        from engine.goa import lessons  # noqa: PLC0415

        return lessons.of_question(view, seat)

    def lessons_of_move(self, view: Any, seat: Seat, move: Any) -> tuple[Lesson, ...]:
        """Return the lessons that explain another seat's move."""
        from engine.goa import lessons  # noqa: PLC0415

        return lessons.of_move(view, seat, move)

    def default_action(self, state: GoaState, seat: Seat) -> Any:
        """Return the mildest answer for an absent seat that the game waits for."""
        return defaults.default_action(self.components, state, seat)

    def totals(self, state: GoaState) -> Mapping[str, int]:
        """Return the amounts of goods that stay constant, for the tests."""
        return proofs.totals(self.components, state)

    def redealt(
        self, history: Sequence[Transition], viewer: Viewer, chance: Chance
    ) -> tuple[list[Transition], int]:
        """Return another history that this viewer cannot tell from this one.

        The second value is the number of events that differ.
        """
        end: GoaState = history[-1].state
        options = {
            "first_player": end.first_player,
            "quick_start": end.quick_start,
            "hand_limit": end.hand_limit,
        }
        return proofs.redealt(self.empty_table(len(end.players), options), history, viewer, chance)
