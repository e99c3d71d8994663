"""The driver that all games share: start, one move, a letter of several, forced moves.

It knows no game's rules and no clock; what a refusal says comes from the game.
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

MOST_CHOICES = 12
MOST_ORDERS = 60  # in one letter
LOOKED_THROUGH = 600  # legal moves, for choices and for lines that look alike


class Attempt(NamedTuple):
    """What became of a letter on a copy of the table.

    `moves` were tried, each with its canonical text; `lines` are those texts with all that was said
    beside the moves. `stopped`: the last of them ends in front of something hidden, and `untried`
    are the lines behind it, as they were written. `said` goes on with them.
    """

    moves: tuple[tuple[str, Any], ...]
    turns: tuple[Transition, ...]
    state: Any
    stopped: bool
    untried: tuple[str, ...]
    said: LetterOrders
    lines: tuple[str, ...]


class LetterOrders:
    """What a seat says in one letter, order by order, and the moves that follow from it.

    `ahead`: what its earlier letters left behind, as `outlasting` gave it.
    """

    def __init__(
        self, game: GameRules, before: Any, seat: Seat, ahead: Sequence[AnswerAhead] = ()
    ) -> None:
        self._game = game
        self.before = before
        self._seat = seat
        self._orders: list[Any] = list(ahead)
        self._waiting: list[Any] = []

    def say(self, order: Sequence[Any]) -> None:
        """One more order, as it was read: moves, and answers given ahead."""
        self._orders += order
        self._waiting += [each for each in order if not isinstance(each, AnswerAhead)]

    def next_move(self, state: Any, *, last: bool) -> Any | None:
        """The next move said, or that follows by itself from what was said, or None.

        `last`: no order follows. It stays the next one until it is `made`.
        """
        if self._waiting:
            return self._waiting[0]
        return self._game.implied(self.before, self._orders, state, self._seat, last=last)

    def made(self) -> None:
        """The next move has been made."""
        del self._waiting[:1]

    @property
    def unmade(self) -> tuple[Any, ...]:
        """The moves said that have not been made."""
        return tuple(self._waiting)

    def outlasting(self, state: Any) -> tuple[AnswerAhead, ...]:
        """What holds for the seat's next letter too, if that begins at this state."""
        return self._game.outlasting(self.before, self._orders, state, self._seat)


def start(game: GameRules, seats: int, options: Mapping[str, Any], chance: Chance) -> Transition:
    """The table after set-up."""
    return game.new_initial_state(seats, options, chance)


def move(game: GameRules, state: Any, seat: Seat, move: Any, chance: Chance) -> Transition:
    """One move; a refusal says what can be sent instead."""
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
    """Read every order of a letter, then try them in order, stopping in front of a reveal.

    One that cannot be read voids the letter. `chance` is `Forbidden` unless given; `ahead` is what
    the seat's letter before left behind (`Said.outlasting`).
    """
    orders = orders_in(lines)
    first, *_ = [
        check_readable(game, state, seat, order, aliases, first=order is orders[0])
        for order in orders
    ]
    tried: list[tuple[str, Any]] = []
    turns: list[Transition] = []
    again: list[str] = []
    said = LetterOrders(game, state, seat, ahead)
    for place, order in enumerate(orders):
        untried = tuple(rest.text for rest in orders[place + 1 :])
        meant = read(game, state, seat, order, aliases) if place else first
        said.say(meant)
        begun, stopped = len(tried), False
        with locating(order):
            while not stopped and (each := said.next_move(state, last=not untried)) is not None:
                turn = move(game, state, seat, each, chance or Forbidden())
                said.made()
                tried.append((game.to_text(each), each))
                turns.append(turn)
                state, stopped = turn.state, turn.stopped
        again += written(game, meant, [text for text, _ in tried[begun:]])
        if stopped:
            break
    done = tuple(tried), tuple(turns), state
    return Attempt(*done, stopped, untried if stopped else (), said, tuple(again))


