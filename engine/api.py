"""Defines the contract between a game and the service that runs it. Read this first.

A state says what it waits for as a typed value (`state.awaiting`). Moves and events are frozen
values. `Any` stands for the types of one game: its state, move, question and view.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol

from msgspec import Struct

from engine.chance import Chance
from engine.forms import Change, Fields, Form, Lapse
from engine.lessons import Lesson
from engine.measurements import Measurement
from engine.orders_ahead_types import OrdersAhead
from engine.phrases import Phrase, Value

Seat = int
"""0 .. n-1, clockwise from the first seat of the game's start."""
Viewer = int | None
"""A seat, or None for a spectator."""


class Move(Struct, frozen=True, tag=True):
    """What a seat does; its one-line form is an order (rules/orders.md)."""

    # True: answers no question; may be made whenever the game waits.
    free: ClassVar[bool] = False
    # True: only ends the turn.
    ends_turn: ClassVar[bool] = False


class AnswerAhead(Struct, frozen=True, tag=True):
    """What an order says about later questions. It is no move, and secret until it is used.

    `GameRules.implied` turns it into a move when its question is asked. It lapses with its letter,
    except for what `GameRules.outlasting` carries over to the seat's next one.
    """


class Event(Struct, frozen=True, tag=True):
    """A fact, and the only thing that changes a state. Its tag and fields never change.

    `rule` is the id cited in the log. `reveals`: it shows what nobody could know before.
    """

    rule: ClassVar[str] = ""
    reveals: ClassVar[bool] = False

    def apply(self, state: Any) -> None:
        """Change the journal's working state. Checks nothing."""
        raise NotImplementedError

    def seen_by(self, viewer: Viewer) -> Event:
        """Return the same fact as `viewer` may read it."""
        return self


class Awaiting(Struct, frozen=True, tag=True):
    """The question that the game waits on. It is public. `rule` is the id of its rule."""

    rule: ClassVar[str] = ""

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats that are asked."""
        raise NotImplementedError

    def same_for(self, seat: Seat, later: Awaiting | None) -> bool:
        """Whether `later` is the same question for the seat: no new letter, answers stay valid."""
        return self == later


class SeatQuestion(Awaiting, frozen=True):
    """A question to one seat."""

    seat: Seat

    @property
    def seats(self) -> tuple[Seat, ...]:
        return (self.seat,)


class Transition(NamedTuple):
    """A new state and the events that lead to it. `stopped`: before a reveal."""

    state: Any
    events: tuple[Event, ...]
    stopped: bool = False


class Standing(NamedTuple):
    """One seat's result: place from 1 (shared places are equal) and points by source."""

    seat: Seat
    place: int
    points: int
    by_source: dict[str, int]


class SeatTally(NamedTuple):
    """One seat's points by source and its money (None: hidden), as a viewer sees them."""

    points: Mapping[str, int]
    money: int | None


History = Iterable[Sequence[Event]]
"""The events of each valid entry, from the start on."""


class Happening(NamedTuple):
    """Something memorable: the seat, the round, and the step of the history (from 0)."""

    key: str  # one of the game's `happening_keys`: "founded:calicut"
    seat: Seat
    round: int
    step: int


