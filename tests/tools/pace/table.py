"""One game as the service would run it: forced moves, orders ahead, and people who are asked.

A person answers what it is asked, and at once whatever else of its own comes next unless something
was revealed; then it may leave orders ahead. It decides by what its seat may see (`steady`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from engine import bots, orders_ahead, play, registry
from engine.api import Event, GameRules, Seat
from engine.chance import Forbidden, Stream
from engine.errors import MoveRefused

BOT = "steady"
MOST_LINES = 3  # of a seat in a round: what stands behind one `later:` is one
MOST_ORDERS = 3  # in one such line, as in the examples of rules/orders.md
LATE = 60  # facts that conditions may look back on


class Person(Protocol):
    """How people of one game write: whatever they know is the seat's observation."""

    def is_put(self, game: GameRules, state: Any) -> bool:
        """Whether the rules put the open question as one of its own."""

    def answers(self, game: GameRules, state: Any, seat: Seat) -> list[str]:
        """The lines that answer the open question, one behind the other."""

    def later(self, game: GameRules, before: Any, state: Any, seat: Seat) -> list[str]:
        """The orders of one `later:` line behind a letter that led from `before` to `state`."""


@dataclass
class Table:
    """A game under way, and what it has cost."""

    game: GameRules
    person: Person | None  # None: nobody leaves an order ahead
    seed: int
    state: Any = None
    entry: int = 0
    naive: int = 0
    hand_overs: int = 0
    lines: int = 0
    orders: int = 0
    used: int = 0
    asked: Counter[str] = field(default_factory=Counter)  # hand-overs by question
    facts: list[Event] = field(default_factory=list)
    standing: dict[Seat, list[tuple[int, orders_ahead.OrderAhead]]] = field(default_factory=dict)
    written: dict[tuple[Seat, int], int] = field(default_factory=dict)
    last: tuple[Seat, Any] | None = None  # the question that was last counted
    open_to: dict[Seat, Any] = field(default_factory=dict)  # when it last left orders ahead

    @property
    def points(self) -> float:
        """Points a seat, once it is over."""
        results = self.game.returns(self.state)
        return sum(each.points for each in results) / len(results)


def play_out(key: str, seed: int, person: Person, seats: int = 4, *, ahead: bool) -> Table:
    """A whole game of such people; without `ahead` they answer only what they are asked."""
    game = registry.game(key)
    table = Table(game, person if ahead else None, seed)
    turn = game.new_initial_state(seats, {}, chance(table))
    table.state = turn.state
    while not game.is_terminal(table.state):
        step(table, person)
    return table


def chance(table: Table) -> Stream:
    """The chance of the next entry."""
    table.entry += 1
    return Stream(f"pace {table.seed}".encode(), str(table.entry))


def step(table: Table, person: Person) -> None:
    """What needs nobody, else an order ahead, else the first asked seat's own letter."""
    forced = play.forced(table.game, table.state)
    if forced is not None:
        count(table, person, forced[0])
        moved(table, *forced)
        return
    for seat in table.game.current_players(table.state):
        if acts(table, person, seat):
            return
    asked(table, person, table.game.current_players(table.state)[0])


def count(table: Table, person: Person, seat: Seat) -> None:
    """One question more, if it is another one than the last that this seat answered."""
    question = table.state.awaiting
    last, answered = table.last or (None, question)
    if last == seat and answered.same_for(seat, question):
        return
    table.last = (seat, question)
    table.naive += person.is_put(table.game, table.state)


def moved(table: Table, seat: Seat, move: Any) -> bool:
    """One move; whether it revealed something."""
    turn = table.game.apply_action(table.state, seat, move, chance(table))
    table.state = turn.state
    table.facts = [*table.facts, *turn.events][-LATE:]
    return any(event.reveals for event in turn.events)


# ---- orders ahead -------------------------------------------------------------------------------


def acts(table: Table, person: Person, seat: Seat) -> bool:
    """Play what an order ahead of the seat says to its question; False if it is to be asked."""
    orders = table.standing.get(seat, [])
    known = table.open_to.get(seat)
    if known is not None and known.same_for(seat, table.state.awaiting):
        return False  # its owner had this question before him when he wrote
    facts = [fact.seen_by(seat) for fact in table.facts]
    moment = orders_ahead.decide(table.game, table.state, seat, orders, facts=facts)
    over = {key for key, _ in moment.expired}
    found = moment.outcome
    is_used = isinstance(found, orders_ahead.PlayLine) and not found.holds
    if is_used or isinstance(found, orders_ahead.AskOwner):
        over.add(moment.key)
    table.standing[seat] = [each for each in orders if each[0] not in over]
    if not isinstance(found, orders_ahead.PlayLine):
        return False
    table.used += 1
    run(table, person, seat, [found.line])
    return True


def run(table: Table, person: Person, seat: Seat, lines: Sequence[str]) -> bool:
    """A letter's lines as the service plays them; whether something was revealed."""
    game, revealed = table.game, False
    said = play.LetterOrders(game, table.state, seat)
    for place, line in enumerate(lines):
        try:
            said.add(game.from_text(line, table.state, seat, {}))
            last = place == len(lines) - 1
            while (move := said.next_move(table.state, last=last)) is not None:
                if not move.free:
                    count(table, person, seat)
                revealed |= moved(table, seat, move)
                said.mark_made()
        except MoveRefused:
            if not revealed:
                raise
            break  # what stands behind comes back
    return revealed


# ---- people -------------------------------------------------------------------------------------


def asked(table: Table, person: Person, seat: Seat) -> None:
    """A hand-over: the person's letter, and the orders ahead that it leaves behind it."""
    table.hand_overs += 1
    table.asked[type(table.state.awaiting).__name__] += 1
    before = foreseen = table.state
    revealed = False
    while seat in table.game.current_players(table.state) and not revealed:
        if table.state is not before and table.game.is_forced(table.state, seat):
            break
        lines = person.answers(table.game, table.state, seat)
        foreseen = play.letter(table.game, table.state, seat, "\n".join(lines), {}).state
        revealed = run(table, person, seat, lines)
        if not revealed:
            foreseen = table.state
    if table.person is not None:
        leave(table, table.person, before, foreseen, seat)


def leave(table: Table, person: Person, before: Any, foreseen: Any, seat: Seat) -> None:
    """Keep the orders of one `later:` line, as far as a person writes any more in this round."""
    if table.game.is_terminal(table.state):
        return
    written = (seat, table.game.chapter(table.state)[0])
    if table.written.get(written, 0) >= MOST_LINES:
        return
    lines = person.later(table.game, before, foreseen, seat)[:MOST_ORDERS]
    if not lines:
        return
    table.written[written] = table.written.get(written, 0) + 1
    table.lines += 1
    table.orders += len(lines)
    # What one says now stands instead of what one said before.
    read = (orders_ahead.read(table.game, line, foreseen, seat, {}) for line in lines)
    table.standing[seat] = list(enumerate(read))
    table.open_to[seat] = table.state.awaiting


def chosen(game: GameRules, state: Any, seat: Seat) -> Iterator[Any]:
    """The moves that a steady player makes at this question, seeing what the seat sees."""
    yield from bots.choose(game, state, seat, BOT, Forbidden())
