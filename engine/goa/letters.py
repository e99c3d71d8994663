"""What the orders of one letter mean beyond their moves: answers given ahead, and a turn's end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.api import Ahead, Move, Seat
from engine.errors import MalformedOrder, NotYourTurn
from engine.goa.answers import DONE, PAY, colony_choices
from engine.goa.components import Components
from engine.goa.lookups import current_turn, has_ready_tile
from engine.goa.moves import ChooseAhead, Extra, Found, PayUpTo, Wait
from engine.goa.state import AwaitColony, AwaitDone, AwaitFounding, State


def implied(
    components: Components,
    before: State,
    said: Sequence[Any],
    state: State,
    seat: Seat,
    *,
    last: bool,
) -> Move | None:
    """The move that follows by itself behind what was said so far, or None (GO-4.10, GO-5.4)."""
    check_wait(said, last=last)
    question = state.awaiting
    if question is None:
        return None
    if waits(said) and not any(is_turn_of(table, seat) for table in (before, state)):
        raise NotYourTurn("not_your_turn", rule=question.rule)
    if seat not in question.seats:
        return None
    if isinstance(question, AwaitFounding):
        return pays(said, question, state.players[seat].colonists)
    if isinstance(question, AwaitColony):
        return chooses(components, said, state, seat)
    if last and isinstance(question, AwaitDone) and ends(components, before, said, state):
        return DONE
    return None


def check_wait(said: Sequence[Any], *, last: bool) -> None:
    """`wait` is the last word of a line, and never its only one (GO-4.10)."""
    if waits(said[:-1]):
        raise MalformedOrder("wait_not_last", rule="orders")
    if waits(said) and len(said) == 1 and last:
        raise MalformedOrder("wait_alone", rule="orders")


def waits(said: Sequence[Any]) -> bool:
    """Whether `wait` is among what was said (GO-4.10)."""
    return any(isinstance(order, Wait) for order in said)


def is_turn_of(table: State, seat: Seat) -> bool:
    """Whether this seat's turn is under way: `wait` keeps nothing else open (GO-4.10)."""
    return table.turn is not None and table.turn.seat == seat


# ---- answers given ahead -----------------------------------------------------------------------


def ahead_of_attempt(said: Sequence[Any]) -> list[Ahead]:
    """What was given ahead behind the last founding; it lapses with the attempt (GO-5.4)."""
    found: list[Ahead] = []
    for order in said:
        if isinstance(order, Ahead):
            found.append(order)
        elif isinstance(order.action if isinstance(order, Extra) else order, Found):
            found.clear()
    return found


def pays(said: Sequence[Any], question: AwaitFounding, colonists: int) -> Move | None:
    """Unasked, where the difference is at most as said and the seat has it (GO-5.4)."""
    for order in ahead_of_attempt(said):
        if isinstance(order, PayUpTo) and question.difference <= min(order.colonists, colonists):
            return PAY
    return None


def chooses(
    components: Components, said: Sequence[Any], state: State, seat: Seat
) -> Move | None:
    """The tile and spices named ahead, if they can be had (GO-5.2)."""
    for order in ahead_of_attempt(said):
        if isinstance(order, ChooseAhead):
            choices = colony_choices(components, state, seat)
            return next((choice for choice in choices if choice == order.choice), None)
    return None


# ---- the end of a turn -------------------------------------------------------------------------


def ends(components: Components, before: State, said: Sequence[Any], state: State) -> bool:
    """Whether the turn ends with the letter's last order (GO-4.9, GO-4.10)."""
    if waits(said):
        return False
    if all(isinstance(order, Ahead) or order.free for order in said):
        return False
    return was_asked(before, state) or not is_asked_once_more(components, state)


def was_asked(before: State, state: State) -> bool:
    """Whether the letter answers the question behind this turn's action (GO-4.10)."""
    turn, then = current_turn(state), before.turn
    return (
        isinstance(before.awaiting, AwaitDone)
        and then is not None
        and (before.part, before.round, before.phase) == (state.part, state.round, state.phase)
        and (then.seat, then.number) == (turn.seat, turn.number)
    )


def is_asked_once_more(components: Components, state: State) -> bool:
    """The action drew a card, and the seat has a card to play or a ready tile (GO-4.10).

    The number of cards decides, never which ones.
    """
    turn = current_turn(state)
    can_play = bool(state.players[turn.seat].hand) and not turn.card_played
    return turn.drew and (can_play or has_ready_tile(components, state, turn.seat))
