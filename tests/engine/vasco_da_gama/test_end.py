"""The end of a round and of the game (VG-8), and the mildest answers."""

from __future__ import annotations

import pytest

from engine import play as play_of
from engine.chance import Stream
from engine.vasco_da_gama.moves import GiveUp
from engine.vasco_da_gama.state import (
    NAVIGATION,
    AwaitLastLaunches,
    AwaitLaunches,
    AwaitPlacement,
    AwaitSailor,
    Disc,
)
from tests.engine.vasco_da_gama.positions import (
    ANNA,
    BRAM,
    CHAIM,
    DORA,
    GAME,
    LAST_ROUND,
    after_navigation,
    answers,
    asked,
    called,
    crew,
    events,
    kinds,
    last_call,
    placing,
    play,
    refused,
    sailors,
)

# ---- launches before the refill (VG-4.3) -------------------------------------------------------


def crewed_last_call(**fields):
    """Anna's is the last number, and she has the crew for I-02."""
    return last_call(given={ANNA: {"projects": ("I-02",), "crew": "violet, grey"}}, **fields)


def test_who_acts_last_and_could_launch_may_do_so_before_the_refill():
    """VG-4.3: by the second ruleset; a letter's end says `done`."""
    state = play(crewed_last_call(), "Anna: give up")

    assert state.awaiting == AwaitLaunches(ANNA)
    assert (state.phase, GAME.is_forced(state, ANNA)) == (NAVIGATION, True)
    assert answers(state) == ["done"]


def test_a_letter_that_launches_nothing_ends_the_round_as_ever():
    """VG-4.3"""
    letter = play_of.letter(GAME, crewed_last_call(), ANNA, "give up", {}, chance=Stream(b"", ""))

    assert [text for text, _ in letter.moves] == ["give up", "done"]
    assert letter.state.round == crewed_last_call().round + 1


def test_a_game_by_the_first_ruleset_goes_on_at_once():
    """VG-4.3: a launch behind the round's last action counts in the next round."""
    first = GAME.under("vasco-da-gama 1")
    state = crewed_last_call()

    after = first.apply_action(state, ANNA, GiveUp(), Stream(b"", "")).state

    assert isinstance(after.awaiting, AwaitPlacement)


def test_behind_the_last_round_nothing_is_refilled():
    """VG-8.2: all that could launch are asked there."""
    state = play(crewed_last_call(round=LAST_ROUND), "Anna: give up")

    assert isinstance(state.awaiting, AwaitLastLaunches)


# ---- after rounds 1 to 4 (VG-8.1) --------------------------------------------------------------


def test_a_round_ends_in_the_order_of_the_rule():
    """VG-8.1"""
    state = last_call(money=(9, None), bag="8 grey", given={CHAIM: {"additional": True}})
    facts = events(state, "Anna: give up", draws=["grey"] * 8)

    assert kinds(facts)[2:] == [
        "ProjectsDiscarded", "ProjectsLaidOut", "MerchantTurnedUp", "MoneyReturned",
        "SectionRefilled", "SectionRefilled", "SectionRefilled", "MissionaryTaken",
        "DiasHonoured", "RoundBegun", "AdditionalDiscReturned", "MarkerSet", "NowAwaiting",
    ]


def test_unsold_projects_leave_the_game_and_the_next_seven_are_laid_out():
    """VG-8.1, VG-1.5: deck I is used up by them, then II."""
    state = last_call(decks=(("I-08", "I-09"), ("II-03", "II-01", "II-02", "II-04", "II-05",
                                                "II-06"), ("III-01",)))
    facts = events(state, "Anna: give up")
    after = play(state, "Anna: give up")

    assert facts[2].projects == ("I-07", "I-01", "I-02", "I-03", "I-04", "I-05", "I-06")
    assert after.gabriel == "I-08"
    assert after.offer == ("I-09", "II-03", "II-01", "II-02", "II-04", "II-05")
    assert after.decks == ((), ("II-06",), ("III-01",))


def test_the_next_merchant_ship_is_turned_up():
    """VG-8.1"""
    state = after_navigation(merchants=(9, 11))

    assert (state.merchant, state.merchants) == (9, (11,))


