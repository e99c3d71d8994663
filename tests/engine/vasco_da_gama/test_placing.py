"""Phase 1: placing action discs (VG-2)."""

from __future__ import annotations

from engine.vasco_da_gama.components import Slots
from engine.vasco_da_gama.moves import PlaceDisc
from engine.vasco_da_gama.state import ACTIONS, AwaitCalledAction, AwaitPlacement, Disc
from tests.engine.vasco_da_gama.positions import (
    ANNA,
    BRAM,
    CHAIM,
    DORA,
    FIGURES,
    GAME,
    Scripted,
    after_navigation,
    answers,
    kinds,
    placing,
    play,
    refused,
    refused_move,
    turn,
    with_figures,
)


def row(area, seat, *numbers):
    return [Disc(number, seat, area) for number in numbers]


def test_the_face_up_tile_sets_the_marker_and_lays_two_amounts():
    """VG-2.1: the tile with 11, 9 and 4 goes left as round 2 begins."""
    tile = next(place for place, tile in enumerate(FIGURES.vasco_da_gama_tiles)
                if tile.initial == 11)
    state = after_navigation(upcoming=tile, tiles=(0, 1, 2))

    assert (state.tile, state.marker, state.money) == (tile, 11, (9, 4))
    assert state.upcoming is None


def test_placing_goes_clockwise_one_disc_a_turn():
    """VG-2.2"""
    state = play(placing(CHAIM), "Chaim: place 8 characters")

    assert state.discs == (Disc(8, CHAIM, "characters"),)
    assert state.players[CHAIM].discs == 3
    assert state.awaiting == AwaitPlacement(DORA)
    assert play(state, "Dora: place 3 projects").awaiting == AwaitPlacement(ANNA)


def test_a_seat_with_no_disc_left_is_skipped():
    """VG-2.2: Bram and Chaim have placed all."""
    state = play(placing(ANNA, left=(1, 0, 0, 1)), "Anna: place 8 characters")

    assert state.awaiting == AwaitPlacement(DORA)


def test_a_sequence_number_is_chosen_once():
    """VG-2.2"""
    refusal = refused(placing(discs=row("projects", BRAM, 7)), "Anna: place 7 characters")

    assert (refusal.key, refusal.rule, refusal.numbers) == ("number_taken", "VG-2.2", {"number": 7})


def test_there_is_no_number_beyond_those_of_the_zone():
    """VG-2.2"""
    refusal = refused(placing(additional=ANNA), "Anna: place 23 characters")

    assert (refusal.key, refusal.rule) == ("no_such_number", "VG-2.2")


def test_there_are_four_areas():
    """VG-2.2: an order could not name another one, a move can."""
    refusal = refused_move(placing(), ANNA, PlaceDisc(8, "sea"))

    assert (refusal.key, refusal.rule) == ("no_such_area", "VG-2.2")


def test_every_free_number_and_area_can_be_chosen():
    """VG-2.2: 19 numbers are free, and three areas."""
    state = placing(left=(4, 4), discs=[
        *row("navigation", BRAM, 1, 2), *row("navigation", ANNA, 3),
    ])

    lines = answers(state)
    assert len(lines) == 17 * 3
    assert "place 4 projects" in lines
    assert "place 4 navigation" not in lines


def test_placing_ends_when_every_disc_is_placed():
    """VG-2.2: the lowest number is called."""
    state = placing(DORA, left=(0, 0, 0, 1), discs=row("projects", BRAM, 7))
    state = play(state, "Dora: place 9 characters")

    assert state.phase == ACTIONS
    assert isinstance(state.awaiting, AwaitCalledAction)
    assert (state.awaiting.seat, state.awaiting.number) == (BRAM, 7)


def test_manuels_owner_places_the_additional_disc_with_21_or_22():
    """VG-2.3: at any one of his turns; it leaves his ordinary discs alone."""
    state = play(placing(additional=ANNA), "Anna: place 22 navigation")

    assert state.players[ANNA].discs == 4
    assert state.discs == (Disc(22, ANNA, "navigation"),)


def test_manuels_owner_has_one_turn_more():
    """VG-2.3: all ordinary discs lie, the additional one does not."""
    state = placing(DORA, left=(0, 0, 0, 1), additional=BRAM)
    state = play(state, "Dora: place 9 characters")

    assert state.awaiting == AwaitPlacement(BRAM)
    assert answers(state, BRAM) == [
        f"place {number} {area}" for number in (21, 22)
        for area in ("navigation", "recruiting", "projects", "characters")
    ]
    assert refused(state, "Bram: place 4 projects").key == "no_disc_left"


def test_only_the_additional_disc_may_use_21_and_22():
    """VG-2.3: Anna does not own Manuel."""
    refusal = refused(placing(additional=BRAM), "Anna: place 21 projects")

    assert (refusal.key, refusal.rule) == ("no_additional_disc", "VG-2.3")


def test_the_additional_disc_is_placed_once():
    """VG-2.3"""
    state = placing(additional=ANNA, discs=row("projects", ANNA, 21))

    assert refused(state, "Anna: place 22 projects").key == "no_additional_disc"


def test_an_area_has_as_many_slots_as_the_number_of_players_gives_it():
    """VG-2.4: three with two players, five with four."""
    with_two = placing(left=(4, 4), discs=row("characters", BRAM, 1, 2, 3))
    with_four = placing(discs=row("characters", BRAM, 1, 2, 3))

    refusal = refused(with_two, "Anna: place 8 characters")
    assert (refusal.key, refusal.rule) == ("area_full", "VG-2.4")
    assert refusal.numbers == {"area": "characters", "slots": 3}
    assert play(with_four, "Anna: place 8 characters").awaiting == AwaitPlacement(BRAM)


def test_where_no_slot_is_free_discs_stay_unplaced_and_take_no_action():
    """VG-2.5: a set with one slot an area for two players."""
    few = dict.fromkeys(("navigation", "recruiting", "projects", "characters"), 1)
    crowded = with_figures(action_slots={"2": Slots(**few)})
    state = placing(left=(2, 1), discs=[
        *row("navigation", BRAM, 1), *row("recruiting", BRAM, 2), *row("projects", BRAM, 3),
    ])

    after = crowded.apply_action(
        state, ANNA, GAME.from_text("place 8 characters", state, ANNA, {})[0], Scripted()
    )

    assert kinds(after.events)[:3] == ["DiscPlaced", "DiscsKeptBack", "VariationTurned"]
    assert [player.discs for player in after.state.players] == [0, 0]
    assert after.state.awaiting.number == 1


def test_a_placement_is_all_that_happens_in_its_turn():
    """VG-2.2: the placement, then the next question."""
    assert kinds(turn(placing(), "Anna: place 8 characters").events) == ["DiscPlaced",
                                                                        "NowAwaiting"]
