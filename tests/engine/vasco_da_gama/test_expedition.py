"""Expeditions and the bonuses of landings (VG-5)."""

from __future__ import annotations

import pytest

from engine.vasco_da_gama.moves import Send
from engine.vasco_da_gama.state import AwaitSailor, Disc, Ship
from tests.engine.vasco_da_gama.positions import (
    ANNA,
    BRAM,
    GAME,
    Scripted,
    answers,
    called,
    crew,
    events,
    kinds,
    play,
    purses,
    refused,
    refused_move,
    sailors,
    scores,
)

NEXT = Disc(20, BRAM, "projects")  # so that the round does not end


def sailing(*ships, captains=3, landings=None, **fields):
    """Anna is asked for an expedition with these ships in front of her."""
    given = {ANNA: {"ships": ships, "captains": captains, **fields.pop("anna", {})}}
    return called(8, "navigation", NEXT, given=given, landings=landings, **fields)


# ---- sending -----------------------------------------------------------------------------------


def test_each_ship_boards_a_captain_as_it_is_sent():
    """VG-5.1: two ships, two captains."""
    state = play(sailing("I-09", "I-11"), "Anna: send malindi: I-11>9a, I-09>7a")

    assert state.players[ANNA].captains == 1
    assert state.players[ANNA].ships == ()
    assert state.landings[4][:3] == (Ship(9, ANNA, "I-11"), None, Ship(7, ANNA, "I-09"))


def test_a_ship_without_captain_cannot_be_sent():
    """VG-5.1"""
    refusal = refused(sailing("I-09", "I-11", captains=1), "Anna: send malindi: I-11>9a, I-09>7a")

    assert (refusal.key, refusal.rule) == ("too_few_captains", "VG-5.1")
    assert refusal.numbers == {"ships": 2, "captains": 1}


def test_a_project_cannot_be_sent_before_it_is_launched():
    """VG-5.1"""
    refusal = refused(sailing(anna={"projects": ("I-01",)}), "Anna: send natal: I-01>4")

    assert (refusal.key, refusal.rule) == ("not_your_ship", "VG-5.1")


def test_an_expedition_sends_at_least_one_ship():
    """VG-5.1"""
    refusal = refused_move(sailing("I-09"), ANNA, Send("malindi", ()))

    assert (refusal.key, refusal.rule) == ("no_ship_named", "VG-5.1")


def test_a_captain_won_by_the_expedition_sails_only_in_a_later_one():
    """VG-5.1: at Mozambique one captain is won, but two ships need two now."""
    state = sailing("I-07", "I-08", captains=1)

    assert refused(state, "Anna: send mozambique: I-07>6, I-08>5").key == "too_few_captains"


def test_a_ship_takes_an_empty_slot_up_to_its_limit():
    """VG-5.2: limit 7 takes 7, 6 or 5 at Mombasa."""
    state = sailing("I-08", landings={"mombasa": [7, None, 6]})

    assert [line for line in answers(state) if "mombasa" in line] == [
        "send mombasa: I-08>7b", "send mombasa: I-08>5",
    ]
    assert refused(state, "Anna: send mombasa: I-08>7a").key == "slot_taken"
    refusal = refused(state, "Anna: send malindi: I-08>9a")
    assert (refusal.key, refusal.rule) == ("slot_above_limit", "VG-5.2")
    assert refusal.numbers == {"landing": "malindi", "slot": "9a", "limit": 7}


def test_every_choice_of_ships_and_slots_is_offered_once():
    """VG-5.2: at Terra de Boa Gente a 5 and a 4, each by either slot or both together."""
    state = sailing("I-05", "II-01", captains=2)

    assert [line for line in answers(state) if "terra" in line] == [
        "send terra: I-05>5", "send terra: I-05>5, II-01>4", "send terra: I-05>4",
        "send terra: II-01>4",
    ]


def test_no_more_ships_are_offered_than_there_are_captains():
    """VG-5.1: two ships, one captain."""
    assert not [line for line in answers(sailing("I-05", "II-01", captains=1)) if "," in line]


def test_a_ship_scores_the_value_of_its_slot_at_once():
    """VG-5.3: a ship of limit 11 in a slot of 7 scores 7, another in a 9 scores 9."""
    state = play(sailing("II-12", "I-11"), "Anna: send calicut: I-11>9a, II-12>7a")

    assert scores(state)[ANNA] == 16


def test_a_landing_is_complete_when_its_last_slot_is_taken():
    """VG-5.4: Bram's ship and Anna's fill Terra de Boa Gente; it pays both."""
    state = sailing("II-01", landings={"terra": [(BRAM, "II-02")]})
    state = play(state, "Anna: send terra: II-01>4")
    facts = events(state, "Bram: give up")

    paid = [(fact.seat, fact.landing, fact.vp) for fact in facts
            if type(fact).__name__ == "LandingPaid"]
    assert paid == [(ANNA, "terra", 1), (BRAM, "terra", 1)]


def test_slots_do_not_depend_on_the_number_of_players():
    """VG-5.4: with two players Calicut has six slots as well."""
    for seats in (2, 4):
        state = GAME.new_initial_state(
            seats, {}, Scripted([*["turquoise"] * 5, *["violet"] * 5, *["grey"] * 5,
                                 *["orange"] * 5][: 5 * seats] + [None] * 5)
        ).state
        assert [len(moored) for moored in state.landings] == [1, 2, 3, 4, 5, 6]


# ---- bonuses (VG-5.3) --------------------------------------------------------------------------


