"""Vasco da Gama: the contract of engine/api.py by delegation; rules live in their section's module.

Read RULES.md beside the modules: preparation, placing, actions, expedition, characters, navigation,
scoring, and flow, which says what follows what.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from engine import happenings as memorable
from engine import journal
from engine.ahead import OrdersAhead
from engine.api import AnswerAhead, Happening, Seat, SeatTally, Standing, Transition, Viewer
from engine.chance import Chance
from engine.forms import Change, Fields, Form, Lapse
from engine.lessons import Lesson
from engine.phrases import Phrase, Value
from engine.vasco_da_gama import (
    answers,
    changes,
    defaults,
    driver,
    flow,
    form,
    happenings,
    lookups,
    order_line,
    page,
    phrases,
    places,
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


class VascoDaGama:
    """The game with one component set."""

    key = "vasco-da-gama"
    name = "Vasco da Gama"
    rulesets: tuple[str, ...] = flow.RULESETS  # the newest last
    over_rule = driver.OVER_RULE
    seats = SEATS
    seat_colours = ("yellow", "red", "black", "blue")
    options: Mapping[str, tuple[Any, ...]] = {}  # nobody changes it
    state_type = VascoState
    move_type = AnyMove
    event_type = AnyEvent
    ahead_type = AnswerAhead
    happening_keys = happenings.KEYS

    def __init__(self, components: VascoComponents, ruleset: str | None = None) -> None:
        self.components = components
        self.digest = components.digest
        self.ruleset = ruleset or self.rulesets[-1]

    def under(self, ruleset: str) -> VascoDaGama:
        """The same figures by another of its rulesets."""
        return type(self)(self.components, ruleset)

    @property
    def orders_ahead(self) -> OrdersAhead:
        """What this game says about orders ahead."""
        from engine.vasco_da_gama import orders_ahead  # noqa: PLC0415

        return orders_ahead.VascoOrdersAhead(self.components)

    def empty_table(self, seats: int, options: Mapping[str, Any]) -> VascoState:
        """The state in which every fold starts; its only option is `first_player` (VG-1.2)."""
        first = int(options.get("first_player", 0))
        if seats not in SEATS or not 0 <= first < seats:
            raise ValueError(f"no table for {seats} seats, first player {first}")
        return VascoState(players=(VascoPlayer(),) * seats, first_player=first)

    def new_initial_state(
        self, seats: int, options: Mapping[str, Any], chance: Chance
    ) -> Transition:
        """The table after set-up, with the events that built it (VG-1)."""
        table = self.empty_table(seats, options)
        first = table.first_player
        prepare = preparation.prepare
        return journal.turn(
            table, chance, lambda records: prepare(self.components, records, seats, first),
            ruleset=self.ruleset,
        )

    def current_players(self, state: VascoState) -> tuple[Seat, ...]:
        """All seats that the game waits for."""
        return () if state.awaiting is None else state.awaiting.seats

    def answers(self, state: VascoState, seat: Seat) -> Iterator[Any]:
        """The moves that answer the question put to this seat."""
        return answers.answers(self.components, state, seat)

    def legal_actions(self, state: VascoState, seat: Seat) -> Iterator[Any]:
        """Exactly what `apply_action` accepts: answers, then launches."""
        return answers.legal(self.components, state, seat)

    def is_forced(self, state: VascoState, seat: Seat) -> bool:
        """One answer, now and after any launches of that seat."""
        return answers.is_forced(self.components, state, seat)

    def apply_action(self, state: VascoState, seat: Seat, move: Any, chance: Chance) -> Transition:
        """The new state and the events, or MoveRefused."""
        return journal.turn(
            state, chance, lambda records: driver.play(self.components, records, seat, move),
            ruleset=self.ruleset,
        )

    def turn_under_way(self, state: VascoState) -> tuple[Any, ...]:
        """A called action with the bonuses that it brings, or a phase without actions."""
        return lookups.turn_under_way(state)

    def chapter(self, state: VascoState) -> tuple[int, int]:
        """Round and phase."""
        return state.round, state.phase

    def rounds(self) -> tuple[Mapping[str, Value], ...]:
        """All rounds: the values of the words `chapter` and `chapter_short`."""
        return tuple({"round": each + 1} for each in range(self.components.profile.rounds))

    def is_terminal(self, state: VascoState) -> bool:
        """Whether the game is over."""
        return bool(state.places)

    def returns(self, state: VascoState) -> tuple[Standing, ...]:
        """Places and points by source, in seat order (VG-8.4)."""
        return scoring.standings(state)

    def observation(self, state: VascoState, viewer: Viewer) -> Any:
        """What this viewer may see, as plain values."""
        return view.observation(self.components, state, viewer)

    def seat_view(self, state: VascoState, seat: Seat, viewer: Viewer) -> Any:
        """A seat's part of that, which all see alike."""
        return view.seat_view(self.components, state, seat)

    def to_text(self, move: Any) -> str:
        """The canonical one-line order."""
        from engine.vasco_da_gama import orders  # noqa: PLC0415

        return orders.to_text(self.components, move)

    def from_text(
        self, line: str, state: VascoState, seat: Seat, aliases: Mapping[str, str]
    ) -> list[Any]:
        """The moves that one order line means, or MalformedOrder."""
        from engine.vasco_da_gama import orders  # noqa: PLC0415

        return orders.from_text(self.components, line, state, seat, aliases)

    def implied(
        self, before: VascoState, said: Sequence[Any], state: VascoState, seat: Seat, *, last: bool
    ) -> Any | None:
        """Behind a letter's last order, the end of the launches before the refill (VG-4.3)."""
        return answers.implied(said, state, seat, last=last)

    def outlasting(
        self, before: VascoState, said: Sequence[Any], state: VascoState, seat: Seat
    ) -> tuple[Any, ...]:
        """A letter leaves nothing behind but its moves."""
        return ()

    def event_phrase(self, event: Any) -> Phrase | None:
        """The phrase for a fact; None if it is not worth a line."""
        return phrases.of_event(event)

    def question_phrase(self, question: Any) -> Phrase:
        """The phrase for a question."""
        return phrases.of_question(question)

    def refusal_phrase(self, key: str, numbers: Mapping[str, Any]) -> Phrase:
        """The phrase for a refusal."""
        return phrases.of_refusal(key, numbers)

    def move_phrase(self, move: Any) -> Phrase:
        """The phrase for a move."""
        return phrases.of_move(self.components, move)

    def happenings(
        self, seats: int, options: Mapping[str, Any], history: Iterable[Sequence[Any]]
    ) -> Iterator[Happening]:
        """What is memorable in a game, told from its facts."""
        table = self.empty_table(seats, options)
        return memorable.happenings_in(table, history, happenings.notice, self.chapter)

    def happening_phrase(self, key: str) -> Phrase:
        """A happening in words."""
        return happenings.phrase(key)

    def form(self, view: VascoView, seat: Seat, chosen: Fields | None = None) -> Form:
        """What a seat can choose now, in steps."""
        return form.form_of(view, seat, chosen)

    def order_line(self, fields: Fields, view: VascoView, seat: Seat) -> str:
        """The order line that the chosen fields stand for, or Incomplete."""
        return order_line.order_line(fields, view, seat)

    def changes(self, before: VascoSeatView, after: VascoSeatView) -> Sequence[Change]:
        """The holdings in which two views of a seat differ."""
        return changes.changes(before, after)

    def places(self, view: VascoView) -> Mapping[str, Any]:
        """What lies where, by place."""
        return places.places(view)

    def tallies(self, view: VascoView) -> Sequence[SeatTally]:
        """How the seats stand."""
        return places.tallies(view)

    def lapses(
        self, before: VascoState, turns: Sequence[Transition], seat: Seat
    ) -> Sequence[Lapse]:
        """Nothing is lost by leaving it unused."""
        return ()

    def page(self, view: VascoView, after: VascoView | None) -> Mapping[str, Any]:
        """What the templates show beside the view."""
        return page.page(view, after)

    def reference(self) -> Mapping[str, Any]:
        """Nothing: the template reads the components."""
        return {}

    def lessons_of_question(self, view: VascoView, seat: Seat) -> tuple[Lesson, ...]:
        """What the open question asks of a learner at this seat."""
        from engine.vasco_da_gama import lessons  # noqa: PLC0415

        return lessons.of_question(view, seat)

    def lessons_of_move(self, view: VascoView, seat: Seat, move: Any) -> tuple[Lesson, ...]:
        """What speaks for another seat's move."""
        from engine.vasco_da_gama import lessons  # noqa: PLC0415

        return lessons.of_move(view, seat, move)

    def default_action(self, state: VascoState, seat: Seat) -> Any:
        """The mildest answer for an awaited, absent seat."""
        return defaults.default_action(self.components, state, seat)

    def totals(self, state: VascoState) -> Mapping[str, int]:
        """Goods that are conserved, for the tests."""
        return proofs.totals(self.components, state)

    def redealt(
        self, history: Sequence[Transition], viewer: Viewer, chance: Chance
    ) -> tuple[list[Transition], int]:
        """Another history that this viewer could not tell from this one; how many facts differ."""
        end: VascoState = history[-1].state
        first = history[0].state.first_player
        empty = self.empty_table(len(end.players), {"first_player": first})
        return proofs.redealt(empty, history, chance)
