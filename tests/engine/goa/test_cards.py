"""Expedition cards played (GO-7.1, GO-7.2)."""

from __future__ import annotations

import pytest

from engine.goa.events import CardPlayed, FirstInRow, ProgressBought
from engine.goa.moves import PlayCard, Progress, Taxes
from engine.goa.state import AwaitDone, AwaitTurnAction
from tests.engine.goa.positions import (
    ANNA,
    ANY_GOODS,
    BRAM,
    BUY_FOR_8,
    REVEAL_3,
    SELL,
    TAKE_COLONISTS,
    TAKE_DUCATS,
    TAKE_SHIPS,
    TAKE_SPICES,
    WITHOUT_SHIPS,
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


def hand(*cards, **fields):
    """Anna's turn with these cards."""
    return turn(given={ANNA: {"hand": tuple(sorted(cards)), **fields}})


@pytest.mark.parametrize(
    ("card", "expected"),
    [(TAKE_SHIPS, (10, 6, 2)), (TAKE_COLONISTS, (10, 4, 4)), (TAKE_DUCATS, (15, 4, 2))],
)
def test_a_card_gives_what_it_shows_and_is_no_action(card, expected):
    """GO-7.1, GO-7.2."""
    state = play(hand(card), (ANNA, PlayCard(card, (), None)))

    anna = state.players[ANNA]
    assert (anna.ducats, anna.ships, anna.colonists) == expected
    assert (anna.hand, state.discards) == ((), (card,))
    assert state.awaiting == AwaitTurnAction(ANNA, 1)


def test_one_card_an_action_before_or_behind_it():
    """GO-7.1."""
    state = play(hand(TAKE_SHIPS, TAKE_DUCATS), (ANNA, Taxes()),
                 (ANNA, PlayCard(TAKE_SHIPS, (), None)))

    assert state.awaiting == AwaitDone(ANNA)
    order = PlayCard(TAKE_DUCATS, (), None)
    assert refusal(state, ANNA, order) == ("card_played_already", "GO-7.1")
    assert offered(state, ANNA, PlayCard) == []


def test_a_card_played_with_the_action_was_the_one():
    """GO-7.1."""
    state = hand(WITHOUT_SHIPS, TAKE_DUCATS, plantations=(plantation("pepper"),))

    state = play(state, (ANNA, Progress("taxes", WITHOUT_SHIPS, (("pepper", "1", 1),))))

    order = PlayCard(TAKE_DUCATS, (), None)
    assert refusal(state, ANNA, order) == ("card_played_already", "GO-7.1")


def test_the_next_turn_has_a_card_of_its_own():
    """GO-7.1."""
    state = play(hand(TAKE_SHIPS), (ANNA, PlayCard(TAKE_SHIPS, (), None)), (ANNA, Taxes()))
    state = ended(state)

    assert (state.awaiting.seat, state.turn.card_played) == (BRAM, False)


@pytest.mark.parametrize("card", [ANY_GOODS, REVEAL_3, WITHOUT_SHIPS])
def test_a_card_that_names_an_action_is_played_with_it_only(card):
    """GO-7.1."""
    assert refusal(hand(card), ANNA, PlayCard(card, (), None)) == ("card_for_action", "GO-7.1")


def test_nobody_plays_a_card_of_anothers_or_in_anothers_turn():
    """GO-7.1."""
    order = PlayCard(TAKE_SHIPS, (), None)

    assert refusal(hand(), ANNA, order) == ("not_in_hand", "GO-7.1")
    assert refusal(hand(), BRAM, order) == ("not_your_turn", "GO-4.1")


def test_two_spices_come_onto_any_fields_that_may_hold_them():
    """GO-7.2."""
    state = hand(TAKE_SPICES, plantations=(plantation("ginger", 3, 1),),
                 colonies=(colony("quilon1"),))
    assert len(offered(state, ANNA, PlayCard)) == 3

    sacks = (("ginger", "1", 1), ("nutmeg", "quilon", 1))
    anna = play(state, (ANNA, PlayCard(TAKE_SPICES, sacks, None))).players[ANNA]

    assert anna.plantations[0].sacks == 2
    assert anna.colonies[0] == colony("quilon1", "nutmeg")
    one = PlayCard(TAKE_SPICES, sacks[:1], None)
    assert refusal(state, ANNA, one) == ("sacks_number", "GO-7.2")


def test_one_spice_if_only_one_fits():
    """GO-7.2."""
    state = hand(TAKE_SPICES, plantations=(plantation("ginger", 3, 2),))

    assert offered(state, ANNA, PlayCard) == [PlayCard(TAKE_SPICES, (("ginger", "1", 1),), None)]


def test_two_spices_cannot_be_played_with_every_field_full():
    """GO-7.2."""
    state = hand(TAKE_SPICES, plantations=(plantation("ginger"),))

    assert offered(state, ANNA, PlayCard) == []
    order = PlayCard(TAKE_SPICES, (), None)
    assert refusal(state, ANNA, order) == ("no_empty_field", "GO-7.2")


def test_up_to_four_spices_are_sold_for_3_ducats_each():
    """GO-7.2."""
    state = hand(SELL, plantations=(plantation("ginger", 3), plantation("clove", 3)))
    sacks = (("ginger", "1", 1), ("clove", "2", 3))

    anna = play(state, (ANNA, PlayCard(SELL, sacks, None))).players[ANNA]

    assert anna.ducats == 22
    assert [each.sacks for each in anna.plantations[:2]] == [2, 0]
    five = PlayCard(SELL, (("ginger", "1", 2), ("clove", "2", 3)), None)
    assert refusal(state, ANNA, five) == ("sacks_at_most", "GO-7.2")
    assert refusal(state, ANNA, PlayCard(SELL, (), None)) == ("sacks_at_most", "GO-7.2")


def test_progress_is_bought_in_any_column_for_the_full_price():
    """GO-7.2: 8 ducats, no spices, no ships; it counts for the first marker in a row (GO-4.8)."""
    state = hand(BUY_FOR_8, rows={"ships": 3, "taxes": 5})
    assert [each.column for each in offered(state, ANNA, PlayCard)] == [
        "ships", "harvest", "expedition", "colonists",
    ]  # fmt: skip

    turned = move(state, ANNA, PlayCard(BUY_FOR_8, (), "ships"))

    assert facts(turned, ProgressBought) == [ProgressBought(ANNA, BUY_FOR_8, "ships", 4, 8)]
    assert facts(turned, FirstInRow) == [FirstInRow(ANNA, "ships", 4, 1)]
    anna = turned.state.players[ANNA]
    assert (anna.ducats, anna.ships, anna.hand) == (2, 4, (1,))
    beyond = PlayCard(BUY_FOR_8, (), "taxes")
    assert refusal(state, ANNA, beyond) == ("last_row", "GO-4.2")
    nowhere = PlayCard(BUY_FOR_8, (), None)
    assert refusal(state, ANNA, nowhere) == ("card_needs_column", "GO-7.2")


def test_money_that_is_short_buys_no_progress():
    """GO-7.2, GO-3.1."""
    state = hand(BUY_FOR_8, ducats=7)

    assert offered(state, ANNA, PlayCard) == []
    order = PlayCard(BUY_FOR_8, (), "ships")
    assert refusal(state, ANNA, order) == ("too_few_ducats", "GO-3.1")


def test_sacks_and_columns_are_said_only_where_the_card_needs_them():
    """GO-7.2."""
    state = hand(TAKE_SHIPS, plantations=(plantation("ginger"),))

    sacks = PlayCard(TAKE_SHIPS, (("ginger", "1", 1),), None)
    assert refusal(state, ANNA, sacks) == ("card_takes_no_sacks", "GO-7.2")
    column = PlayCard(TAKE_SHIPS, (), "ships")
    assert refusal(state, ANNA, column) == ("card_takes_no_column", "GO-7.2")


def test_a_card_leaves_the_hand_before_it_takes_effect():
    """GO-7.1."""
    turned = move(hand(TAKE_SHIPS), ANNA, PlayCard(TAKE_SHIPS, (), None))

    assert isinstance(turned.events[0], CardPlayed)
