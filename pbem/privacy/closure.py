"""Closes an account: games keep their moves, and nothing keeps the name and addresses."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import delete, func, update
from sqlmodel import Session, col, select

from pbem.models import GONE, Chat, Game, GameState, PastHolder, Person, SeatRow
from pbem.play.refusals import TableRefused
from pbem.privacy import erasure
from pbem.privacy.erasure import ErasedPerson
from pbem.tables import chat_index, lobby, seats
from pbem.tables.lobby import stored_id


def leave_for_good(
    session: Session, person: Person, now: datetime, *, keeps_chat: bool = False,
    letter_delay: timedelta = timedelta(0),
) -> None:
    """Remove a person's name and addresses everywhere; seats in ended games stay, without a name.

    Seats in running games are handed over. The person's chat lines are removed, unless they shall
    stay. Phrases given for the randomness stay, as those games could not be verified without them.
    Idempotent. Raises TableRefused if a running game cannot be advanced.
    """
    person = held(session, stored_id(person))
    if person.suppressed == "gone":
        return
    for game in _games(session, person, GameState.RUNNING):
        seats.leave(session, stored_id(game), stored_id(person), now, cause="handover",
                     letter_delay=letter_delay)
    erase(session, person, now, keeps_chat=keeps_chat)


def held(session: Session, person_id: int) -> Person:
    """The person, locked: other changes come before the closure, or find a closed account."""
    return session.exec(
        select(Person).where(Person.id == person_id).with_for_update(),
        execution_options={"populate_existing": True}).one()


def leave_running(
    session: Session, person: Person, now: datetime, letter_delay: timedelta
) -> list[int]:
    """Hand the person's seats over, with a commit each; the games that cannot be advanced here."""
    stuck = []
    for game in _games(session, person, GameState.RUNNING):
        game_id = stored_id(game)
        try:
            seats.hand_over(session, game_id, stored_id(person), now, letter_delay=letter_delay)
        except TableRefused:
            stuck.append(game_id)
    return stuck


def erase(session: Session, person: Person, now: datetime, *, keeps_chat: bool = False) -> None:
    """Erase the rest; seats in running games only lose the name."""
    for game in _games(session, person, GameState.OPEN):
        if game.host_id == person.id:
            lobby.cancel(session, game_id=stored_id(game), host=person, now=now)
        else:
            lobby.leave(session, game_id=stored_id(game), person=person)
    whose, said = ErasedPerson.of(person), col(Chat.person_id) == person.id
    erasure.forget(session, whose)
    to_index = [*chat_index.games_with_chats_of(session, person),
                *erasure.forget_titles(session, whose)]
    become_nobody(session, person)
    nameless = update(Chat).where(said).values(name=person.name)
    session.connection().execute(nameless if keeps_chat else delete(Chat).where(said))
    for held in (SeatRow, PastHolder):
        session.connection().execute(
            update(held).where(col(held.person_id) == person.id).values(name=person.name))
    session.flush()
    chat_index.forget_names(session, person, to_index)


def become_nobody(session: Session, person: Person) -> None:
    """Turn the person's row into that of a closed account, which games and ratings refer to."""
    person.name = f"Former player {person.id}"
    person.address = f"gone-{person.id}{GONE}"
    person.second_address = None
    person.suppressed = "gone"
    person.zone = "UTC"
    person.letters = person.awake = person.holidays = None
    person.operator = person.mute_until = person.name_stays_until = None
    session.add(person)


def _games(session: Session, person: Person, state: GameState) -> list[Game]:
    """The games in which this person sits."""
    return list(session.exec(
        select(Game).join(SeatRow, col(SeatRow.game_id) == col(Game.id))
        .where(SeatRow.person_id == person.id, Game.state == state)
        .order_by(col(Game.id))
    ))


def games_to_hand_over(session: Session, person: Person) -> int:
    """The number of running games in which this person would leave a seat."""
    return session.exec(
        select(func.count()).select_from(SeatRow)
        .join(Game, col(Game.id) == col(SeatRow.game_id))
        .where(SeatRow.person_id == person.id, col(SeatRow.resigned).is_(None),
               Game.state == GameState.RUNNING)
    ).one()
