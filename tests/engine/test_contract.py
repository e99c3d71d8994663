"""What every game promises (engine/api.py), tried on whole games of seeded random play.

Beside it: test_contract_orders, test_contract_secrets, test_contract_rules; pages and letters in
tests/web/test_nothing_leaks.py.

A new game in `engine.registry.GAMES` is tried by all of this without a line of its own.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from typing import Any, get_args

import pytest

from engine import codec, registry
from engine.api import GameRules
from engine.chance import Forbidden
from engine.errors import GameOver, NotYourTurn
from engine.journal import fold
from tests.engine.play_outs import (
    MOST_ENTRIES,
    SEEDS,
    Choose,
    PlayOut,
    is_accepted,
    known_moves,
    of_any_class,
    other_moves,
    play_out,
    play_outs_of,
    played_on,
    spread,
    stream,
)

MOST_HANDS = 400  # positions that a seat's free moves lead to, looked through for one question


# ---- the play-outs themselves ------------------------------------------------------------------


def test_random_play_makes_moves_of_every_class(key: str) -> None:
    """Or the tests below would leave some out."""
    made = {type(step.move) for played in play_outs_of(key) for step in played.steps}

    assert made - {type(None)} == set(get_args(registry.game(key).move_type))


# ---- legal is accepted, and nothing else is ----------------------------------------------------


def test_every_legal_move_is_accepted_and_no_other(played: PlayOut) -> None:
    game, dice = played.game, random.Random(7)
    for state in played.states:
        for seat in range(played.seats):
            legal = list(game.legal_actions(state, seat))
            offered = set(legal)
            assert len(offered) == len(legal)
            for move in legal:
                assert is_accepted(game, state, seat, move), move
            for move in other_moves(game, legal, dice):
                assert is_accepted(game, state, seat, move) == (move in offered), move


def test_the_answers_come_first_and_the_free_moves_behind_them(played: PlayOut) -> None:
    for state in played.states:
        asked = played.game.current_players(state)
        for seat in range(played.seats):
            answers = list(played.game.answers(state, seat))
            legal = list(played.game.legal_actions(state, seat))
            assert legal[: len(answers)] == answers
            assert all(move.free for move in legal[len(answers) :])
            assert bool(answers) == (seat in asked)


def test_a_seat_that_is_not_asked_is_told_that_it_is_not_its_turn(played: PlayOut) -> None:
    for state in spread(played.states[:-1], 12):
        asked = played.game.current_players(state)
        answer = next(move for move in played.game.answers(state, asked[0]) if not move.free)
        for seat in set(range(-1, played.seats + 1)) - set(asked):
            with pytest.raises(NotYourTurn):
                played.game.apply_action(state, seat, answer, stream(0, 0))


def test_a_finished_game_accepts_nothing(played: PlayOut) -> None:
    state = played.states[-1]
    for seat in range(played.seats):
        assert list(played.game.legal_actions(state, seat)) == []
        for move in spread(list(known_moves(played.game.key)), 50):
            with pytest.raises(GameOver):
                played.game.apply_action(state, seat, move, stream(0, 0))


# ---- facts are all there is --------------------------------------------------------------------


def test_folding_the_events_gives_the_state_at_every_entry(played: PlayOut) -> None:
    empty = played.game.empty_table(played.seats, played.options)
    state = empty
    for step in played.steps:
        state = fold(state, step.turn.events)
        assert codec.encode(state) == codec.encode(step.turn.state)


def test_a_preview_stops_in_front_of_what_is_hidden(played: PlayOut) -> None:
    """What it tells are the facts of the real turn, and nothing that chance decides."""
    for step in played.steps[1:]:
        preview = played.game.apply_action(step.before, step.seat or 0, step.move, Forbidden())
        told, whole = preview.events, step.turn.events
        assert told == whole[: len(told)]
        assert not any(event.reveals for event in told)
        assert preview.stopped == any(event.reveals for event in whole)
        if not preview.stopped:
            assert codec.encode(preview.state) == codec.encode(step.turn.state)


def test_looking_and_being_refused_change_nothing(played: PlayOut) -> None:
    game, dice = played.game, random.Random(11)
    for state in spread(played.states, 40):
        before = codec.encode(state)
        for seat in range(played.seats):
            legal = list(game.legal_actions(state, seat))
            for move in other_moves(game, legal, dice):
                is_accepted(game, state, seat, move)
            for move in legal[:5]:
                game.to_text(move)
                game.apply_action(state, seat, move, stream(0, 0))
                game.apply_action(state, seat, move, Forbidden())
            look(game, state, seat)
            assert codec.encode(state) == before


def look(game: GameRules, state: Any, seat: int) -> None:
    """Everything that only reads."""
    game.observation(state, seat)
    game.observation(state, None)
    game.chapter(state)
    game.totals(state)
    game.is_forced(state, seat)
    if seat in game.current_players(state):
        game.default_action(state, seat)
    if game.is_terminal(state):
        game.returns(state)


def test_the_same_chance_gives_the_same_game(played: PlayOut) -> None:
    for number, step in enumerate(played.steps[1:], start=1):
        again = played.game.apply_action(step.before, step.seat or 0, step.move,
                                         stream(seed_of(played), number))
        assert codec.encode(again.events) == codec.encode(step.turn.events)


def seed_of(played: PlayOut) -> int:
    """The seed that gave this play-out."""
    return next(seed for seed in SEEDS if play_out(played.game.key, played.seats, seed) is played)


# ---- the game goes on, and ends ----------------------------------------------------------------


def test_somebody_can_answer_until_the_game_is_over(played: PlayOut) -> None:
    for state in played.states:
        asked = played.game.current_players(state)
        assert bool(asked) != played.game.is_terminal(state)
        assert len(set(asked)) == len(asked)
        assert set(asked) <= set(range(played.seats))
        for seat in asked:
            assert next(played.game.answers(state, seat), None) is not None
        assert (() if state.awaiting is None else state.awaiting.seats) == tuple(asked)


def test_the_result_ranks_every_seat_by_points_from_all_sources(played: PlayOut) -> None:
    result = played.game.returns(played.states[-1])

    assert [standing.seat for standing in result] == list(range(played.seats))
    assert min(standing.place for standing in result) == 1
    for standing in result:
        assert standing.points == sum(standing.by_source.values())
        better = [each for each in result if each.points > standing.points]
        assert all(each.place < standing.place for each in better)


def test_a_forced_move_is_the_only_one_whatever_the_seat_does_first(played: PlayOut) -> None:
    """After any of its own free moves, in any order: found by search."""
    for state, seat in played.questions():
        if played.game.is_forced(state, seat):
            only = list(islice(played.game.answers(state, seat), 2))
            assert len(only) == 1
            for later in after_free_moves(played.game, state, seat):
                assert list(islice(played.game.answers(later, seat), 2)) == only


def after_free_moves(game: GameRules, state: Any, seat: int) -> Iterator[Any]:
    """Every position that the seat's own free moves lead to while the same question is open."""
    seen, waiting = {codec.encode(state)}, [state]
    while waiting and len(seen) < MOST_HANDS:
        here = waiting.pop()
        for move in game.legal_actions(here, seat):
            if not move.free:
                continue
            later = game.apply_action(here, seat, move, stream(0, 0)).state
            form = codec.encode(later)
            if form not in seen and seat in game.current_players(later):
                seen.add(form)
                waiting.append(later)
                yield later