class GameRules(Protocol):
    """The rules of one game with one component set. All methods are pure: no state changes."""

    key: str
    name: str
    ruleset: str  # the one in use, of `rulesets`
    rulesets: tuple[str, ...]  # all that this release plays, the newest last
    over_rule: str  # the rule that a refusal cites when the game is over
    digest: str  # SHA-256 (hex) of the component set's canonical form
    seats: range  # the possible numbers of players
    seat_colours: tuple[str, ...]  # by seat, as in words, pages and letters
    options: Mapping[str, tuple[Any, ...]]  # besides `first_player`: values, the default first
    state_type: Any
    move_type: Any  # the union of this game's moves
    event_type: Any  # the union of this game's events
    ahead_type: Any  # the union of its answers ahead
    orders_ahead: OrdersAhead  # the game's part of orders ahead (orders_ahead_types.py)
    happening_keys: tuple[str, ...]  # all keys of `happenings`

    def under(self, ruleset: str) -> GameRules:
        """Return the same game and figures by another of its rulesets."""

    def empty_table(self, seats: int, options: Mapping[str, Any]) -> Any:
        """Return the state before the first event."""

    def new_initial_state(
        self, seats: int, options: Mapping[str, Any], chance: Chance
    ) -> Transition:
        """Set up the table; the events build it from `empty_table`."""

    def current_players(self, state: Any) -> tuple[Seat, ...]:
        """Return all seats that the game waits for; empty only when it is over."""

    def answers(self, state: Any, seat: Seat) -> Iterator[Any]:
        """Yield the moves that answer the seat's question; none if it is not asked."""

    def legal_actions(self, state: Any, seat: Seat) -> Iterator[Any]:
        """Yield exactly what `apply_action` accepts: the answers, then the seat's free moves."""

    def is_forced(self, state: Any, seat: Seat) -> bool:
        """Whether the seat has one answer, also after any free moves and whatever it hides."""

    def apply_action(self, state: Any, seat: Seat, move: Any, chance: Chance) -> Transition:
        """Play the move. Raise MoveRefused."""

    def turn_under_way(self, state: Any) -> tuple[Any, ...]:
        """Identify the turn under way: a letter's orders after a reveal answer no other turn."""

    def chapter(self, state: Any) -> tuple[int, int]:
        """Return round and phase, for the headings of the log and the history bar."""

    def rounds(self) -> Sequence[Mapping[str, Value]]:
        """Return for each round that `chapter` counts the values of the phrase `chapter`."""

    def is_terminal(self, state: Any) -> bool:
        """Whether the game is over."""

    def returns(self, state: Any) -> tuple[Standing, ...]:
        """Return places and points by source, in seat order."""

    def observation(self, state: Any, viewer: Viewer) -> Any:
        """Return what this viewer may see, as plain values."""

    def seat_view(self, state: Any, seat: Seat, viewer: Viewer) -> Any:
        """Return one of the `players` of the observation, without the rest of the table."""

    def to_text(self, move: Any) -> str:
        """Return the canonical one-line order of a move or an answer ahead."""

    def from_text(self, line: str, state: Any, seat: Seat, aliases: Mapping[str, str]) -> list[Any]:
        """Read the moves of one order line (nearly always one). Raise MalformedOrder.

        `AnswerAhead` values may be among them: no moves, but input of `implied`.
        """

    def implied(
        self, before: Any, said: Sequence[Any], state: Any, seat: Seat, *, last: bool
    ) -> Any | None:
        """Return the move that follows by itself from the orders `said` so far, or None.

        `said` begins with what earlier letters carried over; the letter began at `before`. `last`:
        no order of it follows. Raise MalformedOrder if the orders contradict each other.
        """

    def outlasting(
        self, before: Any, said: Sequence[Any], state: Any, seat: Seat
    ) -> tuple[Any, ...]:
        """Return the answers ahead, their owner's secret, that a letter begun at `state` keeps."""

    def event_phrase(self, event: Any) -> Phrase | None:
        """Return the phrase of a fact as its reader may see it; None if the log leaves it out.

        Phrases of facts, questions and moves may name what the component set's ids stand for.
        """

    def question_phrase(self, question: Any) -> Phrase:
        """Return the phrase of a question, for the asked seats and for others."""

    def refusal_phrase(self, key: str, numbers: Mapping[str, Any]) -> Phrase:
        """Return the phrase of a refusal."""

    def move_phrase(self, move: Any) -> Phrase:
        """Return the phrase of a move."""

    def happenings(
        self, seats: int, options: Mapping[str, Any], history: History
    ) -> Iterator[Happening]:
        """Yield what is memorable in a game, by folding its facts; runs no rule."""

    def happening_phrase(self, key: str) -> Phrase:
        """Return the phrase of a happening, without its seat: founded Calicut."""

    def measurements(
        self, seats: int, options: Mapping[str, Any], history: History
    ) -> Iterator[Measurement]:
        """Yield numbers about a finished game for statistics, by folding its facts."""

    def form(self, state: Any, seat: Seat, chosen: Fields | None = None) -> Form:
        """Return what a seat can choose now, in steps, and why it cannot choose the rest.

        It shows only what the seat may see. `chosen` narrows lists to what the other steps leave.
        """

    def form_orders(self, fields: Fields, state: Any, seat: Seat) -> Sequence[Sequence[Any] | str]:
        """Return the orders of the chosen fields of that form, in sequence. Raise Incomplete.

        An order is a move with its answers ahead, or a line if its move depends on earlier orders.
        """

    def changes(self, before: Any, after: Any) -> Sequence[Change]:
        """Return the holdings in which two views of a seat differ, for a preview."""

    def places(self, view: Any) -> Mapping[str, Any]:
        """Return place -> content; pages mark the places that differ between two views."""

    def tallies(self, view: Any) -> Sequence[SeatTally]:
        """Return each seat's points and money, for the graph of a game."""

    def consequences(self, view: Any, events: Sequence[Event], seat: Seat) -> Sequence[Value]:
        """Return what a previewed order, made at `view`, leads to if nobody else changes it."""

    def lapses(self, before: Any, turns: Sequence[Transition], seat: Seat) -> Sequence[Lapse]:
        """Return what the letter of `turns` after `before` would let lapse unused."""

    def page(self, view: Any, after: Any | None) -> Mapping[str, Any]:
        """Return what the game's templates show besides the view: numbers, keys, phrase values.

        `after`: the view after a previewed order. `decision`: the open question, or None.
        """

    def thumbnail(self, view: Any) -> Mapping[str, Any]:
        """Return what the thumbnail draws of a spectator's view, as values that JSON can hold."""

    def reference(self) -> Mapping[str, Any]:
        """Return what the template of the game's rules shows besides the component set."""

    def lessons_of_question(self, view: Any, seat: Seat) -> Sequence[Lesson]:
        """Return what the open question asks of a learner, from their own view."""

    def lessons_of_move(self, view: Any, seat: Seat, move: Any) -> Sequence[Lesson]:
        """Return why another seat may have made a move, from the learner's view before it."""

    def default_action(self, state: Any, seat: Seat) -> Any:
        """Return the mildest answer, for an asked seat that is absent."""

    def totals(self, state: Any) -> Mapping[str, int]:
        """Return the goods that are conserved, for the tests."""

    def redealt(
        self, history: Sequence[Transition], viewer: Viewer, chance: Chance
    ) -> tuple[list[Transition], int]:
        """Return a history that looks the same to this viewer, and how many facts differ."""
