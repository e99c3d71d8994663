"""The characters area and merchant ships (VG-6)."""

from __future__ import annotations

import pytest

from engine.vasco_da_gama.moves import Host, HostManuel, HostSernigi, TakeMoney
from engine.vasco_da_gama.state import CHARACTERS, AwaitMerchant, Disc, Ship
from tests.engine.vasco_da_gama.positions import (
    ANNA,
    BRAM,
    CHAIM,
    DORA,
    answers,
    called,
    events,
    kinds,
    last_call,
    navigation_facts,
    play,
    purses,
    refused,
    refused_move,
    scores,
)

NEXT = Disc(20, DORA, "projects")  # so that the round does not end
MANUEL = CHARACTERS.index("manuel")


def hosting(*others, seat=CHAIM, **fields):
    """Chaim is asked in the characters area; Anna has Dias and Sernigi, Bram the other two."""
    return called(8, "characters", *(others or (NEXT,)), seat=seat, **fields)


# ---- money and hosting (VG-6.1) ----------------------------------------------------------------


def test_one_of_the_two_amounts_can_be_taken():
    """VG-6.1: the other stays for the next."""
    state = play(hosting(money=(9, 4)), "Chaim: take lower")

    assert purses(state)[CHAIM] == 14
    assert state.money == (9, None)


def test_money_is_taken_once():
    """VG-6.1"""
    refusal = refused(hosting(money=(None, 4)), "Chaim: take upper")

    assert (refusal.key, refusal.rule) == ("money_gone", "VG-6.1")


def test_who_hosts_takes_the_tile_from_its_owner():
    """VG-6.1: Dias goes from Anna to Chaim, and stays with him."""
    state = play(hosting(), "Chaim: host dias", "Dora: give up")

    assert state.owners[0] == CHAIM
    assert state.round == 2


def test_one_may_host_a_character_that_one_already_has():
    """VG-6.1: Anna protects Dias."""
    state = play(hosting(Disc(9, BRAM, "characters"), seat=ANNA), "Anna: host dias")

    assert state.owners[0] == ANNA
    assert refused(state, "Bram: host dias").key == "already_hosted"


def test_a_character_is_hosted_once_a_round():
    """VG-6.1"""
    state = hosting(Disc(9, BRAM, "characters"))
    state = play(state, "Chaim: host alvares")

    refusal = refused(state, "Bram: host alvares")
    assert (refusal.key, refusal.rule) == ("already_hosted", "VG-6.1")
    assert not [line for line in answers(state, BRAM) if "alvares" in line]


@pytest.mark.parametrize(("first", "second"), [
    ("host sernigi", "host sernigi merchant mombasa>5"), ("host sernigi", "host sernigi"),
    ("host manuel 21 projects", "host manuel 22 projects"),
    ("host manuel 21 projects", "host manuel"),
])
def test_neither_sernigi_nor_manuel_is_hosted_twice(first, second):
    """VG-6.1: with or without a ship or a disc to place; Bram comes after Chaim."""
    state = play(hosting(Disc(9, BRAM, "characters"), merchant=5), f"Chaim: {first}")

    refusal = refused(state, f"Bram: {second}")
    assert (refusal.key, refusal.rule) == ("already_hosted", "VG-6.1")


def test_one_may_own_several_characters():
    """VG-6.1: Anna has Dias and Sernigi, and hosts Alvares."""
    state = play(hosting(seat=ANNA), "Anna: host alvares")

    assert state.owners[:3] == (ANNA, ANNA, ANNA)


def test_a_character_that_lies_on_the_board_can_be_hosted():
    """VG-6.1: with two players nobody has Manuel."""
    state = called(8, "characters", Disc(9, BRAM, "projects"), seats=2)
    state.owners = (ANNA, None, BRAM, None)

    assert play(state, "Anna: host manuel 21 projects").owners[MANUEL] == ANNA


# ---- Manuel (VG-6.2) ---------------------------------------------------------------------------


def test_manuels_host_places_the_additional_disc_at_once():
    """VG-6.2: it is called this round."""
    state = play(hosting(), "Chaim: host manuel 21 navigation", "Dora: give up")

    assert (state.awaiting.seat, state.awaiting.number) == (CHAIM, 21)
    assert state.awaiting.area == "navigation"
    assert state.players[CHAIM].additional


def test_what_manuels_host_gets_is_told_under_manuels_rule():
    """VG-6.2: the disc in the middle of the game is none of the set-up."""
    given = next(fact for fact in events(hosting(), "Chaim: host manuel 21 navigation")
                 if type(fact).__name__ == "AdditionalDiscGiven")

    assert (given.seat, given.rule) == (CHAIM, "VG-6.2")


