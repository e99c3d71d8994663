"""Additional actions, rounds and parts (GO-6.1, GO-6.2)."""

from __future__ import annotations

from engine import codec
from engine.goa.events import AdditionalDeclined, GoaRoundBegun, GridCleared, TilesLaidOut
from engine.goa.moves import BuildShips, EndTurn, Extra, Pass, PlayCard, Progress, Taxes, UseGoods
from engine.goa.state import (
    ADDITIONAL,
    AwaitAdditional,
    AwaitFlag,
    AwaitTurnAction,
    TurnSoFar,
)
from tests.engine.goa.positions import (
    ANNA,
    BRAM,
    CHAIM,
    COLONIST,
    FIGURES,
    TAKE_DUCATS,
    WITHOUT_SPICES,
    additional,
    ended,
    facts,
    move,
    offered,
    play,
    refusal,
    turn,
)

EXTRA_TAXES = Extra(Taxes())


def test_after_the_third_actions_additional_cards_may_be_played():
    """GO-6.1: from the start player; Bram has no card and is out by himself."""
    state = turn(seat=CHAIM, number=3, given={ANNA: {"additional_cards": 1}})

    state = ended(play(state, (CHAIM, Taxes())), CHAIM)

    assert state.awaiting == AwaitAdditional(ANNA, 1, may_pass=True)


def test_an_additional_card_is_played_for_one_action():
    """GO-6.1: the card goes; with two cards Anna has another turn round the table."""
    state = play(additional(cards=2), (ANNA, EXTRA_TAXES))
    assert state.players[ANNA].additional_cards == 1
    assert state.players[ANNA].ducats == 14

    turned = move(state, ANNA, EndTurn())

    assert facts(turned, AdditionalDeclined) == [
        AdditionalDeclined(BRAM, unasked=True), AdditionalDeclined(CHAIM, unasked=True),
    ]  # fmt: skip
    assert turned.state.awaiting == AwaitAdditional(ANNA, 2, may_pass=True)


def test_who_passes_is_out_for_this_round():
    """GO-6.1: round and round until all are out; a kept card goes on into the next round."""
    state = additional(cards=1, given={BRAM: {"additional_cards": 2}})

    state = play(state, (ANNA, Pass()), (BRAM, EXTRA_TAXES), (BRAM, EndTurn()))
    assert state.awaiting == AwaitAdditional(BRAM, 2, may_pass=True)
    state = play(state, (BRAM, Pass()))

    assert [player.additional_cards for player in state.players] == [1, 1, 0]
    assert (state.round, state.awaiting) == (2, AwaitFlag(ANNA))


def test_who_holds_two_cards_may_not_pass():
    """GO-6.1: at most one is kept."""
    state = additional(cards=2)

    assert offered(state, ANNA, Pass) == []
    assert refusal(state, ANNA, Pass()) == ("may_not_pass_cards", "GO-6.1")


def test_who_has_played_a_card_in_this_turn_may_not_pass():
    """GO-6.1."""
    state = additional(given={ANNA: {"hand": (TAKE_DUCATS,)}})

    state = play(state, (ANNA, PlayCard(TAKE_DUCATS, (), None)))

    assert state.awaiting == AwaitAdditional(ANNA, 1, may_pass=False)
    assert refusal(state, ANNA, Pass()) == ("may_not_pass_turn", "GO-6.1")


def test_who_has_used_a_tile_in_this_turn_may_not_pass():
    """GO-6.1."""
    state = play(additional(given={ANNA: {"tiles": (COLONIST,)}}), (ANNA, UseGoods("colonist")))

    assert refusal(state, ANNA, Pass()) == ("may_not_pass_turn", "GO-6.1")
    assert state.awaiting.same_for(ANNA, AwaitAdditional(ANNA, 1, may_pass=True))


def test_an_action_without_the_card_is_no_answer():
    """GO-6.1."""
    assert refusal(additional(), ANNA, Taxes()) == ("wrong_order", "GO-6.1")