def test_money_left_in_the_characters_area_goes_back():
    """VG-8.1: then the tile of round 2 lays its own."""
    facts = events(last_call(money=(9, 4)), "Anna: give up")

    assert [fact.reals for fact in facts if type(fact).__name__ == "MoneyReturned"] == [13]


def test_each_section_gets_three_sailors_or_as_many_as_it_has_room_for():
    """VG-8.1: room for 3, 1, 0 and 5."""
    state = last_call(sections=["2 grey", "4 grey", "5 grey", ""], bag="8 violet")
    state = play(state, "Anna: give up", draws=["violet"] * 7)

    assert [sum(section) for section in state.sections] == [5, 5, 5, 3]


def test_refilling_stops_when_the_bag_is_empty():
    """VG-8.1: four sailors: three to section 1, one to section 2."""
    state = play(last_call(bag="2 grey, 2 violet"), "Anna: give up",
                 draws=["grey", "violet", "grey", "violet"])

    assert state.sections == (sailors("2 grey, violet"), sailors("violet"), sailors(""),
                              sailors(""))


def test_all_discs_return_to_their_owners():
    """VG-8.1: also one that hosted."""
    state = called(8, "characters", Disc(20, DORA, "projects"))
    state = play(state, "Anna: host alvares", "Dora: give up")

    assert state.discs == ()
    assert [player.discs for player in state.players] == [4, 4, 4, 4]


def test_who_no_longer_owns_manuel_returns_the_additional_disc():
    """VG-8.1: Bram owns him now, Chaim did."""
    state = after_navigation(given={BRAM: {"additional": True}, CHAIM: {"additional": True}})

    assert [player.additional for player in state.players] == [False, True, False, False]


def test_the_next_round_waits_for_its_first_player():
    """VG-8.1: Dias's owner."""
    state = after_navigation(owners={"dias": DORA})

    assert (state.round, state.first_player) == (2, DORA)
    assert state.awaiting == AwaitPlacement(DORA)


# ---- after the last round (VG-8.2) -------------------------------------------------------------


def final(**fields):
    return last_call(round=LAST_ROUND, **fields)


def test_after_the_last_round_only_missionary_and_dias_are_given():
    """VG-8.2: nothing else of VG-8.1 is done."""
    facts = events(final(bag="8 grey", money=(9, 4)), "Anna: give up")

    assert kinds(facts)[:4] == ["ActionGivenUp", "NavigationBegun", "MissionaryTaken",
                                "DiasHonoured"]
    assert not {"ProjectsLaidOut", "SectionRefilled", "RoundBegun"} & set(kinds(facts))


def test_all_seats_that_could_launch_are_asked_at_once():
    """VG-8.2: Anna and Chaim have a crew, Bram's is too small, Dora has no project."""
    state = play(final(given={
        ANNA: {"projects": ("I-01",), "crew": "grey"},
        BRAM: {"projects": ("I-03",), "crew": "9 grey, violet"},
        CHAIM: {"projects": ("I-01", "I-02"), "crew": "grey, violet"},
        DORA: {"crew": "grey"},
    }, owners={"alvares": DORA}), "Anna: give up")

    assert state.awaiting == AwaitLastLaunches((ANNA, CHAIM))
    assert answers(state) == ["launch I-01: grey", "done"]
    assert refused(state, "Bram: done").rule == "VG-8.2"


def test_the_missionary_of_the_end_can_still_be_crew():
    """VG-8.2: Bram owns Alvares."""
    state = play(final(given={BRAM: {"projects": ("I-01",)}}), "Anna: give up")

    assert answers(state, BRAM) == ["launch I-01: white", "done"]


def two_at_the_end():
    return play(final(given={
        ANNA: {"projects": ("I-01", "II-02"), "crew": "2 grey"},
        CHAIM: {"projects": ("I-01",), "crew": "grey"},
    }), "Anna: give up")


def test_done_ends_a_seats_launches_for_good():
    """VG-8.2"""
    state = play(two_at_the_end(), "Anna: done")

    assert state.awaiting == AwaitLastLaunches((CHAIM,))
    refusal = refused(state, "Anna: launch I-01: grey")
    assert (refusal.key, refusal.rule) == ("launches_ended", "VG-8.2")
    assert list(GAME.legal_actions(state, ANNA)) == []


