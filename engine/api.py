"""The contract between games and whoever runs them. Read this first.

A state says what it waits for as a typed value (`state.awaiting`); moves and events are
frozen values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol

from msgspec import Struct

from engine.ahead import OrdersAhead
from engine.chance import Chance
from engine.forms import Change, Fields, Form, Lapse
from engine.lessons import Lesson
from engine.phrases import Phrase, Value

Seat = int
"""0 .. n-1, clockwise from the first seat of the game's start."""
Viewer = int | None
"""A seat, or None for a spectator."""


class Move(Struct, frozen=True, tag=True):
    """What a seat wants; its one-line form is an order (rules/orders.md)."""

    # True: no answer to a question; may be made whenever the game waits.
    free: ClassVar[bool] = False
    # True: says only that nothing more is meant in this turn.
    ends_turn: ClassVar[bool] = False


class AnswerAhead(Struct, frozen=True, tag=True):
    """What an order says about later questions. It is no move, and secret until it is used.

    `GameRules.implied` turns it into a move when its question is asked. It lapses with its letter,
    except for what `GameRules.outlasting` carries over to the seat's next one.
    """


class Event(Struct, frozen=True, tag=True):
    """A fact. The only thing that changes a state; its class and fields are for ever.

    `rule` is cited in the log. `reveals` marks what nobody could know before it is recorded.
    """

    rule: ClassVar[str] = ""
    reveals: ClassVar[bool] = False

    def apply(self, state: Any) -> None:
        """Change the journal's working state; asks nobody and checks nothing."""
        raise NotImplementedError

    def seen_by(self, viewer: Viewer) -> Event:
        """The same fact as `viewer` may read it."""
        return self


