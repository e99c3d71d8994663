"""Resolves a reply address to the letter it stood in, and to its reader, game and seat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session, select

from pbem.accounts import auth
from pbem.accounts.keys import Keys
from pbem.mail import tokens
from pbem.mail.incoming.parse.reading import Addressed
from pbem.mail.letters.kinds import KINDS
from pbem.mail.tokens import Purpose
from pbem.models import Game, Invitation, Outbox, Person, SeatRow
from pbem.tables import lobby

DAYS_AFTER_THE_END = 30


@dataclass(frozen=True)
class Bound:
    """One of our letters that somebody answers, and its reader (None if unknown so far)."""

    letter: Outbox
    purpose: Purpose
    address: str  # where answers go, whatever the sender's address is
    language: str
    person: Person | None = None
    game: Game | None = None
    seat: SeatRow | None = None
    invitation: Invitation | None = None
    games: int = 1  # that the letter covers

    @property
    def addresses(self) -> Sequence[str]:
        """Return the reader's confirmed addresses."""
        return [self.address] if self.person is None else lobby.addresses_of(self.person)

    @property
    def shown(self) -> int:
        """Return the newest entry that the letter showed to its reader."""
        if self.letter.shown is not None:
            return self.letter.shown
        tells = self.letter.kind in ("turn", "started", "finished")
        return (self.letter.entry or 0) if tells else 0


def letter_at(session: Session, keys: Keys, to: Addressed | None) -> Outbox | None:
    """Return the letter that an address names, if its token is genuine."""
    return None if to is None else tokens.letter_of(session, keys, to.purpose, to.token)


def bound(session: Session, keys: Keys, to: Addressed | None, now: datetime) -> Bound | None:
    """Return what an address of ours stands for, or None if it is not valid (any more)."""
    letter = letter_at(session, keys, to)
    if to is None or letter is None:
        return None
    if letter.invitation_id is not None:
        return of_invitation(session, to.purpose, letter)
    if letter.person_id is None or KINDS[letter.kind].is_proof:
        return None
    person = session.get(Person, letter.person_id)
    if person is None or person.bot is not None:
        return None
    if letter.game_id is not None:
        return of_game(session, to.purpose, letter, person, now)
    return Bound(letter, to.purpose, person.address, person.language, person)


def of_invitation(session: Session, purpose: Purpose, letter: Outbox) -> Bound | None:
    """Return the invitation and the address that it was sent to."""
    invitation = session.get(Invitation, letter.invitation_id)
    if invitation is None:
        return None
    game = session.get_one(Game, invitation.game_id)
    person = auth.person_with(session, invitation.address)
    language = person.language if person else invitation.language
    address = person.address if person else invitation.address
    return Bound(letter, purpose, address, language, person, game, invitation=invitation)


def of_game(
    session: Session, purpose: Purpose, letter: Outbox, person: Person, now: datetime
) -> Bound | None:
    """Return the reader's seat, until they leave it or the game has been over for a month."""
    game = session.get(Game, letter.game_id)
    seat = None if game is None else lobby.chair_of(session, game.id or 0, person.id)
    if game is None or seat is None or seat.number is None or seat.resigned is not None:
        return None
    if is_long_over(game, now):
        return None
    games = 1 + (others_in(session, letter) if purpose == "words" else 0)
    return Bound(letter, purpose, person.address, person.language, person, game, seat, games=games)


def is_long_over(game: Game, now: datetime) -> bool:
    """Return whether the game ended too long ago for letters."""
    return game.ended is not None and now >= game.ended + timedelta(days=DAYS_AFTER_THE_END)


def others_in(session: Session, letter: Outbox) -> int:
    """Return how many other games a letter covers."""
    others = select(Outbox.game_id).where(
        Outbox.merged_into == letter.id, Outbox.game_id != letter.game_id
    )
    return len(set(session.exec(others)))
