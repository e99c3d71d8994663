"""Reads orders ahead and tries them at a seat's open question (rules/orders.md).

Orders ahead are what follows `later:` in a line. An order ahead acts on what its owner sees at the
moment, and plays what a letter with its line would play. The caller stores a seat's orders in the
order in which they were given. It tries them only at questions that were opened to the seat after
the order was given, and at no question where one of them has come to `AskOwner`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from engine import play
from engine.api import AnswerAhead, Event, GameRules, Seat
from engine.errors import IllegalMove, MoveRefused
from engine.orders_ahead_lines import REFUSALS, OrderAheadParser, condition_text, split, text
from engine.orders_ahead_types import Alternative, Condition, Instruction, OrderAhead, PlainOrder

__all__ = [
    "REFUSALS",
    "AskOwner",
    "Decision",
    "Expired",
    "Idle",
    "OrderAhead",
    "PlayLine",
    "decide",
    "read",
    "reread",
    "round_meant",
    "split",
    "text",
    "try_one",
    "why_expired",
]  # fmt: skip

Key = TypeVar("Key")

RULE = "orders"


class Idle(NamedTuple):
    """The order does not apply to the question that is open to the seat, or none is open."""


class PlayLine(NamedTuple):
    """The order line to play now, as a letter of its own; `attempt` is its trial on a copy.

    `holds`: the order stays after its use; else it is used up.
    """

    line: str
    attempt: play.Attempt
    holds: bool


class AskOwner(NamedTuple):
    """The order applies and can play nothing: it is over, and its owner is asked."""

    refused: MoveRefused


class Expired(NamedTuple):
    """The order's moment cannot come any more."""

    refused: MoveRefused


Outcome = Idle | PlayLine | AskOwner | Expired


class Decision(NamedTuple):
    """What a seat's orders ahead do at its open question.

    `key` names the order that decides (`PlayLine` or `AskOwner`), None with `Idle`. `expired` holds
    the orders whose moment has passed, each with the refusal that says why.
    """

    key: Any
    outcome: Idle | PlayLine | AskOwner
    expired: tuple[tuple[Any, MoveRefused], ...] = ()


# ---- reading -----------------------------------------------------------------------------------


def read(
    game: GameRules, line: str, state: Any, seat: Seat, aliases: Mapping[str, str]
) -> OrderAhead:
    """Read one order ahead. `aliases` may also name seats: name -> seat colour.

    Raise MalformedOrder if it cannot be read, IllegalMove if its moment can never come.
    """
    order = OrderAheadParser(game, line, state, seat, aliases).order()
    refused = why_expired(game, order, state, seat)
    if refused is not None:
        raise refused
    return order


def round_meant(
    game: GameRules, line: str, state: Any, seat: Seat, aliases: Mapping[str, str]
) -> int | None:
    """Return the round that a line means at this position; None if none, or if it is unreadable."""
    try:
        return OrderAheadParser(game, line, state, seat, aliases).order().in_round
    except MoveRefused:
        return None


def reread(game: GameRules, line: str, state: Any, seat: Seat) -> OrderAhead:
    """Read a stored canonical line, also one whose moment has passed."""
    return OrderAheadParser(game, line, state, seat, {}).order()


# ---- trying ------------------------------------------------------------------------------------


def why_expired(game: GameRules, order: OrderAhead, state: Any, seat: Seat) -> MoveRefused | None:
    """Return why the order's moment cannot come any more, or None."""
    if game.is_terminal(state):
        return IllegalMove("ahead_game_over", rule=RULE)
    in_round = order.in_round
    if in_round is not None and game.chapter(state)[0] > in_round:
        said = game.orders_ahead.words.rounds[in_round - 1]
        return IllegalMove("ahead_round_over", rule=RULE, round=said)
    for instruction in order.instructions:
        refused = game.orders_ahead.why_expired(instruction, in_round or 0, state, seat)
        if refused is not None:
            return refused
    return None


def applies_to(game: GameRules, order: OrderAhead, state: Any, seat: Seat) -> bool:
    """Whether the order applies to the question that is open to the seat now."""
    if seat not in game.current_players(state):
        return False
    if order.in_round is not None and game.chapter(state)[0] != order.in_round:
        return False
    return all(
        game.orders_ahead.applies_to(each, state.awaiting, seat) for each in order.instructions
    )


