"""Accepts a player's orders: parses them, tries them on a copy, stores them as a submission.

Pages, mail and API all use it. It plays nothing: a worker plays the submission (`advance`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, func
from sqlmodel import Session, col, select

from engine import play
from engine.api import GameRules, Transition
from engine.errors import GameOver, IllegalMove, MalformedOrder, MoveRefused, NotYourTurn
from engine.forms import Lapse
from engine.notation import OrderLine
from engine.orders_ahead import OrderAhead
from pbem.i18n import words
from pbem.models import (
    PENDING,
    Entry,
    Game,
    GameState,
    Inbound,
    Person,
    SeatRow,
    Submission,
    SubmissionState,
)
from pbem.models.causes import BACK
from pbem.play import dry_runs, orders_ahead, positions, sent_orders
from pbem.play.dry_runs import DryRun
from pbem.play.refusals import KeyReused, PositionMovedOn
from pbem.play.sent_orders import Orders, moves_json, split, text_of

MOST_CHARACTERS = 4_000

# Built once: every move runs them.
_PENDING_OF = (
    select(Submission)
    .where(
        Submission.game_id == bindparam("game"),
        Submission.seat == bindparam("seat"),
        Submission.state == PENDING,
    )
    .order_by(col(Submission.id))
)
_waiting = (
    (Submission.game_id == bindparam("game"))
    & (Submission.seat == bindparam("seat"))
    & (Submission.state == PENDING)
)
_PRESENT = select(
    Game.state,
    Game.last_entry,
    select(func.count()).where(_waiting).scalar_subquery(),
    select(func.max(col(Submission.id))).where(_waiting).scalar_subquery(),
).where(Game.id == bindparam("game"))
_PRESENT_AND_KNOWN = _PRESENT.add_columns(
    select(col(Submission.id))
    .where(
        Submission.person_id == bindparam("person"),
        Submission.game_id == bindparam("game"),
        Submission.source == bindparam("source"),
        Submission.key == bindparam("key"),
    )
    .scalar_subquery(),
    select(func.count())
    .where(
        SeatRow.game_id == bindparam("game"),
        SeatRow.number == bindparam("seat"),
        SeatRow.person_id == bindparam("person"),
        col(SeatRow.resigned).is_(None),
    )
    .scalar_subquery(),
)
_ANSWERED = (  # by the seat, or for it
    select(Entry.number)
    .where(Entry.game_id == bindparam("game"), Entry.number > bindparam("seen"),
           Entry.seat == bindparam("seat"), col(Entry.cause).not_in(BACK))
    .limit(1)
)  # fmt: skip


@dataclass(frozen=True)
class OrderPreview:
    """What orders would do, up to the first reveal."""

    orders: tuple[str, ...]  # canonical, with the lines for later
    moves: tuple[Any, ...]
    turns: tuple[Transition, ...]
    state: Any
    lapses: Sequence[Lapse]
    stopped: bool
    untried: tuple[str, ...]
    later: tuple[DryRun, ...] = ()


@dataclass(frozen=True)
class TriedOrders:
    """Acceptable orders: the attempt on a copy, and the parsed lines for later."""

    rules: GameRules
    attempt: play.Attempt
    later: tuple[OrderAhead, ...]


def record(
    session: Session,
    seat: SeatRow,
    orders: Orders,
    *,
    seen: int,
    source: str,
    key: str,
    now: datetime,
    enqueue: Callable[[int], None],
    reading: Session | None = None,
    came_in: Inbound | None = None,
    alone: bool = False,
) -> Submission:
    """Store a player's orders and commit; then `enqueue` has a worker play them.

    `seen`: the newest entry that the player had seen. `key`: deduplication key; a repeated request
    returns the first submission. `reading`: a session that only reads; with it the orders are tried
    before the lock is taken. `came_in`: the letter that contained them, committed with them.
    `alone`: refuse if other orders of the seat are pending, which a form could not show. Raises
    MoveRefused (nothing is stored), PositionMovedOn, KeyReused.
    """
    tried, foreseen = None, None
    if reading is not None:
        tried, foreseen = accepted_at(reading, seat, orders, seen)
    place = {"game": seat.game_id, "seat": seat.number}
    sent = {"person": seat.person_id, "source": source, "key": key}
    if session.get_bind().dialect.name == "postgresql":  # SQLite has one writer anyway
        # A separate statement: the next one sees what was committed while this one waited.
        session.exec(select(Game.id).where(Game.id == seat.game_id).with_for_update()).one()
    [[*present, known, holds]] = session.execute(_PRESENT_AND_KNOWN, place | sent)
    if known is not None:
        submission = session.get_one(Submission, known)
        if submission.orders != text_of(orders):
            raise KeyReused("key_reused", rule="orders")
        return submission
    try:
        if alone and present[2]:
            raise PositionMovedOn("position_moved_on", rule="orders", seen=seen)
        if tried is None or foreseen != tuple(present):
            tried = try_orders(session, session.get_one(Game, seat.game_id), seat, orders, seen)
        if not holds:  # any more: somebody else may have taken the seat since it was read
            raise IllegalMove("seat_left", rule="orders")
        if tried.later:
            orders_ahead.check_room(session, seat, len(tried.later))
    except MoveRefused:
        session.rollback()
        raise
    assert seat.number is not None  # noqa: S101  (or the orders had been refused)
    kept = Submission(
        game_id=seat.game_id, seat=seat.number, person_id=seat.person_id, source=source, key=key,
        orders=text_of(orders), moves=moves_json(orders), seen=seen,
        state=SubmissionState.PENDING, created=now)
    store(session, kept, seat, tried)
    if came_in is not None:
        came_in.submission_id = kept.id
    session.commit()
    enqueue(seat.game_id)
    return kept


def store(session: Session, kept: Submission, seat: SeatRow, tried: TriedOrders) -> None:
    """Store a submission, and its orders for later as orders ahead; the caller commits."""
    session.add(kept)
    session.flush()
    if tried.later:
        row = session.get_one(Game, seat.game_id)
        given = dry_runs.newest_known(session, row, seat, kept.seen)
        orders_ahead.give(session, seat, tried.rules, tried.later, given=given,
                          submission=kept.id, now=kept.created)


Present = tuple[str, int, int, int | None]
"""All that decides about orders and changes: the game's state and last entry, what is pending."""


