"""Every viewer sees the open table, its own purse and hand, and nobody else's before the end."""

import msgspec
import pytest

from engine.chance import Stream
from engine.goa import Goa, view
from engine.goa.component_sets import STANDARD, read
from engine.goa.state import PLACING, Colony, GoaPlayer, GoaState, Marker, Plantation
from tests.engine.goa.tables import final_table

COMPONENTS = read(STANDARD.read_text("utf-8"))
GAME = Goa(COMPONENTS)


def seen(table, viewer=None):
    return view.observation(COMPONENTS, table, viewer)


def opening(seats=4):
    return GAME.new_initial_state(seats, {}, Stream(b"opening", "1")).state


@pytest.mark.parametrize("viewer", [None, 0, 2])
def test_purses_and_hands_are_shown_to_their_owner_alone(viewer):
    table = opening()
    for seat in range(4):
        table.change(seat, ducats=20 + seat, hand=(seat + 1, seat + 11))

    for player in seen(table, viewer).players:
        own = player.seat == viewer
        assert player.ducats == (20 + player.seat if own else None)
        assert (player.hand is not None) == own
        assert player.cards == 2


def test_no_hidden_face_or_order_changes_what_another_sees():
    table = opening()
    table.change(1, ducats=3, hand=(5,))
    other = table.copy()
    other.change(1, ducats=9, hand=(17,))
    other.deck = tuple(reversed(table.deck))
    other.left_out = tuple(reversed(table.left_out))

    for viewer in (None, 0, 2, 3):
        assert msgspec.json.encode(seen(table, viewer)) == msgspec.json.encode(seen(other, viewer))


def test_everything_is_shown_when_the_game_is_over():
    table = final_table(GAME)

    for player in seen(table).players:
        assert player.ducats == table.players[player.seat].ducats
        assert [card.number for card in player.hand] == list(table.players[player.seat].hand)
        assert player.vp == table.players[player.seat].vp


def test_what_lies_open_scores_before_the_end_and_cards_and_ducats_do_not():
    player = GoaPlayer(
        ducats=30, hand=(1, 6), markers=(5, 4, 3, 2, 1),
        plantations=(Plantation("A01", "ginger", 1, 0), None, None, None),
        colonies=(Colony("quilon1", 1, ("ginger", "nutmeg"), (0,) * 5), None, None, None),
        face_down=("B21",),
    )  # fmt: skip
    table = GoaState(players=(player, GoaPlayer()))

    assert seen(table, 0).players[0].points == {
        "markers": 20, "colonies": 1, "cards": 0, "ducats": 0,
        "tiles": 1 + COMPONENTS.by_id["B21"].vp,
    }


def test_fields_show_their_sacks_first_and_what_they_may_hold():
    player = GoaPlayer(
        plantations=(None, Plantation("A06", "ginger", 2, 1), None, None),
        colonies=(None, None, Colony("madras2", 2, ("pepper", "nutmeg"), (0, 0, 0, 1, 0)), None),
    )
    (shown, _) = seen(GoaState(players=(player, GoaPlayer()))).players

    assert [field.sack for field in shown.plantations[1].fields] == ["ginger", None]
    assert [field.sack for field in shown.colonies[2].fields] == ["nutmeg", None]
    assert shown.colonies[2].fields[1].may_hold == ("pepper", "nutmeg")
    assert shown.colonies[2].empty == 1


def test_a_column_says_what_it_gives_and_what_its_next_step_costs():
    table = GoaState(players=(GoaPlayer(markers=(1, 5, 2, 4, 1)), GoaPlayer()))
    shown = seen(table).players[0]

    assert shown.column("taxes") == view.ColumnView("taxes", 2, 6, 8, ("pepper", "cinnamon"))
    assert shown.column("harvest").next_cost is None
    assert shown.hand_limit == 4


def test_lots_are_the_markers_in_their_order_with_who_is_still_to_bid():
    table = opening()
    seat = table.start_player
    while table.phase == PLACING:
        (asked,) = GAME.current_players(table)
        move = next(GAME.answers(table, asked))
        table = GAME.apply_action(table, asked, move, Stream(b"", "")).state

    first, second, *_ = seen(table).lots
    assert (first.number, first.tile, first.auctioneer, first.stands) == (1, None, seat, "open")
    assert first.speaking == tuple((seat + step) % 4 for step in (1, 2, 3, 4))
    assert (second.number, second.auctioneer, second.stands) == (2, (seat + 1) % 4, "waiting")
    assert seen(table).space(second.space).tile == second.tile


def test_a_kept_tile_is_ready_only_while_it_could_be_used():
    ship = next(tile.id for tile in COMPONENTS.by_id.values()
                if tile.kind == "once_a_round" and tile.gain.ships)
    duty = next(tile.id for tile in COMPONENTS.by_id.values() if tile.kind == "duty")
    player = GoaPlayer(tiles=(ship, duty), used=(ship,))
    kept = seen(GoaState(players=(player, GoaPlayer()))).players[0].tiles

    assert [(each.used, each.ready) for each in kept] == [(True, False), (False, False)]


def test_a_marker_lies_on_its_tile_with_its_owner():
    table = opening()
    table.markers = (Marker(2, 3, "c3"),)

    space = seen(table).space("c3")
    assert (space.marker, space.owner) == (2, 3)
    assert space.tile.id == table.grid[12]
