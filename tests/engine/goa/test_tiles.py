"""Tiles of all kinds (GO-8.1 to GO-8.5)."""

from __future__ import annotations

import pytest

from engine.chance import Scripted
from engine.goa import Goa
from engine.goa.component_sets import STANDARD, read
from engine.goa.events import MissionTaken, PlantationDropped
from engine.goa.moves import (
    Drop,
    Expedition,
    Taxes,
    UseDuty,
    UseGoods,
    UseHarvest,
    UseSpice,
    UseTile,
    UseTrade,
)
from engine.goa.state import AwaitDone, AwaitDrop, AwaitRoom, AwaitTurnAction
from tests.engine.goa.positions import (
    ANNA,
    BRAM,
    CHAIM,
    COLONIST,
    DUCATS,
    DUTY,
    FOUR_SHIPS,
    GAME,
    HARVEST,
    MISSION,
    SHIP,
    SHIPS_OR_COLONISTS,
    SPICE,
    THREE_CARDS,
    TRADE,
    TWO_ACTIONS,
    auction,
    bidding,
    colony,
    ended,
    facts,
    move,
    offered,
    plantation,
    play,
    refusal,
    turn,
)

FOUR = (plantation("ginger", 1), plantation("pepper"), plantation("cinnamon", 2, 0),
        plantation("clove"))
NUTMEG = "A12"  # a plantation of two fields
OTHER_DUTY = "B13"


def won(tile, **fields):
    """Bram wins a tile for 1 ducat."""
    state = auction(lot=tile, given={BRAM: fields})
    return bidding(state, (BRAM, 1), (CHAIM, None), (ANNA, None))


def own(*tiles, **fields):
    """Anna's turn with these tiles before her."""
    return turn(given={ANNA: {"tiles": tiles, **fields}})


# ---- plantations -------------------------------------------------------------------------------


def test_a_plantation_lies_on_the_lowest_empty_place_and_is_filled():
    """GO-8.1."""
    bram = won(NUTMEG, plantations=(FOUR[0], None, FOUR[2])).players[BRAM]

    assert bram.plantations == (FOUR[0], plantation("nutmeg"), FOUR[2], None)
    assert bram.tiles == ()


def test_with_four_plantations_one_of_them_makes_room():
    """GO-8.1: its spices go with it; it is not the new one."""
    state = won(NUTMEG, plantations=FOUR)
    assert state.awaiting == AwaitDrop(BRAM, NUTMEG)
    assert len(offered(state, BRAM, Drop)) == 4
    assert refusal(state, BRAM, Drop(5)) == ("no_plantation_there", "GO-8.1")

    turned = move(state, BRAM, Drop(2))

    assert facts(turned, PlantationDropped)[0].kept is False
    bram = turned.state.players[BRAM]
    assert bram.plantations == (FOUR[0], plantation("nutmeg"), *FOUR[2:])
    assert bram.face_down == ()


@pytest.mark.parametrize(("tile", "given"), [(NUTMEG, {"plantations": FOUR}),
                                             (SHIPS_OR_COLONISTS, {})])
def test_a_tile_that_is_being_settled_is_not_ready(tile, given):
    """GO-8.3: no `use` order with it is legal."""
    state = won(tile, **given)

    kept = GAME.observation(state, BRAM).players[BRAM].tiles

    assert [(each.tile.id, each.ready) for each in kept] == [(tile, False)]


def test_one_that_came_for_nothing_makes_room_too():
    """GO-8.1."""
    state = auction(lot=NUTMEG, given={ANNA: {"plantations": FOUR}})

    assert bidding(state, (BRAM, None), (CHAIM, None)).awaiting == AwaitDrop(ANNA, NUTMEG)


def test_a_single_field_plantation_is_kept_face_down_when_it_is_discarded():
    """GO-8.1."""
    state = play(won(NUTMEG, plantations=FOUR), (BRAM, Drop(1)))

    assert state.players[BRAM].face_down == (FOUR[0].tile,)


# ---- immediate, mission ------------------------------------------------------------------------


