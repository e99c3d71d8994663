"""Phase 2: the right to an action, giving up, projects, launching (VG-3, VG-4.1 to VG-4.3)."""

from __future__ import annotations

import pytest

from engine.vasco_da_gama.moves import Buy, Launch, Recruit
from engine.vasco_da_gama.state import ACTIONS, AwaitCalledAction, AwaitPlacement, Disc
from tests.engine.vasco_da_gama.positions import (
    ANNA,
    BRAM,
    CHAIM,
    DORA,
    FIGURES,
    GAME,
    answers,
    called,
    crew,
    events,
    kinds,
    placing,
    play,
    purses,
    refused,
    refused_move,
)


def tile_with(variation):
    return next(place for place, tile in enumerate(FIGURES.vasco_da_gama_tiles)
                if tile.variation == variation)


# ---- the right to an action (VG-3) -------------------------------------------------------------


def test_the_next_tile_moves_the_marker_to_the_first_free_action_number():
    """VG-3.1: initial number 11, variation -3: the first free number is 8."""
    state = placing(DORA, left=(0, 0, 0, 1), tiles=(tile_with(-3), 0, 1))
    state.marker = 11
    state = play(state, "Dora: place 5 recruiting")

    assert state.phase == ACTIONS
    assert state.marker == 8
    assert state.upcoming == tile_with(-3)
    assert state.awaiting == AwaitCalledAction(DORA, 5, "recruiting", price=3, gain=1)


def test_numbers_are_called_from_the_lowest_to_the_highest():
    """VG-3.2: 5, then 7, then 12."""
    state = called(5, "projects", Disc(12, CHAIM, "projects"), Disc(7, BRAM, "navigation"))
    state = play(state, "Anna: give up")
    assert (state.awaiting.seat, state.awaiting.number) == (BRAM, 7)

    state = play(state, "Bram: give up")
    assert (state.awaiting.seat, state.awaiting.number) == (CHAIM, 12)


def test_only_the_owner_of_the_called_disc_may_answer():
    """VG-3.2"""
    refusal = refused(called(5, "projects"), "Bram: give up")

    assert (type(refusal).__name__, refusal.key) == ("NotYourTurn", "not_your_turn")
    assert refusal.rule == "VG-3.2"


def test_an_action_of_another_area_cannot_be_taken():
    """VG-3.2: the disc lies at projects."""
    refusal = refused(called(5, "projects"), "Anna: take upper")

    assert (refusal.key, refusal.rule) == ("other_area", "VG-3.2")
    assert refusal.numbers == {"number": 5, "area": "projects"}


def test_an_order_of_the_wrong_kind_cites_the_rule_that_asks():
    """VG-3.2: a disc is called, none is placed."""
    refusal = refused(called(5, "projects"), "Anna: place 8 projects")

    assert (refusal.key, refusal.rule) == ("wrong_order", "VG-3.2")


def test_a_number_below_the_first_free_one_costs_the_difference():
    """VG-3.3: 5 where 8 is the first free number."""
    state = play(called(5, "projects", marker=8), "Anna: buy I-01")

    assert purses(state)[ANNA] == 10 - 3 - 1


def test_the_first_free_number_itself_is_free():
    """VG-3.3"""
    state = play(called(8, "projects", marker=8), "Anna: buy I-01")

    assert purses(state)[ANNA] == 10 - 1


def test_who_cannot_pay_the_right_and_the_action_is_refused_with_all_numbers():
    """VG-3.3: 3 for the right and 4 for two projects, out of 6."""
    state = called(5, "projects", marker=8, given={ANNA: {"reals": 6}})

    refusal = refused(state, "Anna: buy I-01 I-02")

    assert (refusal.key, refusal.rule) == ("too_few_reals", "VG-3.3")
    assert refusal.numbers == {"cost": 7, "right": 3, "action": 4, "reals": 6}


def test_money_that_the_action_brings_cannot_pay_for_it():
    """VG-3.3: the right costs 3, Anna holds 2, the upper space has 9."""
    state = called(5, "characters", marker=8, money=(9, 4), given={ANNA: {"reals": 2}})

    assert refused(state, "Anna: take upper").rule == "VG-3.3"
    assert answers(state) == ["give up"]


def test_an_action_must_recruit_somebody():
    """VG-3.3: no sailor and no captain is no recruiting."""
    state = called(8, "recruiting", sections=["2 grey"])

    refusal = refused_move(state, ANNA, Recruit(1, (0, 0, 0, 0), captain=False))

    assert (refusal.key, refusal.rule) == ("nothing_recruited", "VG-3.3")