def test_some_moves_are_forced_and_some_are_not_although_there_is_but_one(key: str) -> None:
    """Or the test above would try nothing."""
    single = [
        played.game.is_forced(state, seat)
        for played in play_outs_of(key) for state, seat in played.questions()
        if len(list(islice(played.game.answers(state, seat), 2))) == 1
    ]  # fmt: skip

    assert set(single) == {True, False}


def test_a_single_answer_is_forced_unless_something_unseen_or_free_could_change_it(
    played: PlayOut,
) -> None:
    """A seat is not asked for nothing: here where it hides nothing from a spectator."""
    game = played.game
    for number, (state, seat) in enumerate(played.questions()):
        if len(list(islice(game.answers(state, seat), 2))) != 1 or game.is_forced(state, seat):
            continue
        if hides_nothing(game, state, seat):
            assert any(
                len(list(islice(game.answers(later, seat), 2))) > 1
                for later in after_free_moves(game, state, seat)
            ), number


def hides_nothing(game: GameRules, state: Any, seat: int) -> bool:
    """Whether a spectator sees all that the seat sees."""
    return contents(game.observation(state, seat)) == contents(game.observation(state, None))


def contents(view: Any) -> bytes:
    """A view without its reader."""
    return codec.encode(codec.decode(codec.encode(view), dict) | {"viewer": None})


def test_the_mildest_answer_is_one_of_the_answers(played: PlayOut) -> None:
    for state, seat in played.questions():
        assert played.game.default_action(state, seat) in set(played.game.answers(state, seat))


def test_from_any_state_any_seat_may_be_dropped_and_the_game_still_ends(played: PlayOut) -> None:
    """A dropped seat answers by the mildest answer; all seats at once may be dropped too."""
    for number, state in enumerate(spread(played.states[:-1], 8)):
        for gone in ({number % played.seats}, set(range(played.seats))):
            ending = list(
                played_on(played.game, state, played.seats, number, mildest_of(gone))
            )
            assert len(ending) < MOST_ENTRIES
            assert played.game.is_terminal(ending[-1].turn.state)


def mildest_of(gone: set[int]) -> Choose:
    """How play goes on when these seats are absent: only the others draw their moves."""

    def choose(game: GameRules, state: Any, seats: int, dice: random.Random) -> tuple[int, Any]:
        asked = game.current_players(state)
        absent = [seat for seat in asked if seat in gone]
        if absent:
            return absent[0], game.default_action(state, absent[0])
        seat = dice.choice(asked)
        return seat, of_any_class(list(game.legal_actions(state, seat)), dice)

    return choose


# ---- goods -------------------------------------------------------------------------------------


def test_no_goods_are_made_of_nothing(played: PlayOut) -> None:
    """Some kinds leave the game; no kind grows or is forgotten (each game says which stay)."""
    totals = dict(played.game.totals(played.states[0]))
    assert totals and all(count >= 0 for count in totals.values())
    for state in played.states[1:]:
        now = dict(played.game.totals(state))
        assert now.keys() == totals.keys()
        for goods, count in now.items():
            assert 0 <= count <= totals[goods], goods
        totals = now


