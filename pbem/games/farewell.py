"""Somebody leaves for good: games keep their moves, nothing keeps who that was."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import delete, func, or_, update
from sqlmodel import Session, col, select

from pbem.games import heard, lobby, resign
from pbem.games.lobby import addresses_of, stored_id
from pbem.models import (
    GONE,
    Chat,
    Game,
    GameState,
    Inbound,
    Invitation,
    InvitationState,
    Outbox,
    PastHolder,
    Person,
    SeatRow,
    SignIn,
    StandingOrder,
    Substitute,
    Vacation,
    WebSession,
)
from pbem.models_archive import ApiToken, FeedAddress, HookCall, Note, WebHook


def leave_for_good(
    session: Session, person: Person, now: datetime, *, keeps_chat: bool = False,
    letter_delay: timedelta = timedelta(0),
) -> None:
    """Take name and addresses out of everything; the seats in ended games stay, under no name.

    Those in running games are handed over; what he said at tables goes with him, unless it shall
    stay. The phrases given for the draws stay too, as those games could not be checked without
    them.
    """
    for game in _games(session, person, GameState.RUNNING):
        resign.leave(session, stored_id(game), stored_id(person), now, cause="handover",
                     letter_delay=letter_delay)
    for game in _games(session, person, GameState.OPEN):
        if game.host_id == person.id:
            lobby.cancel(session, game_id=stored_id(game), host=person, now=now)
        else:
            lobby.leave(session, game_id=stored_id(game), person=person)
    _forget_answers(session, person)
    _forget_letters(session, person)
    _forget_invitations(session, person)
    _forget_proofs(session, person)
    talked_in = heard.games_talked_in(session, person)
    person.name = f"Former player {person.id}"
    person.address = f"gone-{person.id}{GONE}"
    person.second_address = None
    person.suppressed = "gone"
    person.letters = person.awake = person.holidays = None
    session.add(person)
    said = col(Chat.person_id) == person.id
    nameless = update(Chat).where(said).values(name=person.name)
    session.connection().execute(nameless if keeps_chat else delete(Chat).where(said))
    for table in (Note, Vacation, Substitute, StandingOrder):
        session.connection().execute(delete(table).where(col(table.person_id) == person.id))
    for held in (SeatRow, PastHolder):
        session.connection().execute(
            update(held).where(col(held.person_id) == person.id).values(name=person.name))
    session.flush()
    heard.forget(session, person, talked_in)


def _games(session: Session, person: Person, state: GameState) -> list[Game]:
    """The games in which this person sits."""
    return list(session.exec(
        select(Game).join(SeatRow, col(SeatRow.game_id) == col(Game.id))
        .where(SeatRow.person_id == person.id, Game.state == state)
        .order_by(col(Game.id))
    ))


def _forget_answers(session: Session, person: Person) -> None:
    """Of letters that came from him, or from servers about letters to him, stays what they did."""
    to_him = select(Outbox.id).where(col(Outbox.recipient).in_(
        [f"p{person.id}", *(f"a:{address}" for address in addresses_of(person))]))
    session.connection().execute(
        update(Inbound)
        .where(or_(
            col(Inbound.person_id) == person.id,
            func.lower(col(Inbound.sender)).in_(addresses_of(person)),
            col(Inbound.letter_id).in_(to_him),
        ))
        .values(raw=None, told=None, sender="", message_id=None, key=None))


def _forget_letters(session: Session, person: Person) -> None:
    """Due letters do not leave; of sent ones stays that they were sent, not what servers said."""
    by_address = col(Outbox.recipient).in_([f"a:{address}" for address in addresses_of(person)])
    by_id = col(Outbox.recipient) == f"p{person.id}"
    connection = session.connection()
    connection.execute(delete(Outbox).where(
        or_(by_address, by_id & col(Outbox.settled).is_(None))))
    connection.execute(update(Outbox).where(by_id).values(last_text=None, raw=None))


def _forget_invitations(session: Session, person: Person) -> None:
    """Hosts see that somebody was invited, not who; what is pending is declined."""
    theirs = select(Invitation).where(col(Invitation.address).in_(addresses_of(person)))
    for invitation in session.exec(theirs).all():
        if invitation.state == InvitationState.PENDING:
            invitation.state = InvitationState.DECLINED
        invitation.address = f"gone-{invitation.id}{GONE}"
        session.add(invitation)
    session.flush()


def _forget_proofs(session: Session, person: Person) -> None:
    """Sign-ins and signed-in browsers end, and what other programs know him by."""
    connection = session.connection()
    connection.execute(delete(SignIn).where(or_(
        col(SignIn.person_id) == person.id, col(SignIn.address).in_(addresses_of(person)))))
    connection.execute(delete(WebSession).where(col(WebSession.person_id) == person.id))
    theirs = select(WebHook.id).where(WebHook.person_id == person.id)
    connection.execute(delete(HookCall).where(col(HookCall.hook_id).in_(theirs)))
    for table in (WebHook, ApiToken, FeedAddress):
        connection.execute(delete(table).where(col(table.person_id) == person.id))


def games_to_hand_over(session: Session, person: Person) -> int:
    """In how many running games this person would leave a seat."""
    return session.exec(
        select(func.count()).select_from(SeatRow)
        .join(Game, col(Game.id) == col(SeatRow.game_id))
        .where(SeatRow.person_id == person.id, col(SeatRow.resigned).is_(None),
               Game.state == GameState.RUNNING)
    ).one()
