"""What a letter means beyond its moves (GO-4.10, GO-5.4)."""

from __future__ import annotations

import pytest

from engine import codec
from engine import play as driver
from engine.chance import Forbidden, Scripted
from engine.errors import MalformedOrder
from engine.goa import Goa
from engine.goa.component_sets import STANDARD, read
from engine.goa.moves import (
    ChooseAhead,
    ChooseColony,
    Decline,
    Discard,
    DrawCards,
    Earlier,
    EndTurn,
    Expedition,
    Extra,
    FoundColony,
    Pay,
    PayUpTo,
    PlayCard,
    Taxes,
    UseGoods,
    UseTile,
    Wait,
)
from engine.goa.state import ACTIONS, AwaitColony, AwaitDone, AwaitFounding, AwaitRoom
from engine.play import LetterOrders
from tests.engine.goa.positions import (
    ANNA,
    BRAM,
    BUY_FOR_8,
    CHAIM,
    DUTY,
    FIGURES,
    GAME,
    REVEAL_3,
    SHIP,
    TAKE_COLONISTS,
    TAKE_DUCATS,
    TAKE_SHIPS,
    THREE_CARDS,
    TRADE,
    additional,
    ended,
    play,
    turn,
)

GINGER = ChooseColony("quilon1", ("ginger",))
MADRAS = ChooseColony("madras1", ("ginger", "ginger"))


def letter(state, *orders, **given):
    """All moves of a letter of these orders, each a list as it is read, and the table behind it."""
    return said_in(state, *orders, **given)[:2]


def said_in(state, *orders, seat=ANNA, ahead=(), game=GAME):
    """The same, and what the letter leaves behind, stored and read again."""
    said, made = LetterOrders(game, state, seat, ahead), []
    for place, order in enumerate(orders, start=1):
        said.add(order if isinstance(order, list) else [order])
        while (move := said.next_move(state, last=place == len(orders))) is not None:
            made.append(move)
            said.mark_made()
            state = game.apply_action(state, seat, move, Scripted()).state
    stored = codec.encode(said.outlasting(state))
    return made, state, codec.decode(stored, tuple[game.ahead_type, ...])


def hand(*cards, **fields):
    """Anna's turn; she holds these cards and may hold four."""
    given = {ANNA: {"hand": cards, "rows": {"expedition": 4}, **fields}}
    return turn(given=given)


def hand_at_3(*cards, **fields):
    """Anna's turn; she may hold three cards, and only a step leads to row 4 of ships."""
    return hand(*cards, **{"rows": {"ships": 3, "expedition": 3}, **fields})


TWO_CARDS_FIRST = Goa(read(STANDARD.read_text("utf-8").replace(
    "first_in_row = { 4 = { expedition_cards = 1 }", "first_in_row = { 4 = { expedition_cards = 2 }"
)))


# ---- the end of a turn -------------------------------------------------------------------------


def test_a_turn_ends_with_the_last_order_of_the_line():
    """GO-4.10: a tile before, the action, a card behind it."""
    made, state = letter(hand(TAKE_SHIPS, tiles=(SHIP,)),
                         UseGoods("ship"), Taxes(), PlayCard(TAKE_SHIPS, (), None))

    assert made[-1] == EndTurn()
    assert state.awaiting.seat == BRAM


def test_without_an_action_the_turn_does_not_end():
    """GO-4.10."""
    made, state = letter(hand(TAKE_SHIPS), PlayCard(TAKE_SHIPS, (), None))

    assert EndTurn() not in made
    assert state.awaiting.seat == ANNA


def test_an_action_that_draws_nothing_ends_the_turn_whatever_is_in_hand():
    """GO-4.10."""
    made, _ = letter(hand(TAKE_SHIPS, tiles=(SHIP,)), Taxes())

    assert made == [Taxes(), EndTurn()]


def test_an_action_that_draws_asks_once_more():
    """GO-4.10: the number of cards decides, never which ones."""
    _, state = letter(hand(), Expedition(2, ()))
    assert state.awaiting == AwaitDone(ANNA)

    made, state = letter(state, PlayCard(TAKE_SHIPS, (), None))

    assert made == [PlayCard(TAKE_SHIPS, (), None), EndTurn()]
    assert state.awaiting.seat == BRAM


