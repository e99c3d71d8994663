"""How a game went: points and money at the end of each phase, and where the points came from.

Read from the positions at which phases end, some tens in a game, not from every entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlmodel import Session

from engine.api import SeatTally, Viewer
from pbem.models import Game, GameState
from pbem.play import narration, positions


@dataclass(frozen=True)
class Moment:
    """How the seats stood when a phase ended."""

    round: int
    phase: int
    entry: int
    tallies: Sequence[SeatTally]


def progress(session: Session, row: Game, viewer: Viewer) -> list[Moment]:
    """The whole course of a game as this viewer may see it; all of it once the game is over."""
    phases = narration.chapters(session, row)
    return [
        Moment(each.round, each.phase, each.last, tallies_at(session, row, each.last, viewer))
        for each in phases
    ]


def tallies_at(session: Session, row: Game, number: int, viewer: Viewer) -> Sequence[SeatTally]:
    """How the seats stood after an entry."""
    table = positions.table(session, row, number)
    rules, state = table.rules, table.state
    seen = rules.tallies(rules.observation(state, viewer))
    if row.state != GameState.FINISHED:
        return seen
    # What each could see of himself then, all may see now: the record is open.
    return [
        seat if seat.money is not None else rules.tallies(rules.observation(state, place))[place]
        for place, seat in enumerate(seen)
    ]
