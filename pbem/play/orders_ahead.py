"""Orders ahead: stored for a seat, played when their moment comes, settled when it has passed.

They are secret: while the game runs, nothing that another viewer gets is computed from their rows,
and a move played by one looks to others like any other move.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, update
from sqlmodel import Session, col, select

from engine import notation
from engine import orders_ahead as ahead
from engine.api import Event, GameRules, Seat
from engine.errors import IllegalMove, MoveRefused
from engine.orders_ahead_lines import LATER, later_in
from pbem.i18n import words
from pbem.models import Game, Person, SeatRow, StandingOrder, StandingState
from pbem.play import positions
from pbem.play.log import MoveSource, Writer
from pbem.play.refusals import PositionMovedOn, TableRefused, stored

MOST = 12  # standing orders of a seat
LATE = 40  # newest entries that conditions on the log look at

# Built once: every move runs them.
_OF_GAME = (
    select(StandingOrder)
    .where(StandingOrder.game_id == bindparam("game"),
           StandingOrder.state == StandingState.STANDING)
    .order_by(col(StandingOrder.seat), col(StandingOrder.id))
    .execution_options(populate_existing=True)
)  # fmt: skip
_OF_SEAT = (
    select(StandingOrder)
    .where(StandingOrder.game_id == bindparam("game"), StandingOrder.seat == bindparam("seat"),
           StandingOrder.person_id == bindparam("person"))
    .order_by(col(StandingOrder.id))
    .execution_options(populate_existing=True)
)  # fmt: skip


@dataclass(eq=False)
class ActiveOrder:
    """An order ahead that stands: its row, and its line as it was parsed."""

    row: StandingOrder
    order: ahead.OrderAhead


# ---- given and withdrawn ------------------------------------------------------------------------


def split(letter: str, game_key: str, language: str) -> tuple[str, list[str]]:
    """Split a submission into its lines for now and its lines after `later:`."""
    return ahead.split(letter, words.aliases(game_key, language))


def as_letter(rows: str, game_key: str, language: str) -> str:
    """A submission in which every line is for later, whether it says `later:` or not."""
    aliases = words.aliases(game_key, language)
    said = []
    for row in filter(None, map(str.strip, rows.splitlines())):
        found = later_in(row, aliases)
        begins = found is not None and found.start() == 0
        said.append(row if begins else f"{LATER}: {row}")
    return "\n".join(said)


def read(
    session: Session, row: Game, seat: SeatRow, person: Person, *, lines: Sequence[str],
    state: Any, seen: int,
) -> list[ahead.OrderAhead]:
    """Parse the lines after `later:` in the player's language. Raises MoveRefused with the line.

    `state` is the position after their lines for now, `seen` the newest entry that they had seen.
    """
    rules = positions.rules_of(session, row)
    aliases = aliases_of(session, row, rules, person.language)
    assert seat.number is not None  # noqa: S101  (or their orders were refused)
    found = []
    for line in lines:
        try:
            order = ahead.read(rules, line, state, seat.number, aliases)
            if order.in_round is not None and seen < row.last_entry:
                check_round(session, row, seat, line=line, aliases=aliases, seen=seen)
            found.append(order)
        except MoveRefused as refused:
            refused.text = f"{LATER}: {line}"
            refused.choices = [f"{LATER}: {each}" for each in refused.choices
                               if isinstance(each, str)]
            raise
    return found


def check_round(
    session: Session, row: Game, seat: SeatRow, *, line: str, aliases: Mapping[str, str], seen: int
) -> None:
    """Refuse a line without a round number whose round has changed since entry `seen`.

    Raises PositionMovedOn.
    """
    rules, number = positions.rules_of(session, row), seat.number or 0
    then, now = (
        ahead.round_meant(rules, line, positions.position(session, row, entry), number, aliases)
        for entry in (max(1, seen), row.last_entry)
    )
    if then not in (None, now):
        raise PositionMovedOn("position_moved_on", rule="orders", seen=seen)


def aliases_of(
    session: Session, row: Game, rules: GameRules, language: str
) -> Mapping[str, str]:
    """The aliases of a language, and each player's name as an alias of their seat's colour."""
    seats = session.exec(positions.seats_of(row)).all()
    named = {
        notation.normalised(seat.name): rules.seat_colours[number]
        for number, seat in enumerate(seats)
    }
    return {**named, **words.aliases(row.game, language)}


def give(
    session: Session,
    seat: SeatRow,
    rules: GameRules,
    orders: Sequence[ahead.OrderAhead],
    *,
    given: int,
    submission: int | None,
    now: datetime,
) -> None:
    """Store orders ahead of a seat in canonical form; the caller holds the lock and commits.

    `given` is the newest entry that their owner had seen.
    """
    assert seat.number is not None  # noqa: S101  (or they had been refused)
    session.add_all(
        StandingOrder(
            game_id=seat.game_id, seat=seat.number, person_id=seat.person_id,
            submission_id=submission, line=ahead.text(rules, each), given=given, created=now,
        )
        for each in orders
    )  # fmt: skip
    session.flush()


def check_room(session: Session, seat: SeatRow, more: int) -> None:
    """Raise IllegalMove (ahead_too_many) if the seat would have more than MOST standing orders."""
    standing = len(of(session, seat))
    if standing + more > MOST:
        raise IllegalMove("ahead_too_many", rule="orders", most=MOST, standing=standing)


def of(session: Session, seat: SeatRow) -> list[StandingOrder]:
    """The seat's standing orders ahead, oldest first."""
    return [row for row in all_of(session, seat) if row.state == StandingState.STANDING]


