"""Drives any game: its start, one move, a letter of several orders, forced moves.

It knows no rules and no clock. The reasons in refusals come from the game.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, NamedTuple

from engine import notation
from engine.api import AnswerAhead, GameRules, Seat, Transition
from engine.chance import Chance, Forbidden
from engine.errors import GameOver, MalformedOrder, MoveRefused, UnsettledOrder
from engine.forms import Fields

MOST_CHOICES = 12
MOST_ORDERS = 60  # in one letter
LOOKED_THROUGH = 600  # legal moves searched for choices and similar lines


class Attempt(NamedTuple):
    """The trial of a letter on a copy of the table.

    `moves` holds (canonical text, move) of each move tried, `lines` the same texts with the answers
    given ahead. `stopped`: the last move ends before something hidden is revealed; `untried` holds
    the orders after it. `orders` takes those up once the reveal has happened.
    """

    moves: tuple[tuple[str, Any], ...]
    turns: tuple[Transition, ...]
    state: Any
    stopped: bool
    untried: tuple[notation.OrderLine, ...]
    orders: LetterOrders
    lines: tuple[str, ...]


class LetterOrders:
    """The orders of one letter in sequence, and the moves that follow from them.

    `ahead`: what the seat's earlier letters carried over (`outlasting`).
    """

    def __init__(
        self, game: GameRules, before: Any, seat: Seat, ahead: Sequence[AnswerAhead] = ()
    ) -> None:
        self._game = game
        self.before = before
        self._seat = seat
        self._orders: list[Any] = list(ahead)
        self._waiting: list[Any] = []

    def add(self, order: Sequence[Any]) -> None:
        """Add an order as read: moves and answers given ahead."""
        self._orders += order
        self._waiting += [each for each in order if not isinstance(each, AnswerAhead)]

    def next_move(self, state: Any, *, last: bool) -> Any | None:
        """Return the next move ordered or implied, or None. Raise MalformedOrder.

        `last`: no order follows. The move stays the next one until `mark_made`.
        """
        if self._waiting:
            return self._waiting[0]
        return self._game.implied(self.before, self._orders, state, self._seat, last=last)

    def mark_made(self) -> None:
        """Note that the next move has been made."""
        del self._waiting[:1]

    @property
    def unmade(self) -> tuple[Any, ...]:
        """The moves ordered that have not been made."""
        return tuple(self._waiting)

    def outlasting(self, state: Any) -> tuple[AnswerAhead, ...]:
        """Return what the seat's next letter keeps, if that begins at this state."""
        return self._game.outlasting(self.before, self._orders, state, self._seat)


def start(game: GameRules, seats: int, options: Mapping[str, Any], chance: Chance) -> Transition:
    """Set up the table."""
    return game.new_initial_state(seats, options, chance)


def move(game: GameRules, state: Any, seat: Seat, move: Any, chance: Chance) -> Transition:
    """Make one move. Raise MoveRefused with `choices` that can be sent instead."""
    try:
        return game.apply_action(state, seat, move, chance)
    except MalformedOrder:
        raise
    except MoveRefused as refused:
        if not isinstance(refused, GameOver) and not refused.choices:
            refused.choices = representative(game.legal_actions(state, seat))
        raise


def letter(
    game: GameRules,
    state: Any,
    seat: Seat,
    lines: str,
    aliases: Mapping[str, str],
    *,
    chance: Chance | None = None,
    ahead: Sequence[AnswerAhead] = (),
) -> Attempt:
    """Read every order of a letter, then try them in order and stop before a reveal.

    `ahead` is what the seat's previous letter carried over (`LetterOrders.outlasting`). Raise
    MoveRefused as `try_orders` does.
    """
    return try_orders(game, state, seat, orders_in(lines), aliases, chance=chance, ahead=ahead)


def try_orders(
    game: GameRules, state: Any, seat: Seat, orders: Sequence[notation.OrderLine],
    aliases: Mapping[str, str], *, chance: Chance | None = None, ahead: Sequence[AnswerAhead] = (),
) -> Attempt:
    """Try the orders of a letter or form in order, and stop before a reveal.

    `chance` is `Forbidden` by default. Raise MoveRefused for the first order that cannot be read or
    played; then nothing of the letter counts.
    """
    readings = [
        list(order.moves) or check_readable(game, state, seat, order, aliases, first=not place)
        for place, order in enumerate(orders)
    ]
    tried: list[tuple[str, Any]] = []
    turns: list[Transition] = []
    lines_tried: list[str] = []
    given = LetterOrders(game, state, seat, ahead)
    for place, order in enumerate(orders):
        untried = tuple(orders[place + 1 :])
        meant = readings[place]
        if place and not order.moves:  # it may name what an earlier order has brought
            meant = read(game, state, seat, order, aliases)
        given.add(meant)
        begun, stopped = len(tried), False
        with locating(order):
            while not stopped and (each := given.next_move(state, last=not untried)) is not None:
                turn = move(game, state, seat, each, chance or Forbidden())
                given.mark_made()
                tried.append((game.to_text(each), each))
                turns.append(turn)
                state, stopped = turn.state, turn.stopped
        lines_tried += lines_of(game, meant, [text for text, _ in tried[begun:]])
        if stopped:
            break
    done = tuple(tried), tuple(turns), state
    return Attempt(*done, stopped, untried if stopped else (), given, tuple(lines_tried))


def lines_of(game: GameRules, meant: Sequence[Any], texts: Sequence[str]) -> list[str]:
    """Return an order's moves as lines, with its answers ahead after the first move."""
    ahead = [game.to_text(each) for each in meant if isinstance(each, AnswerAhead)]
    first = " ".join([*texts[:1], *ahead])
    return [first, *texts[1:]] if first else []


