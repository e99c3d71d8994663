"""A letter's lines behind something that was revealed: read and played one by one.

A line counts only for what its writer could foresee: a free move, or a question of the same turn,
with no other seat's entry in between. From the first line that does not fit on, they come back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine import play
from engine.api import AnswerAhead
from engine.errors import IllegalMove, MoveRefused
from pbem.models import Submission
from pbem.play import positions, submit
from pbem.play.log import MoveSource, Writer


def foreseen(writer: Writer, attempt: play.Attempt) -> tuple[Any, ...]:
    """The turn in which the letter's last move was tried, by the table in front of it."""
    before = attempt.turns[-2].state if len(attempt.turns) > 1 else writer.state
    return writer.rules.turn_under_way(before)


def answers_unseen(writer: Writer, submission: Submission, attempt: play.Attempt) -> bool:
    """Whether a letter that waited behind another of its seat answers what nobody could foresee."""
    seat = writer.seats[submission.seat]
    if all(move.free for _, move in attempt.moves) or not submit.is_stale(seat, submission.seen):
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
    known: tuple[Any, ...],
) -> tuple[MoveRefused | None, list[str]]:
    """Play a letter's lines behind a reveal one by one; the first refusal, and what comes back.

    Of a line that was played in part, only the rest comes back.
    """
    said, untried = attempt.said, list(attempt.untried)
    line: list[str] = []
    meant = len(said.unmade) + 1  # the order in front of the reveal was begun
    try:
        writer.play_orders(source, said, last=not untried)
        while untried:
            line, meant = [untried.pop(0)], 0
            read_line(writer, source, line[0], aliases=aliases, said=said, known=known)
            meant = len(said.unmade)
            writer.play_orders(source, said, last=not untried)
    except MoveRefused as refused:
        if len(said.unmade) < meant:
            line = [writer.rules.to_text(move) for move in said.unmade]
        back = line + untried
        if only_end_turn(writer, source.seat, back, aliases):
            return None, []  # the turn is over, or its open question comes first
        return refused, back
    return None, []


def only_end_turn(
    writer: Writer, seat: int, lines: list[str], aliases: Mapping[str, str]
) -> bool:
    """Whether lines say no more than that the turn ends, as the steps of the page write it."""
    try:
        moves_said = [each for line in lines
                      for each in writer.rules.from_text(line, writer.state, seat, aliases)]
    except MoveRefused:
        return False
    return all(not isinstance(each, AnswerAhead) and each.ends_turn for each in moves_said)


def read_line(
    writer: Writer,
    source: MoveSource,
    line: str,
    *,
    aliases: Mapping[str, str],
    said: play.LetterOrders,
    known: tuple[Any, ...],
) -> None:
    """Read one line behind a reveal, against the position that it revealed.

    Raises MoveRefused where it answers what its writer could not know: another turn than `known`.
    """
    if not speaks_now(writer, source.seat, line, aliases):
        play_own_forced(writer, source.seat)
    order = writer.rules.from_text(line, writer.state, source.seat, aliases)
    answers = not all(isinstance(each, AnswerAhead) or each.free for each in order)
    if answers and writer.rules.turn_under_way(writer.state) != known:
        raise IllegalMove("unseen_question", rule="orders")
    said.say(order)


def speaks_now(writer: Writer, seat: int, line: str, aliases: Mapping[str, str]) -> bool:
    """Whether a line is free, or gives the very answer that would be played unasked."""
    try:
        first = writer.rules.from_text(line, writer.state, seat, aliases)[0]
    except MoveRefused:
        return False
    forced = play.forced(writer.rules, writer.state)
    return isinstance(first, AnswerAhead) or first.free or forced == (seat, first)


def play_own_forced(writer: Writer, seat: int) -> None:
    """What the seat's own questions answer by themselves."""
    while (forced := play.forced(writer.rules, writer.state)) is not None and forced[0] == seat:
        writer.play_forced(*forced)
