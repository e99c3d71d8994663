"""Seats that change hands: players resign, hand over, and take vacated seats.

A vacated seat's row names the player who left until somebody takes it. That player sees no more
than a spectator and may come back.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from sqlalchemy import delete, update
from sqlmodel import Session, col, select

from engine.api import Seat
from pbem import names
from pbem.models import (
    Game,
    GameState,
    Invitation,
    InvitationState,
    PastHolder,
    Person,
    SeatRow,
    stored_id,
)
from pbem.play import absences, advance, deadlines, positions, seat_history
from pbem.play.log import Writer
from pbem.play.refusals import TableRefused
from pbem.tables import blocks, consent, votes

MOST_SHOWN = 50  # vacant seats in a list


# ---- leaving ------------------------------------------------------------------------------------


def resign(
    session: Session,
    game_id: int,
    person_id: int,
    now: datetime,
    *,
    letter_delay: timedelta = timedelta(0),
) -> set[int]:
    """Give up a player's seat and commit; the letters that became due.

    Their pending orders are played first. Idempotent. Raises TableRefused.
    """
    return _leave(session, game_id, person_id, now, cause="resign", delay=letter_delay)


def hand_over(
    session: Session,
    game_id: int,
    person_id: int,
    now: datetime,
    *,
    letter_delay: timedelta = timedelta(0),
) -> set[int]:
    """Leave a player's seat to others and commit; the letters that became due.

    Their pending orders are refused. Idempotent. Raises TableRefused.
    """
    return _leave(session, game_id, person_id, now, cause="handover", delay=letter_delay)


def _leave(
    session: Session, game_id: int, person_id: int, now: datetime, *, cause: str, delay: timedelta
) -> set[int]:
    try:
        letters = leave(session, game_id, person_id, now, cause=cause, letter_delay=delay)
    except TableRefused:
        session.rollback()
        raise
    session.commit()
    return letters


def leave(
    session: Session,
    game_id: int,
    person_id: int,
    now: datetime,
    *,
    cause: str,
    letter_delay: timedelta = timedelta(0),
) -> set[int]:
    """The same in the caller's transaction."""
    writer = Writer.locked(session, game_id, now)
    seat = advance.seat_of_person(writer, person_id)
    assert writer is not None  # noqa: S101  (`seat_in` refuses)
    if seat.resigned is not None:
        return set()
    people = writer.people
    letters = advance.catch_up(writer, people) if cause == "resign" else set()
    if not writer.is_over:
        filler = seat_history.filler_of(writer.row)
        letters |= seat_history.vacate(writer, seat.number or 0, cause, filler)
        letters |= tell_others(writer, people)
        letters |= consent.carry_out_after_leaving(writer, people)
    letters |= advance.settle(writer, people, letter_delay)
    # The others may be all who had to vote.
    return letters | votes.close_if_decided(writer, letter_delay)


def tell_others(writer: Writer, people: dict[int, Person]) -> set[int]:
    """Queue letters about the note just written to all who still play."""
    playing = [people[each.person_id] for each in writer.seats if each.resigned is None]
    due = {advance.due_letter(writer, each, "dropped", writer.number) for each in playing}
    return {letter for letter in due if letter is not None}


# ---- taking over --------------------------------------------------------------------------------


def take(
    session: Session,
    game_id: int,
    number: Seat,
    person: Person,
    now: datetime,
    *,
    beside: Collection[int] = (),
    letter_delay: timedelta = timedelta(0),
) -> set[int]:
    """Seat a person in a vacated seat; the letters that became due. The caller commits.

    Idempotent. `beside`: as for lobby.join. Raises TableRefused.
    """
    writer = Writer.locked(session, game_id, now)
    if writer is None or writer.row.state != GameState.RUNNING:
        raise TableRefused("not_running")
    if number not in range(len(writer.seats)):
        raise TableRefused("no_such_seat")
    seat = writer.seats[number]
    if seat.person_id == person.id and seat.left is None:
        return set()
    why = why_not(session, writer.seats, number, person)
    if why is not None:
        raise why
    unwarned = blocks.unwarned_names(session, game_id, person, beside)
    if unwarned and seat.person_id != person.id:
        raise TableRefused("blocked_here", names=", ".join(unwarned))
    sit_down(writer, seat, person)
    withdraw_invitations(session, game_id, number)
    letters = tell_of_open_votes(writer, person, letter_delay)
    return letters | advance.settle(writer, advance.people_of(session, writer.seats), letter_delay)


