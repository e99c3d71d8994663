"""Plays the lines of a submission that come after a reveal, one by one.

A line counts only if its writer could foresee its question: it must be a free move, or belong to
the same turn with no other seat's entry in between. The first line that does not count and all
lines after it come back as a draft.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine import play
from engine.api import AnswerAhead
from engine.errors import IllegalMove, MoveRefused
from engine.notation import OrderLine
from pbem.models import Submission
from pbem.play import positions
from pbem.play.log import MoveSource, Writer


def answers_unseen(writer: Writer, submission: Submission, attempt: play.Attempt) -> bool:
    """Whether a stale submission, which waited for another one, answers an unforeseeable question.
    """
    if all(move.free for _, move in attempt.moves):
        return False
    writer.flush()
    since = positions.entries(writer.session, writer.row, submission.seen + 1, writer.number)
    if any(entry.seat not in (None, submission.seat) for entry in since):
        return True
    if not any(event.reveals for entry in since for event in entry.events):
        return False
    seen = positions.position(writer.session, writer.row, submission.seen)
    turn_under_way = writer.rules.turn_under_way
    return turn_under_way(seen) != turn_under_way(writer.state)


def play_lines(
    writer: Writer,
    source: MoveSource,
    attempt: play.Attempt,
    *,
    aliases: Mapping[str, str],
) -> tuple[MoveRefused | None, list[str]]:
    """Play the lines after a reveal; return the first refusal and the lines that come back.

    Of a line that was played in part, only the rest comes back.
    """
    said, untried = attempt.orders, list(attempt.untried)
    before = attempt.turns[-2].state if len(attempt.turns) > 1 else said.before
    known = writer.rules.turn_under_way(before)  # when the last move was tried
    begun: list[OrderLine] = []
    meant = len(said.unmade) + 1  # the order before the reveal was begun
    try:
        writer.play_orders(source, said, last=not untried)
        while untried:
            begun, meant = [untried.pop(0)], 0
            read_order(writer, source, begun[0], aliases=aliases, said=said, known=known)
            meant = len(said.unmade)
            writer.play_orders(source, said, last=not untried)
    except MoveRefused as refused:
        if len(said.unmade) < meant:
            begun = [OrderLine(1, writer.rules.to_text(move), (move,)) for move in said.unmade]
        back = begun + untried
        if only_end_turn(writer, source.seat, back, aliases):
            return None, []  # the turn is over, or its open question comes first
        return refused, [order.text for order in back]
    return None, []


def only_end_turn(
    writer: Writer, seat: int, orders: list[OrderLine], aliases: Mapping[str, str]
) -> bool:
    """Whether the orders only end the turn, as the page's steps add it."""
    try:
        moves_said = [each for order in orders
                      for each in play.moves_of(writer.rules, writer.state, seat, order, aliases)]
    except MoveRefused:
        return False
    return all(not isinstance(each, AnswerAhead) and each.ends_turn for each in moves_said)


def read_order(
    writer: Writer,
    source: MoveSource,
    order: OrderLine,
    *,
    aliases: Mapping[str, str],
    said: play.LetterOrders,
    known: tuple[Any, ...],
) -> None:
    """Read one order after a reveal, in the position that the reveal opened.

    Raises MoveRefused if it answers a question that its writer could not foresee: one of another
    turn than `known`.
    """
    if not speaks_now(writer, source.seat, order, aliases):
        play_own_forced(writer, source.seat)
    meant = play.moves_of(writer.rules, writer.state, source.seat, order, aliases)
    answers = not all(isinstance(each, AnswerAhead) or each.free for each in meant)
    if answers and writer.rules.turn_under_way(writer.state) != known:
        raise IllegalMove("unseen_question", rule="orders")
    said.add(meant)


def speaks_now(writer: Writer, seat: int, order: OrderLine, aliases: Mapping[str, str]) -> bool:
    """Whether an order is a free move, or the very move that would be forced."""
    try:
        first = play.moves_of(writer.rules, writer.state, seat, order, aliases)[0]
    except MoveRefused:
        return False
    forced = play.forced(writer.rules, writer.state)
    return isinstance(first, AnswerAhead) or first.free or forced == (seat, first)


def play_own_forced(writer: Writer, seat: int) -> None:
    """Play this seat's forced moves."""
    while (forced := play.forced(writer.rules, writer.state)) is not None and forced[0] == seat:
        writer.play_forced(*forced)