def test_the_log_says_that_a_seat_has_ended_its_launches():
    """VG-8.2"""
    assert kinds(events(two_at_the_end(), "Anna: done")) == ["LaunchesEnded", "NowAwaiting"]


def test_done_falls_away_when_nothing_is_left_to_launch():
    """VG-8.2: Anna launches both."""
    state = play(two_at_the_end(), "Anna: launch I-01: grey")
    assert state.awaiting == AwaitLastLaunches((ANNA, CHAIM))

    state = play(state, "Anna: launch II-02: grey")
    assert state.awaiting == AwaitLastLaunches((CHAIM,))


def test_crew_alone_is_enough_to_launch_at_the_end():
    """VG-8.2: Anna has no captain."""
    state = play(final(given={ANNA: {"projects": ("I-01",), "crew": "grey", "captains": 0}}),
                 "Anna: give up", "Anna: launch I-01: grey")

    assert GAME.is_terminal(state)
    assert state.players[ANNA].boarded == 0


def test_captains_board_launched_ships_as_many_as_there_are():
    """VG-8.2: also ships launched earlier; three ships, two captains."""
    state = play(final(given={ANNA: {"ships": ("I-01", "I-02", "I-03"), "captains": 2}}),
                 "Anna: give up")

    assert (state.players[ANNA].boarded, state.players[ANNA].captains) == (2, 0)


# ---- the count (VG-8.3, VG-8.4) ----------------------------------------------------------------


def test_three_reals_and_ships_with_captains_count():
    """VG-8.3: 11 Reals are 3 VP, two boarded ships 6."""
    state = play(final(owners={"dias": DORA},
                       given={ANNA: {"ships": ("I-01", "I-02"), "captains": 5, "reals": 11}}),
                 "Anna: give up")

    anna = GAME.returns(state)[ANNA]
    assert anna.by_source == {
        "dias": 0, "slots": 0, "ships": 0, "landings": 0, "reals": 3, "captains": 6,
    }
    assert anna.points == 9


def test_nothing_can_be_ordered_once_the_game_is_over():
    """VG-8.3"""
    refusal = refused(play(final(), "Anna: give up"), "Anna: done")

    assert (type(refusal).__name__, refusal.key, refusal.rule) == (
        "GameOver", "game_over", "VG-8.3",
    )


def places(**fields):
    """Places when all hold equally much but for what is given; nobody owns Dias or Alvares."""
    state = final(**fields)
    state.owners = (None, None, ANNA, None)
    return tuple(each.place for each in GAME.returns(play(state, "Anna: give up")))


def test_most_vp_win():
    """VG-8.4"""
    assert places(given={CHAIM: {"reals": 15}, BRAM: {"reals": 12}}) == (3, 2, 1, 3)


def test_then_most_own_ships_in_the_navigation_area_win():
    """VG-8.4: I-06 earns nothing."""
    assert places(landings={"mombasa": [None, None, (DORA, "I-06")]}) == (2, 2, 2, 1)


def test_then_most_sailors_win_and_missionaries_are_none():
    """VG-8.4"""
    assert places(given={BRAM: {"crew": "grey, orange"}, ANNA: {"crew": "grey, 5 white"}}) == (
        2, 1, 3, 3,
    )


def test_then_the_win_is_shared():
    """VG-8.4"""
    assert places() == (1, 1, 1, 1)


# ---- questions with one answer, and the mildest answers ----------------------------------------


def test_a_number_that_can_only_be_given_up_is_forced():
    """VG-3.2: the right costs 4, Anna holds 3."""
    state = called(4, "projects", marker=8, given={ANNA: {"reals": 3}})

    assert GAME.is_forced(state, ANNA)
    assert not GAME.is_forced(state, BRAM)


def test_a_navigation_number_is_asked_where_launching_would_make_an_expedition_possible():
    """VG-4.3: Anna has a crew for a project, Bram has none."""
    given = {ANNA: {"projects": ("I-01",), "crew": "grey"}, BRAM: {"projects": ("I-01",)}}

    assert not GAME.is_forced(called(8, "navigation", given=given), ANNA)
    assert GAME.is_forced(called(8, "navigation", given=given, seat=BRAM), BRAM)