def test_immediate_tiles_leave_the_game():
    """GO-8.2."""
    for tile, expected in ((FOUR_SHIPS, (8, 0)), (TWO_ACTIONS, (4, 2))):
        bram = won(tile).players[BRAM]

        assert (bram.ships, bram.additional_cards) == expected
        assert (bram.tiles, bram.face_down) == ((), ())


def test_a_mission_lies_face_down_before_its_owner():
    """GO-8.4."""
    assert won(MISSION).players[BRAM].face_down == (MISSION,)


def test_other_tiles_wait_before_their_owner():
    """GO-8.3, GO-8.4, GO-8.5."""
    for tile in (SHIP, DUTY, HARVEST, TRADE):
        assert won(tile).players[BRAM].tiles == (tile,)


# ---- once a round ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tile", "word", "expected"),
    [
        (SHIP, "ship", (10, 5, 2)),
        (DUCATS, "ducats", (14, 4, 2)),
        (COLONIST, "colonist", (10, 4, 3)),
    ],
)
def test_a_once_a_round_tile_is_used_once_in_a_round(tile, word, expected):
    """GO-8.3: it is no action."""
    state = play(own(tile), (ANNA, UseGoods(word)))

    anna = state.players[ANNA]
    assert (anna.ducats, anna.ships, anna.colonists) == expected
    assert state.awaiting == AwaitTurnAction(ANNA, 1)
    assert refusal(state, ANNA, UseGoods(word)) == ("used_this_round", "GO-8.3")
    state = play(state, (ANNA, Taxes()))
    assert refusal(state, ANNA, UseGoods(word)) == ("used_this_round", "GO-8.3")


def test_a_tile_may_be_used_behind_the_action():
    """GO-8.3."""
    state = play(own(SHIP), (ANNA, Taxes()), (ANNA, UseGoods("ship")))

    assert (state.players[ANNA].ships, state.awaiting) == (5, AwaitDone(ANNA))


def test_a_tile_won_this_round_may_be_used_in_it():
    """GO-8.3."""
    state = auction(lot=SHIP, start_player=BRAM)
    state = bidding(state, (BRAM, 1), (CHAIM, None), (ANNA, None))

    assert play(state, (BRAM, UseGoods("ship"))).players[BRAM].ships == 5


def test_a_spice_of_ones_choice_needs_an_empty_field():
    """GO-8.3."""
    state = own(SPICE, plantations=(plantation("ginger", 2, 1),), colonies=(colony("quilon3"),))
    assert offered(state, ANNA, UseSpice) == [
        UseSpice("ginger", "1"), UseSpice("pepper", "quilon"), UseSpice("cinnamon", "quilon"),
    ]  # fmt: skip

    anna = play(state, (ANNA, UseSpice("cinnamon", "quilon"))).players[ANNA]

    assert anna.colonies[0] == colony("quilon3", "cinnamon")
    wrong = UseSpice("clove", "1")
    assert refusal(state, ANNA, wrong) == ("spice_not_held", "GO-8.3")


def test_nobody_uses_a_tile_that_is_not_there():
    """GO-8.3, GO-8.4, GO-8.5."""
    for order, rule in (
        (UseGoods("ship"), "GO-8.3"),
        (UseSpice("ginger", "1"), "GO-8.3"),
        (UseDuty(()), "GO-8.4"),
        (UseHarvest(()), "GO-8.4"),
        (UseTrade("c3"), "GO-8.5"),
    ):
        assert refusal(own(), ANNA, order) == ("no_tile_of_kind", rule)
    assert refusal(own(SHIP), ANNA, UseGoods("gold")) == ("no_such_goods", "GO-8.3")
    assert refusal(own(SPICE), ANNA, UseGoods("spice")) == ("no_such_goods", "GO-8.3")


def test_tiles_are_used_in_ones_own_turn_only():
    """GO-8.3, GO-7.1: not while room is made in a hand either."""
    state = turn(given={BRAM: {"tiles": (SHIP,)}})
    assert refusal(state, BRAM, UseGoods("ship")) == ("not_your_turn", "GO-4.1")

    state = play(own(SHIP, hand=(5,)), (ANNA, Expedition(None, ())))

    assert isinstance(state.awaiting, AwaitRoom)
    assert refusal(state, ANNA, UseGoods("ship")) == ("wrong_order", "GO-4.6")


