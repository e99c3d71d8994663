"""Implements the game contract of engine/api.py for Vasco da Gama by delegation.

Each section of the rules has its module. RULES.md beside the modules lists the rules: preparation,
placing, actions, expedition, characters, navigation and scoring. The module flow decides what
follows what.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from engine import happenings as memorable
from engine import journal
from engine.api import Happening, Seat, SeatTally, Standing, Transition, Viewer
from engine.chance import Chance
from engine.forms import Change, Fields, Form
from engine.game import Game
from engine.lessons import Lesson
from engine.measurements import Measurement
from engine.orders_ahead_types import OrdersAhead
from engine.phrases import Phrase, Value
from engine.vasco_da_gama import (
    answers,
    changes,
    defaults,
    driver,
    flow,
    form,
    form_orders,
    happenings,
    lookups,
    measurements,
    page,
    phrases,
    preparation,
    proofs,
    scoring,
    view,
)
from engine.vasco_da_gama.components import SEATS, VascoComponents
from engine.vasco_da_gama.events import AnyEvent
from engine.vasco_da_gama.moves import AnyMove
from engine.vasco_da_gama.state import VascoPlayer, VascoState
from engine.vasco_da_gama.view import VascoSeatView, VascoView


class VascoDaGama(Game[VascoComponents, VascoState]):
    """The game Vasco da Gama with one component set."""

    key = "vasco-da-gama"
    name = "Vasco da Gama"
    rulesets: tuple[str, ...] = flow.RULESETS  # oldest first, newest last
    over_rule = driver.OVER_RULE
    seats = SEATS
    seat_colours = ("yellow", "red", "black", "blue")
    state_type = VascoState
    move_type = AnyMove
    event_type = AnyEvent
    happening_keys = happenings.KEYS

    @property
    def orders_ahead(self) -> OrdersAhead:
        """Return the adapter that reads and applies orders ahead."""
        from engine.vasco_da_gama import orders_ahead  # noqa: PLC0415

        return orders_ahead.VascoOrdersAhead(self.components)

    def empty_table(self, seats: int, options: Mapping[str, Any]) -> VascoState:
        """Return the state in which every fold starts (VG-1.2).

        The only option is `first_player`, a seat number.
        """
        first = int(options.get("first_player", 0))
        if seats not in SEATS or not 0 <= first < seats:
            raise ValueError(f"no table for {seats} seats, first player {first}")
        return VascoState(players=(VascoPlayer(),) * seats, first_player=first)

    def new_initial_state(
        self, seats: int, options: Mapping[str, Any], chance: Chance
    ) -> Transition:
        """Set up the table and return it with the events that built it (VG-1)."""
        table = self.empty_table(seats, options)
        first = table.first_player
        prepare = preparation.prepare
        return journal.turn(
            table, chance, lambda records: prepare(self.components, records, seats, first),
            ruleset=self.ruleset,
        )

    def answers(self, state: VascoState, seat: Seat) -> Iterator[Any]:
        """Yield the moves that answer the question put to this seat."""
        return answers.answers(self.components, state, seat)

    def legal_actions(self, state: VascoState, seat: Seat) -> Iterator[Any]:
        """Yield exactly the moves that `apply_action` accepts: answers first, then launches."""
        return answers.legal(self.components, state, seat)

    def is_forced(self, state: VascoState, seat: Seat) -> bool:
        """Tell whether the seat has only one answer, now and after any of its launches."""
        return answers.is_forced(self.components, state, seat)

    def play(self, records: journal.Journal, seat: Seat, move: Any) -> None:
        """Find the rule for the open question and apply the move. Raise MoveRefused."""
        driver.play(self.components, records, seat, move)

    def turn_under_way(self, state: VascoState) -> tuple[Any, ...]:
        """Return a key for the current turn: a called action with its bonuses, or a whole phase."""
        return lookups.turn_under_way(state)

    def chapter(self, state: VascoState) -> tuple[int, int]:
        """Return the round and the phase."""
        return state.round, state.phase

    def rounds(self) -> tuple[Mapping[str, Value], ...]:
        """Return one mapping per round: the values for the words `chapter` and `chapter_short`."""
        return tuple({"round": each + 1} for each in range(self.components.profile.rounds))

    def returns(self, state: VascoState) -> tuple[Standing, ...]:
        """Return each seat's place and points by source, in seat order (VG-8.4)."""
        return scoring.standings(state)

    def observation(self, state: VascoState, viewer: Viewer) -> Any:
        """Return the table as this viewer may see it, as plain values."""
        return view.observation(self.components, state, viewer)

    def seat_view(self, state: VascoState, seat: Seat, viewer: Viewer) -> Any:
        """Return one seat's part of the observation. All viewers see the same."""
        return view.seat_view(self.components, state, seat)

    def to_text(self, move: Any) -> str:
        """Return the canonical one-line order of a move."""
        from engine.vasco_da_gama import orders  # noqa: PLC0415

        return orders.to_text(self.components, move)

    def from_text(
        self, line: str, state: VascoState, seat: Seat, aliases: Mapping[str, str]
    ) -> list[Any]:
        """Return the moves that one order line means. Raise MalformedOrder if it cannot be read."""
        from engine.vasco_da_gama import orders  # noqa: PLC0415

        return orders.from_text(self.components, line, state, seat, aliases)

    def implied(
        self, before: VascoState, said: Sequence[Any], state: VascoState, seat: Seat, *, last: bool
    ) -> Any | None:
        """Return the end of the launches before the refill after a letter's last order (VG-4.3).

        Return None if the letter needs no such move.
        """
        return answers.implied(said, state, seat, last=last)

    def event_phrase(self, event: Any) -> Phrase | None:
        """Return the phrase for an event, or None if it gets no line."""
        return phrases.of_event(event)

    def question_phrase(self, question: Any) -> Phrase:
        """Return the phrase for a question."""
        return phrases.of_question(question)

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
        table = self.empty_table(seats, options)
        return memorable.happenings_in(table, history, happenings.notice, self.chapter)

    def happening_phrase(self, key: str) -> Phrase:
        """Return the phrase for a happening."""
        return happenings.phrase(key)

    def measured(self, event: Any, state: VascoState) -> Iterator[Measurement]:
        """Return what an event measures: actions, landings, characters, projects, launches."""
        return measurements.measured(event, state)

    def form(self, state: VascoState, seat: Seat, chosen: Fields | None = None) -> Form:
        """Return the steps of the form: what a seat can choose now."""
        return form.form_of(self.components, state, seat, chosen)

    def form_orders(
        self, fields: Fields, state: VascoState, seat: Seat
    ) -> Sequence[Sequence[AnyMove]]:
        """Return the moves of the chosen fields, one an order.

        Raise Incomplete if a choice is missing.
        """
        return form_orders.form_orders(self.components, fields, state, seat)

    def changes(self, before: VascoSeatView, after: VascoSeatView) -> Sequence[Change]:
        """Return the holdings in which two views of a seat differ."""
        return changes.changes(before, after)

    def places(self, view: VascoView) -> Mapping[str, Any]:
        """Return what lies on the table, by place."""
        return changes.places(view)

    def tallies(self, view: VascoView) -> Sequence[SeatTally]:
        """Return each seat's points and Reals."""
        return changes.tallies(view)

    def page(self, view: VascoView, after: VascoView | None) -> Mapping[str, Any]:
        """Return what the templates show beside the view."""
        return page.page(view, after)

    def thumbnail(self, view: VascoView) -> Mapping[str, Any]:
        """Return the ships at the landings, for a small picture."""
        return page.thumbnail(view)

    def lessons_of_question(self, view: VascoView, seat: Seat) -> tuple[Lesson, ...]:
        """Return the lessons that explain the open question to a learner at this seat."""
        from engine.vasco_da_gama import lessons  # noqa: PLC0415

        return lessons.of_question(view, seat)

    def lessons_of_move(self, view: VascoView, seat: Seat, move: Any) -> tuple[Lesson, ...]:
        """Return the lessons that explain another seat's move."""
        from engine.vasco_da_gama import lessons  # noqa: PLC0415

        return lessons.of_move(view, seat, move)

    def default_action(self, state: VascoState, seat: Seat) -> Any:
        """Return the mildest answer for an absent seat that the game waits for."""
        return defaults.default_action(self.components, state, seat)

    def totals(self, state: VascoState) -> Mapping[str, int]:
        """Return the amounts of goods that stay constant, for the tests."""
        return proofs.totals(self.components, state)

    def redealt(
        self, history: Sequence[Transition], viewer: Viewer, chance: Chance
    ) -> tuple[list[Transition], int]:
        """Return another history that this viewer cannot tell from this one.

        The second value is the number of events that differ.
        """
        end: VascoState = history[-1].state
        first = history[0].state.first_player
        empty = self.empty_table(len(end.players), {"first_player": first})
        return proofs.redealt(empty, history, chance)