def test_launching_does_not_help_without_captain_or_slot():
    """VG-5.1: no captain; or no slot up to limit 4 is empty."""
    ready = {"projects": ("I-01",), "crew": "grey"}
    full = {"natal": [4], "terra": [None, 4], "mozambique": [None, None, 4]}

    assert GAME.is_forced(called(8, "navigation", given={ANNA: {**ready, "captains": 0}}), ANNA)
    assert GAME.is_forced(called(8, "navigation", given={ANNA: ready}, landings=full), ANNA)


def test_a_merchant_ship_with_one_slot_is_forced():
    """VG-7.1"""
    full = {"terra": [None, 4], "mozambique": [None, None, 4]}
    state = play(last_call(merchant=4, landings=full), "Anna: give up")

    assert GAME.is_forced(state, ANNA)


def mildest(state, seat=ANNA):
    return GAME.to_text(GAME.default_action(state, seat))


def test_the_mildest_placement_is_the_highest_number_where_most_slots_are_free():
    """VG-2.2: navigation is used once, so recruiting."""
    used = [Disc(20, BRAM, "navigation")]

    assert mildest(placing(discs=used)) == "place 19 recruiting"
    assert mildest(placing(discs=used, additional=ANNA)) == "place 22 recruiting"


def test_the_mildest_answers_take_nothing_and_choose_the_first():
    """VG-3.4, VG-5.3, VG-6.6"""
    waiting = play(last_call(merchant=5, landings={"natal": [4]}), "Anna: give up")
    sailor = AwaitSailor(ANNA, "terra", 0)
    from_section = table_with(sections=["", "orange, violet"], bag="grey")

    assert mildest(called(8, "projects")) == "give up"
    assert mildest(waiting) == "merchant terra>5"
    assert mildest(asked(from_section, sailor)) == "bonus violet from 2"
    assert mildest(asked(table_with(bag="grey, violet"), sailor)) == "bonus bag"


def table_with(**fields):
    return called(8, "navigation", **fields)


@pytest.mark.parametrize(("anna", "line"), [
    ({"captains": 2, "ships": ("I-05",)}, "launch I-01: grey"),
    ({"captains": 1, "ships": ("I-05",)}, "done"),
    ({"captains": 0}, "done"),
])
def test_the_mildest_end_launches_as_many_projects_as_captains_are_left(anna, line):
    """VG-8.2: beside the ships already launched."""
    ready = {"projects": ("II-02", "I-01"), "crew": "2 grey, white"}
    state = play(final(given={ANNA: {**ready, **anna}}), "Anna: give up")

    assert mildest(state) == line


def test_the_mildest_end_leaves_crew_for_as_many_launches_as_possible():
    """VG-8.2: I-02 (crew 2) would use both up; I-01 and II-02 (crew 1) are two ships."""
    state = play(final(given={ANNA: {
        "projects": ("I-02", "II-02", "I-01"), "crew": "grey, violet", "captains": 3,
    }}), "Anna: give up")
    assert mildest(state) == "launch I-01: violet"

    state = play(state, "Anna: launch I-01: violet")
    assert mildest(state) == "launch II-02: grey"
    assert state.players[ANNA].crew == crew("grey")


def test_the_mildest_end_prefers_the_first_ids_that_leave_crew_for_the_others():
    """VG-8.2: two captains; I-02 and I-04 (crew 2 each) go before III-01 (crew 1)."""
    state = play(final(given={ANNA: {
        "projects": ("III-01", "I-04", "I-02"), "crew": "2 grey, 2 violet", "captains": 2,
    }}), "Anna: give up")
    assert mildest(state) == "launch I-02: violet, grey"

    state = play(state, "Anna: launch I-02: violet, grey")
    assert mildest(state) == "launch I-04: violet, grey"


def test_the_mildest_crew_spares_the_colour_that_the_others_need():
    """VG-8.2: I-01 (crew 1) takes the second violet one, so that I-02 finds two colours."""
    state = play(final(given={ANNA: {
        "projects": ("I-01", "I-02"), "crew": "turquoise, 2 violet", "captains": 2,
    }}), "Anna: give up")

    assert mildest(state) == "launch I-01: violet"
