"""Finds what the orders of a letter mean beyond its moves: answers ahead, a turn's end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.api import AnswerAhead, Move, Seat
from engine.errors import MalformedOrder, NotYourTurn
from engine.goa.answers import DONE, PAY, colony_choices
from engine.goa.components import GoaComponents
from engine.goa.lookups import current_turn, has_ready_tile
from engine.goa.moves import ChooseAhead, Earlier, Extra, FoundColony, PayUpTo, Wait
from engine.goa.state import (
    AwaitBid,
    AwaitColony,
    AwaitDone,
    AwaitFounding,
    AwaitMarker,
    AwaitRoom,
    GoaState,
)


def implied(
    components: GoaComponents,
    before: GoaState,
    said: Sequence[Any],
    state: GoaState,
    seat: Seat,
    *,
    last: bool,
) -> Move | None:
    """Return the move that follows by itself after the orders so far, or None.

    Rules: GO-4.10, GO-5.4.
    """
    said = with_earlier(before, said, seat)
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
    """Raise MalformedOrder unless `wait` is the last word of a line, and not its only one.

    Rules: GO-4.10.
    """
    if waits(said[:-1]):
        raise MalformedOrder("wait_not_last", rule="orders")
    if last and waits(said) and not any(isinstance(order, Move) for order in said):
        raise MalformedOrder("wait_alone", rule="orders")


def waits(said: Sequence[Any]) -> bool:
    """Tell whether `wait` is among the orders (GO-4.10)."""
    return any(isinstance(order, Wait) for order in said)


def is_turn_of(table: GoaState, seat: Seat) -> bool:
    """Tell whether this seat's turn is in progress; `wait` keeps nothing else open (GO-4.10)."""
    return table.turn is not None and table.turn.seat == seat


# ---- what outlives a letter --------------------------------------------------------------------


def outlasting(
    before: GoaState, said: Sequence[Any], state: GoaState, seat: Seat
) -> tuple[AnswerAhead, ...]:
    """Return what this turn's next letter must know of this and earlier letters.

    In a founding it holds the answers given ahead. The founding is still open only at its own
    question, or at a question for room in hand from a card or tile played there. After the action
    it holds that the question there was put: a card or tile that answers it may ask for room.
    Rules: GO-4.10, GO-5.4.
    """
    if not is_turn_of(state, seat):
        return ()
    said = with_earlier(before, said, seat)
    if current_turn(state).founding is not None:
        ahead = tuple(ahead_of_attempt(said))
        return (Earlier(turn_of(state), ahead=ahead),) if ahead else ()
    if isinstance(state.awaiting, AwaitRoom) and was_asked(before, said, state):
        return (Earlier(turn_of(state), asked=True),)
    return ()


def with_earlier(before: GoaState, said: Sequence[Any], seat: Seat) -> Sequence[Any]:
    """Return the orders, with answers ahead of the turn's earlier letters in front."""
    if not said or not isinstance(said[0], Earlier):
        return said
    earlier, *rest = said
    if not is_turn_of(before, seat) or earlier.turn != turn_of(before):
        return rest
    return [earlier, *earlier.ahead, *rest]


def turn_of(table: GoaState) -> tuple[str, int, int, int]:
    """Return a key for the seat's turn; it has one action, so one founding at most."""
    return table.part, table.round, table.phase, current_turn(table).number


def turn_under_way(table: GoaState) -> tuple[Any, ...]:
    """Return a key for a seat's turn, a lot with its settling, or a marker to place.

    Rules: GO-2.2, GO-3.4, GO-4.10.
    """
    now = table.part, table.round, table.phase
    if table.turn is not None:
        return *now, table.turn.seat, table.turn.number
    question = table.awaiting
    if isinstance(question, AwaitMarker):
        return *now, question.number
    if isinstance(question, AwaitBid):
        return *now, question.lot
    return *now, table.sold[-1].number if table.sold else 0


# ---- answers given ahead -----------------------------------------------------------------------


def ahead_of_attempt(said: Sequence[Any]) -> list[PayUpTo | ChooseAhead]:
    """Return the answers given ahead after the last founding; they lapse with it (GO-5.4)."""
    found: list[PayUpTo | ChooseAhead] = []
    for order in said:
        if isinstance(order, PayUpTo | ChooseAhead):
            found.append(order)
        elif isinstance(order.action if isinstance(order, Extra) else order, FoundColony):
            found.clear()
    return found


def pays(said: Sequence[Any], question: AwaitFounding, colonists: int) -> Move | None:
    """Return the payment if the difference is at most the limit and the seat has it (GO-5.4).

    The seat is then not asked.
    """
    for order in ahead_of_attempt(said):
        if isinstance(order, PayUpTo) and question.difference <= min(order.colonists, colonists):
            return PAY
    return None


def chooses(
    components: GoaComponents, said: Sequence[Any], state: GoaState, seat: Seat
) -> Move | None:
    """Return the choice of the tile and spices named ahead, if they can be had (GO-5.2)."""
    for order in ahead_of_attempt(said):
        if isinstance(order, ChooseAhead):
            choices = colony_choices(components, state, seat)
            return next((choice for choice in choices if choice == order.choice), None)
    return None


# ---- the end of a turn -------------------------------------------------------------------------


def ends(components: GoaComponents, before: GoaState, said: Sequence[Any], state: GoaState) -> bool:
    """Tell whether the turn ends with the letter's last order (GO-4.9, GO-4.10)."""
    if waits(said):
        return False
    if all(isinstance(order, AnswerAhead) or order.free for order in said):
        return False
    return was_asked(before, said, state) or not is_asked_once_more(components, state)


def was_asked(before: GoaState, said: Sequence[Any], state: GoaState) -> bool:
    """Tell whether this or an earlier letter answers the question after the action (GO-4.10)."""
    earlier = said and isinstance(said[0], Earlier) and said[0].asked
    return (
        bool(isinstance(before.awaiting, AwaitDone) or earlier)
        and is_turn_of(before, current_turn(state).seat)
        and turn_of(before) == turn_of(state)
    )


def is_asked_once_more(components: GoaComponents, state: GoaState) -> bool:
    """Tell whether the question is put again, because the action drew a card (GO-4.10).

    The seat must have a card to play or a ready tile. The number of cards decides, never their
    faces.
    """
    turn = current_turn(state)
    can_play = bool(state.players[turn.seat].hand) and not turn.card_played
    return turn.drew and (can_play or has_ready_tile(components, state, turn.seat))
