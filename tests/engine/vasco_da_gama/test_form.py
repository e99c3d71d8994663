"""The steps of the form: they offer what the rules allow, and build lines that mean it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from werkzeug.datastructures import MultiDict

from engine import play, registry
from engine.chance import Stream
from engine.forms import Form, FormStep, Incomplete
from engine.vasco_da_gama import moves
from engine.vasco_da_gama.state import SAILORS, AwaitLastLaunches

GAME = registry.game("vasco-da-gama")


def positions(seats: int, seed: str) -> Iterator[Any]:
    """Every position of a game in which all play at random."""
    turn = GAME.new_initial_state(seats, {}, Stream(bytes(32), seed))
    state = turn.state
    whim = Stream(bytes(32), f"{seed} whim")
    for number in range(2000):
        asked = GAME.current_players(state)
        if not asked:
            return
        yield state
        seat = asked[0]
        move = whim.drawn(list(GAME.legal_actions(state, seat)), why="move")
        state = GAME.apply_action(state, seat, move, Stream(bytes(32), f"{seed} {number}")).state


@pytest.fixture(scope="module", params=[2, 4])
def played(request: pytest.FixtureRequest) -> list[Any]:
    """The positions of one game."""
    return list(positions(request.param, "steps"))


def step(form: Form, name: str) -> FormStep:
    """The step with this name."""
    return next(each for each in form.steps if each.name == name)


def open_values(each: FormStep) -> list[str]:
    """What can be chosen in a step."""
    return [option.value for option in each.options if not option.why_not]


def values(form: Form, select: str) -> list[str]:
    """All values of a list of the form."""
    return [
        choice.value
        for each in (*form.steps, *form.free)
        for row in each.rows
        for one in row.selects
        if one.name == select
        for group in one.groups
        for choice in group.choices
    ]


def choices(state: Any, form: Form) -> Iterator[dict[str, Any]]:
    """Every combination of fields that the steps allow, where that is a small number."""
    names = [each.name for each in form.steps]
    if names == ["number", "area"]:
        for number, area in product(open_values(form.steps[0]), open_values(form.steps[1])):
            yield {"number": number, "area": area}
    elif names[:2] == ["act", "favour"]:
        yield from favours(form)
    elif names[:2] == ["act", "buy"]:
        yield {"act": "take", "buy": []}
        for one in open_values(step(form, "buy")):
            yield {"act": "take", "buy": [one]}
    elif names in (["bonus"], ["merchant"]):
        yield from ({names[0]: value} for value in open_values(form.steps[0]))


def favours(form: Form) -> Iterator[dict[str, Any]]:
    """Money, characters, and what goes with two of them."""
    for favour in open_values(step(form, "favour")):
        ships = values(form, "merchant") if favour == "sernigi" else [""]
        numbers = [n for n in values(form, "extra-number") if n] if favour == "manuel" else []
        areas = [a for a in values(form, "extra-area") if a]
        for ship in ships:
            if not numbers:
                yield {"act": "take", "favour": favour, "merchant": ship}
        for number, area in product(numbers, areas):
            yield {"act": "take", "favour": favour, "extra-number": number, "extra-area": area}


def form_and_view(state: Any, seat: int) -> tuple[Form, Any]:
    return GAME.form(state, seat), GAME.observation(state, seat)


def line_of(fields: dict[str, Any], state: Any, seat: int) -> str:
    return "; ".join(each.text for each in play.form_orders(GAME, MultiDict(fields), state, seat))


def test_whatever_the_steps_allow_is_legal_and_nothing_legal_is_missing(played: list[Any]) -> None:
    checked = 0
    for state in played:
        seat = state.awaiting.seats[0]
        form = GAME.form(state, seat)
        legal = {GAME.to_text(move) for move in GAME.answers(state, seat)}
        offered = set()
        for fields in choices(state, form):
            try:
                line = line_of(fields, state, seat)
            except Incomplete:
                continue
            (move,) = GAME.from_text(line, state, seat, {})
            offered.add(GAME.to_text(move))
        if not offered:
            continue
        checked += 1
        assert offered <= legal
        missing = legal - offered - {"give up"}
        assert all(line.startswith("buy") and line.count("-") == 2 for line in missing)
    assert checked > 40


def test_every_legal_expedition_and_recruit_can_be_said_in_steps(played: list[Any]) -> None:
    kinds = set()
    for state in played:
        seat = state.awaiting.seats[0]
        form, view = form_and_view(state, seat)
        for move in GAME.answers(state, seat):
            if isinstance(move, moves.Send | moves.Recruit):
                kinds.add(type(move))
                fields = fields_of(move, form, view)
                assert line_of(fields, state, seat) == GAME.to_text(move)
    assert kinds == {moves.Send, moves.Recruit}


def fields_of(move: Any, form: Form, view: Any) -> dict[str, Any]:
    """The fields that stand for an expedition or a recruit, each of them on offer."""
    if isinstance(move, moves.Send):
        assert move.landing in open_values(step(form, "to"))
        labels = [slot.label for slot in view.landing(move.landing).slots]
        slots = {f"slot-{ship}": f"{move.landing}:{labels[index]}" for ship, index in move.ships}
        for name, value in slots.items():
            assert value in values(form, name)
        return {"act": "take", "to": move.landing, "ship": [s for s, _ in move.ships], **slots}
    section = "captain" if move.section is None else str(move.section)
    assert section in open_values(step(form, "section"))
    counts = {f"n-{colour}": str(n) for colour, n in zip(SAILORS, move.sailors, strict=True) if n}
    for name, value in counts.items():
        assert value in values(form, name)
    captain = {"captain": "yes"} if move.captain else {}
    return {"act": "take", "section": section, "take": "some", **counts, **captain}


def test_two_projects_can_be_ticked_together(played: list[Any]) -> None:
    for state in played:
        seat = state.awaiting.seats[0]
        pairs = [m for m in GAME.answers(state, seat)
                 if isinstance(m, moves.Buy) and len(m.projects) == 2]
        if pairs:
            line = line_of({"act": "take", "buy": list(pairs[0].projects)}, state, seat)
            assert GAME.from_text(line, state, seat, {}) == [pairs[0]]
            return
    raise AssertionError("no position with two projects to buy")


def test_every_legal_launch_is_on_offer_and_goes_before_the_answer(played: list[Any]) -> None:
    seen = 0
    for state in played:
        for seat in range(len(state.players)):
            form = GAME.form(state, seat)
            for move in GAME.legal_actions(state, seat):
                if isinstance(move, moves.Launch):
                    seen += 1
                    name, crew = f"launch-{move.project}", ",".join(move.crew)
                    assert crew in values(form, name)
                    assert line_of({name: crew}, state, seat) == GAME.to_text(move)
    assert seen


def test_no_launch_is_on_offer_that_the_rules_refuse(played: list[Any]) -> None:
    seen = 0
    for state in played:
        for seat in range(len(state.players)):
            form = GAME.form(state, seat)
            legal = {GAME.to_text(m) for m in GAME.legal_actions(state, seat)}
            for row in (row for each in form.free for row in each.rows):
                for crew in filter(None, values(form, f"launch-{row.label}")):
                    seen += 1
                    assert line_of({f"launch-{row.label}": crew}, state, seat) in legal
    assert seen


def test_a_ship_without_a_slot_takes_the_best_one_within_its_limit(played: list[Any]) -> None:
    for state in played:
        seat = state.awaiting.seats[0]
        sends = [m for m in GAME.answers(state, seat)
                 if isinstance(m, moves.Send) and len(m.ships) == 1]
        if sends:
            move = sends[0]
            _form, view = form_and_view(state, seat)
            ship = move.ships[0][0]
            line = line_of({"act": "take", "to": move.landing, "ship": [ship]}, state, seat)
            slots = view.landing(move.landing).slots
            best = max(slots[m.ships[0][1]].value for m in sends
                       if m.landing == move.landing and m.ships[0][0] == ship)
            (read,) = GAME.from_text(line, state, seat, {})
            assert slots[read.ships[0][1]].value == best
            return
    raise AssertionError("no expedition in this game")


def test_a_project_that_is_ticked_as_a_ship_has_to_be_launched_in_the_same_form(
    played: list[Any],
) -> None:
    for state in played:
        seat = state.awaiting.seats[0]
        form = GAME.form(state, seat)
        if [each.name for each in form.steps] != ["act", "to", "ship"] or not form.free:
            continue
        tile = form.free[0].rows[0].label
        crew = next(value for value in values(form, f"launch-{tile}") if value)
        to = open_values(step(form, "to"))
        fields = {"act": "take", "to": to[-1], "ship": [tile]}
        with pytest.raises(Incomplete) as refused:
            line_of(fields, state, seat)
        assert refused.value.key == "too_few_launched"
        line = line_of({**fields, f"launch-{tile}": crew}, state, seat)
        assert line.startswith(f"launch {tile}: ")
        assert f"; send {to[-1]}: {tile}>" in line
        return
    raise AssertionError("no expedition with a launch in this game")


def test_done_ends_the_last_launches(played: list[Any]) -> None:
    for state in played:
        if isinstance(state.awaiting, AwaitLastLaunches):
            seat = state.awaiting.seats[0]
            form = GAME.form(state, seat)
            assert open_values(step(form, "act")) == ["launch", "done"]
            assert line_of({"act": "done"}, state, seat) == "done"
            return
    pytest.skip("nobody could launch at the end of this game")


def test_an_empty_form_says_that_nothing_is_chosen(played: list[Any]) -> None:
    state = played[5]
    seat = state.awaiting.seats[0]

    with pytest.raises(Incomplete) as refused:
        line_of({}, state, seat)

    assert refused.value.key == "nothing"


@pytest.mark.parametrize("fields", [
    {"number": "999", "area": "recruiting"},
    {"number": "20", "area": "moon"},
    {"act": "take", "to": "lisbon", "ship": "I-01"},
    {"act": "take", "to": "natal", "ship": "X-99"},
    {"act": "take", "section": "9"},
    {"act": "take", "buy": "X-99"},
    {"act": "take", "favour": "nobody"},
    {"bonus": "white from 9"},
    {"bonus": "X-99"},
    {"merchant": "natal>99"},
])
def test_a_value_that_the_form_does_not_know_counts_as_not_chosen(
    fields: dict[str, Any], played: list[Any]
) -> None:
    for state in played:
        seat = state.awaiting.seats[0]
        form = GAME.form(state, seat)
        if set(fields) & {each.name for each in form.steps} - {"act"}:
            with pytest.raises(Incomplete):
                line_of(fields, state, seat)
            return
    raise AssertionError("nobody was asked so")


def test_a_number_without_an_area_asks_for_the_area(played: list[Any]) -> None:
    state = next(s for s in played if isinstance(s.awaiting.rule, str) and s.phase == 1)
    seat = state.awaiting.seats[0]

    with pytest.raises(Incomplete) as refused:
        line_of({"number": "20"}, state, seat)

    assert refused.value.key == "area"
