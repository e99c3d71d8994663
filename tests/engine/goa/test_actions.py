"""Progress, ships, harvest, taxes and the bonuses of the board (GO-4.1 to GO-4.5, GO-4.8)."""

from __future__ import annotations

import pytest

from engine import codec
from engine.goa.events import ActionChosen, AllMarkersInRow, BonusCardsDrawn, FirstInRow
from engine.goa.moves import BuildShips, DrawCards, EndTurn, FoundColony, Harvest, Progress, Taxes
from engine.goa.state import AwaitDone, AwaitRoom, AwaitTurnAction
from tests.engine.goa.positions import (
    ANNA,
    ANY_GOODS,
    BRAM,
    BUY_FOR_8,
    CHAIM,
    WITHOUT_SHIPS,
    WITHOUT_SPICES,
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

PEPPER_AND_CINNAMON = (("pepper", "1", 1), ("cinnamon", "2", 1))


def taxpayer(**fields):
    """Anna may move her taxes marker from row 2 to row 3."""
    return {"rows": {"taxes": 2}, "plantations": (plantation("pepper"), plantation("cinnamon")),
            **fields}


def test_progress_costs_the_spices_shown_and_a_ship_for_each():
    """GO-4.2, the rulebook's example: taxes from row 2 to 3 for pepper, cinnamon and 2 ships."""
    state = turn(given={ANNA: taxpayer()})

    state = play(state, (ANNA, Progress("taxes", None, PEPPER_AND_CINNAMON)))

    anna = state.players[ANNA]
    assert anna.markers == (1, 1, 3, 1, 1)
    assert anna.ships == 2
    assert [each.sacks for each in anna.plantations[:2]] == [1, 1]
    assert state.awaiting == AwaitDone(ANNA)


def test_amounts_are_numbers_so_change_is_never_needed():
    """GO-1.1, the rulebook's example: who has a card of 3 ships pays 2 and keeps 1."""
    state = turn(given={ANNA: taxpayer(ships=3)})

    state = play(state, (ANNA, Progress("taxes", None, PEPPER_AND_CINNAMON)))

    assert state.players[ANNA].ships == 1


def test_the_payer_chooses_from_which_fields():
    """GO-4.2: ginger from either plantation, or from the colony."""
    state = turn(given={ANNA: {
        "plantations": (plantation("ginger"), plantation("ginger", 1)),
        "colonies": (colony("quilon1", "ginger"),),
    }})

    choices = [each.sacks for each in offered(state, ANNA, Progress)]

    assert choices == [(("ginger", place, 1),) for place in ("1", "2", "quilon")]


@pytest.mark.parametrize(
    ("order", "key"),
    [
        (Progress("taxes", None, (("pepper", "1", 1),)), "sacks_of_spice"),
        (Progress("taxes", None, (("pepper", "1", 2), ("cinnamon", "2", 1))), "sacks_of_spice"),
        (Progress("taxes", None, (("cinnamon", "2", 1), ("pepper", "1", 1))), "out_of_order"),
        (Progress("taxes", None, (("pepper", "2", 1), ("cinnamon", "2", 1))), "too_few_sacks"),
        (Progress("taxes", None, (("pepper", "9", 1),)), "no_such_place"),
        (Progress("taxes", None, (("salt", "1", 1),)), "no_such_spice"),
        (Progress("money", None, ()), "no_such_column"),
        (Progress("ships", None, ()), "last_row"),
    ],
)
def test_a_wrong_payment_is_refused(order, key):
    """GO-4.2."""
    state = turn(given={ANNA: taxpayer(rows={"taxes": 2, "ships": 5})})

    assert refusal(state, ANNA, order) == (key, "GO-4.2")


def test_progress_without_enough_ships_is_refused():
    """GO-4.2."""
    state = turn(given={ANNA: taxpayer(ships=1)})

    order = Progress("taxes", None, PEPPER_AND_CINNAMON)
    assert refusal(state, ANNA, order) == ("too_few_ships", "GO-4.2")


def test_ships_are_built_by_the_ships_column():
    """GO-4.3, the rulebook's example: 2 ships in row 2."""
    state = play(turn(given={ANNA: {"rows": {"ships": 2}}}), (ANNA, BuildShips()))

    assert state.players[ANNA].ships == 6


def test_taxes_are_taken_by_the_taxes_column():
    """GO-4.5, the rulebook's example: 6 ducats."""
    state = play(turn(given={ANNA: {"rows": {"taxes": 2}}}), (ANNA, Taxes()))

    assert state.players[ANNA].ducats == 16


def test_a_harvest_takes_as_many_spices_as_the_column_says():
    """GO-4.4, the rulebook's example: 4 sacks, onto fields of one's choice."""
    state = turn(given={ANNA: {
        "rows": {"harvest": 3},
        "plantations": (plantation("ginger", 3, 0), plantation("clove", 3, 0)),
    }})
    assert len(offered(state, ANNA, Harvest)) == 3

    sacks = (("ginger", "1", 1), ("clove", "2", 3))
    state = play(state, (ANNA, Harvest(None, 0, 0, sacks)))

    assert [each.sacks for each in state.players[ANNA].plantations[:2]] == [1, 3]


def test_a_harvest_takes_fewer_only_for_lack_of_fields():
    """GO-4.4: the column says 4, one field is empty."""
    state = turn(given={ANNA: {
        "rows": {"harvest": 3}, "plantations": (plantation("ginger", 3, 2),),
    }})

    assert offered(state, ANNA, Harvest) == [Harvest(None, 0, 0, (("ginger", "1", 1),))]
    more = Harvest(None, 0, 0, (("ginger", "1", 2),))
    assert refusal(state, ANNA, more) == ("too_few_fields", "GO-4.4")
    assert refusal(state, ANNA, Harvest(None, 0, 0, ())) == ("sacks_number", "GO-4.4")


def test_a_colonys_field_takes_any_spice_that_it_may_hold():
    """GO-4.4."""
    state = turn(given={ANNA: {"colonies": (colony("quilon3"),)}})

    assert [each.sacks for each in offered(state, ANNA, Harvest)] == [
        (("pepper", "quilon", 1),), (("cinnamon", "quilon", 1),),
    ]  # fmt: skip
    wrong = Harvest(None, 0, 0, (("ginger", "quilon", 1),))
    assert refusal(state, ANNA, wrong) == ("spice_not_held", "GO-4.4")
    nowhere = Harvest(None, 0, 0, (("ginger", "madras", 1),))
    assert refusal(state, ANNA, nowhere) == ("nothing_there", "GO-4.4")


def test_a_harvest_takes_at_least_one_spice():
    """GO-4.1: with every field full it cannot be chosen."""
    state = turn(given={ANNA: {"plantations": (plantation("ginger"),)}})

    assert offered(state, ANNA, Harvest) == []
    assert refusal(state, ANNA, Harvest(None, 0, 0, ())) == ("no_empty_field", "GO-4.1")


def test_only_a_card_lets_a_harvest_bring_other_goods():
    """GO-4.4."""
    state = turn(given={ANNA: {"plantations": (plantation("ginger", 2, 0),)}})

    assert refusal(state, ANNA, Harvest(None, 1, 0, ())) == ("goods_without_card", "GO-4.4")


def test_each_seat_takes_three_actions_one_at_a_time():
    """GO-4.1: clockwise from the start player, the same action again."""
    state, order = turn(start_player=BRAM, seat=BRAM), []
    while isinstance(state.awaiting, AwaitTurnAction):
        order.append((state.awaiting.seat, state.awaiting.number))
        state = ended(play(state, (state.awaiting.seat, Taxes())), state.awaiting.seat)

    assert order == [(seat, number) for number in (1, 2, 3) for seat in (BRAM, CHAIM, ANNA)]


def test_an_action_must_be_taken():
    """GO-4.1: nobody is done without one."""
    assert refusal(turn(), ANNA, EndTurn()) == ("wrong_order", "GO-4.1")


def test_one_action_a_turn():
    """GO-4.1, GO-4.10."""
    state = play(turn(), (ANNA, Taxes()))

    assert refusal(state, ANNA, BuildShips()) == ("wrong_order", "GO-4.10")


# ---- cards that name progress or harvest -------------------------------------------------------


def test_without_spices_the_ships_stay_as_many_as_the_spices_shown():
    """GO-7.2."""
    state = turn(given={ANNA: {"hand": (WITHOUT_SPICES,), "rows": {"taxes": 2}}})

    state = play(state, (ANNA, Progress("taxes", WITHOUT_SPICES, ())))

    assert (state.players[ANNA].ships, state.players[ANNA].markers[2]) == (2, 3)
    assert state.discards == (WITHOUT_SPICES,)


def test_without_ships_the_spices_are_paid():
    """GO-7.2."""
    state = turn(given={ANNA: taxpayer(hand=(WITHOUT_SHIPS,), ships=0)})

    state = play(state, (ANNA, Progress("taxes", WITHOUT_SHIPS, PEPPER_AND_CINNAMON)))

    assert (state.players[ANNA].ships, state.players[ANNA].markers[2]) == (0, 3)


def test_any_goods_makes_the_harvest_number_of_ships_colonists_and_spices():
    """GO-7.2: exactly, spices only as far as fields are empty."""
    state = turn(given={ANNA: {
        "rows": {"harvest": 3}, "hand": (ANY_GOODS,), "plantations": (plantation("clove", 2, 1),),
    }})
    assert len(offered(state, ANNA, Harvest)) == 1 + 5 + 4  # without it, then 0 or 1 spice

    order = Harvest(ANY_GOODS, 2, 1, (("clove", "1", 1),))
    anna = play(state, (ANNA, order)).players[ANNA]

    assert (anna.ships, anna.colonists, anna.plantations[0].sacks) == (6, 3, 2)
    few = Harvest(ANY_GOODS, 2, 1, ())
    assert refusal(state, ANNA, few) == ("goods_number", "GO-7.2")
    negative = Harvest(ANY_GOODS, 5, -1, ())
    assert refusal(state, ANNA, negative) == ("goods_number", "GO-7.2")


def test_a_card_goes_only_with_the_action_that_it_names():
    """GO-7.1."""
    state = turn(given={ANNA: {"hand": (ANY_GOODS, BUY_FOR_8)}})

    for order in (Progress("taxes", ANY_GOODS, ()), FoundColony("quilon", ANY_GOODS)):
        assert refusal(state, ANNA, order) == ("card_for_other_action", "GO-7.1")
    missing = Harvest(WITHOUT_SHIPS, 1, 0, ())
    assert refusal(state, ANNA, missing) == ("not_in_hand", "GO-7.1")


# ---- bonuses -----------------------------------------------------------------------------------


def nearly(row, **fields):
    """Anna's taxes marker is a step above a row; a card moves it without spices."""
    return {"rows": {"taxes": row - 1}, "hand": (WITHOUT_SPICES,), **fields}


MOVE_TAXES = Progress("taxes", WITHOUT_SPICES, ())


@pytest.mark.parametrize("row", [4, 5])
def test_the_first_of_all_in_row_4_or_5_of_a_column_draws_a_card(row):
    """GO-4.8."""
    turned = move(turn(given={ANNA: nearly(row)}), ANNA, MOVE_TAXES)

    assert facts(turned, FirstInRow) == [FirstInRow(ANNA, "taxes", row, 1)]
    assert facts(turned, BonusCardsDrawn) == [BonusCardsDrawn(ANNA, (1,), by_action=True)]
    assert turned.state.players[ANNA].hand == (1,)


def test_a_later_marker_in_the_row_draws_none():
    """GO-4.8: Chaim's taxes marker is in row 5 already; other columns do not matter."""
    given = {ANNA: nearly(4), CHAIM: {"rows": {"taxes": 5}}, BRAM: {"rows": {"ships": 4}}}

    assert facts(move(turn(given=given), ANNA, MOVE_TAXES), FirstInRow) == []
    assert facts(move(turn(given={ANNA: nearly(3)}), ANNA, MOVE_TAXES), FirstInRow) == []


def test_five_markers_in_a_row_bring_an_additional_action_card():
    """GO-4.8: the last of the five reaches row 2."""
    rows = {"ships": 3, "harvest": 2, "expedition": 2, "colonists": 2}
    state = turn(given={ANNA: nearly(2, rows=rows)})

    turned = move(state, ANNA, MOVE_TAXES)

    assert facts(turned, AllMarkersInRow) == [AllMarkersInRow(ANNA, 2, 1)]
    assert turned.state.players[ANNA].additional_cards == 1
    again = turn(given={ANNA: nearly(3, rows=rows | {"taxes": 2})})
    assert facts(move(again, ANNA, MOVE_TAXES), AllMarkersInRow) == []


def test_the_additional_action_card_comes_behind_the_expedition_card():
    """GO-4.8: also where room must be made first."""
    rows = {"ships": 4, "harvest": 4, "taxes": 3, "expedition": 4, "colonists": 4}
    state = turn(given={ANNA: {"rows": rows, "hand": (2, 5, 8, 11, WITHOUT_SPICES)}})

    state = play(state, (ANNA, MOVE_TAXES))
    assert state.awaiting == AwaitRoom(ANNA, 1, 4, "progress", additional_cards=1)
    assert state.players[ANNA].additional_cards == 0
    turned = move(state, ANNA, DrawCards(1, (2,)))

    assert [codec.tag_of(type(fact)) for fact in turned.events] == [
        "RoomMade", "BonusCardsDrawn", "AllMarkersInRow", "NowAwaiting",
    ]  # fmt: skip


def test_a_new_hand_limit_holds_before_the_bonus_is_drawn():
    """GO-4.8: the expedition marker reaches row 4; three cards and one more fit."""
    state = turn(given={ANNA: {
        "rows": {"expedition": 3}, "hand": (2, 5, 8, WITHOUT_SPICES), "ships": 9,
    }})

    state = play(state, (ANNA, Progress("expedition", WITHOUT_SPICES, ())))

    assert state.players[ANNA].hand == (1, 2, 5, 8)


def test_what_action_was_taken_is_told():
    """GO-4.1."""
    assert facts(move(turn(), ANNA, Taxes()), ActionChosen) == [ActionChosen(ANNA, "taxes")]
