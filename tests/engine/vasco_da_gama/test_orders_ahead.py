"""Orders ahead in Vasco da Gama: discs (VG-2.2), called numbers (VG-3.2), launches (VG-4.3)."""

from __future__ import annotations

import pytest

from engine import orders_ahead
from engine.errors import MoveRefused
from engine.vasco_da_gama.moves import Buy, BuyGabriel, GiveUp, Launch, PlaceDisc
from engine.vasco_da_gama.state import NAVIGATION, Disc
from tests.engine.vasco_da_gama.positions import (
    ANNA,
    BRAM,
    CHAIM,
    FIGURES,
    GAME,
    called,
    crew,
    placing,
)

TILES = [row.id for row in FIGURES.projects]


def order(state, line, seat=ANNA):
    """An order ahead as it is read at this table."""
    return orders_ahead.read(GAME, line, state, seat, {})


def outcome(state, line, seat=ANNA, given=None):
    """What it comes to here; `given`: the table at which it was given."""
    said = order(state if given is None else given, line, seat)
    return orders_ahead.try_one(GAME, said, state, seat)


def played(*args, **kwargs):
    """The moves that it plays here."""
    found = outcome(*args, **kwargs)
    assert isinstance(found, orders_ahead.PlayLine), found
    return [move for _, move in found.attempt.moves]


def refusal(state, line, seat=ANNA):
    """Key and rule by which an order ahead is not taken."""
    with pytest.raises(MoveRefused) as refused:
        order(state, line, seat)
    return refused.value.key, refused.value.rule


# ---- lines -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "line"),
    [
        ("place 8 recruiting else 9 recruiting else ask",
         "place 8 recruiting else place 9 recruiting else ask"),
        ("at 11: buy gabriel if crew <= 3 else give up",
         "at 11: buy gabriel if crew <= 3 else give up in round 1"),
        ("buy I-01 I-02 if money >= 4 else I-01 else give up",
         "buy I-01 I-02 if reals >= 4 else buy I-01 else give up"),
        ("recruit 1: viol, 2 grey", "recruit 1: violet, 2 grey"),
        ("take 3", "take 3"),
        ("send terra: I-01 > 2", None),
        ("launch I-01: missionary", "launch I-01: missionary"),
        ("place 3 projects in round 4", "place 3 projects in round 4"),
        ("at 5: give up in round 2", "at 5: give up in round 2"),
    ],
)  # fmt: skip
def test_an_order_ahead_is_written_in_full_words(written, line):
    """What a line leaves open to the table, it leaves open: an amount, a tile, a slot."""
    state = placing(discs=[Disc(11, ANNA, "projects")])
    if line is None:
        assert refusal(state, written) == ("unknown_slot", "orders")
        return

    said = order(state, written)

    assert orders_ahead.text(GAME, said) == line
    assert orders_ahead.reread(GAME, line, state, ANNA) == said


@pytest.mark.parametrize(
    ("line", "key", "rule"),
    [
        ("at 25: give up", "no_such_number", "VG-2.2"),
        ("at 4: give up", "number_called", "VG-3.2"),
        ("at 12: give up", "number_taken", "VG-2.2"),
        ("buy I-01 else recruit captain", "ahead_mixed", "orders"),
        ("at 9: place 3 projects", "ahead_mixed", "orders"),
        ("place 3 projects if red has bid", "unknown_word", "orders"),
        ("at: give up", "wrong_shape", "orders"),
    ],
)
def test_what_can_never_be_meant_is_refused_with_the_rule(line, key, rule):
    """VG-2.2, VG-3.2: in phase 2 every disc lies."""
    state = called(7, "projects", Disc(9, ANNA, "recruiting"), Disc(12, BRAM, "projects"))

    assert refusal(state, line) == (key, rule)


def test_a_number_may_be_named_while_discs_are_placed():
    """VG-2.2: the disc may still come; one of another seat is there for the round."""
    state = placing(discs=[Disc(12, BRAM, "projects")])

    assert orders_ahead.text(GAME, order(state, "at 4: give up")) == "at 4: give up in round 1"
    assert refusal(state, "at 12: give up") == ("number_taken", "VG-2.2")


def test_behind_the_last_number_it_is_one_of_the_next_round():
    """VG-3.2, VG-8.1; behind the last round there is none."""
    state = placing()
    state.phase = NAVIGATION

    assert orders_ahead.text(GAME, order(state, "at 4: give up")) == "at 4: give up in round 2"
    state.round = 5
    assert refusal(state, "at 4: give up") == ("ahead_game_over", "orders")


def test_who_hosts_manuel_may_say_what_his_disc_shall_do():
    """VG-6.2: it is placed in phase 2."""
    state = called(7, "characters")

    assert orders_ahead.text(GAME, order(state, "at 21: give up")) == "at 21: give up in round 1"


# ---- trying ------------------------------------------------------------------------------------