@pytest.mark.parametrize(("number", "reals"), [(1, 1), (5, 1), (6, 2), (15, 3), (20, 4), (21, 0),
                                               (22, 0)])
def test_giving_up_pays_the_row_of_the_number(number, reals):
    """VG-3.4: also where the action would have been free."""
    state = play(called(number, "projects", marker=1), "Anna: give up")

    assert purses(state)[ANNA] == 10 + reals


def test_a_taken_action_frees_its_slot():
    """VG-3.5: the disc of Anna's action no longer lies in the area."""
    state = called(5, "projects", Disc(12, BRAM, "projects"))
    state = play(state, "Anna: buy I-01")

    assert [disc.status for disc in state.discs] == ["taken", "placed"]


def test_a_hosting_disc_stays_on_the_character_until_the_rounds_end():
    """VG-3.5"""
    state = play(called(5, "characters", Disc(12, BRAM, "projects")), "Anna: host dias")
    assert (state.discs[0].status, state.hosts[0]) == ("hosting", ANNA)

    state = play(state, "Bram: give up")
    assert state.hosts == (None, None, None, None)
    assert state.players[ANNA].discs == 4


def test_the_disc_returns_before_bonuses_are_chosen():
    """VG-3.5: at Natal there is a choice of projects."""
    state = called(5, "navigation", given={ANNA: {"ships": ("II-01",)}})
    state = play(state, "Anna: send natal: II-01>4")

    assert state.discs[0].status == "taken"
    assert answers(state)[0] == "bonus I-01"


# ---- projects (VG-4.1, VG-4.2) -----------------------------------------------------------------


@pytest.mark.parametrize(("line", "reals"), [("buy I-03", 9), ("buy I-03 I-05", 6)])
def test_one_project_costs_1_and_two_cost_4(line, reals):
    """VG-4.1"""
    state = play(called(8, "projects", Disc(9, BRAM, "projects")), f"Anna: {line}")

    assert purses(state)[ANNA] == reals
    assert state.players[ANNA].projects == tuple(line.split()[1:])


def test_bought_spaces_are_not_refilled_in_the_round():
    """VG-4.1: the next buyer finds gaps."""
    state = called(8, "projects", Disc(9, BRAM, "projects"))
    state = play(state, "Anna: buy I-01 I-04")

    assert state.offer == (None, "I-02", "I-03", None, "I-05", "I-06")
    assert refused(state, "Bram: buy I-01").key == "not_on_offer"


def test_three_projects_cannot_be_bought():
    """VG-4.1"""
    refusal = refused_move(called(8, "projects"), ANNA, Buy(("I-01", "I-02", "I-03")))

    assert (refusal.key, refusal.numbers) == ("too_many_projects", {"count": 3, "most": 2})


def test_all_purchases_are_offered():
    """VG-4.1: six single projects, fifteen pairs, São Gabriel, and giving up."""
    assert len(answers(called(8, "projects"))) == 6 + 15 + 1 + 1
    assert answers(called(8, "projects", given={ANNA: {"reals": 0}})) == ["give up"]


def test_the_gabriel_project_costs_its_crew_in_reals():
    """VG-4.1: I-07 has a crew of 3."""
    state = play(called(8, "projects", Disc(9, BRAM, "projects")), "Anna: buy gabriel")

    assert purses(state)[ANNA] == 7
    assert state.gabriel is None
    assert refused(state, "Bram: buy gabriel").key == "gabriel_gone"


@pytest.mark.parametrize("line", ["buy I-03 gabriel", "buy gabriel, I-03", "buy I-07 I-03"])
def test_the_gabriel_project_is_bought_by_itself(line):
    """VG-4.1: one or two upper projects, or São Gabriel."""
    refusal = refused(called(8, "projects"), f"Anna: {line}")

    assert (refusal.key, refusal.rule) == ("gabriel_alone", "VG-4.1")


@pytest.mark.parametrize("line", ["buy gabriel I-02", "buy I-02, gabriel", "buy gabriel gabriel"])
def test_an_order_that_names_the_sold_gabriel_project_buys_nothing(line):
    """VG-4.1: it is no order for the other project alone."""
    state = play(called(8, "projects", Disc(9, BRAM, "projects")), "Anna: buy gabriel")

    refusal = refused(state, f"Bram: {line}")

    assert (refusal.key, refusal.rule) == ("gabriel_gone", "VG-4.1")


