"""Charts a game: points and money at the end of each phase, and the sources of points.

It reads the positions at the ends of phases, some tens per game, and not every entry.
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
    """The seats' holdings at the end of a phase."""

    round: int
    phase: int
    entry: int
    tallies: Sequence[SeatTally]


def progress(session: Session, row: Game, viewer: Viewer) -> list[Moment]:
    """Return the chart that this viewer may see: all of it once the game has ended."""
    phases = narration.chapters(session, row)
    return [
        Moment(each.round, each.phase, each.last, tallies_at(session, row, each.last, viewer))
        for each in phases
    ]


def tallies_at(session: Session, row: Game, number: int, viewer: Viewer) -> Sequence[SeatTally]:
    """Return the seats' holdings after an entry."""
    table = positions.table(session, row, number)
    rules, state = table.rules, table.state
    seen = rules.tallies(rules.observation(state, viewer))
    if row.state != GameState.FINISHED:
        return seen
    # What players saw of themselves then is open to everybody now, because the record is public.
    return [
        seat if seat.money is not None else rules.tallies(rules.observation(state, place))[place]
        for place, seat in enumerate(seen)
    ]
