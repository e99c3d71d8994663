"""Substitutes: people who would take over seats; vacated seats are offered to one after another."""

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
    """The kinds of game in which a person would take over a seat."""
    return set(session.exec(select(Substitute.game).where(Substitute.person_id == person_id)))


def set_games(session: Session, person: Person, games: Collection[str], now: datetime) -> None:
    """Set the kinds of game that a person would substitute in; queued ones keep their place."""
    number = stored_id(person)
    session.execute(delete(Substitute).where(
        col(Substitute.person_id) == number, col(Substitute.game).not_in(games)))
    for game in set(games) - games_of(session, number):
        session.add(Substitute(person_id=number, game=game, since=now))
    session.flush()


# ---- asking -------------------------------------------------------------------------------------


def games_with_offers_due(session: Session) -> list[int]:
    """Public running games with a vacated seat, for whose kind somebody waits or was asked."""
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
    """Offer all vacated seats to the next substitutes; the number of offers.

    Each game has its own transaction.
    """
    with service.reading() as session:
        games = games_with_offers_due(session)
    asked = 0
    for game_id in games:
        try:
            with service.writing() as session:
                asked += offer_seats(session, game_id, service.clock.now())
        except Exception:  # one game's fault does not stop the others
            log.exception("Nobody can be asked about the seats of game %s.", game_id)
    return asked


def offer_seats(session: Session, game_id: int, now: datetime) -> int:
    """Offer each vacated seat of a game to the next substitute, and commit; the number of offers.

    Idempotent. The caller has the letters sent.
    """
    row, asked = lobby.locked(session, game_id), 0
    if row.state == GameState.RUNNING and not row.private:
        table = session.exec(positions.seats_of(row)).all()
        for seat in table:
            if seat.resigned is not None and not has_open_offer(session, row, seat, now):
                asked += offer_to_next(session, row, seat, now)
    session.commit()
    return asked


def has_open_offer(session: Session, row: Game, seat: SeatRow, now: datetime) -> bool:
    """Whether an offer is open; one that was not answered in time is withdrawn.

    That substitute moves to the end of the queue.
    """
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


def offer_to_next(session: Session, row: Game, seat: SeatRow, now: datetime) -> bool:
    """Offer the seat to the first substitute in the queue who may be asked; False if none."""
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
    """Whether a substitute can take the seat, gets mail, and was not asked about it before."""
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
    if blocks.blocked_at_table(session, stored_id(row), person):
        return False
    return seats.may_take(session, row, seat, person)


def has_answered(session: Session, before: Invitation, seat: SeatRow) -> bool:
    """Whether an earlier invitation to the game rules out another offer."""
    if before.state != InvitationState.WITHDRAWN:
        return True
    if invitations.letters_about(session, before) >= invitations.RESENDS:
        return True
    of_this = before.offered and before.seat == seat.number
    return of_this and seat.resigned is not None and before.created >= seat.resigned
