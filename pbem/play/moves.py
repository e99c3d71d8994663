"""Moves that a player wanted, one by one, as entries of whoever holds the game's lock."""

from __future__ import annotations

from typing import Any, NamedTuple

from engine import play
from engine.api import Seat, Transition
from pbem.play.log import Writer


class By(NamedTuple):
    """Whose moves they are, how they came, and the letter of orders that said them."""

    seat: Seat
    cause: str
    submission: int | None


def play_move(writer: Writer, by: By, move: Any) -> None:
    """One move with the game's own chance becomes one entry."""
    append(writer, by, move, play.move(writer.rules, writer.state, by.seat, move, writer.stream()))


def append(writer: Writer, by: By, move: Any, turn: Transition) -> None:
    """The result of a move as one entry."""
    writer.append(by.seat, move, turn, cause=by.cause, submission=by.submission)
    writer.seats[by.seat].misses = 0


def play_forced(writer: Writer, seat: int, move: Any) -> None:
    """One move that its question left no choice of."""
    turn = play.move(writer.rules, writer.state, seat, move, writer.stream())
    writer.append(seat, move, turn, cause="forced")


def play_tried(writer: Writer, by: By, attempt: play.Attempt) -> None:
    """What was tried on a copy of this very table: nothing was drawn, so it stands as tried.

    A last move that stopped in front of a reveal is played with the game's own chance.
    """
    for (_, move), turn in zip(attempt.moves, attempt.turns, strict=True):
        if turn.stopped:
            play_move(writer, by, move)
        else:
            append(writer, by, move, turn)


def play_said(writer: Writer, by: By, said: play.Said, *, last: bool) -> None:
    """What is said and not yet played, and what follows by itself from the orders so far."""
    while (move := said.next_move(writer.state, last=last)) is not None:
        play_move(writer, by, move)
        said.made()
