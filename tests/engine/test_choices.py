"""Declared moves: one declaration says what is legal, why not, and how forms and orders say it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from engine import registry
from engine.errors import IllegalMove
from engine.vasco_da_gama.placing import PLACE
from tests.engine.declared import agree
from tests.engine.play_outs import play_out

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(("key", "seats", "seed"), [
    ("goa", 2, 1), ("goa", 4, 2), ("vasco-da-gama", 2, 3), ("vasco-da-gama", 4, 1),
])  # fmt: skip
def test_rule_list_form_and_order_agree_in_every_position(key: str, seats: int, seed: int) -> None:
    game = play_out(key, seats, seed)

    assert sum(agree(game.game, state, seat) for state, seat in game.questions()) > 200


def test_the_first_reason_against_a_move_is_the_one_that_is_given() -> None:
    state = next(state for state, _ in play_out("vasco-da-gama", 3, 1).questions()
                 if type(state.awaiting).__name__ == "AwaitPlacement")
    components = play_out("vasco-da-gama", 3, 1).game.components  # type: ignore[attr-defined]

    with pytest.raises(IllegalMove) as refused:
        PLACE.check(components, state, 0, PLACE.make(99, "nowhere"))

    assert refused.value.key == "no_such_number"


@pytest.mark.parametrize("key", registry.GAMES)
def test_every_reason_that_a_form_shows_has_words(key: str) -> None:
    words = ROOT / "templates" / "games" / key / "words" / "en.toml"
    worded = set(tomllib.loads(words.read_text("utf-8"))["form"])
    shown = {
        option.why_not.key
        for seats in (2, 4) for state, seat in play_out(key, seats, 3).questions()
        for step in play_out(key, seats, 3).game.form(state, seat).steps
        for option in step.options if option.why_not
    }  # fmt: skip

    assert {each for each in shown if each.startswith("why_")}
    assert shown <= worded