def test_every_action_may_be_taken_additionally_and_by_its_own_rules():
    """GO-6.1."""
    state = additional(given={ANNA: {"ships": 0}})

    kinds = {codec.tag_of(type(extra.action)) for extra in offered(state, ANNA, Extra)}

    assert kinds == {"BuildShips", "Taxes", "Expedition", "Found"}
    wrong = Extra(Progress("taxes", None, (("pepper", "1", 1),)))
    assert refusal(state, ANNA, wrong) == ("too_few_ships", "GO-4.2")


def test_a_card_won_in_this_phase_may_be_played_in_it():
    """GO-6.1, GO-4.8: Anna's last card brings all markers into row 2 and so another one."""
    rows = {"ships": 2, "harvest": 2, "expedition": 2, "colonists": 2}
    state = additional(given={ANNA: {"rows": rows, "hand": (WITHOUT_SPICES,)}})

    state = play(state, (ANNA, Extra(Progress("taxes", WITHOUT_SPICES, ()))), (ANNA, EndTurn()))

    assert state.awaiting == AwaitAdditional(ANNA, 2, may_pass=True)


# ---- rounds and parts --------------------------------------------------------------------------


def at_the_end(part, number, **fields):
    """Anna alone has a card; when she passes the round is over."""
    return additional(cards=1, part=part, round=number, **fields)


def test_a_new_round_makes_the_tiles_ready_again():
    """GO-6.2: flag, hands and boards stay."""
    state = at_the_end("A", 1, given={
        ANNA: {"tiles": (COLONIST,), "used": (COLONIST,)}, BRAM: {"hand": (5,)},
    }, start_player=BRAM)

    turned = move(state, ANNA, Pass())

    assert facts(turned, GoaRoundBegun) == [GoaRoundBegun("A", 2)]
    assert turned.state.players[ANNA].used == ()
    assert turned.state.players[BRAM].hand == (5,)
    assert turned.state.awaiting == AwaitFlag(BRAM)


def test_after_four_rounds_the_grid_is_laid_out_anew():
    """GO-6.2: what is left of part A goes out; 25 of the 27 B tiles are laid."""
    state = at_the_end("A", 4, tiles={"c3": "A01"})
    tiles = tuple(tile for tile in FIGURES.by_id if tile[0] == "B")

    turned = move(state, ANNA, Pass(), chance=[tiles])

    assert facts(turned, GridCleared) == [GridCleared(("A01",))]
    assert len(facts(turned, TilesLaidOut)) == 1
    later = turned.state
    assert (later.part, later.round, later.awaiting) == ("B", 1, AwaitFlag(ANNA))
    assert later.grid == tiles[:25]
    assert later.left_out[-2:] == tiles[25:]
    assert later.players[ANNA].additional_cards == 1


def test_after_four_rounds_of_part_b_the_game_ends():
    """GO-6.2."""
    turned = move(at_the_end("B", 4), ANNA, Pass())

    assert turned.state.awaiting is None
    assert turned.state.places


def test_turns_go_round_and_round_from_the_start_player():
    """GO-6.1: Chaim has the flag."""
    given = {seat: {"additional_cards": 2} for seat in (ANNA, BRAM, CHAIM)}
    state = additional(seat=CHAIM, cards=2, given=given, start_player=CHAIM)
    order = []
    while isinstance(state.awaiting, AwaitAdditional):
        seat, lap = state.awaiting.seat, state.awaiting.number
        order.append((seat, lap))
        taken = Pass() if state.awaiting.may_pass else Extra(BuildShips())
        state = play(state, (seat, taken))
        if taken != Pass():
            state = ended(state, seat)

    assert order == [(seat, lap) for lap in (1, 2) for seat in (CHAIM, ANNA, BRAM)]
    assert state.turn is None


def test_the_turn_knows_its_phase():
    """GO-6.1: behind the additional action nobody is asked for a third action."""
    state = play(additional(cards=1), (ANNA, EXTRA_TAXES))

    assert (state.phase, state.turn) == (ADDITIONAL, TurnSoFar(ANNA, 1, "taxes"))
    assert not isinstance(ended(state).awaiting, AwaitTurnAction)