# ---- duty, additional harvest ------------------------------------------------------------------

SIX = (("ginger", "1", 1), ("pepper", "2", 2), ("clove", "4", 2), ("nutmeg", "cochin", 1))


def test_duty_returns_any_six_spices_once():
    """GO-8.4: the tile stays, face down."""
    state = own(DUTY, plantations=FOUR, colonies=(colony("cochin", "nutmeg"),))
    assert offered(state, ANNA, UseDuty) == [UseDuty(SIX)]

    anna = play(state, (ANNA, UseDuty(SIX))).players[ANNA]

    assert (anna.tiles, anna.face_down) == ((), (DUTY,))
    assert [each.sacks for each in anna.plantations] == [0, 0, 0, 0]
    assert refusal(state, ANNA, UseDuty(SIX[:3])) == ("sacks_number", "GO-8.4")


def test_of_two_duties_the_one_for_so_many_spices_is_done():
    """GO-8.3, GO-8.4: in a set of one's own; every ready tile can be used."""
    figures = read(STANDARD.read_text("utf-8").replace("spices = 6", "spices = 5", 1))
    game = Goa(figures)
    state = own(DUTY, OTHER_DUTY, plantations=[plantation("clove", 3), plantation("pepper", 3)])

    done = game.apply_action(
        state, ANNA, UseDuty((("clove", "1", 3), ("pepper", "2", 3))), Scripted()
    ).state

    assert done.players[ANNA].face_down == (OTHER_DUTY,)
    numbers = {sum(number for _, _, number in each.sacks) for each in game.answers(state, ANNA)
               if isinstance(each, UseDuty)}
    assert numbers == {5, 6}


def test_duty_without_six_spices_is_not_ready():
    """GO-8.3, GO-8.4."""
    state = own(DUTY, plantations=FOUR)

    assert offered(state, ANNA, UseDuty) == []


def test_an_additional_harvest_fills_one_to_three_places_completely():
    """GO-8.4: it then leaves the game."""
    state = own(HARVEST, plantations=(*FOUR[:3], plantation("clove", 3, 1)),
                colonies=(colony("quilon1"), colony("madras3", "pepper")))
    assert len(offered(state, ANNA, UseHarvest)) == 1 + 1 + 2 + 2 + 13 + 12

    order = UseHarvest((("3", ()), ("4", ()), ("madras", ("cinnamon",))))
    anna = play(state, (ANNA, order)).players[ANNA]

    assert [each.sacks for each in anna.plantations] == [1, 2, 2, 3]
    assert anna.colonies[2] == colony("madras3", "pepper", "cinnamon")
    assert (anna.tiles, anna.face_down) == ((), ())


@pytest.mark.parametrize(
    ("fillings", "key"),
    [
        ((), "harvest_places"),
        ((("1", ()), ("2", ()), ("3", ()), ("4", ())), "harvest_places"),
        ((("1", ()),), "place_full"),
        ((("3", ()), ("3", ())), "place_named_twice"),
        ((("quilon", ("ginger",)), ("3", ())), "out_of_order"),
        ((("3", ("cinnamon", "cinnamon")),), "filling_spices"),
        ((("quilon", ()),), "filling_spices"),
        ((("madras", ()),), "nothing_there"),
        ((("5", ()),), "no_such_place"),
    ],
)
def test_a_wrong_additional_harvest_is_refused(fillings, key):
    """GO-8.4: different places, each with an empty field; spices for colonies only."""
    state = own(HARVEST, plantations=FOUR, colonies=(colony("quilon1"),))

    assert refusal(state, ANNA, UseHarvest(fillings)) == (key, "GO-8.4")


# ---- trade -------------------------------------------------------------------------------------


def trader(taken, **fields):
    """Anna has taken a tile from c3 by Trade."""
    state = turn(given={ANNA: {"tiles": (TRADE,), **fields}}, tiles={"c3": taken}, part="B")
    return play(state, (ANNA, UseTrade("c3")))