def test_the_first_number_that_is_free_is_placed():
    """VG-2.2."""
    line = "place 8 recruiting else 9 recruiting else ask"
    assert played(placing(), line) == [PlaceDisc(8, "recruiting")]

    taken = placing(discs=[Disc(8, BRAM, "projects")])
    assert played(taken, line) == [PlaceDisc(9, "recruiting")]

    both = placing(discs=[Disc(8, BRAM, "projects"), Disc(9, CHAIM, "projects")])
    found = outcome(both, line)
    assert isinstance(found, orders_ahead.AskOwner)
    assert found.refused.key == "number_taken"


def test_a_called_number_waits_for_its_call():
    """VG-3.2."""
    line = "at 11: buy gabriel if crew <= 3 else give up"
    given = called(7, "projects", Disc(11, ANNA, "projects"))
    assert isinstance(outcome(given, line), orders_ahead.Idle)

    state = called(11, "projects")
    price = FIGURES.by_id[state.gabriel].crew
    wanted = [BuyGabriel()] if price <= 3 else [GiveUp()]
    assert played(state, line, given=given) == wanted
    assert played(state, line.replace("3", "9"), given=given) == [BuyGabriel()]
    state.gabriel = None
    assert played(state, line.replace("3", "9"), given=given) == [GiveUp()]


def test_a_number_that_was_called_is_over():
    """VG-3.5: by hand, or by a disc that went elsewhere."""
    given = called(7, "projects", Disc(11, ANNA, "projects"))
    state = called(13, "projects", Disc(11, ANNA, "projects", "taken"))

    found = outcome(state, "at 11: give up", given=given)

    assert isinstance(found, orders_ahead.Expired)
    assert (found.refused.key, found.refused.rule) == ("number_called", "VG-3.2")


def test_a_disc_of_a_round_whose_discs_all_lie_is_over():
    """VG-3.2, VG-6.2: but for those of Manuel's host, and those of later rounds."""
    given = placing(discs=[Disc(11, ANNA, "projects")])
    state = called(7, "projects", Disc(11, ANNA, "projects"))

    found = outcome(state, "place 3 projects else 4 projects in round 1", given=given)

    assert isinstance(found, orders_ahead.Expired)
    assert (found.refused.key, found.refused.rule) == ("number_called", "VG-3.2")
    for line in ("place 3 projects", "place 21 projects in round 1", "place 3 projects in round 2"):
        assert isinstance(outcome(state, line, given=given), orders_ahead.Idle), line


def test_an_order_of_an_area_waits_for_a_disc_there():
    """VG-3.2: giving up does not."""
    state = called(7, "recruiting")

    assert isinstance(outcome(state, "buy I-01 else give up"), orders_ahead.Idle)
    assert played(state, "give up") == [GiveUp()]
    assert played(called(7, "projects"), "buy I-01 else give up") == [Buy(("I-01",))]


def test_a_launch_waits_until_it_can_be_made():
    """VG-4.3: it answers no question, so it asks none; at a number of its own it does."""
    few, many = crew(""), crew("2 grey, 2 violet, 2 orange, 2 turquoise")
    size = FIGURES.by_id["I-01"].crew
    colours = ("turquoise", "violet", "grey", "orange")[:size]
    line = f"launch I-01: {', '.join(colours)}"
    state = called(7, "navigation", given={ANNA: {"projects": ("I-01",), "crew": few}})

    assert isinstance(outcome(state, line), orders_ahead.Idle)
    assert isinstance(outcome(state, f"at 7: {line}"), orders_ahead.AskOwner)
    ready = called(7, "navigation", given={ANNA: {"projects": ("I-01",), "crew": many}})
    assert played(ready, line) == [Launch("I-01", colours)]


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("reals >= 10", True), ("captains < 1", False), ("red captains = 1", True),
        ("price = 0", True), ("sailors = 3 and grey = 2", True), ("missionaries > 0", True),
        ("projects = 0", True), ("ships = 0", True), ("points = 0", True), ("first = 1", True),
        ("round = 1", True), ("crew > 9", False), ("black reals at most 9", False),
    ],
)  # fmt: skip
def test_a_condition_compares_what_lies_open(condition, holds):
    """Rules, section 9: all holdings are open."""
    state = called(7, "projects", given={ANNA: {"crew": "violet, 2 grey, white"}})

    found = outcome(state, f"give up if {condition}")

    assert isinstance(found, orders_ahead.PlayLine if holds else orders_ahead.AskOwner)


def test_where_there_is_nothing_to_measure_a_condition_does_not_hold():
    """VG-4.1: the São Gabriel project is gone; no number is called."""
    state = called(7, "projects", gabriel=None)

    assert isinstance(outcome(state, "give up if crew < 99"), orders_ahead.AskOwner)
    assert isinstance(outcome(placing(), "place 3 projects if price < 99"), orders_ahead.AskOwner)