def test_who_has_played_a_card_and_has_no_ready_tile_is_not_asked_once_more():
    """GO-4.10."""
    made, _ = letter(hand(TAKE_DUCATS), PlayCard(TAKE_DUCATS, (), None), Expedition(2, ()))
    assert made[-1] == EndTurn()

    _, state = letter(hand(TAKE_DUCATS, tiles=(SHIP,)),
                      PlayCard(TAKE_DUCATS, (), None), Expedition(2, ()))
    assert state.awaiting == AwaitDone(ANNA)


def test_done_in_the_actions_line_waives_the_question():
    """GO-4.10."""
    made, state = letter(hand(), Expedition(2, ()), EndTurn())

    assert made == [Expedition(2, ()), EndTurn()]
    assert state.awaiting.seat == BRAM


def test_wait_keeps_the_turn_open():
    """GO-4.10: the next line ends it."""
    made, state = letter(hand(TAKE_SHIPS), Taxes(), Wait())
    assert (made, state.awaiting) == ([Taxes()], AwaitDone(ANNA))

    made, _ = letter(state, PlayCard(TAKE_SHIPS, (), None))

    assert made[-1] == EndTurn()


def test_wait_stands_last_and_never_alone():
    """GO-4.10."""
    for orders, key in (([Wait()], "wait_alone"), ([Wait(), Taxes()], "wait_not_last")):
        with pytest.raises(MalformedOrder) as refused:
            letter(hand(), *orders)
        assert refused.value.key == key


def test_discards_alone_end_nothing():
    """GO-4.9."""
    _, state = letter(hand(1, 2), Taxes(), Wait())

    made, state = letter(state, Discard(1))

    assert made == [Discard(1)]
    assert state.awaiting == AwaitDone(ANNA)


def test_a_question_that_the_action_asks_keeps_the_turn_open():
    """GO-4.10: room in hand; the answer is one line, then the seat is asked once more."""
    made, state = letter(hand(1, 2, 3), Expedition(None, ()))
    assert made == [Expedition(None, ())]
    assert isinstance(state.awaiting, AwaitRoom)

    made, state = letter(state, DrawCards(1, ()))
    assert (made, state.awaiting) == ([DrawCards(1, ())], AwaitDone(ANNA))


def test_a_tile_that_answers_the_question_and_asks_for_room_is_followed_by_no_other_question():
    """GO-4.10: the answer is one line, whatever it asks; she could still play a card."""
    state = hand(1, 2, tiles=(THREE_CARDS,))
    _, state = letter(state, Expedition(2, ()))
    assert state.awaiting == AwaitDone(ANNA)

    made, state, left = said_in(state, UseTile(THREE_CARDS, None, None))
    assert (made, state.awaiting.why) == ([UseTile(THREE_CARDS, None, None)], "tile")
    made, state, left = said_in(state, Discard(1), ahead=left)
    assert (made, state.awaiting.why) == ([Discard(1)], "tile")

    made, state, left = said_in(state, DrawCards(1, ()), ahead=left)
    assert made == [DrawCards(1, ()), EndTurn()]
    assert (state.awaiting.seat, left) == (BRAM, ())


def test_a_card_that_answers_the_question_and_asks_for_room_is_followed_by_no_other_question():
    """GO-4.10, GO-4.8: a set in which the first marker in row 4 brings two cards."""
    state = hand_at_3(BUY_FOR_8, 2, tiles=(SHIP,))
    _, state = letter(state, Expedition(1, ()), game=TWO_CARDS_FIRST)
    assert state.awaiting == AwaitDone(ANNA)

    bought = PlayCard(BUY_FOR_8, (), "ships")
    made, state, left = said_in(state, bought, game=TWO_CARDS_FIRST)
    assert (made, state.awaiting.why) == ([bought], "card")

    made, state = letter(state, DrawCards(1, ()), ahead=left, game=TWO_CARDS_FIRST)
    assert made == [DrawCards(1, ()), EndTurn()]
    assert state.awaiting.seat == BRAM


