"""The form of Goa can put together whatever the rules accept, in parts and in one turn."""

from __future__ import annotations

import random
from typing import Any

import pytest
from msgspec.structs import replace

from engine import play, registry
from engine.goa.components import Gain
from engine.goa.state import (
    AwaitTurnAction,
    Plantation,
)
from tests.engine.goa.form_filling import IN_TURN, filled_in
from tests.engine.goa.form_lines import a_line, chance, check, choices
from tests.engine.play_outs import play_out

GOA = registry.game("goa")
SAMPLES = 3
"""Lines tried for each position."""


@pytest.mark.parametrize(("seats", "seed"), [(2, 3), (3, 1), (4, 2)])
def test_the_form_puts_together_every_line_of_a_turn_that_the_rules_accept(
    seats: int, seed: int
) -> None:
    whim, tried = random.Random(seed), 0
    for state, seat in play_out("goa", seats, seed).questions():
        if isinstance(state.awaiting, IN_TURN):
            for _ in range(SAMPLES):
                check(state, seat, a_line(state, seat, whim))
                tried += 1
    assert tried > 200


@pytest.mark.parametrize(("seats", "seed"), [(2, 1), (3, 3), (4, 2)])
def test_the_form_puts_together_every_answer_outside_turns(seats: int, seed: int) -> None:
    whim = random.Random(seed)
    for state, seat in play_out("goa", seats, seed).questions():
        if not isinstance(state.awaiting, IN_TURN):
            answers = list(GOA.answers(state, seat))
            for move in whim.sample(answers, min(len(answers), 12)):
                check(state, seat, [move])


# ---- the examples of the report ----------------------------------------------------------------


def board(*sorts: tuple[str, int, int]) -> dict[str, Any]:
    """Plantations by (spice, fields, sacks)."""
    tiles = (each.id for each in GOA.components.by_id.values() if each.kind == "plantation")
    placed = [Plantation(next(tiles), *sort) for sort in sorts]
    return {"plantations": (*placed, *(None,) * (4 - len(placed)))}


def tile_of(kind: str, **gain: int) -> dict[str, Any]:
    """The first tile of a kind, in front of the seat."""
    return {"tiles": (next(each.id for each in GOA.components.by_id.values()
                           if each.kind == kind and each.gain == Gain(**gain)),)}


GINGER, NUTMEG = ("ginger", 1, 1), ("nutmeg", 1, 1)


@pytest.mark.parametrize(("holds", "line"), [
    ({"ducats": 5, "hand": (16,)}, "taxes; play 16: ships"),
    ({"hand": (10,), "markers": (2, 1, 1, 1, 1), **board(GINGER, NUTMEG)},
     "progress ships; play 10: ginger, nutmeg"),
    ({"hand": (13,), **board(("ginger", 1, 0))}, "harvest ginger; play 13: ginger"),
    ({**tile_of("once_a_round", spices_of_choice=1), **board(GINGER)},
     "progress ships; use spice ginger"),
    ({**tile_of("duty"), **board(("ginger", 3, 2), ("clove", 3, 3))},
     "harvest ginger; use duty: ginger 3, clove 3"),
    ({"hand": (13,), "markers": (1, 2, 1, 1, 1), **board(("ginger", 2, 2))},
     "play 13: ginger 2; harvest ginger 2"),
    ({**tile_of("once_a_round", ducats=4), "ducats": 5, "hand": (16,)},
     "use ducats; play 16: ships; taxes"),
])  # fmt: skip
def test_what_becomes_possible_behind_a_part_of_the_turn_can_be_ordered_with_it(
    holds: dict[str, Any], line: str
) -> None:
    """GO-4.10: a card and tiles come before, during or after the action."""
    state = next(state for state, _ in play_out("goa", 3, 1).questions()
                 if isinstance(state.awaiting, AwaitTurnAction))
    (seat,) = state.awaiting.seats
    empty = {"ships": 4, "hand": (), "tiles": (), "used": (), **holds}
    players = [replace(each, **empty) if at == seat else each
               for at, each in enumerate(state.players)]
    state = replace(state, players=tuple(players))

    accepted = play.letter(GOA, state, seat, f"{line}; wait", {}, chance=chance())

    check(state, seat, [move for _, move in accepted.moves])
    at_once = choices(GOA.form(state, seat))
    fields = filled_in(GOA.observation(state, seat), seat, [move for _, move in accepted.moves])
    assert all(set(values) <= at_once[name] for name, values in fields.items() if name in at_once)
