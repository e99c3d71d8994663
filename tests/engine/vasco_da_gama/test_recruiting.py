"""The recruiting action (VG-4.4)."""

from __future__ import annotations

import pytest

from engine.vasco_da_gama.state import Disc
from tests.engine.vasco_da_gama.positions import (
    ANNA,
    BRAM,
    answers,
    called,
    crew,
    play,
    purses,
    refused,
    sailors,
)

NEXT = Disc(20, BRAM, "projects")  # so that the round does not end


def recruiting(*sections, **anna):
    return called(8, "recruiting", NEXT, sections=sections, given={ANNA: anna})


@pytest.mark.parametrize(("wanted", "price"), [
    ("1 grey", 1), ("3 grey", 1), ("1 violet, 1 grey", 3), ("1 violet, 3 grey", 3),
    ("1 turquoise, 1 violet, 2 grey", 6), ("1 turquoise, 1 violet, 1 grey, 1 orange", 10),
])
def test_sailors_cost_by_their_different_colours_however_many(wanted, price):
    """VG-4.4: 1, 3, 6, 10 Reals."""
    state = recruiting("turquoise, violet, 3 grey, orange")

    state = play(state, f"Anna: recruit 1: {wanted}")

    assert purses(state)[ANNA] == 10 - price
    assert state.players[ANNA].crew == crew(wanted)


def test_sailors_leave_their_section_and_only_that():
    """VG-4.4: two of three grey ones of section 2."""
    state = play(recruiting("grey", "violet, 3 grey"), "Anna: recruit 2: 2 grey")

    assert state.sections[:2] == (sailors("grey"), sailors("violet, grey"))


def test_a_captain_costs_a_real_for_each_sailor_taken_with_him():
    """VG-4.4: 3 for two colours and 3 for three sailors."""
    state = play(recruiting("violet, 2 grey"), "Anna: recruit 1: 1 violet, 2 grey, captain")

    assert purses(state)[ANNA] == 10 - 3 - 3
    assert (state.players[ANNA].captains, state.players[ANNA].captains_waiting) == (2, 5)


def test_a_captain_of_a_section_that_there_is_not_is_not_recruited():
    """VG-4.4"""
    assert refused(recruiting(), "Anna: recruit 9: captain").key == "no_such_section"


def test_a_captain_alone_is_free():
    """VG-4.4"""
    state = play(recruiting(reals=0), "Anna: recruit captain")

    assert purses(state)[ANNA] == 0
    assert state.players[ANNA].captains == 2


def test_there_must_be_a_captain_left_in_the_area():
    """VG-4.4"""
    refusal = refused(recruiting("grey", captains=7, captains_waiting=0), "Anna: recruit captain")

    assert (refusal.key, refusal.rule) == ("no_captain_waiting", "VG-4.4")


def test_more_sailors_than_stand_there_cannot_be_recruited():
    """VG-4.4"""
    refusal = refused(recruiting("grey"), "Anna: recruit 1: 2 grey")

    assert refusal.key == "no_such_sailors"
    assert refusal.numbers == {"section": 1, "colour": "grey", "wanted": 2, "there": 1}


def test_only_active_sections_recruit():
    """VG-4.4: with two players there are two."""
    state = called(8, "recruiting", NEXT, seats=2, sections=["grey", "grey"])

    refusal = refused(state, "Anna: recruit 3: 1 grey")
    assert (refusal.key, refusal.rule) == ("no_such_section", "VG-4.4")
    assert refusal.numbers == {"section": 3, "sections": 2}


def test_every_payable_choice_is_offered():
    """VG-4.4: 2 Reals pay for one colour, and for a captain beside one sailor."""
    assert answers(recruiting("violet, 2 grey", reals=2)) == [
        "recruit 1: 1 grey", "recruit 1: 1 grey, captain", "recruit 1: 2 grey",
        "recruit 1: 1 violet", "recruit 1: 1 violet, captain", "recruit captain", "give up",
    ]


def test_the_captain_is_part_of_what_must_be_paid():
    """VG-3.3: a sailor is 1, the captain 1 more."""
    refusal = refused(recruiting("grey", reals=1), "Anna: recruit 1: 1 grey, captain")

    assert (refusal.rule, refusal.numbers["cost"]) == ("VG-3.3", 2)
