"""Whole games of seeded random play, with all options (GO-1.5, GO-4.8a)."""

from __future__ import annotations

import random

import pytest

from engine import codec
from engine.chance import Forbidden
from engine.goa.lookups import hand_limit
from engine.journal import fold
from tests.engine.goa.positions import FIGURES, GAME, changed, stream

OPTIONS: tuple[dict[str, object], ...] = (
    {},
    {"quick_start": True, "first_player": 1},
    {"hand_limit": "expedition_only"},
    {"hand_limit": "expedition_only", "quick_start": True},
)


def played(seats, options, seed):
    """The turns of a whole game; every class of answers is as likely as the others."""
    dice, chance = random.Random(seed), stream(f"{seats} {seed}")
    turn = GAME.new_initial_state(seats, options, chance)
    yield turn
    while not GAME.is_terminal(turn.state):
        (seat,) = GAME.current_players(turn.state)
        discards = [(other, move) for other in range(seats)
                    for move in GAME.legal_actions(turn.state, other) if move.free]
        if discards and dice.random() < 0.05:
            seat, move = dice.choice(discards)
        else:
            answers = list(GAME.answers(turn.state, seat))
            kind = dice.choice(list(dict.fromkeys(map(type, answers))))
            move = dice.choice([each for each in answers if type(each) is kind])
        turn = GAME.apply_action(turn.state, seat, move, chance)
        yield turn


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_game_ends_and_its_facts_give_its_states(seats, options):
    """GO-6.2, GO-1.1: nothing falls below nothing, no card gets lost."""
    state = GAME.empty_table(seats, options)
    cards = len(FIGURES.cards)
    for number, turn in enumerate(played(seats, options, seed=seats)):
        state = fold(state, turn.events)
        assert codec.encode(state) == codec.encode(turn.state)
        assert GAME.totals(state)["expedition_cards"] == cards
        for player in state.players:
            assert min(player.ducats, player.ships, player.colonists, player.additional_cards) >= 0
        assert number < 1500

    assert [each.seat for each in GAME.returns(state)] == list(range(seats))


@pytest.mark.parametrize("seed", range(4))
def test_the_hand_limit_is_never_exceeded_not_even_for_a_moment(seed):
    """GO-4.8a: behind every single fact."""
    state = GAME.empty_table(4, {})
    for turn in played(4, {}, seed):
        for event in turn.events:
            state = fold(state, (event,))
            for player in state.players:
                assert len(player.hand) <= hand_limit(FIGURES, player)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_two_histories_that_a_viewer_cannot_tell_apart(seats):
    """GO-1.1: others' hands, the deck, the tiles left out."""
    history = list(played(seats, {}, seed=9))
    for part in (1, len(history) // 3, 2 * len(history) // 3):
        for viewer in (None, *range(seats)):
            told, differing = GAME.redealt(history[:part], viewer, stream("otherwise"))
            assert differing
            assert codec.encode(told[-1].state) != codec.encode(history[part - 1].state)
            for one, other in zip(history, told, strict=False):
                assert seen(one.events, viewer) == seen(other.events, viewer)


def test_what_others_hold_in_their_purses_changes_nothing_that_a_player_can_see_or_try():
    """GO-1.1, GO-3.1: view, legal moves, previews and refusals."""
    dice = random.Random(5)
    states = [turn.state for turn in played(3, {}, seed=7)][:-1]
    for state in dice.sample(states, 60):
        for seat in range(3):
            other = state
            for richer in {0, 1, 2} - {seat}:
                other = changed(other, richer, ducats=dice.choice((0, 1, 4, 9, 60)))
            legal = list(GAME.legal_actions(state, seat))
            assert legal == list(GAME.legal_actions(other, seat))
            assert GAME.observation(state, seat) == GAME.observation(other, seat)
            for move in dice.sample(legal, min(8, len(legal))):
                assert tried(state, seat, move) == tried(other, seat, move)


def tried(state, seat, move):
    """What a seat is told of a move that it only tries."""
    turn = GAME.apply_action(state, seat, move, Forbidden())
    return seen(turn.events, seat), turn.stopped, GAME.observation(turn.state, seat)


def seen(events, viewer):
    """The facts as a viewer reads them."""
    return codec.encode(tuple(event.seen_by(viewer) for event in events))
