"""What every game promises of orders ahead: read, written, tried by what their owner sees."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import orders_ahead, orders_ahead_lines, play, registry
from engine.api import GameRules
from engine.errors import MalformedOrder, MoveRefused
from engine.orders_ahead_types import Alternative, Condition, OrderAhead, PlainOrder
from tests.engine.play_outs import (
    SEEDS,
    PlayOut,
    is_accepted,
    known_moves,
    play_out,
    spread,
    stream,
)

FOREIGN = {"wrong_order", "other_area", "not_your_turn"}  # no answer to this question


def table_of(key: str) -> Any:
    """A table on which every order can be read."""
    return play_out(key, registry.game(key).seats[-1], SEEDS[0]).states[1]


# ---- lines -------------------------------------------------------------------------------------


def test_every_order_can_be_given_ahead_and_its_line_is_read_back(key: str) -> None:
    game, state = registry.game(key), table_of(key)
    for move in spread(list(known_moves(key)), 600):
        order = orders_ahead.read(game, game.to_text(move), state, 0, {})
        line = orders_ahead.text(game, order)

        assert line == game.to_text(move)
        assert orders_ahead.read(game, f" {line.upper()} ", state, 0, {}) == order
        assert orders_ahead.reread(game, line, state, 0) == order


conditions = st.tuples(
    st.integers(0, 10_000), st.sampled_from(["<=", ">=", "<", ">", "="]), st.integers(0, 9999),
    st.sampled_from([None, 1, 2, 3]),
)  # fmt: skip


def made(game: GameRules, drawn: tuple[int, str, int, int | None]) -> Condition:
    """A condition of this game; others are asked only for what lies open."""
    what, sign, number, seat = drawn
    words = game.orders_ahead.words
    measures = words.measures if seat is None else words.of_others
    if seat is not None and words.deeds and number % 5 == 0:
        return Condition(words.deeds[0], "has" if what % 2 else "has not", seat=seat)
    return Condition(measures[what % len(measures)], sign, number, seat)


@given(data=st.data())
@settings(max_examples=80, derandomize=True, database=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_canonical_line_is_the_same_order_again(key: str, data: st.DataObject) -> None:
    """Alternatives with conditions, ending in `ask` or not, in a round or whenever it comes."""
    game, state = registry.game(key), table_of(key)
    move = data.draw(st.sampled_from(known_moves(key)))
    alike = [each for each in known_moves(key) if type(each) is type(move)]
    several = data.draw(st.lists(st.sampled_from(alike), max_size=3))
    forms = [PlainOrder(game.to_text(each)) for each in (move, *several)]
    alternatives = tuple(
        Alternative(form, tuple(made(game, each) for each in data.draw(st.lists(
            conditions, max_size=2))))
        for form in forms
    )
    in_round = data.draw(st.none() | st.integers(1, len(game.orders_ahead.words.rounds)))
    order = OrderAhead(alternatives, None, in_round, data.draw(st.booleans()))
    line = orders_ahead.text(game, order)

    try:
        read = orders_ahead.read(game, line, state, 0, {})
    except MalformedOrder as refused:
        assert refused.key == "ahead_too_long"
        assert len(line) > orders_ahead_lines.LONGEST
        return

    assert read == order
    assert orders_ahead.text(game, read) == line


@given(data=st.data())
@settings(max_examples=120, derandomize=True, database=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_written_behind_later_is_read_or_refused(key: str, data: st.DataObject) -> None:
    game, state = registry.game(key), table_of(key)
    words = sorted({word for move in known_moves(key) for word in game.to_text(move).split()})
    joins = ["else", "if", "ask", "and", "at", "11:", "in round", "up to", "for lot", "<=", "3",
             "pass on the rest", "has not", *game.seat_colours, *game.orders_ahead.words.measures]
    parts = data.draw(st.lists(st.sampled_from(words) | st.sampled_from(joins), max_size=12))
    line = data.draw(st.sampled_from([" ".join(parts), "".join(parts)]) | st.text(max_size=60))

    try:
        order = orders_ahead.read(game, line, state, 1, {})
    except MoveRefused as refused:
        assert refused.key
        assert refused.rule
        return

    assert orders_ahead.reread(game, orders_ahead.text(game, order), state, 1) == order


def test_a_letter_is_cut_at_later() -> None:
    """To the end of the line; `;` separates several; all else is for now."""
    letter = "bid 6; later: up to 4 for lot 4; pass on the rest\nLATER : taxes"

    now, later = orders_ahead.split(letter)

    assert (now, later) == ("bid 6", ["up to 4 for lot 4", "pass on the rest", "taxes"])
    assert orders_ahead.split("ships") == ("ships", [])
    assert orders_ahead.split("később: ships;", {"később": "later"}) == ("", ["ships"])
    assert orders_ahead.split("taxes\nships") == ("taxes\nships", [])


@pytest.mark.parametrize(
    ("line", "why"),
    [("ask", "ahead_alone"), ("else ask", "ahead_alone"), ("if round > 1", "ahead_alone"),
     ("x" * 500, "ahead_too_long")],
)  # fmt: skip
def test_a_line_that_says_no_order_is_refused(key: str, line: str, why: str) -> None:
    with pytest.raises(MalformedOrder) as refused:
        orders_ahead.read(registry.game(key), line, table_of(key), 0, {})

    assert (refused.value.key, refused.value.rule) == (why, "orders")


def test_a_line_is_not_too_long_in_full_words_either(key: str) -> None:
    """Whoever keeps it has room for so much."""
    game, state = registry.game(key), table_of(key)
    joined = " and ".join(["poi>1"] * 36)

    with pytest.raises(MalformedOrder) as refused:
        orders_ahead.read(game, f"{game.to_text(known_moves(key)[0])} if {joined}", state, 0, {})

    assert len(joined) < 400
    assert refused.value.key == "ahead_too_long"


@pytest.mark.parametrize(
    "name", ["ana", "ana maria", "ships", "points", "o'neil 2", "round", "else", "if", "ната"]
)
def test_a_player_is_named_as_he_is_called_and_his_name_takes_no_word_away(
    key: str, name: str
) -> None:
    """Seats stand in the order by their colours."""
    game, state = registry.game(key), table_of(key)
    move, colour = game.to_text(known_moves(key)[0]), game.seat_colours[1]
    aliases = {name: colour, "ana m": game.seat_colours[0]}

    own = orders_ahead.read(game, f"{move} if ships >= 2", state, 0, aliases)
    assert own.alternatives[0].conditions == (Condition("ships", ">=", 2),)
    if name not in ("else", "if"):
        read = orders_ahead.read(game, f"{move} if {name} ships >= 2", state, 0, aliases)
        assert read.alternatives[0].conditions == (Condition("ships", ">=", 2, seat=1),)
        assert orders_ahead.text(game, read) == f"{move} if {colour} ships >= 2"


# ---- trying ------------------------------------------------------------------------------------


def test_an_order_ahead_plays_what_the_same_letter_plays(played: PlayOut) -> None:
    game = played.game
    for state, seat in spread(list(played.questions()), 30):
        for move in spread(list(game.answers(state, seat)), 6):
            order = orders_ahead.read(game, game.to_text(move), state, seat, {})
            outcome = orders_ahead.try_one(game, order, state, seat)
            by_hand = play.letter(game, state, seat, game.to_text(move), {})

            assert isinstance(outcome, orders_ahead.PlayLine)
            assert outcome.attempt.moves == by_hand.moves
            assert outcome.attempt.state == by_hand.state
            assert outcome.attempt.moves[0][1] == move
            assert all(is_legal_behind(game, state, seat, outcome.attempt.moves))


def is_legal_behind(game: GameRules, state: Any, seat: int, moves: Any) -> Any:
    """Whether each of the moves is legal behind those in front of it."""
    for place, (_, move) in enumerate(moves):
        yield move in set(game.legal_actions(state, seat))
        if place < len(moves) - 1:
            state = game.apply_action(state, seat, move, stream(0, 0)).state


def test_an_order_speaks_to_every_question_that_it_can_answer_and_to_no_other(
    played: PlayOut,
) -> None:
    game, dice = played.game, random.Random(7)
    for state, seat in spread(list(played.questions()), 30):
        legal = list(game.answers(state, seat))
        for move in [*spread(legal, 6), *dice.sample(known_moves(game.key), 12)]:
            form = PlainOrder(game.orders_ahead.in_full(game.to_text(move), state, seat, {}))
            speaks = game.orders_ahead.applies_to(form, state.awaiting, seat)
            if is_accepted(game, state, seat, move):
                assert speaks
            elif speaks and not move.free:
                with pytest.raises(MoveRefused) as refused:
                    game.apply_action(state, seat, move, stream(0, 0))
                assert refused.value.key not in FOREIGN


def test_an_order_that_cannot_be_played_asks_and_one_for_another_question_waits(
    played: PlayOut,
) -> None:
    """It says why; nothing was changed."""
    game, dice = played.game, random.Random(9)
    outcomes = set()
    for state, seat in spread(list(played.questions()), 30):
        for move in dice.sample(known_moves(game.key), 12):
            order = orders_ahead.read(game, game.to_text(move), state, seat, {})
            outcome = orders_ahead.try_one(game, order, state, seat)
            outcomes.add(type(outcome))
            if isinstance(outcome, orders_ahead.AskOwner):
                assert outcome.refused.key
    assert {orders_ahead.AskOwner, orders_ahead.Idle} <= outcomes


def test_nothing_of_an_order_ahead_is_decided_by_what_its_owner_cannot_see(
    played: PlayOut,
) -> None:
    """In a re-dealt game every measure and every outcome is the same."""
    history = played.turns[: 1 + len(played.steps) * 2 // 3]
    game, ahead = played.game, played.game.orders_ahead
    for viewer in range(played.seats):
        dealt, _ = game.redealt(history, viewer, stream(77, len(history)))
        for number in range(0, len(history), 15):
            real, other = history[number].state, dealt[number].state
            views = game.observation(real, viewer), game.observation(other, viewer)
            for measure in ahead.words.measures:
                shown = [ahead.measured(view, viewer, measure) for view in views]
                assert shown[0] == shown[1], measure
            if viewer in game.current_players(real):
                assert outcomes_of(game, real, viewer) == outcomes_of(game, other, viewer)


def outcomes_of(game: GameRules, state: Any, seat: int) -> list[Any]:
    """What some orders ahead come to at this question."""
    found = []
    for move in spread(list(known_moves(game.key)), 25):
        order = orders_ahead.read(game, f"{game.to_text(move)} if round >= 1", state, seat, {})
        outcome = orders_ahead.try_one(game, order, state, seat)
        told = getattr(getattr(outcome, "refused", None), "key", None)
        found.append((type(outcome), told, getattr(outcome, "line", None)))
    return found


def test_a_measure_of_others_is_one_that_everybody_sees(played: PlayOut) -> None:
    game, ahead = played.game, played.game.orders_ahead
    for state in spread(played.states, 8):
        views = [game.observation(state, viewer) for viewer in (None, *range(played.seats))]
        for measure in ahead.words.of_others:
            for seat in range(played.seats):
                shown = {ahead.measured(view, seat, measure) for view in views}
                assert len(shown) == 1
                assert None not in shown


def test_a_round_has_the_number_that_its_word_has(played: PlayOut) -> None:
    game = played.game
    assert len(game.orders_ahead.words.rounds) == len(game.rounds())
    for state in spread(played.states, 10):
        assert game.chapter(state)[0] <= len(game.rounds())


def test_every_order_ahead_is_over_with_its_game(played: PlayOut) -> None:
    game, (state, seat) = played.game, next(played.questions())
    move = next(game.answers(state, seat))
    order = orders_ahead.read(game, game.to_text(move), state, seat, {})

    outcome = orders_ahead.try_one(game, order, played.states[-1], seat)
    moment = orders_ahead.decide(game, played.states[-1], seat, [(7, order)])

    assert isinstance(outcome, orders_ahead.Expired)
    assert outcome.refused.key == "ahead_game_over"
    assert moment.key is None
    assert [key for key, _ in moment.expired] == [7]


# ---- a seat's orders ---------------------------------------------------------------------------


def test_the_first_order_that_speaks_to_the_question_decides(played: PlayOut) -> None:
    game = played.game
    for state, seat in spread(list(played.questions()), 12):
        answers = spread([each for each in game.answers(state, seat) if not each.free], 3)
        orders = [
            (place, orders_ahead.read(game, game.to_text(move), state, seat, {}))
            for place, move in enumerate(answers)
        ]
        moment = orders_ahead.decide(game, state, seat, orders)
        assert moment.key == 0
        assert isinstance(moment.outcome, orders_ahead.PlayLine)
        assert moment.outcome.attempt.moves[0][1] == answers[0]

        line = f"{game.to_text(answers[0])} if round > 99"
        blocked = orders_ahead.read(game, line, state, seat, {})
        moment = orders_ahead.decide(game, state, seat, [("blocked", blocked), *orders])
        assert moment.key == "blocked"
        assert isinstance(moment.outcome, orders_ahead.AskOwner)
        assert moment.outcome.refused.key == "ahead_condition"


def test_nobody_acts_for_a_seat_that_is_not_asked(played: PlayOut) -> None:
    game = played.game
    for state, seat in spread(list(played.questions()), 12):
        move = next(game.answers(state, seat))
        order = orders_ahead.read(game, game.to_text(move), state, seat, {})
        for other in set(range(played.seats)) - set(game.current_players(state)):
            moment = orders_ahead.decide(game, state, other, [(0, order)])
            assert moment == orders_ahead.Decision(None, orders_ahead.Idle(), ())
