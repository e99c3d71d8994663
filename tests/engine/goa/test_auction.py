"""The auctions (GO-3.1 to GO-3.4)."""

from __future__ import annotations

import pytest

from engine.chance import Forbidden
from engine.errors import MoveRefused
from engine.goa.events import BidDeclined, BidMade, LotPaid
from engine.goa.moves import Bid, ChooseGain, Pass, PlaceFlag, PlaceMarker
from engine.goa.state import AwaitBid, AwaitGoods, AwaitTurnAction, SoldLot
from tests.engine.goa.positions import (
    ANNA,
    BRAM,
    CHAIM,
    DORA,
    FOUR_COLONISTS,
    GAME,
    SHIP,
    SHIPS_OR_COLONISTS,
    auction,
    bidding,
    facts,
    move,
    offered,
    placing,
    play,
    purses,
    refusal,
)


def left(state):
    """The ducats in all purses."""
    return [player.ducats for player in state.players]


def test_the_seat_on_the_auctioneers_left_speaks_first_and_he_last():
    """GO-3.1: 4 players, a lot of Chaim's."""
    state = auction(4, auctioneer=CHAIM)
    assert state.awaiting == AwaitBid(2, SHIP, CHAIM, (DORA, ANNA, BRAM, CHAIM))

    state = bidding(state, (DORA, 1), (ANNA, 2), (BRAM, None))

    assert state.awaiting.seats == (CHAIM,)
    assert refusal(state, BRAM, Bid(9)) == ("not_your_turn", "GO-3.1")


def test_a_bid_must_beat_the_standing_offer():
    """GO-3.1."""
    state = bidding(auction(given=purses(9, 9, 9)), (BRAM, 5))

    assert refusal(state, CHAIM, Bid(5)) == ("bid_too_low", "GO-3.1")
    assert refusal(state, CHAIM, Bid(10)) == ("bid_above_purse", "GO-3.1")
    assert list(offered(state, CHAIM, Bid)) == [Bid(6), Bid(7), Bid(8), Bid(9)]
    assert refusal(auction(), BRAM, Bid(0)) == ("bid_too_low", "GO-3.1")
    assert refusal(auction(), BRAM, Bid(-3)) == ("bid_too_low", "GO-3.1")


def test_a_seat_that_cannot_outbid_has_passed_unasked():
    """GO-3.1: Chaim has 5, and 5 are bid."""
    turn = move(auction(given=purses(9, 9, 5)), BRAM, Bid(5))

    assert facts(turn, BidDeclined) == [BidDeclined(CHAIM, 2, unasked=True)]
    assert turn.state.awaiting.seats == (ANNA,)


def test_the_winner_pays_the_auctioneer():
    """GO-3.2: Bram buys Chaim's lot for 5."""
    state = auction(auctioneer=CHAIM, given=purses(9, 9, 9))

    state = bidding(state, (ANNA, 3), (BRAM, 5), (CHAIM, None))

    assert left(state) == [9, 4, 14]
    assert state.players[BRAM].tiles == (SHIP,)
    assert state.grid == (None,) * 25
    assert state.markers == ()


def test_an_auctioneer_who_outbids_pays_the_bank():
    """GO-3.2."""
    state = bidding(auction(given=purses(9, 9, 9)), (BRAM, 3), (CHAIM, None), (ANNA, 4))

    assert left(state) == [5, 9, 9]
    assert state.players[ANNA].tiles == (SHIP,)


def test_if_all_pass_the_auctioneer_takes_the_tile_for_nothing_unasked():
    """GO-3.1, GO-3.2."""
    state = bidding(auction(given=purses(9, 9, 9)), (BRAM, None))
    turn = move(state, CHAIM, Pass())

    assert facts(turn, LotPaid) == []
    assert turn.state.players[ANNA].tiles == (SHIP,)


def test_where_nobody_can_bid_nobody_is_asked():
    """GO-3.1: all purses are empty."""
    state = auction(given=purses(0, 0, 0))

    assert state.players[ANNA].tiles == (SHIP,)
    assert state.awaiting == AwaitTurnAction(ANNA, 1)


def test_whoever_gets_the_flag_begins_at_once_and_takes_an_additional_action_card():
    """GO-3.3: Bram buys it, and takes the first action."""
    state = bidding(auction(lot=None), (BRAM, 2), (CHAIM, None), (ANNA, None))

    assert state.start_player == BRAM
    assert state.players[BRAM].additional_cards == 1
    assert state.flag is None
    assert state.awaiting == AwaitTurnAction(BRAM, 1)


def test_the_flag_kept_for_nothing_brings_the_card_too():
    """GO-3.3."""
    state = bidding(auction(lot=None), (BRAM, None), (CHAIM, None))

    assert (state.start_player, state.players[ANNA].additional_cards) == (ANNA, 1)


def test_the_rounds_lots_stay_as_the_markers_lie_when_the_flag_changes_hands():
    """GO-3.3: 2 players: B, A; A, B; B, A."""
    state = play(placing(2), (ANNA, PlaceFlag("north c")), (BRAM, PlaceMarker("c1")),
                 (ANNA, PlaceMarker("d1")))
    order = []
    while isinstance(state.awaiting, AwaitBid):
        auctioneer = state.awaiting.auctioneer
        asked = state.awaiting.seats[0]
        order.append((auctioneer, asked))
        outbids = state.awaiting.lot == 1 and asked == BRAM
        state = play(state, (asked, Bid(1) if outbids else Pass()))

    assert order == [(ANNA, BRAM), (ANNA, ANNA), (BRAM, ANNA), (ANNA, BRAM)]
    assert state.start_player == BRAM