class Awaiting(Struct, frozen=True, tag=True):
    """What the game waits for. Public: it holds no secret. `rule` asks the question."""

    rule: ClassVar[str] = ""

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats that are asked."""
        raise NotImplementedError

    def same_for(self, seat: Seat, later: Awaiting | None) -> bool:
        """Whether `later` still puts this very question to the seat: no new letter, not stale."""
        return self == later


class SeatQuestion(Awaiting, frozen=True):
    """A question to one seat."""

    seat: Seat

    @property
    def seats(self) -> tuple[Seat, ...]:
        return (self.seat,)


class Transition(NamedTuple):
    """A new state and the events that lead to it. `stopped`: in front of something hidden."""

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
    """How one seat stands, as a viewer sees it: points by source, money (None: hidden)."""

    points: Mapping[str, int]
    money: int | None


class Happening(NamedTuple):
    """Who did something memorable, in which round, with which step of the history (from 0)."""

    key: str  # one of the game's `happening_keys`: "founded:calicut"
    seat: Seat
    round: int
    step: int


class GameRules(Protocol):
    """One game with one component set. All methods are pure; the given state is never changed."""

    key: str
    name: str
    ruleset: str  # by which this one plays, of `rulesets`
    rulesets: tuple[str, ...]  # all that games may go on by in this release, the newest last
    over_rule: str  # the rule that a refusal cites when the game is over
    digest: str  # SHA-256 (hex) of the component set's canonical form
    seats: range  # the possible numbers of players
    seat_colours: tuple[str, ...]  # by seat; words, pages and letters know them
    options: Mapping[str, tuple[Any, ...]]  # beside `first_player`: values, the usual one first
    state_type: Any
    move_type: Any  # the union of this game's moves
    event_type: Any  # the union of this game's events
    ahead_type: Any  # the union of what may outlast a letter
    orders_ahead: OrdersAhead  # the game's part of orders ahead (ahead.py, orders_ahead.py)
    happening_keys: tuple[str, ...]  # all that `happenings` may tell, as the archive offers it

    def under(self, ruleset: str) -> GameRules:
        """The same game with the same figures by another of its rulesets."""

    def empty_table(self, seats: int, options: Mapping[str, Any]) -> Any:
        """The state in which every fold starts."""

    def new_initial_state(
        self, seats: int, options: Mapping[str, Any], chance: Chance
    ) -> Transition:
        """The table after set-up, with the events that built it."""

    def current_players(self, state: Any) -> tuple[Seat, ...]:
        """All seats that the game waits for; empty only when it is over."""

    def answers(self, state: Any, seat: Seat) -> Iterator[Any]:
        """The moves that answer the question put to this seat; none if it is not asked."""

    def legal_actions(self, state: Any, seat: Seat) -> Iterator[Any]:
        """Exactly what `apply_action` accepts: the answers, then the seat's free moves."""

    def is_forced(self, state: Any, seat: Seat) -> bool:
        """One answer, now and after any free moves of that seat, whatever it hides."""

    def apply_action(self, state: Any, seat: Seat, move: Any, chance: Chance) -> Transition:
        """The new state and the events, or MoveRefused."""

    def turn_under_way(self, state: Any) -> tuple[Any, ...]:
        """Names the turn under way: what a seat can foresee behind a reveal of its own order.

        A letter's orders behind a reveal answer the questions of that turn only.
        """

    def chapter(self, state: Any) -> tuple[int, int]:
        """Round and phase, for the headings of the log and the history bar."""

    def rounds(self) -> Sequence[Mapping[str, Value]]:
        """The rounds that `chapter` counts, in order: what the word `chapter` says of each."""

    def is_terminal(self, state: Any) -> bool:
        """Whether the game is over."""

    def returns(self, state: Any) -> tuple[Standing, ...]:
        """Places and points by source, in seat order."""

    def observation(self, state: Any, viewer: Viewer) -> Any:
        """What this viewer may see, as plain values."""

    def seat_view(self, state: Any, seat: Seat, viewer: Viewer) -> Any:
        """One of the `players` of that, without the rest of the table."""

    def to_text(self, move: Any) -> str:
        """The canonical one-line order."""

    def from_text(self, line: str, state: Any, seat: Seat, aliases: Mapping[str, str]) -> list[Any]:
        """The moves that one order line means (nearly always one), or MalformedOrder.

        Answers given ahead (`AnswerAhead`) may stand among them: no moves, for `implied`.
        """

    def implied(
        self, before: Any, said: Sequence[Any], state: Any, seat: Seat, *, last: bool
    ) -> Any | None:
        """The move that a letter makes by itself behind the orders `said` so far, or None.

        `before` is the table in front of the letter, `state` the one behind what was said and
        implied; `last`: no order of the letter follows. MalformedOrder if they do not go together.
        What earlier letters carried over stands first in `said`.
        """

    def outlasting(
        self, before: Any, said: Sequence[Any], state: Any, seat: Seat
    ) -> tuple[Any, ...]:
        """What of a letter's orders holds for the seat's next one too, if that begins at `state`.

        It is its owner's secret: it stands in no state, event or move.
        """

    def event_phrase(self, event: Any) -> Phrase | None:
        """What to say of a fact (as its reader may see it); None if it is not worth a line.

        Phrases of facts, questions and moves may name what the component set's ids stand for.
        """

    def question_phrase(self, question: Any) -> Phrase:
        """What is asked; how it is put to the asked and to others the words files say."""

    def refusal_phrase(self, key: str, numbers: Mapping[str, Any]) -> Phrase:
        """Why an order was not played."""

    def move_phrase(self, move: Any) -> Phrase:
        """A move in words."""

    def happenings(
        self, seats: int, options: Mapping[str, Any], history: Iterable[Sequence[Event]]
    ) -> Iterator[Happening]:
        """What is memorable in a game, by folding its facts entry by entry; runs no rule.

        `history` holds the events of each entry that stands, the start's first.
        """

    def happening_phrase(self, key: str) -> Phrase:
        """A happening in words, without who it was: founded Calicut."""

    def form(self, view: Any, seat: Seat, chosen: Fields | None = None) -> Form:
        """What a seat can choose now, in steps, read off its own view.

        With `chosen`, lists leave out what cannot go with what is chosen in other steps.
        """

    def order_line(self, fields: Fields, view: Any, seat: Seat) -> str:
        """The order line that the chosen fields of that form stand for, or Incomplete."""

    def changes(self, before: Any, after: Any) -> Sequence[Change]:
        """The holdings in which two views of a seat differ, for a preview."""

    def places(self, view: Any) -> Mapping[str, Any]:
        """What lies where, by place: what differs in two views is marked on the table."""

    def tallies(self, view: Any) -> Sequence[SeatTally]:
        """How the seats stand, for the graph of a game."""

    def lapses(self, before: Any, turns: Sequence[Transition], seat: Seat) -> Sequence[Lapse]:
        """What the seat would lose unused by the turns of its letter, for a preview.

        `before` is the table (no view) in front of them.
        """

    def page(self, view: Any, after: Any | None) -> Mapping[str, Any]:
        """What the game's templates show beside the view: numbers, keys, values of phrases.

        `after`: the view that a previewed order would lead to. `decision` in it says what the
        open question is about, or None.
        """

    def reference(self) -> Mapping[str, Any]:
        """What the template of the game's rules shows beside the component set."""

    def lessons_of_question(self, view: Any, seat: Seat) -> Sequence[Lesson]:
        """What the open question asks of a learner at this seat, by his own view."""

    def lessons_of_move(self, view: Any, seat: Seat, move: Any) -> Sequence[Lesson]:
        """What speaks for another seat's move, by the learner's view of the table before it."""

    def default_action(self, state: Any, seat: Seat) -> Any:
        """The mildest answer for an awaited, absent seat."""

    def totals(self, state: Any) -> Mapping[str, int]:
        """Goods that are conserved, for the tests."""

    def redealt(
        self, history: Sequence[Transition], viewer: Viewer, chance: Chance
    ) -> tuple[list[Transition], int]:
        """Another history that this viewer could not tell from this one; how many facts differ."""