def test_the_slot_just_left_can_be_taken_again():
    """VG-6.2: with two players the three slots of the area were full."""
    full = [Disc(number, BRAM, "characters") for number in (9, 10)]
    state = called(8, "characters", *full, seats=2)
    state.owners = (ANNA, None, BRAM, None)

    assert "host manuel 21 characters" in answers(state)
    assert play(state, "Anna: host manuel 21 characters").discs[-1] == Disc(21, ANNA, "characters")


def test_the_additional_disc_needs_a_free_slot():
    """VG-6.2: projects are full."""
    full = [Disc(number, BRAM, "projects") for number in (9, 10, 11)]
    state = called(8, "characters", *full, seats=2)
    state.owners = (ANNA, None, BRAM, None)

    assert refused(state, "Anna: host manuel 21 projects").key == "area_full"


def test_a_new_host_takes_what_is_left_of_21_and_22():
    """VG-6.2: Bram, who owned Manuel at the round's start, has placed 21."""
    state = hosting(NEXT, Disc(21, BRAM, "recruiting"), given={BRAM: {"additional": True}})

    refusal = refused(state, "Chaim: host manuel 21 projects")
    assert (refusal.key, refusal.rule) == ("number_taken", "VG-6.2")
    assert "host manuel 22 projects" in answers(state, CHAIM)


def test_the_owner_of_the_rounds_start_keeps_and_resolves_his_additional_disc():
    """VG-6.2: Bram is called with 21 although Chaim hosts Manuel; then he gives his disc back."""
    state = hosting(NEXT, Disc(21, BRAM, "recruiting"), given={BRAM: {"additional": True}})
    state = play(state, "Chaim: host manuel 22 projects", "Dora: give up")
    assert (state.awaiting.seat, state.awaiting.number) == (BRAM, 21)

    state = play(state, "Bram: recruit captain", "Chaim: give up")
    assert [player.additional for player in state.players] == [False, False, True, False]


def test_who_hosts_manuel_again_after_placing_only_protects_him():
    """VG-6.2: Bram has placed 22."""
    state = hosting(Disc(22, BRAM, "recruiting"), seat=BRAM, given={BRAM: {"additional": True}})

    assert refused(state, "Bram: host manuel 21 projects").key == "no_disc_to_place"
    assert [line for line in answers(state, BRAM) if "manuel" in line] == ["host manuel"]
    assert play(state, "Bram: host manuel").owners[MANUEL] == BRAM


def test_a_host_who_has_a_disc_to_place_must_say_where():
    """VG-6.2"""
    refusal = refused(hosting(), "Chaim: host manuel")

    assert (refusal.key, refusal.rule) == ("disc_to_place", "VG-6.2")


# ---- Dias and Alvares (VG-6.3, VG-6.4) ---------------------------------------------------------


def test_dias_brings_two_vp_at_once():
    """VG-6.3"""
    assert scores(play(hosting(), "Chaim: host dias")) == (0, 0, 2, 0)


def test_diass_owner_at_the_rounds_end_gets_two_vp_more_and_goes_first():
    """VG-6.3: Chaim hosts him and keeps him."""
    state = play(hosting(), "Chaim: host dias", "Dora: give up")

    assert scores(state) == (0, 0, 4, 0)
    assert (state.first_player, state.awaiting.seat) == (CHAIM, CHAIM)


def test_alvares_brings_a_missionary_at_once():
    """VG-6.4"""
    state = play(hosting(), "Chaim: host alvares")

    assert state.players[CHAIM].crew[4] == 1
    assert state.missionaries == 4


def test_alvaress_owner_gets_another_missionary_at_the_rounds_end():
    """VG-6.4"""
    state = play(hosting(), "Chaim: host alvares", "Dora: give up")

    assert state.players[CHAIM].crew[4] == 2


def test_a_missionary_that_could_not_be_given_is_not_owed():
    """VG-6.4: hosting counts all the same."""
    facts = events(hosting(missionaries=0), "Chaim: host alvares")

    assert kinds(facts) == ["ActionTaken", "CharacterHosted", "MissionaryNotLeft", "NowAwaiting"]


def test_where_nobody_owns_alvares_nobody_gets_a_missionary():
    """VG-6.4: with two players he may lie on the board."""
    state = called(21, "projects", seats=2)
    state.owners = (ANNA, None, BRAM, None)

    assert "MissionaryTaken" not in kinds(events(state, "Anna: give up"))