def test_a_won_tile_is_settled_before_the_next_lot():
    """GO-3.4: ships or colonists."""
    state = bidding(auction(lot=SHIPS_OR_COLONISTS), (BRAM, 1), (CHAIM, None), (ANNA, None))
    assert state.awaiting == AwaitGoods(BRAM, SHIPS_OR_COLONISTS)
    assert list(state.players[BRAM].tiles) == [SHIPS_OR_COLONISTS]

    state = play(state, (BRAM, ChooseGain("colonists")))

    assert (state.players[BRAM].ships, state.players[BRAM].colonists) == (4, 5)
    assert state.awaiting == AwaitTurnAction(ANNA, 1)


def test_no_card_is_played_while_a_tile_is_settled():
    """GO-3.4."""
    from engine.goa.moves import PlayCard

    state = auction(lot=SHIPS_OR_COLONISTS, given={BRAM: {"hand": (1,)}})
    state = bidding(state, (BRAM, 1), (CHAIM, None), (ANNA, None))

    assert refusal(state, BRAM, PlayCard(1, (), None)) == ("wrong_order", "GO-3.4")
    assert refusal(state, BRAM, ChooseGain("ducats")) == ("no_such_goods", "GO-8.2")


def test_a_purse_stands_in_no_fact_and_no_question():
    """GO-1.1: only what is bid and paid is told."""
    turn = move(auction(given=purses(77, 88, 99)), BRAM, Bid(5))

    for text in (str(turn.events), str(turn.state.awaiting)):
        assert not any(purse in text for purse in ("77", "88", "99"))


@pytest.mark.parametrize("chaim", [0, 5, 6])
def test_a_bid_that_is_only_tried_tells_nothing_of_anothers_purse(chaim):
    """GO-3.1: whether Chaim could bid more than 5, nor whether the lot were Bram's then."""
    state = auction(given=purses(9, 9, chaim))

    tried = GAME.apply_action(state, BRAM, Bid(5), Forbidden())

    assert tried.events == (BidMade(BRAM, 2, 5),)
    assert tried.stopped
    tried = GAME.apply_action(state, BRAM, Pass(), Forbidden())
    assert tried.events == (BidDeclined(BRAM, 2, unasked=False),)
    assert tried.stopped


def test_the_last_bid_can_be_tried_to_its_end():
    """GO-3.1, GO-3.2: nobody else's purse matters."""
    state = bidding(auction(given=purses(9, 9, 9)), (BRAM, 5), (CHAIM, None))

    tried = GAME.apply_action(state, ANNA, Pass(), Forbidden())

    assert not tried.stopped
    assert facts(tried, LotPaid) == [LotPaid(BRAM, 2, ANNA, 5)]


def test_the_refusal_of_a_high_bid_is_the_bidders_own():
    """GO-3.1: it names the purse that the bidder sees anyway."""
    with pytest.raises(MoveRefused) as refused:
        move(auction(given=purses(9, 8, 7)), BRAM, Bid(50))

    assert refused.value.numbers == {"bid": 50, "purse": 8}


def test_an_immediate_tile_takes_effect_when_it_is_won():
    """GO-3.4, GO-8.2."""
    state = bidding(auction(lot=FOUR_COLONISTS), (BRAM, 1), (CHAIM, None), (ANNA, None))

    assert state.players[BRAM].colonists == 6
    assert state.players[BRAM].tiles == ()


# ---- sold lots -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bids", "bought"),
    [
        (((BRAM, 3), (CHAIM, None), (ANNA, None)), (BRAM, 3)),
        (((BRAM, 3), (CHAIM, None), (ANNA, 4)), (ANNA, 4)),
        (((BRAM, None), (CHAIM, None)), (ANNA, 0)),
    ],
)
@pytest.mark.parametrize(("lot", "number", "space"), [(SHIP, 2, "c3"), (None, 1, "north c")])
def test_who_has_bought_a_lot_and_for_how_much_is_kept_for_everybody_to_see(
    lot, number, space, bids, bought
):
    """GO-3.2: Anna is auctioneer; the tile may be out of the game, the price lies open."""
    state = bidding(auction(lot=lot), *bids)

    assert state.sold == (SoldLot(number, space, lot, ANNA, *bought),)
    for viewer in (None, ANNA, CHAIM):
        (sold,) = GAME.observation(state, viewer).sold
        assert (sold.number, sold.space, sold.tile and sold.tile.id) == (number, space, lot)
        assert (sold.auctioneer, sold.buyer, sold.ducats) == (ANNA, *bought)


def test_sold_lots_are_kept_until_the_next_round_begins():
    """GO-6.2."""
    state = bidding(auction(), (BRAM, 3), (CHAIM, None), (ANNA, None))
    while state.round == 1:
        assert len(state.sold) == 1
        (seat,) = GAME.current_players(state)
        state = play(state, (seat, GAME.default_action(state, seat)))

    assert state.sold == ()


@pytest.mark.parametrize(
    ("bids", "key"),
    [
        (((BRAM, 3), (CHAIM, None), (ANNA, None)), "sold_to"),
        (((BRAM, 3), (CHAIM, None), (ANNA, 4)), "kept_for"),
        (((BRAM, None), (CHAIM, None)), "kept_free"),
    ],
)
def test_the_table_tells_a_sold_lot_from_one_that_the_auctioneer_kept(bids, key):
    """GO-3.2: in the list and on the chart."""
    state = bidding(auction(), *bids)
    shown = GAME.page(GAME.observation(state, None), None)

    (lot,) = shown["lots"]
    assert (lot.state, lot.tile.id, lot.says.key) == ("done", SHIP, key)
    (sale,) = shown["chart"].sales
    assert (sale.number, sale.buyer, sale.ducats) == (2, lot.bidder, state.sold[0].ducats)
    assert shown["tile_words"][SHIP]