def empty_attempt(game: GameRules, state: Any, seat: Seat) -> Attempt:
    """Return the attempt of a letter that orders nothing for now."""
    given = LetterOrders(game, state, seat)
    return Attempt((), (), state, stopped=False, untried=(), orders=given, lines=())


def read_only(
    game: GameRules,
    state: Any,
    seat: Seat,
    orders: Sequence[notation.OrderLine],
    aliases: Mapping[str, str],
) -> Attempt:
    """Read orders that follow a letter which stopped at a reveal; none of them is tried."""
    for order in orders:
        check_readable(game, state, seat, order, aliases, first=False)
    given = LetterOrders(game, state, seat)
    return Attempt((), (), state, stopped=True, untried=tuple(orders), orders=given, lines=())


def forced(game: GameRules, state: Any) -> tuple[Seat, Any] | None:
    """Return the first asked seat that has only one answer, with that answer, or None."""
    for seat in sorted(game.current_players(state)):
        if game.is_forced(state, seat):
            return seat, next(iter(game.answers(state, seat)))
    return None


# ---- steps of a letter -------------------------------------------------------------------------


def orders_in(letter: str) -> tuple[notation.OrderLine, ...]:
    """Split a letter into 1 to MOST_ORDERS orders, else raise MalformedOrder."""
    if len(letter) > MOST_ORDERS * notation.LONGEST_LINE:
        raise too_many(letter.count("\n") + letter.count(";") + 1)
    orders = tuple(notation.order_lines(letter))
    if not orders:
        raise MalformedOrder("no_orders", rule="orders")
    if len(orders) > MOST_ORDERS:
        raise too_many(len(orders))
    return orders


def form_orders(
    game: GameRules, fields: Fields, state: Any, seat: Seat
) -> tuple[notation.OrderLine, ...]:
    """Return the orders that the chosen fields of a form stand for. Raise Incomplete."""
    return tuple(
        notation.OrderLine(1, order)
        if isinstance(order, str)
        else notation.OrderLine(1, " ".join(map(game.to_text, order)), tuple(order))
        for order in game.form_orders(fields, state, seat)
    )


def too_many(orders: int) -> MalformedOrder:
    """Build the refusal of a letter with too many orders."""
    return MalformedOrder("too_many_orders", rule="orders", orders=orders, most=MOST_ORDERS)


def check_readable(
    game: GameRules,
    state: Any,
    seat: Seat,
    order: notation.OrderLine,
    aliases: Mapping[str, str],
    *,
    first: bool,
) -> list[Any]:
    """Read one order at the present table. Later orders may name what is not there yet."""
    try:
        return read(game, state, seat, order, aliases)
    except UnsettledOrder:
        if first:
            raise
        return []
    except MalformedOrder as refused:
        if first:
            keep_playable_choices(game, state, seat, refused, aliases)
        raise


def keep_playable_choices(
    game: GameRules, state: Any, seat: Seat, refused: MoveRefused, aliases: Mapping[str, str]
) -> None:
    """Keep the corrected lines that can be played now; if none, offer similar legal lines."""
    corrected, refused.choices = refused.choices, []
    for line in corrected:
        try:
            letter(game, state, seat, line, aliases)
        except MoveRefused:
            continue
        refused.choices.append(line)
    if not refused.choices and refused.text is not None:
        refused.choices = similar_lines(game, state, seat, refused.text)


def read(
    game: GameRules, state: Any, seat: Seat, order: notation.OrderLine, aliases: Mapping[str, str]
) -> list[Any]:
    """Return the moves of one order. Raise MoveRefused with the line and similar lines."""
    try:
        with locating(order):
            return moves_of(game, state, seat, order, aliases)
    except MoveRefused as refused:
        if not refused.choices:
            refused.choices = similar_lines(game, state, seat, order.text)
        raise


def moves_of(
    game: GameRules, state: Any, seat: Seat, order: notation.OrderLine, aliases: Mapping[str, str]
) -> list[Any]:
    """Return the moves that a form has built, or read the line. Raise MalformedOrder."""
    return list(order.moves) or game.from_text(order.text, state, seat, aliases)


def similar_lines(game: GameRules, state: Any, seat: Seat, line: str) -> list[Any]:
    """Return the legal moves, as lines, that look most like the written line."""
    legal = islice(game.legal_actions(state, seat), LOOKED_THROUGH)
    return list(notation.close_lines(line, [game.to_text(each) for each in legal]))


@contextmanager
def locating(order: notation.OrderLine) -> Iterator[None]:
    """Add this line to any refusal raised inside."""
    try:
        yield
    except MoveRefused as refused:
        refused.line, refused.text = order.number, order.text
        raise


def representative(legal: Iterable[Any]) -> list[Any]:
    """Pick at most MOST_CHOICES legal moves: some of each kind, evenly spaced."""
    kinds: dict[type, list[Any]] = {}
    for each in islice(legal, LOOKED_THROUGH):
        kinds.setdefault(type(each), []).append(each)
    chosen: list[Any] = []
    left = len(kinds)
    for moves in sorted(kinds.values(), key=len):
        share = max(1, (MOST_CHOICES - len(chosen)) // left)
        chosen += spread(moves, share)
        left -= 1
    picked = chosen[:MOST_CHOICES]
    # In the order of the game's own list, which players know.
    return [each for moves in kinds.values() for each in moves if each in picked]


def spread(moves: list[Any], number: int) -> list[Any]:
    """Pick `number` of the moves, evenly spaced from the first to the last."""
    if len(moves) <= number:
        return moves
    if number == 1:
        return moves[:1]
    return [moves[place * (len(moves) - 1) // (number - 1)] for place in range(number)]