# ---- Sernigi and merchant ships (VG-6.5 to VG-6.8) ---------------------------------------------


def test_sernigis_host_may_send_the_merchant_ship_at_once():
    """VG-6.5"""
    state = play(hosting(merchant=5), "Chaim: host sernigi merchant mombasa>5")

    assert state.owners[2] == CHAIM
    assert state.merchant is None
    assert state.landings[3] == (None, None, None, Ship(5))


def test_sernigis_host_may_wait_for_the_start_of_phase_3():
    """VG-6.5"""
    state = play(hosting(merchant=5), "Chaim: host sernigi", "Dora: give up")

    assert state.awaiting == AwaitMerchant(CHAIM, 5)


def test_the_ship_goes_at_once_only_where_a_slot_fits():
    """VG-6.5: a ship of limit 4 and no slot of 4 is empty."""
    state = hosting(merchant=4, landings={
        "natal": [4], "terra": [None, 4], "mozambique": [None, None, 4],
    })

    assert [line for line in answers(state, CHAIM) if "sernigi" in line] == ["host sernigi"]
    assert refused(state, "Chaim: host sernigi merchant mombasa>5").rule == "VG-6.6"


def test_a_merchant_ship_needs_no_captain_and_takes_a_slot_up_to_its_limit():
    """VG-6.6: Chaim has no captain."""
    state = hosting(merchant=6, given={CHAIM: {"captains": 0}})

    assert play(state, "Chaim: host sernigi merchant malindi>6").landings[4][4] == Ship(6)
    refusal = refused(state, "Chaim: host sernigi merchant malindi>7a")
    assert (refusal.key, refusal.rule) == ("slot_above_limit", "VG-6.6")


def test_the_sender_gets_the_landings_bonus_but_not_the_slots_vp():
    """VG-6.7: 2 Reals at Mombasa."""
    state = play(hosting(merchant=5), "Chaim: host sernigi merchant mombasa>5")

    assert purses(state)[CHAIM] == 12
    assert scores(state) == (0, 0, 0, 0)


def test_the_sender_chooses_the_bonus_at_natal():
    """VG-6.7: then the next number is called."""
    state = play(hosting(merchant=5), "Chaim: host sernigi merchant natal>4", "Chaim: bonus I-02")

    assert state.players[CHAIM].projects == ("I-02",)
    assert state.awaiting.seat == DORA


def test_a_merchant_ship_earns_nobody_anything_but_counts_for_completeness():
    """VG-6.7: Natal and Terra are complete; only Bram's ship is paid."""
    facts = navigation_facts(landings={"natal": [4], "terra": [(BRAM, "II-02"), 5]})

    assert [(fact.seat, fact.landing) for fact in facts
            if type(fact).__name__ == "LandingPaid"] == [(BRAM, "terra")]
    assert "ShipEarned" not in kinds(facts)


def test_a_merchant_ship_sails_on_like_any_ship():
    """VG-6.7: from Natal to Terra de Boa Gente."""
    facts = navigation_facts(landings={"natal": [7]})
    sailed = next(fact for fact in facts if type(fact).__name__ == "ShipSailed")

    assert (sailed.seat, sailed.from_landing, sailed.landing, sailed.label) == (
        None, "natal", "terra", "5",
    )


@pytest.mark.parametrize("owner", [ANNA, DORA])
def test_a_merchant_ship_that_fits_nowhere_leaves_the_game(owner):
    """VG-6.8: at the start of phase 3, whoever owns Sernigi."""
    state = last_call(merchant=4, owners={"sernigi": owner}, landings={
        "natal": [4], "terra": [None, 4], "mozambique": [None, None, 4],
    })
    facts = events(state, "Anna: give up")

    assert kinds(facts)[1:3] == ["NavigationBegun", "MerchantLost"]


@pytest.mark.parametrize(("move", "key"), [
    (HostManuel(21, "sea"), "no_such_area"), (HostManuel(5, "projects"), "no_such_number"),
    (HostSernigi("goa", 0), "no_such_landing"), (HostSernigi("natal", 1), "no_such_slot"),
    (HostSernigi("natal", -1), "no_such_slot"), (Host("henry"), "no_such_character"),
    (TakeMoney("middle"), "no_such_space"),
])
def test_what_the_game_does_not_know_is_refused(move, key):
    """VG-6.1, VG-6.2, VG-6.6: a move need not come from an order."""
    assert refused_move(hosting(merchant=5, money=(9, 4)), CHAIM, move).key == key