def accepted_at(
    reading: Session, seat: SeatRow, orders: Orders, seen: int
) -> tuple[TriedOrders | None, Present | None]:
    """Try the orders without a lock; the attempt and the state it rests on, None if refused.

    They are tried as the seat's first pending orders. If that proves wrong, `record` tries them
    again under the lock.
    """
    row = reading.get(Game, seat.game_id)
    if row is None:
        return None, None
    nothing_pending: Present = row.state, row.last_entry, 0, None
    try:
        return try_orders(reading, row, seat, orders, seen, is_first=True), nothing_pending
    except MoveRefused:
        return None, None


def preview(session: Session, seat: SeatRow, orders: Orders, *, seen: int) -> OrderPreview:
    """What `record` would accept and what it would do; writes nothing. Raises as `record` does."""
    row = session.get_one(Game, seat.game_id)
    tried = try_orders(session, row, seat, orders, seen)
    rules, attempt = tried.rules, tried.attempt
    assert seat.number is not None  # noqa: S101  # orders of no seat were refused
    if tried.later:
        orders_ahead.check_room(session, seat, len(tried.later))
    lapses = rules.lapses(attempt.orders.before, attempt.turns, seat.number)
    return OrderPreview(
        attempt.lines, tuple(move for _, move in attempt.moves), attempt.turns, attempt.state,
        lapses, attempt.stopped, tuple(order.text for order in attempt.untried),
        dry_runs.of_new(session, row, seat, tried.later, attempt.state, seen=seen),
    )  # fmt: skip


