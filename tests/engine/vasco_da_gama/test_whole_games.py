"""Whole random games: what must hold at every entry, whatever is played."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine import codec
from engine.chance import Forbidden, Stream
from engine.errors import MoveRefused
from engine.journal import fold
from engine.vasco_da_gama.events import BonusSailorDrawn, NowAwaiting
from engine.vasco_da_gama.moves import Buy, ChooseSailor, GiveUp, HostManuel, Launch, Place, Send
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
def test_folding_the_events_gives_the_state_at_every_entry(seats, seed):
    empty = GAME.empty_table(seats, {"first_player": seed % seats})
    for before, _, _, turn in random_game(seats, seed):
        assert fold(before or empty, turn.events) == turn.state


@pytest.mark.parametrize(("seats", "seed"), GAMES)
def test_states_moves_and_events_survive_being_stored(seats, seed):
    for _, _, move, turn in random_game(seats, seed):
        assert codec.decode(codec.encode(turn.state), GAME.state_type) == turn.state
        assert move is None or codec.decode(codec.encode(move), GAME.move_type) == move
        for event in turn.events:
            assert codec.decode(codec.encode(event), GAME.event_type) == event


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
            assert turn.events[-1] == NowAwaiting(turn.state.awaiting)
            for seat in GAME.current_players(turn.state):
                assert next(GAME.answers(turn.state, seat))
        for asking in turn.events[:-1]:
            assert not isinstance(asking, NowAwaiting)


@pytest.mark.parametrize(("seats", "seed"), GAMES)
def test_the_mildest_answer_and_a_forced_one_are_answers(seats, seed):
    for _, _, _, turn in random_game(seats, seed):
        for seat in GAME.current_players(turn.state):
            answers = list(GAME.answers(turn.state, seat))
            assert GAME.default_action(turn.state, seat) in answers
            assert len(answers) == 1 or not GAME.is_forced(turn.state, seat)


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
        Place(dice.randint(0, 23), dice.choice(AREAS)),
        Buy(tuple(dice.choice(tiles) for _ in range(dice.randint(1, 2)))),
        Send(dice.choice(LANDINGS),
             tuple((dice.choice(tiles), dice.randint(-1, 6)) for _ in range(dice.randint(1, 2)))),
        Launch(dice.choice(tiles), tuple(crew)),
        ChooseSailor(dice.choice(CREW), dice.randint(0, 5)),
        HostManuel(dice.randint(20, 23), dice.choice(AREAS)),
    ])


@pytest.mark.parametrize(("seats", "seed"), GAMES)
def test_a_preview_stops_in_front_of_what_is_hidden(seats, seed):
    """VG-1.5, VG-1.6: the facts before the reveal are those of the real turn."""
    stopped = 0
    for before, seat, move, turn in random_game(seats, seed):
        if before is None:
            continue
        preview = GAME.apply_action(before, seat, move, Forbidden())
        assert preview.events == turn.events[: len(preview.events)]
        assert not any(event.reveals for event in preview.events)
        if preview.stopped:
            stopped += 1
            assert turn.events[len(preview.events)].reveals
        else:
            assert preview.events == turn.events
    assert stopped >= 9  # five variations turned, four rounds ended


@pytest.mark.parametrize(("seats", "seed"), GAMES)
def test_a_redealt_game_looks_the_same_to_everybody(seats, seed):
    """VG-1.5, VG-1.6: decks below their tops, tiles and merchant ships face down."""
    history = [turn for _, _, _, turn in random_game(seats, seed)]
    for end in (1, 10, len(history) // 2):
        other, differing = GAME.redealt(history[:end], None, stream(99, end))

        assert differing > 0
        assert other[-1].state != history[end - 1].state
        for real, dealt in zip(history[:end], other, strict=True):
            assert [event.seen_by(None) for event in real.events] == [
                event.seen_by(None) for event in dealt.events
            ]
            for seat in range(seats):
                assert list(GAME.legal_actions(real.state, seat)) == list(
                    GAME.legal_actions(dealt.state, seat)
                )


def test_random_games_see_every_kind_of_event_that_chance_may_bring():
    """VG-5.3: bag draws among them, so that the tests above try them."""
    seen = {type(event) for seed in range(4) for _, _, _, turn in random_game(4, seed)
            for event in turn.events}

    assert BonusSailorDrawn in seen