def test_at_natal_an_upper_project_is_chosen_for_nothing():
    """VG-5.3"""
    state = play(sailing("II-01"), "Anna: send natal: II-01>4")
    assert answers(state) == [f"bonus I-0{number}" for number in range(1, 7)]

    state = play(state, "Anna: bonus I-04")
    assert state.players[ANNA].projects == ("I-04",)
    assert purses(state)[ANNA] == 10
    assert state.awaiting.seat == BRAM


def test_the_only_upper_project_is_given_without_a_question():
    """VG-5.3: where there is no choice nobody is asked."""
    state = sailing("II-01", offer=(None, None, "I-03", None, None, None))
    state = play(state, "Anna: send natal: II-01>4")

    assert state.players[ANNA].projects == ("I-03",)
    assert state.awaiting.seat == BRAM


def test_a_bonus_that_is_not_to_be_had_is_lost():
    """VG-5.3: no upper project is left; São Gabriel is none."""
    facts = events(sailing("II-01", offer=(None,) * 6), "Anna: send natal: II-01>4")

    assert kinds(facts) == ["ActionTaken", "ShipSent", "BonusLost", "NowAwaiting"]


def test_the_bonus_at_natal_is_an_upper_project_that_lies_there():
    """VG-5.3"""
    state = play(sailing("II-01"), "Anna: send natal: II-01>4")

    refusal = refused(state, "Anna: bonus I-07")
    assert (refusal.key, refusal.rule) == ("not_on_offer", "VG-5.3")


def test_at_terra_a_sailor_is_chosen_from_any_section_or_drawn():
    """VG-5.3: each colour of each section, or the bag."""
    state = sailing("II-01", sections=["2 grey", "", "violet, orange"], bag="turquoise")
    state = play(state, "Anna: send terra: II-01>4")
    assert answers(state) == [
        "bonus grey from 1", "bonus violet from 3", "bonus orange from 3", "bonus bag",
    ]

    chosen = play(state, "Anna: bonus orange from 3")
    assert chosen.players[ANNA].crew == crew("orange")
    assert chosen.sections[2] == sailors("violet")
    drawn = play(state, "Anna: bonus bag", draws=["turquoise"])
    assert drawn.players[ANNA].crew == crew("turquoise")
    assert drawn.bag == sailors("")


def test_a_draw_is_seen_before_the_next_bonus_is_chosen():
    """VG-5.3: two ships at Terra de Boa Gente, one question after the other."""
    state = sailing("I-05", "II-01", sections=["grey"], bag="2 violet")
    state = play(state, "Anna: send terra: I-05>5, II-01>4")
    assert state.awaiting == AwaitSailor(ANNA, "terra", left=1)

    state = play(state, "Anna: bonus bag", draws=["violet"])
    assert state.players[ANNA].crew == crew("violet")
    assert state.awaiting == AwaitSailor(ANNA, "terra", left=0)


def test_with_an_empty_bag_and_one_sailor_there_is_no_choice():
    """VG-5.3: he comes at once; the second bonus is lost."""
    state = sailing("I-05", "II-01", sections=["", "grey"])
    facts = events(state, "Anna: send terra: I-05>5, II-01>4")

    assert kinds(facts)[3:] == ["BonusSailor", "BonusLost", "NowAwaiting"]
    assert (facts[3].colour, facts[3].section) == ("grey", 2)


def test_with_empty_sections_the_bonus_is_drawn_without_a_question():
    """VG-5.3"""
    state = play(sailing("II-01", bag="2 violet"), "Anna: send terra: II-01>4", draws=["violet"])

    assert state.players[ANNA].crew == crew("violet")
    assert state.awaiting.seat == BRAM


@pytest.mark.parametrize(("line", "key"), [
    ("bonus violet from 1", "no_such_sailor"), ("bonus grey from 2", "no_such_sailor"),
    ("bonus bag", "bag_empty"),
])
def test_a_sailor_must_stand_where_he_is_chosen(line, key):
    """VG-5.3: grey and orange stand in section 1, the bag is empty."""
    state = play(sailing("II-01", sections=["grey, orange"]), "Anna: send terra: II-01>4")

    assert (refused(state, f"Anna: {line}").key, refused(state, f"Anna: {line}").rule) == (
        key, "VG-5.3",
    )


def test_at_mozambique_a_captain_comes_if_any_is_left():
    """VG-5.3: one waits, two ships are sent."""
    state = sailing("I-07", "I-08", captains=2, anna={"captains_waiting": 1})
    facts = events(state, "Anna: send mozambique: I-07>6, I-08>5")

    assert kinds(facts)[3:] == ["BonusCaptain", "BonusLost", "NowAwaiting"]
    assert play(state, "Anna: send mozambique: I-07>6").players[ANNA].captains == 2


@pytest.mark.parametrize(("line", "reals"), [
    ("send mombasa: I-08>7a", 2), ("send malindi: I-08>7a", 1), ("send calicut: I-08>7a", 0),
    ("send mombasa: I-08>7a, I-07>6", 4),
])
def test_mombasa_pays_2_reals_a_ship_malindi_1_and_calicut_nothing(line, reals):
    """VG-5.3"""
    assert purses(play(sailing("I-07", "I-08"), f"Anna: {line}"))[ANNA] == 10 + reals


def test_the_mombasa_bonus_cannot_pay_for_the_right():
    """VG-3.3: the right costs 1, the purse is empty."""
    state = sailing("I-08", anna={"reals": 0}, marker=9)

    assert refused(state, "Anna: send mombasa: I-08>7a").rule == "VG-3.3"