def written(game: GameRules, meant: Sequence[Any], texts: Sequence[str]) -> list[str]:
    """An order's moves as lines, with the answers ahead that were said behind its first one."""
    ahead = [game.to_text(each) for each in meant if isinstance(each, AnswerAhead)]
    first = " ".join([*texts[:1], *ahead])
    return [first, *texts[1:]] if first else []


def nothing(game: GameRules, state: Any, seat: Seat) -> Attempt:
    """A letter that orders nothing for now."""
    said = LetterOrders(game, state, seat)
    return Attempt((), (), state, stopped=False, untried=(), said=said, lines=())


def behind_reveal(
    game: GameRules, state: Any, seat: Seat, lines: str, aliases: Mapping[str, str]
) -> Attempt:
    """A letter that follows on one which stopped: its orders are read, and none can be tried."""
    orders = orders_in(lines)
    for order in orders:
        check_readable(game, state, seat, order, aliases, first=False)
    untried = tuple(order.text for order in orders)
    said = LetterOrders(game, state, seat)
    return Attempt((), (), state, stopped=True, untried=untried, said=said, lines=())


def forced(game: GameRules, state: Any) -> tuple[Seat, Any] | None:
    """The first asked seat whose question answers itself, and its only answer."""
    for seat in sorted(game.current_players(state)):
        if game.is_forced(state, seat):
            return seat, next(iter(game.answers(state, seat)))
    return None


# ---- steps of a letter -------------------------------------------------------------------------


def orders_in(letter: str) -> list[notation.OrderLine]:
    """The orders of a letter: at least one, and not more than anybody needs."""
    if len(letter) > MOST_ORDERS * notation.LONGEST_LINE:
        raise too_many(letter.count("\n") + letter.count(";") + 1)
    orders = notation.order_lines(letter)
    if not orders:
        raise MalformedOrder("no_orders", rule="orders")
    if len(orders) > MOST_ORDERS:
        raise too_many(len(orders))
    return orders


def too_many(orders: int) -> MalformedOrder:
    """The refusal of a letter that nobody could mean."""
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
    """Read one order against the table as it is; later ones may name what will lie there then."""
    try:
        return read(game, state, seat, order, aliases)
    except UnsettledOrder:
        if first:
            raise
        return []
    except MalformedOrder as refused:
        if first:
            offer_what_can_be_played(game, state, seat, refused, aliases)
        raise


def offer_what_can_be_played(
    game: GameRules, state: Any, seat: Seat, refused: MoveRefused, aliases: Mapping[str, str]
) -> None:
    """Of corrected lines keep those that the table as it is allows; else look among those."""
    corrected, refused.choices = refused.choices, []
    for line in corrected:
        try:
            letter(game, state, seat, line, aliases)
        except MoveRefused:
            continue
        refused.choices.append(line)
    if not refused.choices and refused.text is not None:
        refused.choices = looking_alike(game, state, seat, refused.text)


def read(
    game: GameRules, state: Any, seat: Seat, order: notation.OrderLine, aliases: Mapping[str, str]
) -> list[Any]:
    """The moves of one order; a refusal names the line, and lines that look like it."""
    try:
        with locating(order):
            return game.from_text(order.text, state, seat, aliases)
    except MoveRefused as refused:
        if not refused.choices:
            refused.choices = looking_alike(game, state, seat, order.text)
        raise


def looking_alike(game: GameRules, state: Any, seat: Seat, line: str) -> list[Any]:
    """The legal moves, as lines, that look most like what was written."""
    legal = islice(game.legal_actions(state, seat), LOOKED_THROUGH)
    return list(notation.close_lines(line, [game.to_text(each) for each in legal]))


@contextmanager
def locating(order: notation.OrderLine) -> Iterator[None]:
    """Whatever is refused in here names this line."""
    try:
        yield
    except MoveRefused as refused:
        refused.line, refused.text = order
        raise


def representative(legal: Iterable[Any]) -> list[Any]:
    """At most twelve of the legal moves: of every kind some, spread over all of that kind."""
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
    """So many of the moves, from the first to the last at even distances."""
    if len(moves) <= number:
        return moves
    if number == 1:
        return moves[:1]
    return [moves[place * (len(moves) - 1) // (number - 1)] for place in range(number)]