def tell_of_open_votes(writer: Writer, person: Person, letter_delay: timedelta) -> set[int]:
    """Queue the letters about an open vote or proposal for a new player."""
    letters = consent.tell_new_player(writer, person, letter_delay)
    about = absences.open_vote(writer.session, writer.row)
    if about is not None and writer.seats[about.seat].person_id != person.id:
        letter = advance.due_letter(writer, person, "vote", about.since)
        letters |= set() if letter is None else {letter}
    return letters


def sit_down(writer: Writer, seat: SeatRow, person: Person) -> None:
    """Note the new player in the log and in the seat's row."""
    number = seat.number or 0
    returns = seat.person_id == person.id
    entry = writer.note(number, cause="seated")
    seat.resigned = seat.left = seat.played_by = None
    if returns:
        came_back(writer, number, person)
        return
    deadlines.reset_clock(seat)
    seat.person_id, seat.name, seat.joined = stored_id(person), person.name, writer.now
    seat.operator = seat.operator or person.operator is not None
    seat.letters = seat.looked_at = None
    seat.holds_from = entry


def came_back(writer: Writer, seat: Seat, person: Person) -> None:
    """Remove the past holder's row of a player who takes their own seat again."""
    newest = writer.session.exec(
        select(PastHolder)
        .where(PastHolder.game_id == writer.game_id, PastHolder.seat == seat,
               PastHolder.person_id == person.id)
        .order_by(col(PastHolder.until).desc())
    ).first()
    if newest is not None:
        writer.session.execute(delete(PastHolder).where(col(PastHolder.id) == newest.id))


def why_not(
    session: Session, table: Sequence[SeatRow], number: Seat, person: Person
) -> TableRefused | None:
    """Why this person cannot take that seat; None if they can."""
    if table[number].resigned is None:
        return TableRefused("seat_taken")
    if person.bot is not None:
        return TableRefused("players_only")
    others = [seat for seat in table if seat.number != number]
    if any(seat.person_id == person.id and seat.left is None for seat in others):
        return TableRefused("one_seat")
    if any(seat.person_id == person.id for seat in others) or held_another(
            session, table[number], person):
        return TableRefused("saw_other_seat")
    if table[number].person_id != person.id and blocks.is_shut_out(
            session, table[number].game_id, person):  # blocks do not keep them from their own seat
        return TableRefused("not_for_you")
    return name_conflict(others, person)


def name_conflict(others: Sequence[SeatRow], person: Person) -> TableRefused | None:
    """The refusal for a name that looks like another one's at the table; None if it does not."""
    for seat in others:
        if names.skeleton(seat.name) == names.skeleton(person.name):
            return TableRefused("name_looks_alike", name=seat.name)
    return None


def held_another(session: Session, seat: SeatRow, person: Person) -> bool:
    """Whether this person has held another seat of the game, and so seen its secrets."""
    return session.exec(
        select(PastHolder.id).where(
            PastHolder.game_id == seat.game_id, PastHolder.person_id == person.id,
            PastHolder.seat != seat.number).limit(1)
    ).first() is not None


def withdraw_invitations(session: Session, game_id: int, seat: Seat) -> None:
    """Withdraw the pending invitations to a seat that was taken."""
    session.execute(
        update(Invitation)
        .where(col(Invitation.game_id) == game_id, col(Invitation.seat) == seat,
               col(Invitation.state) == InvitationState.PENDING)
        .values(state=InvitationState.WITHDRAWN))


# ---- offering -----------------------------------------------------------------------------------


def open_ones(session: Session, reader: Person | None) -> list[tuple[Game, SeatRow]]:
    """The vacated seats of public games that this reader, or a new person, could take."""
    found = session.exec(
        select(Game, SeatRow)
        .where(Game.id == SeatRow.game_id, Game.state == GameState.RUNNING,
               col(Game.private).is_(False), col(SeatRow.resigned).is_not(None))
        .order_by(col(SeatRow.resigned).desc(), col(SeatRow.id)).limit(MOST_SHOWN)
    ).all()
    return [(row, seat) for row, seat in found
            if reader is None or may_take(session, row, seat, reader)]


def may_take(session: Session, row: Game, seat: SeatRow, person: Person) -> bool:
    """Whether this person could take a seat now."""
    table = session.exec(positions.seats_of(row)).all()
    return why_not(session, table, seat.number or 0, person) is None