def test_room_asked_for_by_the_line_of_the_action_itself_leaves_the_question():
    """GO-4.10: nobody has asked yet whether the ready tile is to be used."""
    state = hand_at_3(BUY_FOR_8, 2, tiles=(SHIP,))
    bought = PlayCard(BUY_FOR_8, (), "ships")
    _, state, left = said_in(state, Expedition(1, ()), bought, game=TWO_CARDS_FIRST)
    assert (state.awaiting.why, left) == ("card", ())

    made, state = letter(state, DrawCards(1, ()), ahead=left, game=TWO_CARDS_FIRST)
    assert (made, state.awaiting) == ([DrawCards(1, ())], AwaitDone(ANNA))


def test_what_an_earlier_letter_leaves_behind_holds_in_its_own_turn_alone():
    """GO-4.10: the next turn asks once more, though the last one's answer was kept too long."""
    stale = Earlier(("A", 1, ACTIONS, 1), ahead=(PayUpTo(9),), asked=True)
    state = turn(number=2, given={ANNA: {"hand": (1,), "rows": {"expedition": 4}}})

    made, state = letter(state, Expedition(2, ()), ahead=(stale,))

    assert (made, state.awaiting) == ([Expedition(2, ())], AwaitDone(ANNA))


def test_nothing_ends_for_a_seat_that_is_not_asked():
    """GO-4.9: Bram's discard in Anna's turn."""
    state = turn(given={BRAM: {"hand": (1,)}})

    assert letter(state, Discard(1), seat=BRAM)[0] == [Discard(1)]


def test_two_turns_in_one_letter_end_each_by_its_own_rule():
    """GO-4.10: the second turn's question is not answered by the first one's line."""
    state = additional(cards=2, given={ANNA: {"rows": {"expedition": 4}}})
    _, state = letter(state, Extra(Taxes()), Wait())

    made, state = letter(state, EndTurn(), Extra(Expedition(2, ())))

    assert made == [EndTurn(), Extra(Expedition(2, ()))]
    assert state.awaiting == AwaitDone(ANNA)


def test_a_turn_without_cards_and_tiles_is_ended_by_itself():
    """GO-4.10: there is one answer for every hand."""
    state = play(turn(), (ANNA, Taxes()))
    assert GAME.is_forced(state, ANNA)

    assert not GAME.is_forced(play(hand(REVEAL_3), (ANNA, Taxes())), ANNA)
    assert not GAME.is_forced(play(hand(tiles=(SHIP,)), (ANNA, Taxes())), ANNA)
    assert ended(state).awaiting.seat == BRAM


def test_trying_stops_in_front_of_what_is_drawn():
    """GO-4.11: what is revealed is never taken back, so a trial tells nothing of it."""
    for order in (Expedition(2, ()), FoundColony("quilon", None)):
        trial = GAME.apply_action(hand(), ANNA, order, Forbidden())

        assert trial.stopped
        assert trial.state.deck == hand().deck
        assert not any(event.reveals for event in trial.events)


# ---- tiles left unused -------------------------------------------------------------------------


def unused(state, line, seat=ANNA):
    """The tiles that a preview of this line says to stay unused."""
    tried = driver.letter(GAME, state, seat, line, {})
    lapses = GAME.lapses(state, tried.turns, seat)
    assert {lapse.rule for lapse in lapses} <= {"GO-8.3"}
    return [dict(lapse.what.values)["tile"] for lapse in lapses]


@pytest.mark.parametrize(
    ("number", "cards", "line", "expected"),
    [
        (3, 0, "taxes", [SHIP, TRADE]),
        (3, 0, "use ship; taxes", [TRADE]),
        (3, 0, "taxes; wait", []),
        (2, 0, "taxes", []),
        (3, 1, "taxes", []),
    ],
)
def test_what_is_still_ready_when_the_last_turn_of_the_round_ends_is_lost_for_the_round(
    number, cards, line, expected
):
    """GO-8.3: the preview says so; who has an additional action card has a turn to come."""
    mine = {"tiles": (SHIP, DUTY, TRADE), "additional_cards": cards}

    assert unused(turn(number=number, given={ANNA: mine}), line) == expected


