"""Phase 3: navigation (VG-7)."""

from __future__ import annotations

import pytest

from engine.vasco_da_gama.events import LandingPaid, ShipEarned, ShipLeft, ShipSailed
from engine.vasco_da_gama.state import AwaitMerchant, Ship
from tests.engine.vasco_da_gama.positions import (
    ANNA,
    BRAM,
    CHAIM,
    after_navigation,
    answers,
    kinds,
    last_call,
    navigation_facts,
    play,
    purses,
    refused,
    scores,
)

NO_DIAS = {"dias": CHAIM}  # his VP at the round's end go to a seat that the test ignores


def only(kind, facts):
    return [fact for fact in facts if isinstance(fact, kind)]


def test_sernigis_owner_must_send_the_ship_at_the_start_of_phase_3():
    """VG-7.1: Anna owns him; nothing else is possible."""
    state = play(last_call(merchant=4), "Anna: give up")

    assert state.awaiting == AwaitMerchant(ANNA, 4)
    assert answers(state) == ["merchant natal>4", "merchant terra>4", "merchant mozambique>4"]
    assert refused(state, "Anna: give up").rule == "VG-7.1"
    assert play(state, "Anna: merchant mozambique>4").round == 2


@pytest.mark.parametrize(("line", "key"), [
    ("merchant mombasa>5", "slot_above_limit"), ("merchant natal>4", "slot_taken"),
])
def test_the_merchant_ship_takes_an_empty_slot_that_fits(line, key):
    """VG-7.1, VG-6.6: limit 4; Natal is full."""
    state = play(last_call(merchant=4, landings={"natal": [9]}), "Anna: give up")

    refusal = refused(state, f"Anna: {line}")
    assert (refusal.key, refusal.rule) == (key, "VG-6.6")


def test_a_ship_already_sent_is_not_asked_for():
    """VG-7.1"""
    assert after_navigation(merchant=None).round == 2


def test_every_ship_pays_its_owner_what_is_printed_on_it_wherever_it_lies():
    """VG-7.2: I-02 earns 2 Reals, II-03 1 VP, I-06 nothing."""
    facts = navigation_facts(landings={
        "natal": [(ANNA, "I-02")], "mozambique": [(BRAM, "I-06"), (BRAM, "II-03")],
    })

    earned = only(ShipEarned, facts)
    assert [(fact.seat, fact.tile, fact.reals, fact.vp) for fact in earned] == [
        (ANNA, "I-02", 2, 0), (BRAM, "II-03", 0, 1),
    ]


def test_what_ships_earn_reaches_purse_and_score():
    """VG-7.2: 2 Reals for Anna, 1 VP for Bram."""
    state = after_navigation(owners=NO_DIAS, landings={
        "mozambique": [None, (BRAM, "II-03"), (ANNA, "I-02")],
    })

    assert purses(state)[ANNA] == 12
    assert scores(state)[BRAM] == 1


def test_each_ship_in_a_complete_landing_pays_the_landings_vp():
    """VG-7.3: Mombasa pays 3: Anna has two ships there, Bram one, one is the merchant's."""
    facts = navigation_facts(landings={
        "mombasa": [(ANNA, "I-08"), (BRAM, "II-06"), (ANNA, "I-06"), 5],
    })

    assert [(fact.seat, fact.ships, fact.vp) for fact in only(LandingPaid, facts)] == [
        (ANNA, 2, 6), (BRAM, 1, 3),
    ]


def test_an_incomplete_landing_pays_nothing_and_its_ships_stay():
    """VG-7.3, VG-7.4: a slot of Mombasa is empty."""
    row = [(ANNA, "I-08"), None, (ANNA, "I-06"), 5]
    facts = navigation_facts(landings={"mombasa": row})

    assert not only(LandingPaid, facts) + only(ShipSailed, facts) + only(ShipLeft, facts)


def test_ships_pay_before_landings_and_landings_before_sailing():
    """VG-7.4: earn, pay, sail."""
    facts = navigation_facts(landings={"terra": [(ANNA, "II-03"), (BRAM, "II-01")]})

    assert kinds(facts)[:6] == [
        "NavigationBegun", "ShipEarned", "ShipEarned", "LandingPaid", "LandingPaid", "ShipSailed",
    ]


def test_ships_leave_a_complete_landing_from_left_to_right_to_the_leftmost_fitting_slot():
    """VG-7.4: at Mozambique the 6 and a 5 go on, the 4 finds no slot at Mombasa."""
    facts = navigation_facts(landings={
        "mozambique": [(ANNA, "I-08"), (BRAM, "I-04"), (CHAIM, "I-01")],
    })

    assert [(fact.tile, fact.landing, fact.label) for fact in only(ShipSailed, facts)] == [
        ("I-08", "mombasa", "7a"), ("I-04", "mombasa", "5"),
    ]
    assert [(fact.tile, fact.landing, fact.slot) for fact in only(ShipLeft, facts)] == [
        ("I-01", "mozambique", 2),
    ]


def test_a_ship_beyond_calicut_leaves_and_its_captain_comes_home():
    """VG-7.4: Anna has two of the six ships there."""
    state = after_navigation(landings={
        "calicut": [(ANNA, "II-12"), 11, 9, (ANNA, "I-11"), 7, 7],
    })

    assert state.landings[5] == (None,) * 6
    assert state.players[ANNA].captains == 3


def test_a_captain_whose_ship_finds_no_slot_comes_home():
    """VG-7.4: limit 4 cannot go on to Mombasa."""
    state = after_navigation(landings={"mozambique": [6, 5, (CHAIM, "I-01")]})

    assert state.players[CHAIM].captains == 2


def test_landings_are_checked_from_calicut_down():
    """VG-7.4: Malindi's ships find the places that Calicut's have left."""
    state = after_navigation(landings={
        "malindi": [9, 9, 7, 7, 6], "calicut": [11, 11, 9, 9, 7, 7],
    })

    assert state.landings[5] == (None, None, Ship(9), Ship(9), Ship(7), Ship(7))
    assert state.landings[4] == (None,) * 5


def test_sailing_on_pays_neither_slot_vp_nor_bonus():
    """VG-7.4: Anna's ship goes from Terra de Boa Gente to Mozambique; only the landing pays."""
    state = after_navigation(owners=NO_DIAS, landings={"terra": [(ANNA, "I-06"), 4]})

    assert state.landings[2] == (Ship(6, ANNA, "I-06"), None, Ship(4))
    assert scores(state)[ANNA] == 1
    assert state.players[ANNA].captains == 1


def test_a_landing_completed_by_sailing_pays_in_the_next_round():
    """VG-7.5: Natal's ship completes Terra de Boa Gente and stays there."""
    facts = navigation_facts(landings={"natal": [(ANNA, "II-01")], "terra": [(BRAM, "II-02")]})
    state = after_navigation(landings={"natal": [(ANNA, "II-01")], "terra": [(BRAM, "II-02")]})

    assert not only(LandingPaid, facts)
    assert None not in state.landings[1]


def test_no_ship_sails_twice_in_a_phase():
    """VG-7.5: what came to Terra from Natal stays, though Terra was complete before."""
    state = after_navigation(landings={"natal": [9], "terra": [9, 9]})

    assert state.landings[:3] == ((None,), (Ship(9), None), (Ship(9), Ship(9), None))
