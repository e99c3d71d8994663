"""Founding a colony (GO-5.1 to GO-5.4). Cards show colonists: 1, 2, 3, again and again."""

from __future__ import annotations

import pytest

from engine.goa.events import (
    CardsRevealed,
    ColonistsPaid,
    ColonyFounded,
    FoundingFailed,
    RevealedDiscarded,
)
from engine.goa.moves import (
    ChooseColony,
    Decline,
    Discard,
    FoundColony,
    Pay,
    PlayCard,
    Progress,
    UseGoods,
)
from engine.goa.state import COLONIES, AwaitColony, AwaitDone, AwaitFounding
from tests.engine.goa.positions import (
    ANNA,
    ANY_GOODS,
    BRAM,
    BUY_FOR_8,
    COLONIST,
    FIGURES,
    GAME,
    REVEAL_3,
    SHIP,
    TAKE_COLONISTS,
    TAKE_DUCATS,
    colony,
    facts,
    move,
    offered,
    play,
    refusal,
    turn,
)

ONE, TWO, THREE = (1, 2, 3)  # cards that show so many colonists


def founder(*, deck=(ONE, TWO), colonists=2, row=1, seats=3, **fields):
    """Anna's turn; the deck's top cards, her colonists, her colonists marker's row."""
    table_fields = {name: fields.pop(name) for name in ("discards", "colony_tiles")
                    if name in fields}
    held = fields.get("hand", ())
    rest = tuple(card for card in FIGURES.cards if card not in (*deck, *held))
    given = {ANNA: {"colonists": colonists, "rows": {"colonists": row}, **fields}}
    return turn(seats, given=given, deck=(*deck, *rest), **table_fields)


def test_column_and_revealed_cards_are_counted_first():
    """GO-4.7, GO-5.2: 2 by the column, 3 and 1 revealed: Quilon's 6 are there, nothing is paid."""
    turned = move(founder(deck=(THREE, ONE), row=3), ANNA, FoundColony("quilon", None))

    assert facts(turned, CardsRevealed) == [CardsRevealed(ANNA, (3, 1), 4)]
    assert facts(turned, ColonistsPaid) == []
    assert facts(turned, ColonyFounded) == [ColonyFounded(ANNA, "quilon")]
    assert turned.state.awaiting == AwaitColony(ANNA, "quilon")


@pytest.mark.parametrize(
    ("name", "needed"), [("quilon", 6), ("cochin", 8), ("madras", 10), ("calicut", 12)]
)
def test_the_colonies_need_6_8_10_and_12_colonists(name, needed):
    """GO-5.1: 3 are counted, the rest is the difference."""
    state = play(founder(colonists=9), (ANNA, FoundColony(name, None)))

    assert state.awaiting == AwaitFounding(ANNA, name, needed, 3)
    assert state.awaiting.difference == needed - 3


def test_the_difference_is_paid_exactly():
    """GO-5.2, GO-5.4: 3 of 5 colonists."""
    state = play(founder(colonists=5), (ANNA, FoundColony("quilon", None)))

    turned = move(state, ANNA, Pay())

    assert turned.state.players[ANNA].colonists == 2
    assert turned.state.awaiting == AwaitColony(ANNA, "quilon")


def test_revealed_cards_are_discarded_before_the_tile_is_chosen():
    """GO-5.3."""
    turned = move(play(founder(colonists=5), (ANNA, FoundColony("quilon", None))), ANNA, Pay())

    assert facts(turned, RevealedDiscarded) == [RevealedDiscarded((ONE, TWO))]
    assert turned.state.discards == (ONE, TWO)
    assert turned.state.revealed == ()


def test_the_founder_chooses_among_the_tiles_left_and_fills_every_field():
    """GO-5.2: Madras has two fields; madras2 is gone."""
    tiles = list(FIGURES.colony_tiles)
    tiles[2] = ("madras1", "madras3")
    state = play(founder(colonists=9, colony_tiles=tuple(tiles)),
                 (ANNA, FoundColony("madras", None)),
                 (ANNA, Pay()))
    assert len(offered(state, ANNA, ChooseColony)) == 2 * 3

    later = play(state, (ANNA, ChooseColony("madras3", ("pepper", "cinnamon"))))

    assert later.players[ANNA].colonies[2] == colony("madras3", "pepper", "cinnamon")
    assert later.colony_tiles[2] == ("madras1",)
    assert later.awaiting == AwaitDone(ANNA)
    for order, key in (
        (ChooseColony("madras2", ("pepper", "pepper")), "no_such_colony_tile"),
        (ChooseColony("madras3", ("pepper",)), "colony_spices"),
        (ChooseColony("madras3", ("clove", "pepper")), "spice_not_held"),
        (ChooseColony("madras3", ("cinnamon", "pepper")), "out_of_order"),
    ):
        assert refusal(state, ANNA, order) == (key, "GO-5.2")