@pytest.mark.parametrize("others", [0, 1])
@pytest.mark.parametrize(
    ("cards", "line", "expected"),
    [(1, "pass", [SHIP]), (1, "extra taxes", [SHIP]), (2, "extra taxes", []),
     (1, "use ship; extra taxes", [])],
)
def test_an_additional_turn_is_the_last_one_of_who_passes_or_has_no_card_left(
    others, cards, line, expected
):
    """GO-8.3, GO-6.1: also where the round ends with it, and the tile is ready again."""
    given = {seat: {"additional_cards": others} for seat in (BRAM, CHAIM)}
    given[ANNA] = {"tiles": (SHIP,)}

    assert unused(additional(cards=cards, given=given), line) == expected


def test_a_preview_tells_what_one_s_own_turn_leaves_unused_and_no_other_one_s():
    """GO-8.3: Bram discards in Anna's last turn."""
    state = turn(number=3, given={BRAM: {"tiles": (SHIP,), "hand": (1,)}})

    assert unused(state, "discard 1", BRAM) == []


# ---- answers given ahead -----------------------------------------------------------------------


def founder(colonists=9, **fields):
    """Anna's turn; the deck's top cards show 1 and 2 colonists, then 3."""
    given = {ANNA: {"colonists": colonists, **fields}}
    held = fields.get("hand", ())
    rest = tuple(card for card in FIGURES.cards if card > 3 and card not in held)
    return turn(given=given, deck=(1, 2, 3, *rest))


def test_pay_up_to_pays_without_asking():
    """GO-5.4: the difference is 3; then the tile named ahead is chosen."""
    made, state = letter(founder(), [FoundColony("quilon", None), PayUpTo(3), ChooseAhead(GINGER)])

    assert made == [FoundColony("quilon", None), Pay(), GINGER, EndTurn()]
    assert state.players[ANNA].colonists == 6


def test_a_larger_difference_is_asked_for():
    """GO-5.4."""
    made, state = letter(founder(), [FoundColony("quilon", None), PayUpTo(2), ChooseAhead(GINGER)])

    assert made == [FoundColony("quilon", None)]
    assert isinstance(state.awaiting, AwaitFounding)


def test_pay_up_to_holds_at_any_moment_of_the_attempt():
    """GO-5.4: 3 are missing; a third card shows 3."""
    state = founder(hand=(REVEAL_3, TAKE_COLONISTS), rows={"expedition": 4})

    made, state = letter(state, [FoundColony("cochin", None), PayUpTo(2)],
                         PlayCard(REVEAL_3, (), None))

    assert made == [FoundColony("cochin", None), PlayCard(REVEAL_3, (), None), Pay()]
    assert isinstance(state.awaiting, AwaitColony)


def test_nobody_pays_ahead_what_he_has_not():
    """GO-5.4: 2 colonists, the difference is 3; a card is in hand, so the seat is asked."""
    made, _ = letter(founder(2, hand=(TAKE_DUCATS,)), [FoundColony("quilon", None), PayUpTo(9)])

    assert made == [FoundColony("quilon", None)]


def test_a_tile_named_ahead_that_is_gone_is_asked_for():
    """GO-5.2."""
    state = founder()
    state.colony_tiles = (("quilon2",), *state.colony_tiles[1:])

    made, state = letter(state, [FoundColony("quilon", None), PayUpTo(9), ChooseAhead(GINGER)])

    assert made == [FoundColony("quilon", None), Pay()]
    assert state.awaiting == AwaitColony(ANNA, "quilon")


