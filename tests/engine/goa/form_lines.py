"""Lines of a turn that the rules accept, and whether the form of Goa can put them together."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from engine import play, registry
from engine.chance import Stream
from engine.forms import Form
from engine.goa import moves
from engine.goa.state import AwaitColony, AwaitDone, AwaitFounding, GoaState
from tests.engine.goa.form_filling import EXTRAS, filled_in

GOA = registry.game("goa")


def check(state: GoaState, seat: int, line: list[Any]) -> None:
    """Fill in the form for the moves of a line; the order line must mean just them."""
    view = GOA.observation(state, seat)
    said = [GOA.to_text(move) for move in line]
    fields = filled_in(view, seat, line)
    offered = choices(GOA.form(state, seat, fields))
    for name in [name for name in fields if name.startswith(("pay-", "when-"))]:
        if name not in offered:
            del fields[name]  # there is no choice
    if "pay-up-to" in fields:
        fields["pay-up-to"] = [max(offered["pay-up-to"] - {""}, key=int)]
    missing = [f"{name}={value}" for name, values in fields.items() for value in values
               if value not in offered.get(name, ())]
    assert not missing, (said, missing)
    written = "; ".join(map(str, GOA.form_orders(fields, state, seat)))
    attempt = play.letter(GOA, state, seat, written, {}, chance=chance())
    assert [text for text, _ in attempt.moves] == said, written


def choices(form: Form) -> dict[str, set[str]]:
    """What each field of the form can be."""
    found: dict[str, set[str]] = {}
    for step in form.steps:
        options = [*step.options, *(row.option for row in step.rows if row.option is not None)]
        found.setdefault(step.name, set()).update(
            each.value for each in options if not each.why_not)
        for select in (select for row in step.rows for select in row.selects):
            found[select.name] = {
                one.value for group in select.groups for one in group.choices}
    return found


# ---- lines that the rules accept ---------------------------------------------------------------


def chance() -> Stream:
    """The same draws for the line as it is found and as it is read."""
    return Stream(b"1" * 32, "line")


def a_line(state: GoaState, seat: int, whim: random.Random) -> list[Any]:
    """Some cards and tiles, an answer, what it implies ahead, and cards and tiles again."""
    draws, line = chance(), []
    hand = set(state.players[seat].hand)

    def make(move: Any) -> None:
        nonlocal state
        state = GOA.apply_action(state, seat, move, draws).state
        line.append(move)

    asked = type(state.awaiting)
    for _ in range(whim.choice((0, 0, 1, 2, 3))):
        if type(state.awaiting) is asked and (more := some_extra(state, seat, hand, whim)):
            make(more)
    if type(state.awaiting) is not asked or (line and asked is AwaitDone):
        return line
    make(some_answer(state, seat, hand, whim))
    if isinstance(line[-1], moves.Pass | moves.EndTurn | moves.Decline | moves.Pay):
        return line
    for move in founding(state, seat, whim):
        make(move)
    for _ in range(whim.choice((0, 1, 2, 3))):
        if is_open(state, seat) and (more := some_extra(state, seat, hand, whim)):
            make(more)
    return line


def is_open(state: GoaState, seat: int) -> bool:
    """Whether the turn has only its end left."""
    return isinstance(state.awaiting, AwaitDone) and seat in state.awaiting.seats


def founding(state: GoaState, seat: int, whim: random.Random) -> Iterator[Any]:
    """Paying and choosing as it can be said ahead, if a founding is open."""
    if isinstance(state.awaiting, AwaitFounding):
        if moves.Pay() not in GOA.answers(state, seat) or whim.random() < 0.3:
            return
        yield moves.Pay()
        state = GOA.apply_action(state, seat, moves.Pay(), chance()).state
    if isinstance(state.awaiting, AwaitColony):
        yield whim.choice(list(GOA.answers(state, seat)))


def some_extra(state: GoaState, seat: int, hand: set[int], whim: random.Random) -> Any | None:
    """A card or tile that can be played now."""
    return some([move for move in GOA.answers(state, seat)
                 if isinstance(move, EXTRAS) and cards_of(move) <= hand], whim)


def some_answer(state: GoaState, seat: int, hand: set[int], whim: random.Random) -> Any:
    """An answer but cards and tiles."""
    return some([move for move in GOA.answers(state, seat)
                 if not isinstance(move, EXTRAS) and cards_of(move) <= hand], whim)


def cards_of(move: Any) -> set[int]:
    """The cards that a move names."""
    move = getattr(move, "action", move)
    named = {getattr(move, "card", None), getattr(move, "using", None)} - {None}
    return named | set(getattr(move, "discard", ()))


def some(offered: list[Any], whim: random.Random) -> Any | None:
    """One of the moves, each kind as likely as every other one."""
    if not offered:
        return None
    kind = whim.choice(sorted({kind_of(move) for move in offered}))
    return whim.choice(sorted((move for move in offered if kind_of(move) == kind), key=repr))


def kind_of(move: Any) -> str:
    """The class of a move, or of its action."""
    return type(getattr(move, "action", move)).__name__ + str(getattr(move, "card", ""))
