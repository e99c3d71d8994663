"""Takes pieces from the common supply: sailors, projects, Dias's VP and missionaries."""

from __future__ import annotations

from engine.api import Seat
from engine.journal import Journal
from engine.vasco_da_gama.components import VascoComponents
from engine.vasco_da_gama.events import (
    DiasHonoured,
    MissionaryNotLeft,
    MissionaryTaken,
    ProjectsLaidOut,
)
from engine.vasco_da_gama.state import SAILORS, VascoState


def draw_sailors(journal: Journal, number: int) -> tuple[str, ...]:
    """Draw so many sailors from the bag, one at a time, or as many as there are (VG-1.8)."""
    bag = [
        colour
        for colour, count in zip(SAILORS, journal.state.bag, strict=True)
        for _ in range(count)
    ]
    drawn = []
    for _ in range(min(number, len(bag))):
        sailor = journal.chance.drawn(bag, why="sailor")
        bag.remove(sailor)
        drawn.append(sailor)
    return tuple(drawn)


def lay_out_projects(components: VascoComponents, journal: Journal) -> None:
    """Lay out projects: the São Gabriel project first, then the upper spaces (VG-1.5)."""
    state: VascoState = journal.state
    spaces = components.projects_action.upper_spaces
    tiles = [tile for deck in state.decks for tile in deck][: spaces + 1]
    journal.record(ProjectsLaidOut(tiles[0], tuple(tiles[1:])))


def honour_dias(journal: Journal, seat: Seat, vp: int) -> None:
    """Give the owner of Dias VP (VG-1.2, VG-6.3)."""
    if vp:
        journal.record(DiasHonoured(seat, vp))


def take_missionaries(components: VascoComponents, journal: Journal, seat: Seat) -> None:
    """Give the owner of Alvares a missionary if any is left; none is owed (VG-1.3, VG-6.4)."""
    for _ in range(components.characters.alvares_missionaries):
        if not journal.state.missionaries:
            journal.record(MissionaryNotLeft(seat))
            return
        journal.record(MissionaryTaken(seat))
