"""The chance to found a colony, from what its seat can see (GO-5.2)."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from engine.goa.events import BidMade, LotPaid
from engine.goa.odds import chance, odds
from engine.goa.state import AwaitBid, AwaitTurnAction
from engine.phrases import Name
from tests.engine.goa.test_form import GOA, asked, state_with

COMPONENTS = GOA.components


@pytest.mark.parametrize(
    ("unseen", "needed", "percent"),
    [([1, 1, 3], 4, 67), ([1, 2, 3], 6, 0), ([1, 2, 3], 0, 100), ([2], 3, 0), ([1] * 5, 2, 100)],
)
def test_all_pairs_of_unseen_cards_are_alike(unseen, needed, percent):
    assert chance(unseen, 2, needed) == percent


def test_known_cards_the_column_and_own_colonists_count():
    state = state_with(AwaitTurnAction)
    view, seat = asked(state)
    me = view.players[seat]
    known = {card.number for card in (*view.discards, *(me.hand or ()))}
    left = [card.colonists for card in COMPONENTS.cards.values() if card.number not in known]
    has = me.column("colonists").value + me.colonists

    found = odds(COMPONENTS, view)

    assert Counter(left) != Counter(card.colonists for card in COMPONENTS.cards.values())
    for colony, percent in found.items():
        pairs = [sum(pair) + has >= view.stock(colony).needed for pair in combinations(left, 2)]
        assert percent == round(100 * sum(pairs) / len(pairs))
    assert odds(COMPONENTS, GOA.observation(state, None)) == {}


def test_a_bid_says_what_the_lot_costs_and_an_auctioneers_that_the_bank_is_paid():
    view, seat = asked(state_with(AwaitBid))
    question = view.question
    bid = BidMade(seat, question.lot, question.high_bid + 1)

    (said,) = GOA.consequences(view, [bid], seat)

    purse = view.players[seat].ducats
    assert said.values["after"] == purse - bid.ducats
    assert said.values["payee"] == Name(question.auctioneer)
    assert (said.key == "if_won_bank") == (question.auctioneer == seat)
    paid = LotPaid(seat, question.lot, question.auctioneer, bid.ducats)
    assert list(GOA.consequences(view, [bid, paid], seat)) == []
