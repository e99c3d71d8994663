"""Stops letters by the link or address that each of them carries. Needs no sign-in."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session, col, select

from pbem.accounts.keys import Keys
from pbem.mail import preferences
from pbem.mail.delivery.rows import finish, is_free, merged_into
from pbem.mail.delivery.sending import NOT_WANTED
from pbem.mail.letters.kinds import KINDS
from pbem.mail.tokens import letter_of
from pbem.models import Game, LetterState, Outbox, Person, SeatRow, stored_id


def letter_by(session: Session, keys: Keys, token: str) -> Outbox | None:
    """Return the letter that an unsubscribe token belongs to, or None."""
    return letter_of(session, keys, "unsub", token)


def games_of(session: Session, letter: Outbox) -> list[Game]:
    """Return the games that a letter is about."""
    about = [letter, *merged_into(session, letter)]
    numbers = {each.game_id for each in about if each.game_id is not None}
    found = (session.get(Game, number) for number in sorted(numbers))
    return [game for game in found if game is not None]


def stop(session: Session, letter: Outbox, now: datetime) -> None:
    """Stop the letters of this letter's games to its reader. The caller commits."""
    person = reader(session, letter)
    if person is None:
        return
    for game in games_of(session, letter):
        at = (SeatRow.game_id == game.id, SeatRow.person_id == person.id)
        for seat in session.exec(select(SeatRow).where(*at)):
            seat.letters = preferences.NONE.stored
            session.add(seat)
        drop_due(session, person, game, now)


def drop_due(session: Session, person: Person, game: Game, now: datetime) -> None:
    """Drop the due letters of a game. A reader who has lost their seat has no wish for it."""
    always_sent = [kind.name for kind in KINDS.values() if kind.is_always_sent]
    due = select(Outbox).where(
        Outbox.person_id == person.id, Outbox.game_id == game.id,
        col(Outbox.settled).is_(None), col(Outbox.repeat_of).is_(None),
        col(Outbox.kind).not_in(always_sent),
    )  # fmt: skip
    for row in session.exec(due.order_by(col(Outbox.id)).with_for_update()):
        if is_free(row, now):
            finish(session, stored_id(row), LetterState.UNWANTED, now=now, code=None,
                   text=NOT_WANTED)  # fmt: skip


def stop_all(session: Session, letter: Outbox) -> None:
    """Stop the letters of all games to its reader, whatever the wishes for single games."""
    person = reader(session, letter)
    if person is None:
        return
    person.letters = preferences.NONE.stored
    session.add(person)
    for seat in session.exec(select(SeatRow).where(SeatRow.person_id == person.id)):
        seat.letters = None
        session.add(seat)


def reader(session: Session, letter: Outbox) -> Person | None:
    """Return the player that the letter went to, or None."""
    return None if letter.person_id is None else session.get(Person, letter.person_id)
