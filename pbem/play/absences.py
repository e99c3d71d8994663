"""Finds the open vote about an absent player, and ends the pause when they return.

The `pause` entry that names a seat opens the vote. The game's clocks stand until it ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sqlmodel import Session

from engine.api import Seat
from pbem.models import Game, GameState, Person
from pbem.play import deadlines, positions
from pbem.play.log import Writer

ABOUT_CLOCKS = frozenset({"pause", "resume"})


class AbsenceVote(NamedTuple):
    """The vote about an absent player.

    `since`: the entry that opened it. `time`: 1 for the first vote about this player, 2 for the
    second, and so on.
    """

    seat: Seat
    since: int
    time: int

    @property
    def about(self) -> str:
        """The vote's name, as `Vote.about` stores it."""
        return f"absent {self.seat} {self.since}"


def open_vote(session: Session, row: Game) -> AbsenceVote | None:
    """The open vote about an absent player; None if there is none."""
    if row.paused is None or row.state != GameState.RUNNING:
        return None
    marks = positions.marks(session, row)
    newest = next((mark for mark in reversed(marks) if mark.cause in ABOUT_CLOCKS), None)
    if newest is None or newest.cause != "pause" or newest.seat is None:
        return None
    asked = [m for m in marks if m.cause == "pause" and m.seat == newest.seat]
    came = [m.number for m in marks if m.cause == "seated" and m.seat == newest.seat]
    behind = max(came, default=0)  # votes about an earlier player of the seat do not count
    return AbsenceVote(newest.seat, newest.number, sum(m.number > behind for m in asked))


def resume_if_back(writer: Writer, people: Mapping[int, Person]) -> None:
    """Resume a paused game's clocks if the absent player has answered or their seat is vacant."""
    if writer.is_over:
        writer.row.paused = None
        return
    writer.flush()
    missed = open_vote(writer.session, writer.row)
    if missed is None:
        return
    seat = writer.seats[missed.seat]
    is_asked = seat.asked_since is not None and seat.asked_since < missed.since
    if not is_asked or seat.resigned is not None:
        deadlines.resume(writer, people, missed.seat)
