"""Expeditions, the hand limit and the deck (GO-1.3, GO-4.6, GO-4.8a, GO-4.9)."""

from __future__ import annotations

import pytest

from engine.goa.events import CardsDrawn, DeckReshuffled, NoCardsDrawn
from engine.goa.moves import Discard, DrawCards, Expedition, Pass, PlayCard, Taxes
from engine.goa.state import AwaitBid, AwaitDone, AwaitRoom
from tests.engine.goa.positions import (
    ANNA,
    BRAM,
    CHAIM,
    GAME,
    SETTLEMENT,
    TAKE_DUCATS,
    TWO_CARDS,
    auction,
    bidding,
    facts,
    move,
    offered,
    play,
    refusal,
    turn,
)

ROW_4 = {"expedition": 4}  # draws 2, holds 4


def hand(*cards, seat=ANNA, row=4, **fields):
    """A turn of Anna's; a seat holds these cards, its expedition marker in a row."""
    return turn(given={seat: {"rows": {"expedition": row}, "hand": cards}}, **fields)


def test_an_expedition_draws_as_many_cards_as_the_column_says():
    """GO-4.6, the rulebook's first example: 1 card in hand, row 4: now 3."""
    state = play(hand(1), (ANNA, Expedition(2, ())))

    assert state.players[ANNA].hand == (1, 2, 3)


def test_an_expedition_never_goes_above_the_hand_limit():
    """GO-4.6, the rulebook's second example: 3 in hand, limit 4: only 1 is drawn."""
    state = hand(1, 2, 3)

    assert refusal(state, ANNA, Expedition(2, ())) == ("too_many_cards", "GO-4.6")
    assert play(state, (ANNA, Expedition(1, ()))).players[ANNA].hand == (1, 2, 3, 4)


def test_discards_make_room_for_an_expedition():
    """GO-4.6, the rulebook's second example: 1 is discarded, 2 are drawn."""
    state = play(hand(1, 2, 3), (ANNA, Expedition(2, (2,))))

    assert state.players[ANNA].hand == (1, 3, 4, 5)
    assert state.discards == (2,)


def test_a_card_played_first_makes_room_too():
    """GO-4.6, the rulebook's second example."""
    state = hand(1, 2, TAKE_DUCATS)

    state = play(state, (ANNA, PlayCard(TAKE_DUCATS, (), None)), (ANNA, Expedition(2, ())))

    assert state.players[ANNA].hand == (1, 2, 3, 4)


def test_fewer_cards_may_be_drawn_but_at_least_one():
    """GO-4.1, GO-4.6."""
    assert [each.cards for each in offered(hand(), ANNA, Expedition)] == [1, 2]
    assert refusal(hand(), ANNA, Expedition(0, ())) == ("too_few_cards", "GO-4.1")
    assert refusal(hand(), ANNA, Expedition(3, ())) == ("too_many_cards", "GO-4.6")


def test_an_expedition_that_says_nothing_is_asked_where_not_all_cards_fit():
    """GO-4.6: at that question no card is played."""
    state = play(hand(1, 2, TAKE_DUCATS), (ANNA, Expedition(None, ())))

    assert state.awaiting == AwaitRoom(ANNA, 2, 4, "expedition")
    wrong = PlayCard(TAKE_DUCATS, (), None)
    assert refusal(state, ANNA, wrong) == ("wrong_order", "GO-4.6")
    assert refusal(state, ANNA, DrawCards(0, ())) == ("too_few_cards", "GO-4.1")
    assert refusal(state, ANNA, DrawCards(2, ())) == ("too_many_cards", "GO-4.6")
    state = play(state, (ANNA, DrawCards(1, (1, 2))))
    assert state.players[ANNA].hand == (3, TAKE_DUCATS)
    assert state.awaiting == AwaitDone(ANNA)


def test_where_all_fit_or_the_hand_is_empty_nothing_is_asked():
    """GO-4.6."""
    for state in (hand(1), hand()):
        assert Expedition(None, ()) not in offered(state, ANNA, Expedition)
        assert refusal(state, ANNA, Expedition(None, ())) == ("all_fit", "GO-4.6")
    assert Expedition(None, ()) in offered(hand(1, 2, 3), ANNA, Expedition)


@pytest.mark.parametrize(
    ("discards", "key"),
    [((9,), "not_in_hand"), ((2, 1), "out_of_order"), ((1, 1), "named_twice")],
)
def test_discards_are_cards_of_ones_own_each_once(discards, key):
    """GO-4.9."""
    assert refusal(hand(1, 2, 3), ANNA, Expedition(1, discards)) == (key, "GO-4.9")


def test_a_tile_that_brings_cards_asks_for_room():
    """GO-4.8a: 2 cards for Bram, who holds 1 and may hold 2: discard 0 and draw 1, or 1 and 2."""
    state = auction(lot=TWO_CARDS, given={BRAM: {"hand": (7,), "rows": {"expedition": 2}}})

    state = bidding(state, (BRAM, 1), (CHAIM, None), (ANNA, None))

    assert state.awaiting == AwaitRoom(BRAM, 2, 2, "tile")
    assert offered(state, BRAM, DrawCards) == [DrawCards(1, ()), DrawCards(2, (7,))]
    assert refusal(state, BRAM, DrawCards(1, (7,))) == ("too_few_cards", "GO-4.8a")
    assert play(state, (BRAM, DrawCards(2, (7,)))).players[BRAM].hand == (1, 2)