def all_of(session: Session, seat: SeatRow) -> list[StandingOrder]:
    """All orders ahead that this player has given for this seat, oldest first."""
    at = {"game": seat.game_id, "seat": seat.number, "person": seat.person_id}
    return list(session.exec(_OF_SEAT, params=at))


def numbered(session: Session, seat: SeatRow) -> list[tuple[int, StandingOrder]]:
    """The same, numbered from 1. Players see these numbers; row ids would count others' orders."""
    return list(enumerate(all_of(session, seat), start=1))


def news(session: Session, seat: SeatRow) -> list[tuple[int, StandingOrder]]:
    """Numbered orders that were used or settled since the player last acted; not withdrawn ones."""
    return [
        (number, row) for number, row in numbered(session, seat)
        if row.entry is not None and row.entry >= seat.moved_at
        and row.state != StandingState.WITHDRAWN
    ]


def withdraw(
    session: Session, game_id: int, person_id: int, number: int | None, now: datetime
) -> list[str]:
    """Withdraw one order ahead by its number, or (None) all; return the withdrawn lines.

    Holds the game's lock, so that an order is either used or withdrawn; the caller commits.
    Idempotent. Raises TableRefused (no_such_order_ahead).
    """
    positions.locked(session, game_id)
    mine = select(SeatRow).where(SeatRow.game_id == game_id, SeatRow.person_id == person_id)
    seat = session.exec(mine).first()
    found = [] if seat is None else [
        row for count, row in numbered(session, seat) if number in (None, count)]
    if number is not None and not found:
        raise TableRefused("no_such_order_ahead")
    standing = [row for row in found if row.state == StandingState.STANDING]
    for row in standing:
        row.state, row.settled = StandingState.WITHDRAWN, now
        session.add(row)
    return [row.line for row in standing]


def revive_after_undo(writer: Writer, base: int) -> None:
    """Revive and defer orders ahead after the game went back to entry `base`; no commit.

    Orders that expired after `base` stand again, unless their owner has left the seat; used ones
    stay used. Those of seats that are asked now do not answer this question: their owners do.
    """
    at_table = (col(StandingOrder.game_id) == writer.game_id,)
    for row in writer.seats:
        if row.resigned is not None:
            continue
        writer.session.execute(
            update(StandingOrder)
            .where(*at_table, col(StandingOrder.seat) == row.number,
                   col(StandingOrder.person_id) == row.person_id,
                   col(StandingOrder.state) == StandingState.EXPIRED,
                   col(StandingOrder.entry) > base)
            .values(state=StandingState.STANDING, settled=None, entry=None, why=None))
    asked = writer.rules.current_players(writer.state)
    writer.session.execute(
        update(StandingOrder)
        .where(*at_table, col(StandingOrder.state) == StandingState.STANDING,
               col(StandingOrder.seat).in_(asked))
        .values(given=writer.number))
    writer.ahead = None  # read them again


# ---- played -------------------------------------------------------------------------------------


def play(writer: Writer, *, but: Container[Seat] = ()) -> bool:
    """Play one order ahead of the first seat that has one for its open question; False if none.

    Orders whose moment has passed are settled. `but`: seats that still have pending orders.
    """
    for seat, several in standing_by_seat(writer).items():
        if seat in but:
            continue
        while (found := decided(writer, seat, several)) is not None:
            one, outcome = found
            if isinstance(outcome, ahead.PlayLine):
                use(writer, seat, one, outcome)
                return True
            leave_to_owner(writer, seat, several, one, outcome.refused)
    return False


