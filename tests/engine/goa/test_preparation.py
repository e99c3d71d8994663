"""Set-up (GO-1.1 to GO-1.5)."""

from __future__ import annotations

import pytest

from engine.chance import Scripted
from engine.goa.events import CardTurned, DeckShuffled, TilesLaidOut
from engine.goa.moves import PlaceFlag, PlaceMarker, QuickDucats, QuickMarkers
from engine.goa.state import AwaitFlag, AwaitMarker, AwaitQuickStart
from tests.engine.goa.positions import (
    ALL_A,
    ANNA,
    BRAM,
    CHAIM,
    DORA,
    FIGURES,
    GAME,
    facts,
    offered,
    placing,
    play,
    refusal,
    stream,
)

TIGER, ELEPHANT, FISH = 1, 2, 3  # the first three cards show these symbols


def start(seats=3, *, deck=None, tiles=None, **options):
    """The table after set-up; the given cards lie on top."""
    cards = tuple(FIGURES.cards)
    top = deck or (TIGER,)
    rest = tuple(card for card in cards if card not in top)
    return GAME.new_initial_state(seats, options, Scripted([tiles, (*top, *rest)]))


def test_every_seat_begins_with_ships_and_colonists_and_its_markers_in_row_1():
    """GO-1.1."""
    for player in start().state.players:
        assert (player.ships, player.colonists, player.additional_cards) == (4, 2, 0)
        assert player.markers == (1, 1, 1, 1, 1)
        assert player.plantations == player.colonies == (None, None, None, None)
        assert player.hand == ()


def test_twenty_five_tiles_are_laid_out_and_two_are_never_shown():
    """GO-1.2: the first of a shuffled pile is its top; reading order from a1."""
    turn = start(tiles=ALL_A[::-1])

    assert turn.state.grid == ALL_A[:1:-1]
    assert turn.state.left_out == ("A02", "A01")
    (laid,) = facts(turn, TilesLaidOut)
    for viewer in (None, ANNA, BRAM):
        assert laid.seen_by(viewer).tiles == (*ALL_A[:1:-1], None, None)


def test_nobody_sees_the_deck():
    """GO-1.2, GO-1.3."""
    (shuffled,) = facts(start(), DeckShuffled)

    assert set(shuffled.seen_by(ANNA).cards) == {None}


def test_who_turns_the_tiger_up_is_start_player():
    """GO-1.3: Chaim is first to turn, Bram turns the tiger: cards go round the table."""
    turn = start(deck=(ELEPHANT, FISH, TIGER), first_player=CHAIM)

    assert [(fact.seat, fact.card) for fact in facts(turn, CardTurned)] == [
        (CHAIM, ELEPHANT), (ANNA, FISH), (BRAM, TIGER),
    ]  # fmt: skip
    state = turn.state
    assert state.start_player == BRAM
    assert [player.ducats for player in state.players] == [10, 7, 10]
    assert state.discards == (ELEPHANT, FISH, TIGER)
    assert state.players[BRAM].additional_cards == 0


@pytest.mark.parametrize(("seats", "markers"), [(2, 3), (3, 4), (4, 5)])
def test_the_number_of_markers_depends_on_the_players(seats, markers):
    """GO-1.4: the start player places the last one too."""
    state, placed = placing(seats), 0
    while isinstance(state.awaiting, AwaitFlag | AwaitMarker):
        seat = state.awaiting.seat
        kind = PlaceFlag if placed == 0 else PlaceMarker
        assert seat == placed % seats
        state = play(state, (seat, offered(state, seat, kind)[0]))
        placed += 1

    assert placed == len(state.markers) == markers
    assert state.markers[-1].seat == ANNA


def test_with_the_quick_start_each_seat_moves_two_markers_or_takes_ducats():
    """GO-1.5: from the start player clockwise, before the first round."""
    state = start(deck=(ELEPHANT, TIGER), quick_start=True).state
    assert state.awaiting == AwaitQuickStart(BRAM)
    assert len(list(GAME.answers(state, BRAM))) == 11

    state = play(state, (BRAM, QuickMarkers(("ships", "taxes"))), (CHAIM, QuickDucats()),
                 (ANNA, QuickDucats()))

    assert state.players[BRAM].markers == (2, 1, 2, 1, 1)
    assert [player.ducats for player in state.players] == [20, 7, 20]
    assert state.awaiting == AwaitFlag(BRAM)


@pytest.mark.parametrize("columns", [("ships",), ("taxes", "ships"), ("ships", "ships")])
def test_the_quick_start_moves_two_markers_of_different_columns(columns):
    """GO-1.5."""
    state = start(quick_start=True).state

    assert refusal(state, ANNA, QuickMarkers(columns)) == ("quick_columns", "GO-1.5")
    assert refusal(state, ANNA, QuickMarkers(("ships", "gold"))) == ("no_such_column", "GO-1.5")


def test_without_the_option_nobody_is_asked():
    """GO-1.5."""
    state = start().state

    assert state.awaiting == AwaitFlag(ANNA)
    assert refusal(state, ANNA, QuickDucats()) == ("wrong_order", "GO-2.1")


def test_a_table_has_two_to_four_seats_and_known_options():
    """GO-1.3, GO-1.5."""
    for seats, options in (
        (1, {}), (5, {}), (3, {"first_player": DORA}), (3, {"hand_limit": "never"}),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="no table"):
            GAME.new_initial_state(seats, options, stream("any"))