@pytest.mark.parametrize(
    ("place", "tiles", "expected"),
    [
        ("quilon", ("quilon2", "quilon3"), ("quilon2", ("nutmeg",))),  # nutmeg and pepper
        ("madras", ("madras5",), ("madras5", ("clove", "clove"))),  # clove and ginger
        ("calicut", ("calicut",), ("calicut", ("ginger", "ginger"))),
    ],
)
def test_the_mildest_choice_is_the_first_tile_with_the_spice_that_the_component_file_names_first(
    place, tiles, expected
):
    """GO-5.2: for an absent seat, whichever stands first in the order of spices."""
    left = tuple(tiles if name == place else () for name in COLONIES)
    state = play(founder(colonists=9, colony_tiles=left),
                 (ANNA, FoundColony(place, None)), (ANNA, Pay()))

    assert GAME.default_action(state, ANNA) == ChooseColony(*expected)


def test_cochin_and_calicut_hold_any_spice():
    """GO-5.2."""
    state = play(founder(colonists=9), (ANNA, FoundColony("cochin", None)), (ANNA, Pay()))
    assert len(offered(state, ANNA, ChooseColony)) == 5

    state = play(founder(colonists=9), (ANNA, FoundColony("calicut", None)), (ANNA, Pay()))
    assert len(offered(state, ANNA, ChooseColony)) == 15


def test_a_colony_is_founded_once_by_a_seat_and_only_while_a_tile_is_left():
    """GO-5.1."""
    tiles = (FIGURES.colony_tiles[0], (), *FIGURES.colony_tiles[2:])
    state = founder(colonies=(colony("quilon1", "ginger"),), colony_tiles=tiles)

    assert [each.colony for each in offered(state, ANNA, FoundColony)] == ["madras", "calicut"]
    assert refusal(state, ANNA, FoundColony("quilon", None)) == ("colony_owned", "GO-5.1")
    assert refusal(state, ANNA, FoundColony("cochin", None)) == ("no_colony_left", "GO-5.1")
    assert refusal(state, ANNA, FoundColony("goa", None)) == ("no_such_colony", "GO-5.1")


def test_who_cannot_pay_and_has_no_other_way_fails_unasked():
    """GO-5.3, GO-5.4: 1 colonist for the attempt, nothing is paid."""
    turned = move(founder(), ANNA, FoundColony("quilon", None))

    assert facts(turned, FoundingFailed) == [FoundingFailed(ANNA, "quilon", 1, declined=False)]
    assert turned.state.players[ANNA].colonists == 3
    assert turned.state.discards == (ONE, TWO)
    assert turned.state.awaiting == AwaitDone(ANNA)


def test_who_will_not_pay_takes_a_colonist():
    """GO-5.3."""
    state = play(founder(colonists=5), (ANNA, FoundColony("quilon", None)), (ANNA, Decline()))

    assert state.players[ANNA].colonists == 6
    assert state.players[ANNA].colonies == (None,) * 4


def test_with_any_card_in_hand_the_seat_is_asked():
    """GO-5.4: the number of cards decides, never which ones."""
    for card in (TAKE_COLONISTS, TAKE_DUCATS, ANY_GOODS):
        state = play(founder(hand=(card,)), (ANNA, FoundColony("quilon", None)))

        assert state.awaiting == AwaitFounding(ANNA, "quilon", 6, 3)
        assert refusal(state, ANNA, Pay()) == ("too_few_colonists", "GO-5.4")
        assert not GAME.is_forced(state, ANNA)


def test_a_card_with_colonists_helps_and_the_seat_is_asked_again():
    """GO-5.4: 2 colonists and 2 more: 3 are paid."""
    state = play(founder(hand=(TAKE_COLONISTS,)), (ANNA, FoundColony("quilon", None)),
                 (ANNA, PlayCard(TAKE_COLONISTS, (), None)))
    assert state.awaiting == AwaitFounding(ANNA, "quilon", 6, 3)

    state = play(state, (ANNA, Pay()))

    assert state.players[ANNA].colonists == 1


def test_a_card_that_does_not_help_lets_the_attempt_fail():
    """GO-5.4: no reason to ask is left."""
    state = play(founder(hand=(TAKE_DUCATS,)), (ANNA, FoundColony("quilon", None)))

    turned = move(state, ANNA, PlayCard(TAKE_DUCATS, (), None))

    assert facts(turned, FoundingFailed) == [FoundingFailed(ANNA, "quilon", 1, declined=False)]


