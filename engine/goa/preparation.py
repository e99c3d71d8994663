"""Sets up the table before the first round, in a fixed order of chance (GO-1.1 to GO-1.5)."""

from __future__ import annotations

from itertools import pairwise

from engine.api import Seat
from engine.errors import IllegalMove
from engine.goa.components import GoaComponents
from engine.goa.events import (
    CardTurned,
    DeckShuffled,
    GoaNowAwaiting,
    GoaRoundBegun,
    GoaTableLaid,
    QuickDucatsTaken,
    QuickMarkersMoved,
    QuickStartBegun,
    StartPlayerFound,
    TilesLaidOut,
)
from engine.goa.moves import QuickDucats, QuickMarkers
from engine.goa.state import COLUMNS, SYMBOLS, AwaitQuickStart, GoaState
from engine.journal import Journal


def prepare(components: GoaComponents, journal: Journal) -> None:
    """Set up the table up to the first question (GO-1.1, GO-1.2)."""
    start = components.start
    journal.record(GoaTableLaid(start.ships, start.colonists, components.colony_tiles))
    lay_out_tiles(components, journal, "A")
    cards = tuple(components.cards)
    journal.record(DeckShuffled(journal.chance.shuffled(cards, why="expedition deck")))
    find_start_player(components, journal)
    begin(journal)


def lay_out_tiles(components: GoaComponents, journal: Journal, part: str) -> None:
    """Shuffle a part's tiles and lay the first 25 on the grid (GO-1.2, GO-6.2)."""
    tiles = tuple(tile.id for tile in components.by_id.values() if tile.part == part)
    shuffled = journal.chance.shuffled(tiles, why=f"tiles {part}")
    journal.record(TilesLaidOut(part, shuffled, components.rules.tiles_laid))


def find_start_player(components: GoaComponents, journal: Journal) -> None:
    """Turn cards clockwise until one shows the tiger (GO-1.3)."""
    state: GoaState = journal.state
    start, seats = components.start, len(state.players)
    seat, symbol = state.first_player, ""
    while symbol != SYMBOLS[0]:
        card = state.deck[0]
        journal.record(CardTurned(seat, card))
        symbol, turner, seat = components.cards[card].symbol, seat, (seat + 1) % seats
    journal.record(StartPlayerFound(turner, start.ducats_start_player, start.ducats_others))


def begin(journal: Journal) -> None:
    """Begin the quick start, if it was agreed, else the first round (GO-1.5)."""
    state: GoaState = journal.state
    if state.quick_start:
        journal.record(QuickStartBegun())
        journal.record(GoaNowAwaiting(AwaitQuickStart(state.start_player)))
    else:
        journal.record(GoaRoundBegun("A", 1))


def quick_markers(
    components: GoaComponents, journal: Journal, seat: Seat, move: QuickMarkers
) -> None:
    """Move markers of different columns to row 2 free of charge (GO-1.5).

    Raise IllegalMove for a wrong number or order of columns.
    """
    count = components.rules.quick_start_markers
    for column in move.columns:
        if column not in COLUMNS:
            raise IllegalMove("no_such_column", rule="GO-1.5", column=column)
    places = [COLUMNS.index(column) for column in move.columns]
    if len(places) != count or any(one >= other for one, other in pairwise(places)):
        raise IllegalMove("quick_columns", rule="GO-1.5", count=count)
    journal.record(QuickMarkersMoved(seat, move.columns))
    after_quick_start(journal, seat)


def quick_ducats(components: GoaComponents, journal: Journal, seat: Seat, _: QuickDucats) -> None:
    """Give the seat ducats instead of the markers (GO-1.5)."""
    journal.record(QuickDucatsTaken(seat, components.rules.quick_start_ducats))
    after_quick_start(journal, seat)


def after_quick_start(journal: Journal, seat: Seat) -> None:
    """Ask the next seat clockwise until all have chosen (GO-1.5)."""
    following = (seat + 1) % len(journal.state.players)
    if following == journal.state.start_player:
        journal.record(GoaRoundBegun("A", 1))
    else:
        journal.record(GoaNowAwaiting(AwaitQuickStart(following)))
