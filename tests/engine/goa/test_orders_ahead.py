"""Orders ahead in Goa: bids for lots still to come (GO-3.1), and a round's turns (GO-4.10)."""

from __future__ import annotations

import pytest

from engine import orders_ahead
from engine.errors import MoveRefused
from engine.goa.events import AuctionOpened, BidDeclined, BidMade
from engine.goa.moves import Bid, Discard, EndTurn, Extra, Pass, Taxes, UseGoods
from engine.goa.state import ACTIONS, SoldLot
from tests.engine.goa.positions import (
    ANNA,
    BRAM,
    CHAIM,
    DORA,
    DUCATS,
    GAME,
    additional,
    auction,
    bidding,
    changed,
    placing,
    purses,
    turn,
)

NAMES = {"bram": "blue", "ana maria": "red"}


def order(state, line, seat):
    """An order ahead as it is read at this table."""
    return orders_ahead.read(GAME, line, state, seat, NAMES)


def outcome(state, line, seat, given=None, log=()):
    """What it comes to here; `given`: the table at which it was given."""
    said = order(state if given is None else given, line, seat)
    return orders_ahead.try_one(GAME, said, state, seat, facts=log)


def played(*args, **kwargs):
    """The moves that it plays here."""
    found = outcome(*args, **kwargs)
    assert isinstance(found, orders_ahead.PlayLine), found
    return [move for _, move in found.attempt.moves]


def refusal(state, line, seat=ANNA):
    """Key and rule by which an order ahead is not taken."""
    with pytest.raises(MoveRefused) as refused:
        order(state, line, seat)
    return refused.value.key, refused.value.rule


def why(state, line, seat, **kwargs):
    """Why it asks."""
    found = outcome(state, line, seat, **kwargs)
    assert isinstance(found, orders_ahead.AskOwner), found
    return found.refused.key


# ---- lines -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "line"),
    [
        ("up to 5 for lot 3", "up to 5 for lot 3 in round A1"),
        ("EXACTLY 4 for lot 2 if Bram has not bid",
         "exactly 4 for lot 2 if blue has not bid in round A1"),
        ("exa 4 for lot 2 else up to 6 for lot 2 else ask",
         "exactly 4 for lot 2 else up to 6 for lot 2 else ask in round A1"),
        ("pass on lot 4 in round b2", "pass on lot 4 in round B2"),
        ("pass on the rest", "pass on the rest in round A1"),
        ("progr tax", "progress taxes"),
        ("harvest pepper 2, clove", "harvest pepper 2, clove"),
        ("found quilon pay up to 3", "found quilon pay up to 3"),
        ("taxes if money at most 5 and ana maria ships>=2 else ships",
         "taxes if ducats <= 5 and red ships >= 2 else ships"),
        ("progress taxes from ginger@1, ginger @ quilon 2 else harvest",
         "progress taxes from ginger@1, ginger@quilon 2 else progress harvest"),
        ("discard 3,4", "discard 3, 4"),
    ],
)  # fmt: skip
def test_an_order_ahead_is_written_in_full_words(written, line):
    """What a line leaves open to the table, it leaves open."""
    state = auction(4, given=purses(9, 9, 9, 9))

    said = order(state, written, DORA)

    assert orders_ahead.text(GAME, said) == line
    assert orders_ahead.reread(GAME, line, state, DORA) == said


def test_a_wrong_word_comes_back_with_the_line_that_was_meant():
    with pytest.raises(MoveRefused) as refused:
        order(auction(4), "exactly 4 for lut 3 if offer < 3", DORA)

    assert refused.value.choices == ["exactly 4 for lot 3 if offer < 3"]


@pytest.mark.parametrize(
    ("line", "key", "rule"),
    [
        ("up to 5 for lot 6", "no_such_lot", "GO-2.2"),
        ("up to 0 for lot 3", "bid_too_low", "GO-3.1"),
        ("up to 5 for lot 1", "lot_sold", "GO-3.1"),
        ("exactly 3 for lot 2 else taxes", "ahead_mixed", "orders"),
        ("taxes if green ducats > 3", "ahead_not_shown", "orders"),
        ("wait", "wait_alone", "orders"),
        ("taxes if", "wrong_shape", "orders"),
        ("taxes if nothing > 3", "unknown_word", "orders"),
        ("in round A3", "ahead_alone", "orders"),
        ("taxes in round C1", "unknown_id", "orders"),
    ],
)
def test_what_can_never_be_meant_is_refused_with_the_rule(line, key, rule):
    """GO-2.2, GO-3.1."""
    state = bidding(auction(4, given=purses(9, 9, 9, 9)), (BRAM, None))
    state.sold = (SoldLot(1, "north c", None, ANNA, ANNA, 0),)

    assert refusal(state, line, BRAM) == (key, rule)