def test_an_empty_hand_takes_what_fits_unasked():
    """GO-4.8a: limit 1, 2 cards to draw."""
    state = bidding(auction(lot=TWO_CARDS), (BRAM, 1), (CHAIM, None), (ANNA, None))

    assert state.players[BRAM].hand == (1,)


def test_a_full_hand_may_draw_nothing_for_a_tile():
    """GO-4.8a: 0 included."""
    state = auction(lot=TWO_CARDS, given={BRAM: {"hand": (7,)}})
    state = bidding(state, (BRAM, 1), (CHAIM, None), (ANNA, None))

    turned = move(state, BRAM, DrawCards(0, ()))

    assert facts(turned, NoCardsDrawn) == [NoCardsDrawn(BRAM, "tile")]
    assert turned.state.players[BRAM].hand == (7,)


def test_by_an_option_the_limit_holds_in_expeditions_only():
    """GO-4.8a: cards of a tile go above it; an expedition discards until a card fits."""
    state = auction(lot=TWO_CARDS, given={BRAM: {"hand": (7,)}}, hand_limit="expedition_only")
    state = bidding(state, (BRAM, 1), (CHAIM, None), (ANNA, None))
    assert state.players[BRAM].hand == (1, 2, 7)

    state = turn(given={ANNA: {"hand": (1, 2, 7)}}, hand_limit="expedition_only")

    orders = offered(state, ANNA, Expedition)
    assert [each.discard for each in orders if each.cards] == [(1, 2, 7)]
    assert Expedition(None, ()) in orders


# ---- discards at any time ----------------------------------------------------------------------


def test_cards_may_be_discarded_at_any_time_also_in_anothers_turn():
    """GO-4.9: it answers no question and ends nothing."""
    state = hand(1, 2, seat=BRAM)

    later = play(state, (BRAM, Discard(2)))

    assert later.players[BRAM].hand == (1,)
    assert later.discards == (2,)
    assert later.awaiting == state.awaiting
    assert refusal(later, BRAM, Discard(2)) == ("not_in_hand", "GO-4.9")


def test_a_seat_may_discard_while_others_bid():
    """GO-4.9."""
    state = auction(given={ANNA: {"hand": (4,)}})

    assert Discard(4) in list(GAME.legal_actions(state, ANNA))
    assert isinstance(play(state, (ANNA, Discard(4))).awaiting, AwaitBid)


def test_a_question_stays_even_if_a_discard_takes_its_reason_away():
    """GO-4.9: room in hand was asked for; the hand is thrown away; the cards are still drawn."""
    state = play(hand(1, 2, 3), (ANNA, Expedition(None, ())))

    state = play(state, (ANNA, Discard(1)), (ANNA, Discard(2)), (ANNA, Discard(3)))

    assert isinstance(state.awaiting, AwaitRoom)
    assert offered(state, ANNA, DrawCards) == [DrawCards(1, ()), DrawCards(2, ())]


# ---- the deck ----------------------------------------------------------------------------------


def test_an_empty_deck_is_renewed_from_the_discard_pile_when_a_card_must_be_drawn():
    """GO-1.3: the last card of the deck, then one of the new deck; one's own discard lies in it."""
    state = hand(1, 2, 3, deck=(9,), discards=(20, 21))

    turned = move(state, ANNA, Expedition(2, (3,)), chance=[(21, 3, 20)])

    assert [fact.cards for fact in facts(turned, CardsDrawn)] == [(9,), (21,)]
    assert facts(turned, DeckReshuffled)[0].cards == (21, 3, 20)
    assert turned.state.deck == (3, 20)
    assert turned.state.discards == ()


def test_a_deck_that_was_drawn_empty_stays_empty_until_a_card_must_be_drawn():
    """GO-1.3."""
    state = play(hand(deck=(9, 10), discards=(20,)), (ANNA, Expedition(2, ())))

    assert (state.deck, state.discards) == ((), (20,))


def test_without_a_card_to_draw_an_expedition_cannot_be_chosen():
    """GO-4.1: deck and discard pile are empty."""
    state = hand(1, 2, deck=(), discards=())

    assert offered(state, ANNA, Expedition) == []
    assert refusal(state, ANNA, Expedition(1, ())) == ("nothing_to_draw", "GO-4.1")


def test_if_deck_and_pile_are_empty_one_goes_without():
    """GO-1.3."""
    state = auction(lot=TWO_CARDS, deck=(), discards=())
    state = bidding(state, (BRAM, 1), (CHAIM, None))
    turned = move(state, ANNA, Pass())

    assert facts(turned, NoCardsDrawn) == [NoCardsDrawn(BRAM, "tile")]


def test_only_its_owner_sees_a_card_drawn():
    """GO-1.1."""
    (drawn,) = facts(move(hand(), ANNA, Expedition(2, ())), CardsDrawn)

    assert drawn.seen_by(ANNA).cards == (1, 2)
    assert drawn.seen_by(BRAM).cards == drawn.seen_by(None).cards == (None, None)


def test_a_settlement_brings_a_ship_an_additional_action_card_and_a_colonist():
    """GO-8.2."""
    state = bidding(auction(lot=SETTLEMENT), (BRAM, 1), (CHAIM, None), (ANNA, None))

    bram = state.players[BRAM]
    assert (bram.ships, bram.additional_cards, bram.colonists) == (5, 1, 3)


def test_taxes_draw_nothing():
    """GO-4.6."""
    assert play(hand(), (ANNA, Taxes())).deck == hand().deck
