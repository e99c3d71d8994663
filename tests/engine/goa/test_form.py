"""The form of Goa: what can be ticked becomes an order line that can be read."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest
from msgspec.structs import replace

from engine import bots, registry
from engine.chance import Stream
from engine.errors import MalformedOrder
from engine.forms import Form, FormStep, Incomplete
from engine.goa.form import CHIPS
from engine.goa.moves import Harvest
from engine.goa.order_line import order_line
from engine.goa.state import (
    AwaitAdditional,
    AwaitBid,
    AwaitFlag,
    AwaitMarker,
    AwaitRoom,
    AwaitTurnAction,
)
from engine.phrases import text
from tests.engine.goa.form_filling import Filled

GOA = registry.game("goa")


def played(seed: int, seats: int) -> Iterator[Any]:
    """The states of a random game, one a decision."""
    chance = Stream(bytes([seed]) * 32, "game")
    state = GOA.new_initial_state(seats, {"quick_start": bool(seed % 2)}, chance).state
    while not GOA.is_terminal(state):
        yield state
        seat = GOA.current_players(state)[0]
        for move in bots.choose(GOA, state, seat, "random", chance):
            state = GOA.apply_action(state, seat, move, chance).state
    yield state


def state_with(question: type[Any], *, seed: int = 1) -> Any:
    """The first position of a random game that asks so."""
    return next(each for each in played(seed, 3) if isinstance(each.awaiting, question))


def filled(form: Form, whim: random.Random) -> Filled:
    """The form as somebody fills it in who ticks what can be ticked."""
    fields = Filled()
    for step in form.steps:
        name, _, value = step.when.partition("=")
        if not step.when or fields.get(name) == value:
            fill_step(fields, step, whim)
    return fields


def fill_step(fields: Filled, step: FormStep, whim: random.Random) -> None:
    options = [option.value for option in step.options if not option.why_not]
    if options and step.kind == "check":
        fields[step.name] = [each for each in options if whim.random() < 0.4]
    elif options:
        fields[step.name] = [whim.choice(options)]
    for row in step.rows:
        if row.option is not None and not row.option.why_not and whim.random() < 0.3:
            fields.setdefault(step.name, []).append(row.option.value)
        for select in row.selects:
            values = [choice.value for group in select.groups for choice in group.choices]
            fields[select.name] = [whim.choice(values)]


def asked(state: Any) -> tuple[Any, int]:
    """What the seat sees that is asked, and its number."""
    seat = GOA.current_players(state)[0]
    return GOA.observation(state, seat), seat


@pytest.mark.parametrize("seed", range(1, 4))
def test_whatever_is_ticked_makes_a_line_that_can_be_read_or_says_what_is_missing(seed):
    whim = random.Random(seed)
    read = 0
    for state in played(seed, 2 + seed % 3):
        if state.awaiting is None:
            break
        view, seat = asked(state)
        try:
            line = order_line(filled(GOA.form(state, seat), whim), view, seat)
        except Incomplete:
            continue
        for order in line.split("; "):
            try:
                GOA.from_text(order, state, seat, {})
            except MalformedOrder:
                pytest.fail(f"{line!r} cannot be read")
        read += 1
    assert read > 50


def test_every_bid_that_the_purse_allows_can_be_ticked():
    state = state_with(AwaitBid)
    view, seat = asked(state)
    form = GOA.form(state, seat)
    values = [option.value for option in form.steps[0].options if option.value]
    values += [choice.value for step in form.steps[1:] for row in step.rows
               for group in row.selects[0].groups for choice in group.choices if choice.value]
    purse = view.players[seat].ducats
    assert values == ["pass", *map(str, range(view.question.high_bid + 1, purse + 1))]


@pytest.mark.parametrize(
    ("above", "in_cells", "in_list"),
    [(3, 3, 0), (CHIPS, CHIPS, 0), (CHIPS + 1, CHIPS + 1, 0), (CHIPS + 2, CHIPS, 2)],
)
def test_bids_stand_in_cells_and_in_a_list_only_where_it_is_one(above, in_cells, in_list):
    state = state_with(AwaitBid)
    bid = state.awaiting
    state.players = tuple(
        replace(each, ducats=bid.high_bid + above) if seat == bid.seats[0] else each
        for seat, each in enumerate(state.players))
    steps = GOA.form(state, asked(state)[1]).steps

    cells = [each for each in steps[0].options if each.value.isdigit()]
    listed = [each for step in steps[1:] for row in step.rows
              for each in row.selects[0].groups[0].choices if each.value]
    assert (len(cells), len(listed)) == (in_cells, in_list)
    leads_on = [each.label for each in steps[0].options if not each.value]
    assert leads_on == ([text("more")] if in_list else [])


@pytest.mark.parametrize(("question", "verb"), [(AwaitFlag, "flag"), (AwaitMarker, "marker")])
def test_exactly_the_legal_spaces_can_be_ticked(question, verb):
    state = state_with(question)
    _, seat = asked(state)
    offered = set()
    for step in GOA.form(state, seat).steps:
        offered |= {option.value for option in step.options if option.value and not option.why_not}
        offered |= {choice.value for row in step.rows for select in row.selects
                    for group in select.groups for choice in group.choices if choice.value}
    legal = {GOA.to_text(move).removeprefix(f"{verb} ") for move in GOA.answers(state, seat)}
    assert offered == legal


@pytest.mark.parametrize(("pressed", "instead", "verb"), [
    ("space", "edge", "flag"), ("bid", "higher", "bid"),
])
def test_what_was_pressed_can_be_left_for_what_another_step_has(pressed, instead, verb):
    state = next(each for each in chain.from_iterable(played(seed, 3) for seed in range(1, 9))
                 if each.awaiting is not None and pressed in offered_in(each)
                 and instead in offered_in(each))
    view, seat = asked(state)
    value = offered_in(state)[instead][-1]

    assert "" in offered_in(state)[pressed]
    line = order_line(Filled({pressed: [""], instead: [value]}), view, seat)
    assert line == f"{verb} {value}"
    with pytest.raises(Incomplete):
        order_line(Filled({pressed: [""]}), view, seat)


def offered_in(state: Any) -> dict[str, list[str]]:
    """What each field of the asked seat's form can be."""
    found: dict[str, list[str]] = {}
    for step in GOA.form(state, asked(state)[1]).steps:
        if step.options:
            found[step.name] = [each.value for each in step.options if not each.why_not]
        for select in chain.from_iterable(row.selects for row in step.rows):
            found[select.name] = [one.value for group in select.groups for one in group.choices]
    return found


