"""What a letter means beyond its moves (GO-4.10, GO-5.4)."""

from __future__ import annotations

import pytest

from engine import play as driver
from engine.chance import Forbidden, Scripted
from engine.errors import MalformedOrder
from engine.goa.moves import (
    ChooseAhead,
    ChooseColony,
    Decline,
    Discard,
    Done,
    Draw,
    Expedition,
    Extra,
    Found,
    Pay,
    PayUpTo,
    Play,
    Taxes,
    UseGoods,
    Wait,
)
from engine.goa.state import AwaitColony, AwaitDone, AwaitFounding, AwaitRoom
from engine.play import Said
from tests.engine.goa.positions import (
    ANNA,
    BRAM,
    CHAIM,
    DUTY,
    FIGURES,
    GAME,
    REVEAL_3,
    SHIP,
    TAKE_COLONISTS,
    TAKE_DUCATS,
    TAKE_SHIPS,
    TRADE,
    additional,
    ended,
    play,
    turn,
)

GINGER = ChooseColony("quilon1", ("ginger",))


def letter(state, *orders, seat=ANNA):
    """All moves of a letter of these orders, each a list as it is read, and the table behind it."""
    said, made = Said(GAME, state, seat), []
    for place, order in enumerate(orders, start=1):
        said.say(order if isinstance(order, list) else [order])
        while (move := said.next_move(state, last=place == len(orders))) is not None:
            made.append(move)
            state = GAME.apply_action(state, seat, move, Scripted()).state
    return made, state


def hand(*cards, **fields):
    """Anna's turn; she holds these cards and may hold four."""
    given = {ANNA: {"hand": cards, "rows": {"expedition": 4}, **fields}}
    return turn(given=given)


# ---- the end of a turn -------------------------------------------------------------------------


def test_a_turn_ends_with_the_last_order_of_the_line():
    """GO-4.10: a tile before, the action, a card behind it."""
    made, state = letter(hand(TAKE_SHIPS, tiles=(SHIP,)),
                         UseGoods("ship"), Taxes(), Play(TAKE_SHIPS, (), None))

    assert made[-1] == Done()
    assert state.awaiting.seat == BRAM


def test_without_an_action_the_turn_does_not_end():
    """GO-4.10."""
    made, state = letter(hand(TAKE_SHIPS), Play(TAKE_SHIPS, (), None))

    assert Done() not in made
    assert state.awaiting.seat == ANNA


def test_an_action_that_draws_nothing_ends_the_turn_whatever_is_in_hand():
    """GO-4.10."""
    made, _ = letter(hand(TAKE_SHIPS, tiles=(SHIP,)), Taxes())

    assert made == [Taxes(), Done()]


def test_an_action_that_draws_asks_once_more():
    """GO-4.10: the number of cards decides, never which ones."""
    _, state = letter(hand(), Expedition(2, ()))
    assert state.awaiting == AwaitDone(ANNA)

    made, state = letter(state, Play(TAKE_SHIPS, (), None))

    assert made == [Play(TAKE_SHIPS, (), None), Done()]
    assert state.awaiting.seat == BRAM


def test_who_has_played_a_card_and_has_no_ready_tile_is_not_asked_once_more():
    """GO-4.10."""
    made, _ = letter(hand(TAKE_DUCATS), Play(TAKE_DUCATS, (), None), Expedition(2, ()))
    assert made[-1] == Done()

    _, state = letter(hand(TAKE_DUCATS, tiles=(SHIP,)),
                      Play(TAKE_DUCATS, (), None), Expedition(2, ()))
    assert state.awaiting == AwaitDone(ANNA)


def test_done_in_the_actions_line_waives_the_question():
    """GO-4.10."""
    made, state = letter(hand(), Expedition(2, ()), Done())

    assert made == [Expedition(2, ()), Done()]
    assert state.awaiting.seat == BRAM


def test_wait_keeps_the_turn_open():
    """GO-4.10: the next line ends it."""
    made, state = letter(hand(TAKE_SHIPS), Taxes(), Wait())
    assert (made, state.awaiting) == ([Taxes()], AwaitDone(ANNA))

    made, _ = letter(state, Play(TAKE_SHIPS, (), None))

    assert made[-1] == Done()


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

    made, state = letter(state, Draw(1, ()))
    assert (made, state.awaiting) == ([Draw(1, ())], AwaitDone(ANNA))


def test_nothing_ends_for_a_seat_that_is_not_asked():
    """GO-4.9: Bram's discard in Anna's turn."""
    state = turn(given={BRAM: {"hand": (1,)}})

    assert letter(state, Discard(1), seat=BRAM)[0] == [Discard(1)]


def test_two_turns_in_one_letter_end_each_by_its_own_rule():
    """GO-4.10: the second turn's question is not answered by the first one's line."""
    state = additional(cards=2, given={ANNA: {"rows": {"expedition": 4}}})
    _, state = letter(state, Extra(Taxes()), Wait())

    made, state = letter(state, Done(), Extra(Expedition(2, ())))

    assert made == [Done(), Extra(Expedition(2, ()))]
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
    for order in (Expedition(2, ()), Found("quilon", None)):
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
    made, state = letter(founder(), [Found("quilon", None), PayUpTo(3), ChooseAhead(GINGER)])

    assert made == [Found("quilon", None), Pay(), GINGER, Done()]
    assert state.players[ANNA].colonists == 6


def test_a_larger_difference_is_asked_for():
    """GO-5.4."""
    made, state = letter(founder(), [Found("quilon", None), PayUpTo(2), ChooseAhead(GINGER)])

    assert made == [Found("quilon", None)]
    assert isinstance(state.awaiting, AwaitFounding)


def test_pay_up_to_holds_at_any_moment_of_the_attempt():
    """GO-5.4: 3 are missing; a third card shows 3."""
    state = founder(hand=(REVEAL_3, TAKE_COLONISTS), rows={"expedition": 4})

    made, state = letter(state, [Found("cochin", None), PayUpTo(2)], Play(REVEAL_3, (), None))

    assert made == [Found("cochin", None), Play(REVEAL_3, (), None), Pay()]
    assert isinstance(state.awaiting, AwaitColony)


def test_nobody_pays_ahead_what_he_has_not():
    """GO-5.4: 2 colonists, the difference is 3; a card is in hand, so the seat is asked."""
    made, _ = letter(founder(2, hand=(TAKE_DUCATS,)), [Found("quilon", None), PayUpTo(9)])

    assert made == [Found("quilon", None)]


def test_a_tile_named_ahead_that_is_gone_is_asked_for():
    """GO-5.2."""
    state = founder()
    state.colony_tiles = (("quilon2",), *state.colony_tiles[1:])

    made, state = letter(state, [Found("quilon", None), PayUpTo(9), ChooseAhead(GINGER)])

    assert made == [Found("quilon", None), Pay()]
    assert state.awaiting == AwaitColony(ANNA, "quilon")


def test_answers_given_ahead_lapse_with_the_attempt():
    """GO-5.4: the second attempt of the same letter is asked for."""
    state = additional(cards=2, given={ANNA: {"colonists": 9, "hand": (TAKE_DUCATS,)}})
    state.deck = (1, 2, *[card for card in state.deck if card > 2])

    made, state = letter(state, [Extra(Found("quilon", None)), PayUpTo(9), ChooseAhead(GINGER)],
                         Done(), Extra(Found("cochin", None)))

    assert made == [Extra(Found("quilon", None)), Pay(), GINGER, Done(),
                    Extra(Found("cochin", None))]
    assert isinstance(state.awaiting, AwaitFounding)
    assert letter(state, Decline())[0][0] == Decline()
