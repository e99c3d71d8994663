"""People who would take over seats: when one is vacant they are asked, one after the other."""

from __future__ import annotations

import logging
from collections.abc import Collection
from datetime import datetime

from sqlmodel import Session, col, delete, exists, select

from pbem.accounts import auth
from pbem.models import (
    Game,
    GameState,
    Invitation,
    InvitationState,
    Person,
    SeatRow,
    Substitute,
    stored_id,
)
from pbem.play import positions
from pbem.service import Service
from pbem.tables import blocks, invitations, lobby, seats, vacation
from pbem.tables.blocks import refuses_invitations

log = logging.getLogger("carreira.seats")


# ---- waiting ------------------------------------------------------------------------------------


def games_of(session: Session, person_id: int) -> set[str]:
    """The games in which somebody would take over a seat."""
    return set(session.exec(select(Substitute.game).where(Substitute.person_id == person_id)))


def wait(session: Session, person: Person, games: Collection[str], now: datetime) -> None:
    """Wait for seats in these games and no others; who waits already keeps his place."""
    number = stored_id(person)
    session.execute(delete(Substitute).where(
        col(Substitute.person_id) == number, col(Substitute.game).not_in(games)))
    for game in set(games) - games_of(session, number):
        session.add(Substitute(person_id=number, game=game, since=now))
    session.flush()


# ---- asking -------------------------------------------------------------------------------------


def due(session: Session) -> list[int]:
    """Public running games with a vacant seat for which somebody waits."""
    vacant = exists().where(
        col(SeatRow.game_id) == Game.id, col(SeatRow.resigned).is_not(None))
    waiting = exists().where(col(Substitute.game) == Game.game)
    asked = exists().where(
        col(Invitation.game_id) == Game.id, col(Invitation.offered),
        col(Invitation.state) == InvitationState.PENDING)
    found = session.exec(
        select(Game.id).where(Game.state == GameState.RUNNING, col(Game.private).is_(False),
                              vacant, waiting | asked).order_by(col(Game.id)))
    return [number for number in found if number is not None]


def sweep(service: Service) -> int:
    """Ask whoever is the next to be asked, for all vacant seats; how many were asked.

    Each game by itself.
    """
    with service.reading() as session:
        games = due(session)
    asked = 0
    for game_id in games:
        try:
            with service.writing() as session:
                asked += ask(session, game_id, service.clock.now())
        except Exception:  # the edge of one game
            log.exception("Nobody can be asked about the seats of game %s.", game_id)
    return asked


def ask(session: Session, game_id: int, now: datetime) -> int:
    """Ask the next one about each vacant seat of a game, and commit; how many were asked.

    Run twice, or for nothing, it changes nothing. The caller has letters sent.
    """
    row, asked = lobby.locked(session, game_id), 0
    if row.state == GameState.RUNNING and not row.private:
        table = session.exec(positions.seats_of(row)).all()
        for seat in table:
            if seat.resigned is not None and not is_asked(session, row, seat, now):
                asked += ask_next(session, row, seat, now)
    session.commit()
    return asked


def is_asked(session: Session, row: Game, seat: SeatRow, now: datetime) -> bool:
    """Whether somebody still has time to answer; who has not answered goes to the end."""
    asked = session.exec(
        select(Invitation).where(
            Invitation.game_id == row.id, Invitation.seat == seat.number,
            col(Invitation.offered), Invitation.state == InvitationState.PENDING)
    ).first()
    if asked is None:
        return False
    if now < asked.created + invitations.TO_ANSWER:
        return True
    asked.state = InvitationState.WITHDRAWN
    session.add(asked)
    silent = auth.person_with(session, asked.address)
    place = None if silent is None else session.get(Substitute, (silent.id, row.game))
    if place is not None:
        place.since = now
        session.add(place)
    session.flush()
    return False


def ask_next(session: Session, row: Game, seat: SeatRow, now: datetime) -> bool:
    """Ask the one who has waited longest of those who can sit there, if there is one."""
    waiting = session.exec(
        select(Person).join(Substitute, col(Substitute.person_id) == col(Person.id))
        .where(Substitute.game == row.game).order_by(col(Substitute.since), col(Person.id)))
    for person in waiting.all():
        if may_be_asked(session, row, seat, person, now=now):
            invitations.offer(session, row, seat.number or 0, person, now)
            return True
    return False


def may_be_asked(
    session: Session, row: Game, seat: SeatRow, person: Person, *, now: datetime
) -> bool:
    """Whether somebody could take the seat, can be reached and was not asked about it before."""
    if person.suppressed is not None or refuses_invitations(session, person.address):
        return False
    before = session.exec(
        select(Invitation).where(
            Invitation.game_id == row.id,
            col(Invitation.address).in_(lobby.addresses_of(person)))).all()
    if any(has_answered(session, one, seat) for one in before):
        return False
    if vacation.away_until(session, person, now) is not None:
        return False
    if blocks.beside(session, stored_id(row), person):
        return False
    return seats.may_take(session, row, seat, person)


def has_answered(session: Session, before: Invitation, seat: SeatRow) -> bool:
    """Whether an earlier invitation to the game says enough: open, declined, or long silent."""
    if before.state != InvitationState.WITHDRAWN:
        return True
    if invitations.letters_about(session, before) >= invitations.RESENDS:
        return True
    of_this = before.offered and before.seat == seat.number
    return of_this and seat.resigned is not None and before.created >= seat.resigned