def test_a_lot_for_which_one_has_spoken_is_none_to_order_for():
    """GO-3.1: each seat speaks once."""
    state = bidding(auction(4, given=purses(9, 9, 9, 9)), (BRAM, None))

    assert refusal(state, "up to 5 for lot 2", BRAM) == ("lot_spoken", "GO-3.1")
    assert orders_ahead.text(GAME, order(state, "up to 5 for lot 2", CHAIM))


def test_between_the_auctions_a_lot_is_one_of_the_next_round():
    """GO-3.1, GO-6.2; behind the last round there is none."""
    state = turn()

    assert orders_ahead.text(GAME, order(state, "up to 5 for lot 2", ANNA)).endswith(" in round A2")
    state.part, state.round = "B", 4
    assert refusal(state, "up to 5 for lot 2") == ("ahead_game_over", "orders")
    state.part, state.round = "A", 4
    assert orders_ahead.text(GAME, order(state, "pass on the rest", ANNA)).endswith(" in round B1")
    assert refusal(state, "pass on the rest in round A3") == ("ahead_round_over", "orders")


# ---- bids --------------------------------------------------------------------------------------


def test_up_to_bids_one_more_than_the_offer_and_passes_above_it():
    """GO-3.1."""
    state = auction(4, given=purses(9, 9, 9, 9))
    assert played(state, "up to 5 for lot 2", BRAM) == [Bid(1)]

    state = bidding(state, (BRAM, 4))
    assert played(state, "up to 5 for lot 2", CHAIM) == [Bid(5)]
    assert played(state, "up to 4 for lot 2", CHAIM) == [Pass()]


def test_exactly_bids_so_much_or_asks():
    """GO-3.1: not where the offer is as high, nor above the purse."""
    state = bidding(auction(4, given=purses(9, 9, 6, 9)), (BRAM, 4))

    assert played(state, "exactly 6 for lot 2", CHAIM) == [Bid(6)]
    assert why(state, "exactly 4 for lot 2", CHAIM) == "bid_too_low"
    assert why(state, "exactly 7 for lot 2", CHAIM) == "bid_above_purse"
    assert played(state, "exactly 4 for lot 2 else up to 5 for lot 2", CHAIM) == [Bid(5)]


def test_a_bid_for_another_lot_waits_and_is_over_when_the_lot_is_sold():
    """GO-3.2."""
    state = auction(4, given=purses(9, 9, 9, 9))
    for line in ("up to 3 for lot 4", "exactly 2 for lot 4", "pass on lot 4"):
        assert isinstance(outcome(state, line, BRAM), orders_ahead.Idle)
        given, later = state, state.copy()
        later.sold = (SoldLot(4, "c3", None, ANNA, ANNA, 0),)
        found = outcome(later, line, BRAM, given=given)
        assert isinstance(found, orders_ahead.Expired)
        assert found.refused.key == "lot_sold"


def test_a_pass_on_the_rest_stands_until_the_auctions_are_over():
    """GO-3.1; it leaves lots to what speaks to them, whichever was said first."""
    state = auction(4, given=purses(9, 9, 9, 9))
    rest, bid = order(state, "pass on the rest", BRAM), order(state, "up to 3 for lot 2", BRAM)
    found = orders_ahead.try_one(GAME, rest, state, BRAM)
    assert (found.line, found.holds) == ("pass", True)

    assert orders_ahead.decide(GAME, state, BRAM, [(1, bid), (2, rest)]).key == 1
    assert orders_ahead.decide(GAME, state, BRAM, [(2, rest), (1, bid)]).key == 1

    state.phase = ACTIONS
    moment = orders_ahead.decide(GAME, state, BRAM, [(1, bid), (2, rest)])
    assert {key: refused.key for key, refused in moment.expired} == {
        1: "auction_over", 2: "auction_over",
    }


def test_orders_for_lots_stand_while_markers_are_placed():
    """GO-2.2: the lots are still coming."""
    state = placing(4)

    for line in ("up to 3 for lot 5", "pass on the rest"):
        assert isinstance(outcome(state, line, BRAM), orders_ahead.Idle)


# ---- conditions --------------------------------------------------------------------------------


def test_whether_somebody_has_bid_is_read_off_the_table_where_it_tells():
    """GO-3.1: bids only rise, so whoever spoke behind the highest bidder has passed."""
    line = "exactly 6 for lot 2 if {} has not bid else pass"
    state = auction(4, given=purses(9, 9, 9, 9))
    state = bidding(state, (BRAM, 3), (CHAIM, None))

    assert played(state, line.format("bram"), DORA, given=auction(4)) == [Pass()]
    assert played(state, line.format("green"), DORA, given=auction(4)) == [Bid(6)]
    assert played(state, line.format("red"), DORA, given=auction(4)) == [Bid(6)]