def test_the_gabriel_project_is_launched_at_once_without_crew():
    """VG-4.2: other projects stay projects."""
    state = called(8, "projects", Disc(9, BRAM, "projects"), given={ANNA: {"crew": "grey"}})
    state = play(state, "Anna: buy gabriel")

    assert state.players[ANNA].ships == ("I-07",)
    assert state.players[ANNA].projects == ()
    assert state.players[ANNA].crew == crew("grey")


def test_the_gabriel_ship_still_needs_a_captain():
    """VG-4.2: Anna has none."""
    state = called(8, "navigation", given={ANNA: {"ships": ("I-07",), "captains": 0}})

    assert refused(state, "Anna: send natal: I-07>4").key == "too_few_captains"


# ---- launching (VG-4.3) ------------------------------------------------------------------------


def launching(asked=BRAM, **anna):
    fields = {"projects": ("I-08",), "crew": "2 grey, violet, orange, white", **anna}
    return called(8, "projects", seat=asked, given={ANNA: fields})


def test_a_ship_is_launched_while_another_is_asked():
    """VG-4.3: Bram is asked, Anna launches; the question stays."""
    before = launching()
    state = play(before, "Anna: launch I-08: violet, grey, orange")

    assert state.players[ANNA].ships == ("I-08",)
    assert state.players[ANNA].projects == ()
    assert state.awaiting == before.awaiting


def test_the_crew_returns_to_bag_and_characters_area():
    """VG-4.3: a missionary is no sailor."""
    state = play(launching(), "Anna: launch I-08: violet, grey, white")

    assert state.players[ANNA].crew == crew("grey, orange")
    assert state.bag == (0, 1, 1, 0)
    assert state.missionaries == 6


def test_a_launch_needs_no_captain_and_no_action():
    """VG-4.3: Anna has no captain."""
    state = play(launching(captains=0), "Anna: launch I-08: violet, grey, white")

    assert state.players[ANNA].ships == ("I-08",)
    assert purses(state)[ANNA] == 10


def test_launching_is_possible_while_discs_are_placed():
    """VG-4.3: any moment is whenever the game waits for anybody."""
    state = placing(BRAM, left=(4, 4))
    state.change(ANNA, projects=("I-01",), crew=crew("grey"))
    state = play(state, "Anna: launch I-01: grey")

    assert state.players[ANNA].ships == ("I-01",)
    assert state.awaiting == AwaitPlacement(BRAM)


def test_a_crew_is_all_of_different_colours():
    """VG-4.3: two grey sailors are no crew of two."""
    refusal = refused_move(launching(), ANNA, Launch("I-08", ("grey", "grey", "white")))

    assert (refusal.key, refusal.rule) == ("crew_colours", "VG-4.3")


@pytest.mark.parametrize(("line", "key"), [
    ("launch I-08: grey, white", "crew_size"),
    ("launch I-08: turquoise, grey, white", "crew_missing"),
    ("launch I-01: grey", "not_your_project"),
])
def test_a_launch_takes_exactly_the_crew_of_ones_own_project(line, key):
    """VG-4.3"""
    assert (refused(launching(), f"Anna: {line}").key,
            refused(launching(), f"Anna: {line}").rule) == (key, "VG-4.3")


@pytest.mark.parametrize("nobody", [-1, 4])
def test_only_seats_of_the_table_launch(nobody):
    """VG-4.3: with four players there is no fifth."""
    refusal = refused_move(launching(), nobody, Launch("I-08", ("violet", "grey", "white")))

    assert refusal.key == "not_your_turn"


def test_every_choice_of_crew_is_offered_to_seats_that_are_not_asked():
    """VG-4.3: three of four colours, four ways."""
    moves = [GAME.to_text(move) for move in GAME.legal_actions(launching(), ANNA)]

    assert moves == [
        "launch I-08: violet, grey, orange",
        "launch I-08: violet, grey, white",
        "launch I-08: violet, orange, white",
        "launch I-08: grey, orange, white",
    ]


def test_a_crew_launched_before_the_refill_can_be_drawn_again():
    """VG-4.3: Anna launches, then Bram ends the round: her sailor comes back to section 1."""
    state = called(8, "projects", seat=BRAM,
                   given={ANNA: {"projects": ("I-01",), "crew": "orange"}})
    state = play(state, "Anna: launch I-01: orange")
    state = play(state, "Bram: give up", draws=["orange"])

    assert state.sections[0] == (0, 0, 0, 1)


def test_a_launch_is_one_fact():
    """VG-4.3: what follows is the same question."""
    assert kinds(events(launching(), "Anna: launch I-08: violet, grey, orange")) == [
        "ShipLaunched", "NowAwaiting",
    ]
