"""Undoes a player's own last orders by an entry that asks an earlier question again.

Nothing is deleted. Undo ends where another person has acted or anything was revealed. Automatic
moves after the orders (forced moves, default moves) are undone with them. A move counts as forced
only if it would be forced with every hand, so that undo reveals nothing. A bot's move ends undo as
a person's does, unless only one person plays.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from engine import play
from pbem.mail import queue
from pbem.models import (
    PENDING,
    Game,
    GameState,
    LetterState,
    Outbox,
    Person,
    SeatRow,
    StandingOrder,
    StandingState,
    Submission,
)
from pbem.models.causes import AUTOMATIC, CHOSEN, PASSING
from pbem.play import advance, orders_ahead, positions
from pbem.play.log import Writer
from pbem.play.refusals import TableRefused

READ_AT_ONCE = 8  # entries; the walk back rarely needs more


@dataclass(frozen=True)
class Undoable:
    """What a seat can undo: its entries from `first` to `last`, as orders."""

    base: int
    first: int
    last: int
    orders: tuple[str, ...]


@dataclass(frozen=True)
class Undone:
    """The undo that entry `number` recorded, and the letters that became due."""

    number: int
    base: int
    orders: tuple[str, ...]
    letters: frozenset[int]
    used_ahead: tuple[str, ...] = ()  # orders ahead that were used in it; they stay used


def can_undo(session: Session, row: Game, seat: SeatRow) -> Undoable | None:
    """What this seat can undo now: the rest of its last submission; None if nothing."""
    if row.state != GameState.RUNNING or seat.number is None or seat.resigned is not None:
        return None
    if others_wait(session, seat):
        return None
    rules = positions.rules_of(session, row)
    own: list[positions.LoggedEntry] = []
    for entry in entries_back_from(session, row, row.last_entry):
        if not may_pass(entry, seat.number):
            break
        if entry.cause == "bot" and others_play(session, seat):
            break
        if entry.seat != seat.number or entry.cause not in CHOSEN:
            continue
        if own and entry.submission_id != own[-1].submission_id:
            break
        own.append(entry)
    # Before a forced move there is nothing to decide again.
    while own and play.forced(rules, positions.position(session, row, own[-1].base)) is not None:
        own.pop()
    if not own:
        return None
    orders = tuple(rules.to_text(entry.move) for entry in reversed(own))
    return Undoable(own[-1].base, own[-1].number, own[0].number, orders)


def others_wait(session: Session, seat: SeatRow) -> bool:
    """Whether another seat has pending orders."""
    found = select(Submission.id).where(
        Submission.game_id == seat.game_id, Submission.seat != seat.number,
        Submission.state == PENDING)
    return session.exec(found.limit(1)).first() is not None


_OTHERS_PLAY = (
    select(SeatRow.id)
    .join(Person, col(Person.id) == col(SeatRow.person_id))
    .where(
        SeatRow.game_id == bindparam("game"), SeatRow.id != bindparam("seat"),
        col(SeatRow.number).is_not(None), col(SeatRow.resigned).is_(None),
        col(Person.bot).is_(None),
    )
    .limit(1)
)


def others_play(session: Session, seat: SeatRow) -> bool:
    """Whether another person plays in the game."""
    at = {"game": seat.game_id, "seat": seat.id}
    return session.exec(_OTHERS_PLAY, params=at).first() is not None


def entries_back_from(session: Session, row: Game, number: int) -> Iterator[positions.LoggedEntry]:
    """The entries that lead to a position, newest first, without undone ones."""
    read: dict[int, positions.LoggedEntry] = {}
    while number > 0:
        if number not in read:
            first = max(1, number - READ_AT_ONCE + 1)
            read = {entry.number: entry
                    for entry in positions.entries(session, row, first, number)}
        yield read[number]
        number = read[number].base


def may_pass(entry: positions.LoggedEntry, seat: int) -> bool:
    """Whether this seat's undo may go back beyond the entry."""
    if any(event.reveals for event in entry.events):
        return False
    if entry.cause in AUTOMATIC | PASSING:
        return True
    return entry.seat == seat and entry.cause in CHOSEN | {"undo"}


