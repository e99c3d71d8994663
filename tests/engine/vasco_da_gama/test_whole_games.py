"""Whole random games: what holds at every entry beside what every game promises (test_contract)."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine import codec
from engine.chance import Stream
from engine.errors import MoveRefused
from engine.vasco_da_gama.events import VascoNowAwaiting
from engine.vasco_da_gama.moves import (
    Buy,
    ChooseSailor,
    GiveUp,
    HostManuel,
    Launch,
    PlaceDisc,
    Send,
)
from engine.vasco_da_gama.refusals import REFUSALS
from engine.vasco_da_gama.state import AREAS, CREW, LANDINGS, SAILORS
from tests.engine.vasco_da_gama.positions import FIGURES, GAME

ONLY_FALL = {"projects", "merchant_ships"}  # as tiles leave the game (VG-6.8, VG-7.4, VG-8.1)


def stream(seed: int, entry: int) -> Stream:
    return Stream(f"secret {seed}".encode(), str(entry))


def random_game(seats: int, seed: int) -> Any:
    """Every entry as (state before, seat, move, turn); the first has neither seat nor move.

    Launches are made as soon as they are possible, half of the time; half of the other moves
    take rather than give up, so that ships sail and landings become complete.
    """
    dice = random.Random(seed)
    turn = GAME.new_initial_state(seats, {"first_player": seed % seats}, stream(seed, 0))
    yield None, None, None, turn
    entry = 0
    while not GAME.is_terminal(turn.state):
        entry += 1
        state = turn.state
        seat, move = chosen(state, seats, dice)
        turn = GAME.apply_action(state, seat, move, stream(seed, entry))
        yield state, seat, move, turn


def chosen(state: Any, seats: int, dice: random.Random) -> tuple[int, Any]:
    free = [(seat, move) for seat in range(seats) for move in GAME.legal_actions(state, seat)
            if move.free]
    if free and dice.random() < 0.5:
        return dice.choice(free)
    seat = dice.choice(GAME.current_players(state))
    moves = list(GAME.answers(state, seat))
    taking = [move for move in moves if not isinstance(move, GiveUp)]
    return seat, dice.choice(taking if taking and dice.random() < 0.7 else moves)


GAMES = [(seats, seed) for seats in (2, 3, 4) for seed in (1, 2)]


@pytest.mark.parametrize(("seats", "seed"), GAMES)
def test_nothing_is_lost_or_made_of_nothing(seats, seed):
    """VG-1.1, VG-1.3, VG-1.4: captains, discs, sailors and missionaries are always as many."""
    totals = None
    for _, _, _, turn in random_game(seats, seed):
        now = GAME.totals(turn.state)
        if totals is None:
            assert now["projects"] == len(FIGURES.projects)
            assert [now[colour] for colour in SAILORS] == [FIGURES.supply.sailors_per_colour] * 4
            assert now["captains of 1"] == FIGURES.supply.captains_per_seat
        else:
            assert now.keys() == totals.keys()
            for goods, count in now.items():
                assert count == totals[goods] or (goods in ONLY_FALL and count < totals[goods])
        totals = now


@pytest.mark.parametrize(("seats", "seed"), GAMES)
def test_a_turn_ends_with_a_question_or_the_game(seats, seed):
    for _, _, _, turn in random_game(seats, seed):
        if GAME.is_terminal(turn.state):
            assert GAME.current_players(turn.state) == ()
        else:
            assert turn.events[-1] == VascoNowAwaiting(turn.state.awaiting)
            for seat in GAME.current_players(turn.state):
                assert next(GAME.answers(turn.state, seat))
        for asking in turn.events[:-1]:
            assert not isinstance(asking, VascoNowAwaiting)


@pytest.mark.parametrize(("seats", "seed"), [(2, 3), (4, 3)])
def test_what_is_legal_is_accepted_and_nothing_else_is(seats, seed):
    dice = random.Random(seed)
    for _, _, _, turn in random_game(seats, seed):
        state = turn.state
        for seat in range(seats):
            legal = list(GAME.legal_actions(state, seat))
            assert len(set(legal)) == len(legal)
            sample = dice.sample(legal, min(8, len(legal)))
            for move in sample + [near_miss(state, seat, dice) for _ in range(12)]:
                assert is_accepted(state, seat, move) == (move in set(legal)), move


def is_accepted(state: Any, seat: int, move: Any) -> bool:
    """Whether the move is played; a refusal is one of the list, and nothing has changed."""
    before = codec.encode(state)
    try:
        GAME.apply_action(state, seat, move, stream(0, 0))
    except MoveRefused as refused:
        assert set(refused.numbers) == set(REFUSALS[refused.key])
        assert all(isinstance(number, int | str) for number in refused.numbers.values())
        return False
    finally:
        assert codec.encode(state) == before
    return True


def near_miss(state: Any, seat: int, dice: random.Random) -> Any:
    """A move that could be meant, and is often wrong."""
    player = state.players[seat]
    tiles = [*player.projects, *player.ships, *filter(None, state.offer), "X-1"]
    crew = sorted(dice.sample(CREW, dice.randint(1, 5)), key=CREW.index)
    return dice.choice([
        PlaceDisc(dice.randint(0, 23), dice.choice(AREAS)),
        Buy(tuple(dice.choice(tiles) for _ in range(dice.randint(1, 2)))),
        Send(dice.choice(LANDINGS),
             tuple((dice.choice(tiles), dice.randint(-1, 6)) for _ in range(dice.randint(1, 2)))),
        Launch(dice.choice(tiles), tuple(crew)),
        ChooseSailor(dice.choice(CREW), dice.randint(0, 5)),
        HostManuel(dice.randint(20, 23), dice.choice(AREAS)),
    ])