def test_trade_takes_any_tile_of_the_grid_and_lies_in_its_space():
    """GO-8.5: where it can be auctioned again."""
    state = trader(SHIP)

    assert state.players[ANNA].tiles == (SHIP,)
    assert state.grid[12] == TRADE
    assert state.awaiting == AwaitTurnAction(ANNA, 1)
    assert play(state, (ANNA, UseGoods("ship"))).players[ANNA].ships == 5


def test_trade_needs_a_tile():
    """GO-8.5."""
    state = own(TRADE)

    assert len(offered(state, ANNA, UseTrade)) == 25
    assert refusal(state, ANNA, UseTrade("north c")) == ("no_such_space", "GO-8.5")
    empty = turn(given={ANNA: {"tiles": (TRADE,)}}, tiles={})
    assert refusal(empty, ANNA, UseTrade("c3")) == ("no_tile_there", "GO-8.5")


def test_a_plantation_taken_by_trade_is_placed_when_it_is_used():
    """GO-8.5: in this or any later action."""
    state = play(ended(play(trader(NUTMEG), (ANNA, Taxes()))), (BRAM, Taxes()))
    assert state.players[ANNA].plantations == (None,) * 4
    state = ended(play(ended(state, BRAM), (CHAIM, Taxes())), CHAIM)

    anna = play(state, (ANNA, UseTile(NUTMEG, None, None))).players[ANNA]

    assert (anna.plantations[0], anna.tiles) == (plantation("nutmeg"), ())


def test_a_plantation_taken_by_trade_needs_room():
    """GO-8.5, GO-8.1."""
    state = trader(NUTMEG, plantations=FOUR)

    short = UseTile(NUTMEG, None, None)
    assert refusal(state, ANNA, short) == ("drop_needed", "GO-8.1")
    anna = play(state, (ANNA, UseTile(NUTMEG, 1, None))).players[ANNA]
    assert (anna.plantations[0], anna.face_down) == (plantation("nutmeg"), (FOUR[0].tile,))
    needless = UseTile(NUTMEG, 1, None)
    assert refusal(trader(NUTMEG), ANNA, needless) == ("no_drop_needed", "GO-8.1")


def test_an_immediate_tile_taken_by_trade_takes_effect_when_it_is_used():
    """GO-8.5."""
    state = trader(SHIPS_OR_COLONISTS)
    assert [each.goods for each in offered(state, ANNA, UseTile)] == ["ships", "colonists"]

    assert play(state, (ANNA, UseTile(SHIPS_OR_COLONISTS, None, "ships"))).players[ANNA].ships == 7
    for order, key in (
        (UseTile(SHIPS_OR_COLONISTS, None, None), "goods_needed"),
        (UseTile(SHIPS_OR_COLONISTS, 1, "ships"), "no_drop_needed"),
        (UseTile(FOUR_SHIPS, None, None), "not_your_tile"),
    ):
        assert refusal(state, ANNA, order) == (key, "GO-8.5")


def test_cards_of_a_tile_taken_by_trade_are_drawn_in_the_turn():
    """GO-8.5, GO-4.8a: three cards, the limit is 1; it is still Anna's action."""
    state = play(trader(THREE_CARDS, hand=(9,)), (ANNA, UseTile(THREE_CARDS, None, None)))

    assert state.awaiting == AwaitRoom(ANNA, 3, 1, "tile")


def test_a_mission_taken_by_trade_counts_at_once():
    """GO-8.5."""
    state = turn(given={ANNA: {"tiles": (TRADE,)}}, tiles={"c3": MISSION})

    turned = move(state, ANNA, UseTrade("c3"))

    assert facts(turned, MissionTaken) == [MissionTaken(ANNA, MISSION)]
    assert turned.state.players[ANNA].face_down == (MISSION,)


def test_other_tiles_taken_by_trade_are_used_as_if_won():
    """GO-8.5."""
    state = trader(DUTY)

    order = UseTile(DUTY, None, None)
    assert refusal(state, ANNA, order) == ("tile_used_otherwise", "GO-8.5")
    goods = UseTile(FOUR_SHIPS, None, "ships")
    assert refusal(trader(FOUR_SHIPS), ANNA, goods) == ("no_goods_choice", "GO-8.5")