def test_a_turn_is_written_in_its_parts_and_may_stay_open():
    view, seat = asked(state_with(AwaitTurnAction))
    fields = Filled(act=["taxes"], end=["wait"])
    assert order_line(fields, view, seat) == "taxes; wait"


def test_a_card_behind_the_action_needs_an_action():
    state = next(
        each for each in played(2, 3)
        if isinstance(each.awaiting, AwaitTurnAction) and each.players[each.awaiting.seat].hand
    )
    view, seat = asked(state)
    card = str(view.players[seat].hand[0].number)
    fields = Filled({"play": [card], f"when-{card}": ["after"]})
    with pytest.raises(Incomplete):
        order_line(fields, view, seat)


def test_without_a_number_as_many_cards_are_drawn_as_fit():
    games = chain.from_iterable(played(seed, 4) for seed in range(1, 9))
    view, seat = asked(next(each for each in games if isinstance(each.awaiting, AwaitRoom)))
    cards = [str(card.number) for card in view.players[seat].hand]
    most = min(view.question.cards, view.question.limit)
    line = order_line(Filled(room=cards), view, seat)
    assert line == f"draw {most} discard {', '.join(cards)}"


@pytest.mark.parametrize(("why", "rule"), [("expedition", "GO-4.6"), ("tile", "GO-4.8a")])
def test_room_is_made_by_the_rule_of_what_draws(why, rule):
    """GO-4.6, GO-4.8a."""
    games = chain.from_iterable(played(seed, 4) for seed in range(1, 40))
    state = next(each for each in games
                 if isinstance(each.awaiting, AwaitRoom) and each.awaiting.why == why)
    _, seat = asked(state)

    assert state.awaiting.rule == rule
    steps = GOA.form(state, seat).steps
    assert [step.rule for step in steps if step.name != "end"] == [rule, rule]


def test_discards_stand_in_front_and_are_offered_to_those_who_are_not_asked():
    for state in played(2, 3):
        for seat, player in enumerate(state.players):
            if player.hand and state.awaiting and seat not in state.awaiting.seats:
                view = GOA.observation(state, seat)
                form = GOA.form(state, seat)
                assert not form.steps
                card = form.free[0].options[0].value
                line = order_line(Filled(discard=[card]), view, seat)
                assert line == f"discard {card}"
                return
    pytest.fail("nobody held a card")


def test_only_an_action_that_some_order_takes_can_be_chosen():
    """GO-4.1: no harvest without an empty field, unless a card, duty or trade may help."""
    seen = set()
    for state in chain.from_iterable(played(seed, 3) for seed in (1, 2)):
        if not isinstance(state.awaiting, AwaitTurnAction):
            continue
        (seat,) = state.awaiting.seats
        form = GOA.form(state, seat)
        harvest = next(each for each in form.steps[0].options if each.value == "harvest")
        legal = any(isinstance(move, Harvest) for move in GOA.answers(state, seat))
        seen.add((legal, bool(harvest.why_not)))
    assert seen <= {(True, False), (False, True), (False, False)}
    assert {(True, False), (False, True)} <= seen


@pytest.mark.parametrize(("cards", "why"), [(1, "may_not_pass_turn"), (2, "may_not_pass")])
def test_it_is_said_why_nobody_may_pass(cards, why):
    """GO-6.1: two additional action cards, or a card or tile of this turn."""
    state = state_with(AwaitAdditional)
    (seat,) = state.awaiting.seats
    players = list(state.players)
    players[seat] = replace(players[seat], additional_cards=cards)
    asked_so = replace(state.awaiting, may_pass=False)
    state = replace(state, players=tuple(players), awaiting=asked_so)
    form = GOA.form(state, seat)
    assert form.steps[0].options[-1].why_not.key == why


def test_a_seat_sees_of_others_forms_nothing():
    for state in played(1, 3):
        if state.awaiting is not None:
            for seat in range(3):
                view = GOA.observation(state, seat)
                if seat not in view.asked and not view.players[seat].hand:
                    assert not GOA.form(state, seat).has_anything
