"""Counts the final score and the places (GO-9.1, GO-9.2)."""

from __future__ import annotations

from engine.api import Seat, Standing
from engine.goa.components import GoaComponents
from engine.goa.events import (
    CardsCounted,
    ColoniesCounted,
    DucatsCounted,
    GoaGameEnded,
    HandsShown,
    MarkersCounted,
    TilesCounted,
)
from engine.goa.state import SOURCES, SYMBOLS, GoaPlayer, GoaState
from engine.journal import Journal


def count_up(components: GoaComponents, journal: Journal) -> None:
    """Show purses and hands, count everything, and set the places (GO-9.1, GO-9.2)."""
    players: tuple[GoaPlayer, ...] = journal.state.players
    ducats = tuple(player.ducats for player in players)
    journal.record(HandsShown(ducats, tuple(player.hand for player in players)))
    for seat in range(len(players)):
        count_boards(components, journal, seat)
        count_cards(components, journal, seat)
        if ducats[seat] == max(ducats):
            journal.record(DucatsCounted(seat, ducats[seat], components.final.most_ducats_vp))
        count_tiles(components, journal, seat)
    points = tuple(player.vp for player in journal.state.players)
    journal.record(GoaGameEnded(places(journal.state), points))


def count_boards(components: GoaComponents, journal: Journal, seat: Seat) -> None:
    """Score the rows of success markers and the number of colonies (GO-9.1)."""
    player: GoaPlayer = journal.state.players[seat]
    rows = components.development.vp.rows
    vp = sum(rows[row - 1] for row in player.markers)
    journal.record(MarkersCounted(seat, player.markers, vp))
    colonies = sum(colony is not None for colony in player.colonies)
    if colonies:
        vp = components.colonies_vp.by_number[colonies - 1]
        journal.record(ColoniesCounted(seat, colonies, vp))


def count_cards(components: GoaComponents, journal: Journal, seat: Seat) -> None:
    """Score the cards in hand, symbol by symbol (GO-9.1)."""
    symbols = [components.cards[card].symbol for card in journal.state.players[seat].hand]
    for symbol in SYMBOLS:
        alike = symbols.count(symbol)
        if alike:
            vp = components.final.symbols_vp[alike - 1]
            journal.record(CardsCounted(seat, symbol, alike, vp))


def count_tiles(components: GoaComponents, journal: Journal, seat: Seat) -> None:
    """Score missions, duties done and single-field plantations (GO-9.1, GO-8.1, GO-8.4)."""
    player: GoaPlayer = journal.state.players[seat]
    board = tuple(each.tile for each in player.plantations if each is not None)
    worth = {tile: components.by_id[tile].vp for tile in player.face_down + board}
    tiles = tuple(sorted(tile for tile, vp in worth.items() if vp))
    if tiles:
        journal.record(TilesCounted(seat, tiles, sum(worth.values())))


def places(state: GoaState) -> tuple[int, ...]:
    """Return places by seat, from 1: most VP, then most ducats, else shared (GO-9.2)."""
    strengths = [(player.vp, player.ducats) for player in state.players]
    return tuple(1 + sum(other > own for other in strengths) for own in strengths)


def standings(state: GoaState) -> tuple[Standing, ...]:
    """Return each seat's place and points by source; all are first before the end (GO-9.2)."""
    ranks = state.places or (1,) * len(state.players)
    return tuple(
        Standing(seat, ranks[seat], player.vp, dict(zip(SOURCES, player.points, strict=True)))
        for seat, player in enumerate(state.players)
    )
