"""What engine/README.md promises: a game is its rules, and the base gives the rest."""

from __future__ import annotations

from typing import Any

import pytest
from werkzeug.datastructures import MultiDict

from engine import play
from engine.chance import Stream, Unshuffled
from engine.errors import IllegalMove, MalformedOrder
from tests.engine.toy import Stones, Take, TakeStones

GAME: Any = TakeStones(Stones())


def start() -> Any:
    return play.start(GAME, 2, {}, Unshuffled()).state


def test_a_game_is_played_in_ten_lines() -> None:
    chance = Stream(b"1" * 32, "toy")
    state = start()
    while not GAME.is_terminal(state):
        (seat,) = GAME.current_players(state)
        move = chance.drawn(tuple(GAME.answers(state, seat)), why="play")
        state = GAME.apply_action(state, seat, move, chance).state

    assert sorted(standing.place for standing in GAME.returns(state)) == [1, 2]


def test_a_letter_of_orders_is_read_and_played() -> None:
    attempt = play.letter(GAME, start(), 0, "tak 3", {})

    assert [move for _, move in attempt.moves] == [Take(3)]
    assert attempt.lines == ("take 3",)


def test_a_line_that_cannot_be_read_says_what_would_be_accepted() -> None:
    with pytest.raises(MalformedOrder) as refused:
        play.letter(GAME, start(), 0, "tkae 3", {})

    assert refused.value.key == "unknown_verb"
    assert refused.value.choices == ["take 3"]


def test_rule_list_and_form_give_the_same_reason() -> None:
    state = start()
    state.stones = 2
    (step,) = GAME.form(state, 0).steps

    assert list(GAME.answers(state, 0)) == [Take(1), Take(2)]
    assert [getattr(each.why_not, "key", "") for each in step.options] == [
        "", "", "why_too_few_stones"]
    with pytest.raises(IllegalMove) as refused:
        GAME.apply_action(state, 0, Take(3), Unshuffled())
    assert (refused.value.key, refused.value.numbers) == ("too_few_stones", {"stones": 3})


def test_a_form_orders_the_move_that_it_shows() -> None:
    assert GAME.form_orders(MultiDict({"stones": "2"}), start(), 0) == [[Take(2)]]