def test_a_third_card_may_be_revealed_when_two_are_seen():
    """GO-5.4, GO-7.2: the played card lies on the pile first."""
    state = play(founder(deck=(ONE, TWO, THREE), hand=(REVEAL_3,)),
                 (ANNA, FoundColony("quilon", None)))

    turned = move(state, ANNA, PlayCard(REVEAL_3, (), None))

    assert facts(turned, CardsRevealed) == [CardsRevealed(ANNA, (THREE,), 3)]
    assert turned.state.awaiting == AwaitColony(ANNA, "quilon")
    assert turned.state.discards == (REVEAL_3, ONE, TWO, THREE)


def test_three_cards_are_revealed_at_once_if_the_card_is_played_with_the_action():
    """GO-7.2."""
    state = founder(deck=(ONE, TWO, THREE), hand=(REVEAL_3,))

    turned = move(state, ANNA, FoundColony("quilon", REVEAL_3))

    assert facts(turned, CardsRevealed) == [CardsRevealed(ANNA, (ONE, TWO, THREE), 6)]
    assert turned.state.awaiting == AwaitColony(ANNA, "quilon")


def test_a_ready_tile_that_gives_colonists_is_a_reason_to_ask():
    """GO-5.4: 1 colonist more, and the 3 are there; a ship tile is no reason."""
    state = play(founder(tiles=(COLONIST, SHIP)), (ANNA, FoundColony("quilon", None)))
    assert isinstance(state.awaiting, AwaitFounding)

    state = play(state, (ANNA, UseGoods("ship")), (ANNA, UseGoods("colonist")), (ANNA, Pay()))

    assert state.players[ANNA].colonists == 0
    without = move(founder(tiles=(SHIP,)), ANNA, FoundColony("quilon", None))
    assert len(facts(without, FoundingFailed)) == 1
    used = move(founder(tiles=(COLONIST,), used=(COLONIST,)), ANNA, FoundColony("quilon", None))
    assert len(facts(used, FoundingFailed)) == 1


def test_progress_bought_in_the_attempt_counts():
    """GO-5.4, GO-7.2: the colonists marker moves to row 4 and counts 4; its card is drawn."""
    state = founder(hand=(BUY_FOR_8,), row=3)
    state = play(state, (ANNA, FoundColony("quilon", None)))
    assert state.awaiting.difference == 1

    turned = move(state, ANNA, PlayCard(BUY_FOR_8, (), "colonists"))

    assert turned.state.awaiting == AwaitColony(ANNA, "quilon")
    assert len(turned.state.players[ANNA].hand) == 1
    assert turned.state.players[ANNA].ducats == 2


def test_other_action_cards_are_not_played_at_the_founding_question():
    """GO-7.1."""
    state = play(founder(hand=(ANY_GOODS,)), (ANNA, FoundColony("quilon", None)))

    order = PlayCard(ANY_GOODS, (), None)
    assert refusal(state, ANNA, order) == ("card_for_action", "GO-7.1")
    assert refusal(state, ANNA, Progress("taxes", None, ())) == ("wrong_order", "GO-5.4")


def test_no_card_is_played_while_a_tile_is_chosen():
    """GO-7.1."""
    state = play(founder(deck=(THREE, ONE), row=3, hand=(TAKE_DUCATS,)),
                 (ANNA, FoundColony("quilon", None)))

    order = PlayCard(TAKE_DUCATS, (), None)
    assert refusal(state, ANNA, order) == ("wrong_order", "GO-5.2")


def test_the_question_stays_when_its_last_reason_is_discarded():
    """GO-4.9, GO-5.4: then declining is all that is left."""
    state = play(founder(hand=(TAKE_DUCATS,)), (ANNA, FoundColony("quilon", None)),
                 (ANNA, Discard(TAKE_DUCATS)))

    assert list(GAME.answers(state, ANNA)) == [Decline()]
    assert GAME.is_forced(state, ANNA)


def test_a_reshuffle_within_the_attempt_has_none_of_the_revealed_cards():
    """GO-5.3: the deck has one card; the pile becomes the new deck."""
    state = founder()
    state.deck, state.discards = (ONE,), (20, 21)

    turned = move(state, ANNA, FoundColony("quilon", None), chance=[(21, 20)])

    assert [fact.cards for fact in facts(turned, CardsRevealed)] == [(ONE,), (21,)]
    assert turned.state.deck == (20,)


def test_fewer_cards_are_revealed_if_fewer_are_to_be_had():
    """GO-5.2."""
    state = founder()
    state.deck, state.discards = (ONE,), ()

    turned = move(state, ANNA, FoundColony("quilon", None))

    assert [fact.cards for fact in facts(turned, CardsRevealed)] == [(ONE,)]


def test_what_is_revealed_is_seen_by_all():
    """GO-5.2."""
    (revealed,) = facts(move(founder(), ANNA, FoundColony("quilon", None)), CardsRevealed)

    assert revealed.seen_by(BRAM) == revealed
