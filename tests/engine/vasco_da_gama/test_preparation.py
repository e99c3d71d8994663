"""Set-up (VG-1)."""

from __future__ import annotations

import pytest

from engine.chance import Scripted, Stream
from engine.vasco_da_gama.events import (
    DecksShuffled,
    MerchantShipsShuffled,
    TilesShuffled,
)
from engine.vasco_da_gama.state import CHARACTERS, SAILORS, AwaitFirstMerchant
from tests.engine.vasco_da_gama.positions import (
    ANNA,
    BRAM,
    CHAIM,
    DORA,
    GAME,
    answers,
    kinds,
    play,
    scores,
)


def prepared(seats=4, first=ANNA, decks=(None, None, None), tiles=None, ships=None):
    """A table after set-up: sailors leave the bag colour by colour."""
    sailors = [colour for colour in SAILORS for _ in range(8)][: 5 * seats]
    chance = Scripted([*sailors, *decks, tiles, ships])
    return GAME.new_initial_state(seats, {"first_player": first}, chance)


def owned(state):
    return {name: owner for name, owner in zip(CHARACTERS, state.owners, strict=True)
            if owner is not None}


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_each_seat_takes_four_discs_a_captain_and_ten_reals(seats):
    """VG-1.1: and six more captains wait in the recruiting area."""
    state = prepared(seats).state

    assert len(state.players) == seats
    for player in state.players:
        assert (player.discs, player.captains, player.reals) == (4, 1, 10)
        assert player.captains_waiting == 6


def test_the_first_player_takes_dias_and_two_vp():
    """VG-1.2: the host has chosen Chaim."""
    state = prepared(first=CHAIM).state

    assert owned(state)["dias"] == CHAIM
    assert scores(state) == (0, 0, 2, 0)


@pytest.mark.parametrize(("seats", "dealt"), [
    (2, {"dias": BRAM, "sernigi": ANNA}),
    (3, {"dias": BRAM, "alvares": CHAIM, "sernigi": ANNA}),
    (4, {"dias": BRAM, "alvares": CHAIM, "sernigi": DORA, "manuel": ANNA}),
])
def test_characters_go_clockwise_and_those_left_lie_on_the_board(seats, dealt):
    """VG-1.2: Bram is the first player."""
    assert owned(prepared(seats, first=BRAM).state) == dealt


def test_alvares_brings_a_missionary_and_manuel_the_additional_disc():
    """VG-1.3"""
    state = prepared().state

    assert [player.crew[4] for player in state.players] == [0, 1, 0, 0]
    assert state.missionaries == 5
    assert [player.additional for player in state.players] == [False, False, False, True]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_as_many_sections_as_players_hold_five_sailors_each(seats):
    """VG-1.4: the first eight drawn are turquoise."""
    state = prepared(seats).state

    assert [sum(section) for section in state.sections] == [5] * seats
    assert state.sections[:2] == ((5, 0, 0, 0), (3, 2, 0, 0))
    assert sum(state.bag) == 32 - 5 * seats


def test_the_first_tile_is_the_gabriel_project_and_six_fill_the_upper_spaces():
    """VG-1.5: the deck's top is open, what lies below it is not."""
    deck = tuple(f"I-{number:02}" for number in (9, 3, 1, 2, 4, 5, 6, 7, 8, 10, 11, 12))
    start = prepared(decks=(deck, None, None))

    assert start.state.gabriel == "I-09"
    assert start.state.offer == ("I-03", "I-01", "I-02", "I-04", "I-05", "I-06")
    assert start.state.decks[0] == ("I-07", "I-08", "I-10", "I-11", "I-12")
    seen = next(fact for fact in start.events if isinstance(fact, DecksShuffled)).seen_by(None)
    assert [deck[0] for deck in seen.decks] == ["I-09", "II-01", "III-01"]
    assert all(tile is None for deck in seen.decks for tile in deck[1:])


def test_a_tile_lies_face_up_and_two_merchant_ships_are_open():
    """VG-1.6: the first ship is sent before round 1, the next is round 1's."""
    start = prepared(tiles=(7, 0, 1, 2, 3, 4, 5, 6, 8), ships=(7, 11, 4, 5, 6, 9))

    assert start.state.upcoming == 7
    assert (start.state.merchant, start.state.next_merchant) == (7, 11)
    facts = {type(fact): fact.seen_by(ANNA) for fact in start.events}
    assert facts[TilesShuffled].tiles == (7, *[None] * 8)
    assert facts[MerchantShipsShuffled].limits == (7, 11, *[None] * 4)


def test_sernigis_owner_sends_the_first_merchant_ship_before_round_one():
    """VG-1.7: then round 1 begins with the ship that already lies open."""
    state = prepared(ships=(5, 11, 4, 6, 7, 9)).state

    assert state.awaiting == AwaitFirstMerchant(CHAIM, 5)
    assert answers(state, CHAIM) == [
        "merchant natal>4", "merchant terra>5", "merchant terra>4", "merchant mozambique>5",
        "merchant mozambique>4", "merchant mombasa>5",
    ]
    later = play(state, "Chaim: merchant mombasa>5")
    assert later.players[CHAIM].reals == 12
    assert scores(later) == (2, 0, 0, 0)
    assert (later.round, later.merchant, later.next_merchant) == (1, 11, None)


def test_at_natal_the_first_merchant_ship_brings_a_project_before_round_one():
    """VG-1.7: six projects lie there, so there is a choice."""
    state = play(prepared().state, "Chaim: merchant natal>4")
    assert state.round == 0

    state = play(state, "Chaim: bonus I-05")
    assert state.players[CHAIM].projects == ("I-05",)
    assert state.round == 1


def test_chance_is_asked_in_the_order_of_the_rule():
    """VG-1.8: sailors, decks I, II, III, Vasco da Gama tiles, merchant ships."""
    asked = []

    class Listening(Stream):
        def drawn(self, items, *, why):
            asked.append(why)
            return super().drawn(items, why=why)

        def shuffled(self, items, *, why):
            asked.append(why)
            return super().shuffled(items, why=why)

    GAME.new_initial_state(3, {}, Listening(b"secret", "a game"))

    assert asked == ["sailor"] * 15 + ["deck I", "deck II", "deck III", "tiles", "merchant ships"]


def test_set_up_is_told_in_the_order_in_which_it_happens():
    """VG-1.8: nothing is laid out before it is shuffled."""
    assert kinds(prepared(2).events) == [
        "TableLaid", "CharacterDealt", "DiasHonoured", "CharacterDealt", "SailorsDrawn",
        "SailorsDrawn", "DecksShuffled", "ProjectsLaidOut", "TilesShuffled",
        "MerchantShipsShuffled", "NowAwaiting",
    ]


def test_round_one_starts_with_the_first_player():
    """VG-2.2: Bram takes Dias and begins; Dora got Sernigi."""
    state = play(prepared(first=BRAM).state, "Dora: merchant natal>4", "Dora: bonus I-02")

    assert state.awaiting.seat == BRAM


def test_every_tile_of_a_large_deck_can_come_first():
    """VG-1.5: of 200 tiles the first drawn is each time another one, and none is lost."""
    decks = [Stream(b"secret", str(entry)).shuffled(range(200), why="deck I")
             for entry in range(40)]

    assert len({deck[0] for deck in decks}) > 30
    assert all(sorted(deck) == list(range(200)) for deck in decks)
