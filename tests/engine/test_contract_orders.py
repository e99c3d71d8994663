"""What every game promises of its stored and written forms, and of reading orders."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, get_args

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import codec, registry
from engine.api import GameRules, Move
from engine.errors import MoveRefused, UnsettledOrder
from engine.notation import LONGEST_LINE
from tests.engine.play_outs import (
    SEEDS,
    PlayOut,
    is_accepted,
    kinds_of_known,
    known_moves,
    play_out,
    spread,
)


def test_moves_events_and_states_survive_being_stored(played: PlayOut) -> None:
    game = played.game
    for step in played.steps:
        stored = codec.encode(step.turn.state)
        assert codec.encode(codec.decode(stored, game.state_type)) == stored
        assert codec.decode(stored, game.state_type) == step.turn.state
        for event in step.turn.events:
            assert codec.decode(codec.encode(event), game.event_type) == event
    for move in known_moves(game.key):
        assert codec.decode(codec.encode(move), game.move_type) == move


def test_a_legal_move_is_read_back_from_its_order(played: PlayOut) -> None:
    game = played.game
    for state in spread(played.states, 30):
        for seat in range(played.seats):
            lines = set()
            legal = list(game.legal_actions(state, seat))
            for move in spread(legal, 40):
                line = game.to_text(move)
                assert len(line) <= LONGEST_LINE
                assert game.from_text(line, state, seat, {}) == [move], line
                assert game.from_text(f"  {line.upper()} . ", state, seat, {}) == [move], line
                lines.add(line)
            assert len(lines) == len(spread(legal, 40))


def test_an_order_that_was_read_once_is_written_in_its_final_form(key: str) -> None:
    """Also where it means something else than where it was legal."""
    game = registry.game(key)
    state = play_out(key, game.seats[-1], SEEDS[0]).states[1]
    for move in known_moves(key):
        try:
            read = game.from_text(game.to_text(move), state, 0, {})
        except UnsettledOrder:
            continue  # it names what does not lie on this table
        written = [game.to_text(each) for each in read]
        assert [game.from_text(line, state, 0, {}) for line in written] == [[each] for each in read]


@given(data=st.data())
@settings(max_examples=300, deadline=None, derandomize=True, database=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_written_is_read_or_refused(key: str, data: st.DataObject) -> None:
    """Words of real orders in any order, torn apart, with anything between them."""
    played = play_out(key, registry.game(key).seats[-1], SEEDS[0])
    game = played.game
    state = data.draw(st.sampled_from(spread(played.states, 20)))
    line = data.draw(written(words_of(key), lines_of(key)) | st.text(max_size=60))
    for seat in range(played.seats):
        read_or_refused(game, state, seat, line)


def test_an_order_with_something_odd_in_it_is_read_or_refused(key: str) -> None:
    """At every place of an order of every kind."""
    played = play_out(key, registry.game(key).seats[-1], SEEDS[0])
    state = played.states[len(played.states) // 2]
    for moves in kinds_of_known(key).values():
        line = played.game.to_text(moves[len(moves) // 2])
        for place in range(len(parts_of(line))):
            for odd in ODD:
                read_or_refused(played.game, state, 0, with_other_word(line, place, odd))


def read_or_refused(game: GameRules, state: Any, seat: int, line: str) -> None:
    """What is read can be stored, and tried."""
    try:
        read = game.from_text(line, state, seat, {"nonsense": "done", "": "bag"})
    except MoveRefused as refused:
        assert refused.key and refused.rule
        return
    for move in read:
        assert isinstance(move, Move)
        assert codec.decode(codec.encode(move), game.move_type) == move
        is_accepted(game, state, seat, move)


ODD = ("", ">", "->", ":", ",", ".", ";", "\x00", "0", "-1", "99999", "9" * 250, "١", "²", "İ")


def written(words: tuple[str, ...], lines: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Lines that look like orders: words in any order, or an order with another word in it."""
    word = st.sampled_from(words) | st.sampled_from(ODD) | st.text(max_size=3)
    jumble = st.builds(
        lambda parts, between: between.join(parts),
        st.lists(word, max_size=9),
        st.sampled_from([" ", "", "  ", "\t", ", "]),
    )
    return jumble | st.builds(with_other_word, st.sampled_from(lines), st.integers(0, 9), word)


def with_other_word(line: str, place: int, other: str) -> str:
    """The order with one of its words, numbers or signs replaced."""
    parts = parts_of(line)
    parts[place % len(parts)] = other
    return "".join(parts)


def parts_of(line: str) -> list[str]:
    """The words, numbers, signs and spaces of an order."""
    return re.findall(r"\s+|[:,>]|[^\s:,>]+", line)


@cache
def lines_of(key: str) -> tuple[str, ...]:
    """Orders of every kind, in a fixed order."""
    game = registry.game(key)
    kinds = kinds_of_known(key).values()
    return tuple(game.to_text(move) for moves in kinds for move in spread(list(moves), 8))


@cache
def words_of(key: str) -> tuple[str, ...]:
    """The words and signs of real orders."""
    found = {word for line in lines_of(key) for word in re.findall(r"[\w-]+|[^\w\s]", line)}
    return tuple(sorted(found))


def test_tags_and_ids_are_unique(key: str) -> None:
    """Two classes of one tag could not be told apart once they are stored."""
    game = registry.game(key)
    for union in (game.move_type, game.event_type):
        tags = [kind.__struct_config__.tag for kind in get_args(union)]
        assert all(tags)
        assert len(set(tags)) == len(tags)
    ids = [kind.key for kind in map(registry.game, registry.GAMES)]
    assert len(set(ids)) == len(ids)
