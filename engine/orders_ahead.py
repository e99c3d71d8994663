"""Orders ahead: what stands behind `later:` in a line (rules/orders.md), read, written and tried.

A standing order acts on what its owner sees at the moment, and plays what a letter of its line
would play. Whoever keeps them: a seat's orders stand in the order in which they were given, hold
for questions that were not open to their owner when he gave them, and leave a question alone at
which one of them has come to `AskOwner`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from engine import play
from engine.ahead import Alternative, Condition, Instruction, OrderAhead, PlainOrder
from engine.ahead_lines import REFUSALS, OrderAheadParser, spelt_condition, split, text
from engine.api import AnswerAhead, Event, GameRules, Seat
from engine.errors import IllegalMove, MoveRefused

__all__ = [
    "REFUSALS",
    "AskOwner",
    "Decision",
    "Expired",
    "Idle",
    "OrderAhead",
    "PlayLine",
    "first",
    "gone",
    "kept",
    "read",
    "round_meant",
    "split",
    "text",
    "try_one",
]  # fmt: skip

Key = TypeVar("Key")

RULE = "orders"


class Idle(NamedTuple):
    """It is not about the question that is open to the seat, if one is."""


class PlayLine(NamedTuple):
    """The order line to be played now, as a letter of its own; `attempt` tried it on a copy.

    `holds`: the order stands on behind it; else it is used up.
    """

    line: str
    attempt: play.Attempt
    holds: bool


class AskOwner(NamedTuple):
    """Its moment has come and it can play nothing: the order is over, and the seat is asked."""

    refused: MoveRefused


class Expired(NamedTuple):
    """Its moment cannot come any more: the order is over."""

    refused: MoveRefused


Outcome = Idle | PlayLine | AskOwner | Expired


class Decision(NamedTuple):
    """What a seat's orders ahead make of the present question.

    `key` names the order that decides (`PlayLine` or `AskOwner`), None with `Idle`. `gone` holds
    the orders whose moment has passed, each with the refusal that says why.
    """

    key: Any
    outcome: Idle | PlayLine | AskOwner
    gone: tuple[tuple[Any, MoveRefused], ...] = ()


# ---- reading -----------------------------------------------------------------------------------


def read(
    game: GameRules, line: str, state: Any, seat: Seat, aliases: Mapping[str, str]
) -> OrderAhead:
    """What one order ahead says; MalformedOrder, or IllegalMove if its moment can never come.

    `aliases` may name seats too: name -> seat colour.
    """
    order = OrderAheadParser(game, line, state, seat, aliases).order()
    refused = gone(game, order, state, seat)
    if refused is not None:
        raise refused
    return order


def round_meant(
    game: GameRules, line: str, state: Any, seat: Seat, aliases: Mapping[str, str]
) -> int | None:
    """The round that a line means at this position; None if it means none, or cannot be read."""
    try:
        return OrderAheadParser(game, line, state, seat, aliases).order().in_round
    except MoveRefused:
        return None


def kept(game: GameRules, line: str, state: Any, seat: Seat) -> OrderAhead:
    """A canonical line read again, whatever has become of its moment."""
    return OrderAheadParser(game, line, state, seat, {}).order()


# ---- trying ------------------------------------------------------------------------------------


def gone(game: GameRules, order: OrderAhead, state: Any, seat: Seat) -> MoveRefused | None:
    """Why the order's moment cannot come any more, or None."""
    if game.is_terminal(state):
        return IllegalMove("ahead_game_over", rule=RULE)
    in_round = order.in_round
    if in_round is not None and game.chapter(state)[0] > in_round:
        said = game.orders_ahead.words.rounds[in_round - 1]
        return IllegalMove("ahead_round_over", rule=RULE, round=said)
    for form in order.forms:
        refused = game.orders_ahead.gone(form, in_round or 0, state, seat)
        if refused is not None:
            return refused
    return None