def standing_by_seat(writer: Writer) -> dict[Seat, list[ActiveOrder]]:
    """The game's standing orders by seat; read once per writer, as nobody else adds any."""
    if writer.ahead is None:
        rows = writer.session.exec(_OF_GAME, params={"game": writer.game_id})
        writer.ahead = [(row, read_again(writer, row)) for row in rows]
    found: dict[Seat, list[ActiveOrder]] = {}
    for row, order in writer.ahead:
        if order is not None and row.state == StandingState.STANDING:
            found.setdefault(row.seat, []).append(ActiveOrder(row, order))
    return found


def read_again(writer: Writer, row: StandingOrder) -> ahead.OrderAhead | None:
    """Parse a stored line again; a line that cannot be parsed any more expires."""
    try:
        return ahead.reread(writer.rules, row.line, writer.state, row.seat)
    except MoveRefused as refused:
        settle(writer, row, StandingState.EXPIRED, refused)
        return None


def decided(
    writer: Writer, seat: Seat, several: list[ActiveOrder]
) -> tuple[ActiveOrder, ahead.PlayLine | ahead.AskOwner] | None:
    """The order that decides the seat's open question, and its outcome; settles expired ones."""
    standing = [one for one in several if one.row.state == StandingState.STANDING]
    for one, refused in list(ahead.expired_orders(
            writer.rules, writer.state, seat, [(one, one.order) for one in standing])):
        if one.row.entry is None:
            settle(writer, one.row, StandingState.EXPIRED, refused)
        else:  # it was used before and stood on
            settle(writer, one.row, StandingState.USED, None, entry=one.row.entry)
        standing.remove(one)
    asked = writer.seats[seat].asked_since
    new = [(one, one.order) for one in standing if asked is not None and one.row.given < asked]
    if not new:
        return None
    moment = ahead.decide(
        writer.rules, writer.state, seat, new, facts=facts_for(writer, seat, new),
        ahead=positions.ahead_of(writer.rules, writer.seats[seat]))
    if isinstance(moment.outcome, ahead.Idle):
        return None
    return moment.key, moment.outcome


def use(writer: Writer, seat: Seat, one: ActiveOrder, found: ahead.PlayLine) -> None:
    """Play an order as a submission of its line; settle it, unless it goes on standing."""
    source = MoveSource(seat, "standing", one.row.submission_id)
    first, why = writer.number + 1, None
    said = found.attempt.orders
    writer.play_attempt(source, found.attempt)
    try:
        writer.play_orders(source, said, last=True)
    except MoveRefused as refused:  # after the reveal
        why = refused
    positions.store_ahead(writer.seats[seat], said.outlasting(writer.state))
    one.row.entry = first
    if found.holds:
        writer.session.add(one.row)
    else:
        settle(writer, one.row, StandingState.USED, why, entry=first)


def leave_to_owner(
    writer: Writer, seat: Seat, several: list[ActiveOrder], one: ActiveOrder, refused: MoveRefused
) -> None:
    """Settle an order that would end in a refusal: its owner answers the question themselves."""
    asked = writer.seats[seat].asked_since or writer.number
    settle(writer, one.row, StandingState.ASKED, refused, entry=asked)
    for other in several:
        other.row.given = max(other.row.given, asked)
        writer.session.add(other.row)


def settle(
    writer: Writer, row: StandingOrder, state: StandingState, why: MoveRefused | None, *,
    entry: int | None = None,
) -> None:
    """Store an order's final state, and why."""
    row.state, row.settled = state, writer.now
    row.entry = writer.number if entry is None else entry
    row.why = None if why is None else stored(why, writer.rules)
    writer.session.add(row)


def facts_for(
    writer: Writer, seat: Seat, several: Sequence[tuple[ActiveOrder, ahead.OrderAhead]]
) -> Sequence[Event]:
    """Late facts as the seat may read them, if one of its orders has a condition on the log."""
    if not any(rests_on_log(order) for _, order in several):
        return ()
    writer.flush()
    return late_facts(writer.session, writer.row, seat, writer.number)


def rests_on_log(order: ahead.OrderAhead) -> bool:
    """Whether an order has a condition on what somebody has done."""
    return any(
        condition.sign.startswith("has")
        for each in order.alternatives for condition in each.conditions
    )


def late_facts(session: Session, row: Game, seat: Seat, upto: int) -> list[Event]:
    """The facts of the newest LATE entries in force, oldest first, as this seat may read them."""
    back = positions.taken_back(positions.marks(session, row))
    return [
        event.seen_by(seat)
        for entry in positions.entries(session, row, max(1, upto - LATE + 1), upto)
        if entry.number not in back
        for event in entry.events
    ]