def test_where_the_table_does_not_tell_the_log_does():
    """GO-3.1: a bid that was outbid. Without the log the order asks."""
    line = "exactly 6 for lot 2 if bram has not bid"
    given = auction(4, given=purses(9, 9, 9, 9))
    opened = AuctionOpened(2, "A16", ANNA)
    outbid = bidding(given, (BRAM, 3), (CHAIM, 4))
    passed = bidding(given, (BRAM, None), (CHAIM, 4))

    log = (BidMade(BRAM, 2, 9), opened, BidMade(BRAM, 2, 3), BidMade(CHAIM, 2, 4))
    assert why(outbid, line, DORA, given=given, log=log) == "ahead_condition"
    log = (BidMade(BRAM, 2, 9), opened, BidDeclined(BRAM, 2, unasked=False), BidMade(CHAIM, 2, 4))
    assert played(passed, line, DORA, given=given, log=log) == [Bid(6)]
    for state in (outbid, passed):
        assert why(state, line, DORA, given=given, log=log[2:]) == "ahead_condition"
        assert why(state, line.replace("not ", ""), DORA, given=given) == "ahead_condition"


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("ducats >= 9", True), ("ducats > 9", False), ("money = 9", True), ("offer < 4", True),
        ("offer < 3", False), ("ships >= 4 and colonists >= 3", False), ("points = 0", True),
        ("bram ships at least 4", True), ("cards at most 0", True), ("pepper > 0", False),
        ("plantations = 0", True), ("round = 1", True), ("extra = 0", True),
        ("green colonies ≥ 1", False),
    ],
)  # fmt: skip
def test_a_condition_compares_what_one_sees(condition, holds):
    """Purses of others are not among it (rules, section 10)."""
    state = bidding(auction(4, given=purses(9, 9, 9, 9)), (BRAM, 3))
    found = outcome(state, f"pass if {condition}", CHAIM)

    assert isinstance(found, orders_ahead.PlayLine if holds else orders_ahead.AskOwner)


# ---- turns -------------------------------------------------------------------------------------


def test_an_action_ahead_ends_its_turn_as_a_letter_does():
    """GO-4.10: with a card in hand too, where it drew nothing."""
    state = turn(given={ANNA: {"hand": (3,)}})

    assert played(state, "taxes", ANNA) == [Taxes(), EndTurn()]


def test_a_tile_ahead_leaves_the_action_open():
    """GO-8.3."""
    state = turn(given={ANNA: {"tiles": (DUCATS,)}})

    assert played(state, "use ducats", ANNA) == [UseGoods("ducats")]
    assert why(turn(), "use ducats", ANNA) == "no_tile_of_kind"
    assert played(turn(), "use ducats else taxes", ANNA) == [Taxes(), EndTurn()]


def test_the_three_actions_of_a_round_are_given_one_behind_the_other():
    """GO-4.1: each waits for its turn."""
    state = turn(number=2)
    orders = [(place, order(state, line, ANNA)) for place, line in enumerate(("taxes", "ships"))]

    moment = orders_ahead.decide(GAME, state, ANNA, orders)

    assert (moment.key, moment.outcome.line, moment.outcome.holds) == (0, "taxes", False)
    assert orders_ahead.decide(GAME, state, ANNA, orders[1:]).key == 1
    assert orders_ahead.decide(GAME, state, BRAM, orders).outcome == orders_ahead.Idle()


def test_an_action_is_none_for_the_additional_ones():
    """GO-6.1: those say `extra`, or pass."""
    state = additional()

    assert isinstance(outcome(state, "taxes", ANNA), orders_ahead.Idle)
    assert played(state, "extra taxes", ANNA) == [Extra(Taxes()), EndTurn()]
    assert played(state, "pass", ANNA) == [Pass()]
    assert why(additional(cards=2), "pass", ANNA) == "may_not_pass_cards"


def test_what_is_drawn_stops_an_order_ahead_and_its_answers_ahead_go_on():
    """GO-4.11, GO-5.4: `pay up to 3` is said behind the attempt."""
    found = outcome(turn(), "found quilon pay up to 3", ANNA)

    assert found.attempt.stopped
    assert found.line == "found quilon pay up to 3"
    assert found.attempt.lines == ("found quilon pay up to 3",)


def test_a_discard_ahead_waits_until_the_card_is_there():
    """GO-4.9: it answers no question, so it asks none."""
    line = "discard 3"
    assert isinstance(outcome(turn(), line, ANNA), orders_ahead.Idle)

    held = changed(turn(), ANNA, hand=(3,))
    assert played(held, line, ANNA) == [Discard(3)]