def speaks(game: GameRules, order: OrderAhead, state: Any, seat: Seat) -> bool:
    """Whether the order is about the question that is open to the seat now."""
    if seat not in game.current_players(state):
        return False
    if order.in_round is not None and game.chapter(state)[0] != order.in_round:
        return False
    return all(
        game.orders_ahead.speaks(form, state.awaiting, seat) for form in order.forms
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
    """What the order does at this moment, tried on a copy as a letter of its line would be.

    `view` is the seat's observation (made here if None), `facts` late ones as the seat may read
    them, for conditions that the table alone does not tell; `ahead` as in `play.letter`.
    """
    refused = gone(game, order, state, seat)
    if refused is not None:
        return Expired(refused)
    if not speaks(game, order, state, seat):
        return Idle()
    view = game.observation(state, seat) if view is None else view
    for alternative in order.alternatives:
        refused = failing(game, alternative, view, seat, facts)
        if refused is not None:
            continue
        line = line_of(game, alternative.form, view)
        try:
            attempt = play.letter(game, state, seat, line, {}, ahead=ahead)
        except MoveRefused as found:
            refused = found
            continue
        return PlayLine(line, attempt, alternative.form.holds)
    if waits(game, order):
        return Idle()
    return AskOwner(IllegalMove("ahead_asked", rule=RULE) if refused is None else refused)


def waits(game: GameRules, order: OrderAhead) -> bool:
    """Whether nothing is lost by waiting: free moves alone, at no certain question."""
    own = (each.form for each in order.alternatives)
    return order.moment is None and all(map(game.orders_ahead.is_free, own))


def line_of(game: GameRules, form: Instruction, view: Any) -> str:
    """The order line of a form at this moment."""
    return form.text if isinstance(form, PlainOrder) else game.orders_ahead.order(form, view)


def failing(
    game: GameRules, alternative: Alternative, view: Any, seat: Seat, facts: Sequence[Event]
) -> MoveRefused | None:
    """The first condition that does not hold for certain, as a refusal."""
    for condition in alternative.conditions:
        if not holds(game, condition, view, seat, facts):
            said = spelt_condition(game, condition)
            return IllegalMove("ahead_condition", rule=RULE, condition=said)
    return None


def holds(
    game: GameRules, condition: Condition, view: Any, seat: Seat, facts: Sequence[Event]
) -> bool:
    """Whether a condition holds for certain by what the seat sees."""
    whose = seat if condition.seat is None else condition.seat
    if condition.sign.startswith("has"):
        known = game.orders_ahead.known(view, whose, condition.what, facts)
        return known is not None and known == (condition.sign == "has")
    measured = game.orders_ahead.measured(view, whose, condition.what)
    return measured is not None and COMPARED[condition.sign](measured, condition.number)


COMPARED = {
    "<=": int.__le__, ">=": int.__ge__, "<": int.__lt__, ">": int.__gt__, "=": int.__eq__,
}  # fmt: skip


def first(
    game: GameRules,
    state: Any,
    seat: Seat,
    orders: Sequence[tuple[Key, OrderAhead]],
    *,
    facts: Sequence[Event] = (),
    ahead: Sequence[AnswerAhead] = (),
) -> Decision:
    """Which of a seat's orders ahead decides at its open question, and which ones are over.

    One that holds for the rest comes behind all others, whenever it was given.
    """
    over = tuple(expired(game, state, seat, orders))
    keys = {key for key, _ in over}
    view = None
    for key, order in sorted(orders, key=lambda each: each[1].holds):
        if key in keys or not speaks(game, order, state, seat):
            continue
        view = game.observation(state, seat) if view is None else view
        found = try_one(game, order, state, seat, view, facts=facts, ahead=ahead)
        if isinstance(found, PlayLine | AskOwner):
            return Decision(key, found, over)
    return Decision(None, Idle(), over)


def expired(
    game: GameRules, state: Any, seat: Seat, orders: Sequence[tuple[Key, OrderAhead]]
) -> Iterator[tuple[Key, MoveRefused]]:
    """The orders whose moment has passed, each with why."""
    for key, order in orders:
        refused = gone(game, order, state, seat)
        if refused is not None:
            yield key, refused