def try_orders(
    session: Session, row: Game, seat: SeatRow, orders: Orders, seen: int, *, is_first: bool = False
) -> TriedOrders:
    """Parse and try orders after the seat's pending ones, on a copy and without randomness.

    Lines for later are only parsed. `is_first`: the seat is known to have no pending orders. Raises
    MoveRefused, GameOver, PositionMovedOn.
    """
    rules = positions.rules_of(session, row)
    if len(text_of(orders)) > MOST_CHARACTERS:
        raise MalformedOrder("too_long", rule="orders", characters=MOST_CHARACTERS)
    if not positions.is_playable(session, row):
        raise IllegalMove("other_rules", rule="orders")
    if row.state != GameState.RUNNING or seat.number is None:
        raise GameOver("game_over", rule=rules.over_rule)
    check_seat(seat)
    person = session.get_one(Person, seat.person_id)
    given = split(orders, row.game, person.language)
    try:
        attempt = try_now(session, row, seat, person, given.now, is_first=is_first)
    except MalformedOrder:
        raise
    except MoveRefused as refused:
        if overtaken(session, seat, seen, refused):
            raise PositionMovedOn("position_moved_on", rule="orders", seen=seen) from None
        raise
    answers = any(not move.free for _, move in attempt.moves)
    if answers and is_stale(seat, seen) and (is_first or not pending_of(session, seat)):
        raise PositionMovedOn("position_moved_on", rule="orders", seen=seen)
    later = [] if not given.later else orders_ahead.read(
        session, row, seat, person, lines=given.later, state=attempt.state, seen=seen)
    return TriedOrders(rules, attempt, tuple(later))


def try_now(
    session: Session,
    row: Game,
    seat: SeatRow,
    person: Person,
    orders: Sequence[OrderLine],
    *,
    is_first: bool,
) -> play.Attempt:
    """Try the orders for now, if any, after those of the seat's pending submissions."""
    rules, aliases = positions.rules_of(session, row), words.aliases(row.game, person.language)
    assert seat.number is not None  # noqa: S101  (who calls has looked)
    state, stopped = positions.position(session, row, row.last_entry), False
    ahead = positions.ahead_of(rules, seat)
    for earlier in [] if is_first else pending_of(session, seat):
        now = split(sent_orders.of(earlier, rules), row.game, person.language).now
        if now:
            attempt = play.try_orders(rules, state, seat.number, now, aliases, ahead=ahead)
            state, ahead = attempt.state, attempt.orders.outlasting(attempt.state)
            if attempt.stopped:
                stopped = True
                break
    if not orders:
        return play.empty_attempt(rules, state, seat.number)
    if stopped:
        return play.read_only(rules, state, seat.number, orders, aliases)
    return play.try_orders(rules, state, seat.number, orders, aliases, ahead=ahead)


def check_seat(seat: SeatRow) -> None:
    """Raise IllegalMove if the seat's player has left."""
    if seat.resigned is not None:
        raise IllegalMove("seat_left", rule="orders")


def is_stale(seat: SeatRow, seen: int) -> bool:
    """Whether the player had not seen the question that is open now."""
    return seat.asked_since is not None and seen < seat.asked_since


def overtaken(session: Session, seat: SeatRow, seen: int, refused: MoveRefused) -> bool:
    """Whether the orders answer a question that has changed or was answered since."""
    if isinstance(refused, NotYourTurn):
        place = {"game": seat.game_id, "seat": seat.number, "seen": seen}
        return session.exec(_ANSWERED, params=place).first() is not None
    return is_stale(seat, seen)


def pending_of(session: Session, seat: SeatRow) -> list[Submission]:
    """The seat's pending submissions, oldest first."""
    return list(session.exec(_PENDING_OF, params={"game": seat.game_id, "seat": seat.number}))
