"""Checks at a position that rule, list of moves, form and order of declared moves agree."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from werkzeug.datastructures import MultiDict

from engine.api import GameRules, Seat
from engine.chance import Stream
from engine.choices import MoveSpec
from engine.errors import MoveRefused
from engine.forms import Form
from engine.goa import orders as goa
from engine.goa import refusals as goa_refusals
from engine.vasco_da_gama import orders as vasco_da_gama
from engine.vasco_da_gama import refusals as vasco_refusals

SPECS: dict[str, dict[type[Any], MoveSpec[Any, Any, Any]]] = {
    "goa": goa.SPECS, "vasco-da-gama": vasco_da_gama.SPECS,
}
REFUSALS = {"goa": goa_refusals.REFUSALS, "vasco-da-gama": vasco_refusals.REFUSALS}
NOT_ASKED = {"wrong_order", "other_area", "not_your_turn"}
"""Refusals of a move that answers another question."""


def agree(game: Any, state: Any, seat: Seat) -> int:
    """Check the declared moves that answer the question of this seat; return how many."""
    answers = set(game.answers(state, seat))
    offered = values_of(game.form(state, seat))
    found = 0
    for kind, spec in SPECS[game.key].items():
        listed = {move for move in answers if type(move) is kind}
        for move in named(game, spec, state):
            why = refusal(game, state, seat, move)
            if why in NOT_ASKED:
                break
            assert (why is None) == (move in listed), (move, why)
            assert game.from_text(game.to_text(move), state, seat, {}) == [move]
            if move in listed:
                said = said_of(game, spec, move)
                assert set(said.values()) <= offered, (move, offered)
                assert spec.chosen(MultiDict(said), game.components, state) == move
                found += 1
    return found


def named(game: Any, spec: MoveSpec[Any, Any, Any], state: Any) -> Iterator[Any]:
    """Every move that can be named at this table, legal or not."""
    rows = [field.candidates(game.components, state) for field in spec.fields]
    for values in product(*rows):
        yield spec.make(*values)


def refusal(game: GameRules, state: Any, seat: Seat, move: Any) -> str | None:
    """The key of the refusal of a move, or None if the rules accept it."""
    try:
        game.apply_action(state, seat, move, Stream(b"1" * 32, "trial"))
    except MoveRefused as refused:
        assert set(refused.numbers) == set(REFUSALS[game.key][refused.key]), refused
        return refused.key
    return None


def said_of(game: Any, spec: MoveSpec[Any, Any, Any], move: Any) -> dict[str, str]:
    """The fields of a form that order the move."""
    return {field.in_form: field.write(game.components, field.of(move)) for field in spec.fields}


def values_of(form: Form) -> set[str]:
    """Every value that can be chosen in a form."""
    found: set[str] = set()
    for step in form.steps:
        found |= {option.value for option in step.options if not option.why_not}
        found |= {choice.value for row in step.rows for select in row.selects
                  for group in select.groups for choice in group.choices}
    return found