def undo(
    session: Session,
    game_id: int,
    person_id: int,
    now: datetime,
    *,
    entry: int | None = None,
    letter_delay: timedelta = timedelta(0),
) -> Undone:
    """Undo a player's last orders and commit. Raises TableRefused and then changes nothing.

    `entry`: the newest entry to undo, as the player saw it; it makes a repeated click harmless.
    """
    try:
        done = take_back(session, game_id, person_id, now, entry=entry, letter_delay=letter_delay)
    except TableRefused:
        session.rollback()
        raise
    session.commit()
    return done


def take_back(
    session: Session,
    game_id: int,
    person_id: int,
    now: datetime,
    *,
    entry: int | None = None,
    letter_delay: timedelta = timedelta(0),
) -> Undone:
    """The same without commit; the caller rolls back on TableRefused."""
    writer = Writer.locked(session, game_id, now)
    seat = advance.seat_of_person(writer, person_id)
    assert writer is not None  # noqa: S101  (`seat_in` refuses)
    before = earlier_undo(session, writer.row, seat, entry)
    if before is not None:
        return before
    people = writer.people
    letters = advance.catch_up(writer, people)
    if writer.is_over:  # by pending orders; a finished game has no undo
        raise TableRefused("nothing_to_take_back")
    writer.flush()
    found = can_undo(session, writer.row, seat)
    if found is None or entry not in (None, found.last):
        raise TableRefused("nothing_to_take_back")
    last = writer.number
    number = writer.go_back(seat.number or 0, found.base)
    orders_ahead.revive_after_undo(writer, found.base)
    seat.ahead = None
    told = people_told(session, writer.row, range(found.base + 1, last + 1)) - {person_id}
    letters |= queue_undone_letters(writer, told, number)
    letters |= advance.settle(writer, people, letter_delay)
    used = used_ahead(session, writer.row, person_id, range(found.base + 1, last + 1))
    return Undone(number, found.base, found.orders, frozenset(letters), used)


def earlier_undo(session: Session, row: Game, seat: SeatRow, entry: int | None) -> Undone | None:
    """The undo of this very entry, if it was undone already."""
    if entry is None:
        return None
    by = positions.taken_back(positions.marks(session, row)).get(entry)
    mark = next((m for m in positions.marks(session, row) if m.number == by), None)
    if mark is None or mark.seat != seat.number:
        return None
    return Undone(mark.number, mark.base, (), frozenset())


def used_ahead(
    session: Session, row: Game, person_id: int, entries: range
) -> tuple[str, ...]:
    """The lines of a player's orders ahead that were used in these entries; they stay used."""
    used = select(StandingOrder.line).where(
        StandingOrder.game_id == row.id,
        StandingOrder.person_id == person_id,
        StandingOrder.state == StandingState.USED,
        col(StandingOrder.entry).between(entries.start, entries.stop - 1),
    )
    return tuple(session.exec(used.order_by(col(StandingOrder.id)))) if entries else ()


def people_told(session: Session, row: Game, entries: range) -> set[int]:
    """The ids of people whose turn letters about these entries have been sent."""
    left = select(Outbox).where(
        Outbox.game_id == row.id,
        Outbox.kind == "turn",
        col(Outbox.entry).between(entries.start, entries.stop - 1),
        col(Outbox.state).in_((LetterState.SENT, LetterState.SENDING, LetterState.MERGED)),
    )
    return {
        letter.person_id for letter in session.exec(left)
        if letter.person_id is not None and was_sent(session, letter)
    }


def was_sent(session: Session, letter: Outbox) -> bool:
    """Whether a letter, or the one it was merged into, was sent or is being sent."""
    if letter.merged_into is not None:
        leading = session.get(Outbox, letter.merged_into)
        return leading is not None and leading.state in (LetterState.SENT, LetterState.SENDING)
    return letter.state != LetterState.MERGED


def queue_undone_letters(writer: Writer, people: Set[int], number: int) -> set[int]:
    """Queue the letters that tell these people of the undo; the ids of those that became due."""
    due = {
        queue.due(writer.session, person_id=person_id, kind="undone", game_id=writer.game_id,
                  entry=number, now=writer.now)
        for person_id in sorted(people)
    }
    return {letter for letter in due if letter is not None}