def test_answers_given_ahead_hold_for_the_letters_that_follow_in_the_attempt():
    """GO-5.4: 7 are missing and 4 are said; a card shows 3 more, and all goes as was said."""
    state = founder(hand=(REVEAL_3, TAKE_COLONISTS), rows={"expedition": 4})
    said = [FoundColony("madras", None), PayUpTo(4), ChooseAhead(MADRAS)]
    made, state, left = said_in(state, said)
    assert (made, state.awaiting.difference) == ([FoundColony("madras", None)], 7)

    made, state, left = said_in(state, PlayCard(REVEAL_3, (), None), ahead=left)
    assert made == [PlayCard(REVEAL_3, (), None), Pay(), MADRAS, EndTurn()]
    assert left == ()


def test_who_pays_in_a_later_letter_is_not_asked_for_the_tile_named_ahead():
    """GO-5.4: a discard in between changes nothing of it."""
    said = [FoundColony("quilon", None), PayUpTo(2), ChooseAhead(GINGER)]
    _, state, left = said_in(founder(hand=(TAKE_DUCATS,)), said)
    assert isinstance(state.awaiting, AwaitFounding)
    _, state, left = said_in(state, Discard(TAKE_DUCATS), ahead=left)

    made, state, left = said_in(state, Pay(), ahead=left)

    assert made == [Pay(), GINGER, EndTurn()]
    assert left == ()


def test_room_in_hand_in_the_midst_of_an_attempt_keeps_what_was_given_ahead():
    """GO-4.8a, GO-5.4: a tile taken by Trade brings cards; 3 colonists are paid behind the draw."""
    state = founder(hand=(TAKE_DUCATS,), tiles=(THREE_CARDS,))
    said = [FoundColony("quilon", None), PayUpTo(2), ChooseAhead(GINGER)]
    _, state, left = said_in(state, said)
    _, state, left = said_in(state, UseTile(THREE_CARDS, None, None), ahead=left)
    assert isinstance(state.awaiting, AwaitRoom)

    made, state, left = said_in(state, DrawCards(0, ()), ahead=left)
    assert (made, state.awaiting.difference) == ([DrawCards(0, ())], 3)
    assert said_in(state, Pay(), ahead=left)[0][:2] == [Pay(), GINGER]


def test_a_new_founding_knows_nothing_of_what_was_given_ahead_for_the_last_one():
    """GO-5.4: they lapse with the attempt, whoever has kept them."""
    _, state, left = said_in(founder(hand=(TAKE_DUCATS,)),
                             [FoundColony("quilon", None), PayUpTo(2)])
    _, state, _ = said_in(state, Decline(), ahead=left)
    later = turn(number=2, deck=state.deck, given={ANNA: {"colonists": 9, "hand": (TAKE_DUCATS,)}})

    made, later, kept = said_in(later, FoundColony("quilon", None), ahead=left)

    assert (made, kept) == ([FoundColony("quilon", None)], ())
    assert isinstance(later.awaiting, AwaitFounding)


def test_a_tried_letter_takes_what_the_last_one_left_behind():
    """GO-5.4: the preview pays as the move will."""
    said = [FoundColony("quilon", None), PayUpTo(2), ChooseAhead(GINGER)]
    _, state, left = said_in(founder(hand=(TAKE_DUCATS,)), said)

    tried = driver.letter(GAME, state, ANNA, "pay", {}, ahead=left)

    assert [text for text, _ in tried.moves] == ["pay", "choose quilon1: ginger"]


def test_answers_given_ahead_lapse_with_the_attempt():
    """GO-5.4: the second attempt of the same letter is asked for."""
    state = additional(cards=2, given={ANNA: {"colonists": 9, "hand": (TAKE_DUCATS,)}})
    state.deck = (1, 2, *[card for card in state.deck if card > 2])

    made, state = letter(state,
                         [Extra(FoundColony("quilon", None)), PayUpTo(9), ChooseAhead(GINGER)],
                         EndTurn(), Extra(FoundColony("cochin", None)))

    assert made == [Extra(FoundColony("quilon", None)), Pay(), GINGER, EndTurn(),
                    Extra(FoundColony("cochin", None))]
    assert isinstance(state.awaiting, AwaitFounding)
    assert letter(state, Decline())[0][0] == Decline()
