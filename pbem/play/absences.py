"""Whether a game waits for its players' word about one of them who does not answer.

Its clocks stand meanwhile: the `pause` entry that names a seat has put the question.
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
    """A seat that the others are asked about, since which entry, and for the how many-th time."""

    seat: Seat
    since: int
    time: int

    @property
    def about(self) -> str:
        """The name of the vote."""
        return f"absent {self.seat} {self.since}"


def asked_about(session: Session, row: Game) -> AbsenceVote | None:
    """About whom the players of a game are asked, if they are."""
    if row.paused is None or row.state != GameState.RUNNING:
        return None
    marks = positions.marks(session, row)
    newest = next((mark for mark in reversed(marks) if mark.cause in ABOUT_CLOCKS), None)
    if newest is None or newest.cause != "pause" or newest.seat is None:
        return None
    asked = [m for m in marks if m.cause == "pause" and m.seat == newest.seat]
    came = [m.number for m in marks if m.cause == "seated" and m.seat == newest.seat]
    behind = max(came, default=0)  # who took the seat over is asked about for the first time
    return AbsenceVote(newest.seat, newest.number, sum(m.number > behind for m in asked))


def came_back(writer: Writer, people: Mapping[int, Person]) -> None:
    """Let the clocks go on once the player who was missed has answered, or his seat is vacant."""
    if writer.row.paused is None:
        return
    if writer.is_over:
        writer.row.paused = None
        return
    writer.flush()
    missed = asked_about(writer.session, writer.row)
    if missed is None:
        return
    seat = writer.seats[missed.seat]
    is_asked = seat.asked_since is not None and seat.asked_since < missed.since
    if not is_asked or seat.resigned is not None:
        deadlines.resume(writer, people, missed.seat)