def try_one(
    game: GameRules,
    order: OrderAhead,
    state: Any,
    seat: Seat,
    view: Any = None,
    *,
    facts: Sequence[Event] = (),
    ahead: Sequence[AnswerAhead] = (),
) -> Outcome:
    """Try the order at this moment on a copy of the table, as a letter with its line would be.

    `view` is the seat's observation (computed here if None). `facts` are recent ones as the seat
    may read them, for conditions that the view alone does not settle. `ahead` is as in
    `play.letter`.
    """
    refused = why_expired(game, order, state, seat)
    if refused is not None:
        return Expired(refused)
    if not applies_to(game, order, state, seat):
        return Idle()
    view = game.observation(state, seat) if view is None else view
    for alternative in order.alternatives:
        refused = failed_condition(game, alternative, view, seat, facts)
        if refused is not None:
            continue
        line = line_of(game, alternative.instruction, view)
        try:
            attempt = play.letter(game, state, seat, line, {}, ahead=ahead)
        except MoveRefused as found:
            refused = found
            continue
        return PlayLine(line, attempt, alternative.instruction.holds)
    if waits(game, order):
        return Idle()
    return AskOwner(IllegalMove("ahead_asked", rule=RULE) if refused is None else refused)


def waits(game: GameRules, order: OrderAhead) -> bool:
    """Whether the order can wait: it has only free moves and names no question."""
    own = (each.instruction for each in order.alternatives)
    return order.moment is None and all(map(game.orders_ahead.is_free, own))


def line_of(game: GameRules, instruction: Instruction, view: Any) -> str:
    """Return the order line that an instruction means at this moment."""
    if isinstance(instruction, PlainOrder):
        return instruction.text
    return game.orders_ahead.order_line(instruction, view)


def failed_condition(
    game: GameRules, alternative: Alternative, view: Any, seat: Seat, facts: Sequence[Event]
) -> MoveRefused | None:
    """Return a refusal with the first condition that is not known to hold, or None."""
    for condition in alternative.conditions:
        if not holds(game, condition, view, seat, facts):
            said = condition_text(game, condition)
            return IllegalMove("ahead_condition", rule=RULE, condition=said)
    return None


def holds(
    game: GameRules, condition: Condition, view: Any, seat: Seat, facts: Sequence[Event]
) -> bool:
    """Whether a condition is known to hold from what the seat sees."""
    whose = seat if condition.seat is None else condition.seat
    if condition.sign.startswith("has"):
        known = game.orders_ahead.known(view, whose, condition.what, facts)
        return known is not None and known == (condition.sign == "has")
    measured = game.orders_ahead.measured(view, whose, condition.what)
    return measured is not None and COMPARED[condition.sign](measured, condition.number)


COMPARED = {
    "<=": int.__le__, ">=": int.__ge__, "<": int.__lt__, ">": int.__gt__, "=": int.__eq__,
}  # fmt: skip


def decide(
    game: GameRules,
    state: Any,
    seat: Seat,
    orders: Sequence[tuple[Key, OrderAhead]],
    *,
    facts: Sequence[Event] = (),
    ahead: Sequence[AnswerAhead] = (),
) -> Decision:
    """Find the order ahead that decides at a seat's open question, and the expired ones.

    `orders` are (key, order), the oldest first. Those that stay after use come after all others.
    """
    over = tuple(expired_orders(game, state, seat, orders))
    keys = {key for key, _ in over}
    view = None
    for key, order in sorted(orders, key=lambda each: each[1].holds):
        if key in keys or not applies_to(game, order, state, seat):
            continue
        view = game.observation(state, seat) if view is None else view
        found = try_one(game, order, state, seat, view, facts=facts, ahead=ahead)
        if isinstance(found, PlayLine | AskOwner):
            return Decision(key, found, over)
    return Decision(None, Idle(), over)


def expired_orders(
    game: GameRules, state: Any, seat: Seat, orders: Sequence[tuple[Key, OrderAhead]]
) -> Iterator[tuple[Key, MoveRefused]]:
    """Yield the key of each order whose moment has passed, with the reason."""
    for key, order in orders:
        refused = why_expired(game, order, state, seat)
        if refused is not None:
            yield key, refused
