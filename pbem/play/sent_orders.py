"""Reads the orders of a submission: a text, or the moves that a form has built."""

from __future__ import annotations

from types import GenericAlias
from typing import NamedTuple

from engine import codec, play
from engine.api import GameRules
from engine.notation import OrderLine
from pbem.models import Submission
from pbem.play import orders_ahead

Orders = str | tuple[OrderLine, ...]
"""Orders as a text, or with the moves that a form has built."""


class SplitOrders(NamedTuple):
    """Orders for now, their text, and the lines for later (after `later:`), as written."""

    now: tuple[OrderLine, ...]
    text: str
    later: list[str]


def split(orders: Orders, game_key: str, language: str) -> SplitOrders:
    """Split orders; `now` is empty only if all of them are for later. Raises MalformedOrder."""
    if not isinstance(orders, str):
        return SplitOrders(orders, text_of(orders), [])
    text, later = orders_ahead.split(orders, game_key, language)
    return SplitOrders(() if later and not text else play.orders_in(text), text, later)


def text_of(orders: Orders) -> str:
    """Return the orders as one text."""
    return orders if isinstance(orders, str) else "; ".join(order.text for order in orders)


def moves_json(orders: Orders) -> str | None:
    """Return what `Submission.moves` stores of a form's orders; None for a text."""
    if isinstance(orders, str):
        return None
    return codec.encode([(order.text, order.moves) for order in orders]).decode()


def of(submission: Submission, rules: GameRules) -> Orders:
    """Return the orders of a submission as they were sent."""
    if submission.moves is None:
        return submission.orders
    moves = GenericAlias(tuple, (rules.move_type | rules.ahead_type, ...))
    lines = GenericAlias(list, (GenericAlias(tuple, (str, moves)),))
    return tuple(
        OrderLine(1, text, moves) for text, moves in codec.decode(submission.moves, lines))
