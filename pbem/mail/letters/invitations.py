"""Invitations: to an open game, and to take over a vacant seat of a running one."""

from __future__ import annotations

from sqlmodel import Session, col, select

from pbem.archive import progress
from pbem.clocks import terms
from pbem.i18n import words
from pbem.i18n.words import msgid
from pbem.mail.letter import DueLetter, LetterContext, LetterKind, Reader, Values
from pbem.mail.letters.context import about, reader_at
from pbem.mail.letters.offers import plain_ask, table_called
from pbem.mail.tokens import address_of
from pbem.models import Game, GameState, Invitation, InvitationState, Outbox, Person, SeatRow
from pbem.play import narration, positions
from pbem.tables import blocks, invitations


def invited_reader(session: Session, row: Outbox) -> Reader | None:
    """Return who reads at the invited address."""
    invitation = session.get(Invitation, row.invitation_id)
    return reader_at(session, invitation.address, invitation.language) if invitation else None


def is_wanted(it: DueLetter) -> bool:
    """Return whether it is still open, and its reader has not blocked the sender."""
    invitation = it.session.get(Invitation, it.row.invitation_id)
    if invitation is None or not is_open(it.session, invitation):
        return False
    reader = reader_at(it.session, invitation.address, "")
    return invitation.by_id not in blocks.blocked_by(it.session, reader.person_id)


def is_open(session: Session, invitation: Invitation) -> bool:
    """Return whether it can be accepted: its game, or its seat, still has room."""
    if invitation.state != InvitationState.PENDING:
        return False
    if blocks.refuses_invitations(session, invitation.address):
        return False
    game = session.get(Game, invitation.game_id)
    if game is None or invitation.seat is None:
        return game is not None and game.state == GameState.OPEN
    at = (SeatRow.game_id == game.id, SeatRow.number == invitation.seat)
    seat = session.exec(select(SeatRow).where(*at)).first()
    return game.state == GameState.RUNNING and seat is not None and seat.resigned is not None


def invited(it: LetterContext) -> Values:
    """Say who invites the reader to which game, and the number that commits to its chance."""
    invitation = it.session.get_one(Invitation, it.row.invitation_id)
    game = it.session.get_one(Game, invitation.game_id)
    host = it.session.get_one(Person, invitation.by_id).name
    return about(it, game) | answers(it, invitation, game) | {
        "host": host,
        "joined": joined(it.session, game),
        "expires": game.expires,
    }


def subject_of(session: Session, invitation: Invitation, language: str) -> str:
    """Return the subject that answers to the invitation carry."""
    game = session.get_one(Game, invitation.game_id)
    called = {"game": table_called(game, language)}
    if invitation.seat is not None:
        return words.gettext("A free seat in %(game)s", language) % called
    host = session.get_one(Person, invitation.by_id).name
    return words.gettext("%(host)s invites you to %(game)s", language) % (called | {"host": host})


def answers(it: LetterContext, invitation: Invitation, game: Game) -> Values:
    """Return how to accept or decline, and the terms."""
    token = invitations.invitation_token(it.settings.keys, invitation)
    subject = subject_of(it.session, invitation, it.reader.language)
    return {
        "subject": subject,
        "ask": plain_ask(address_of(it.settings, "turn", it.row), subject, ("accept", "decline")),
        "link": f"{it.settings.base_url}/invitations/{token}",
        "terms_said": terms.in_words(terms.of(game), it.reader.language),
    }


def joined(session: Session, game: Game) -> list[str]:
    """Return the names of those who have joined an open game."""
    people = select(Person.name).join(SeatRow, col(SeatRow.person_id) == Person.id)
    return list(session.exec(people.where(SeatRow.game_id == game.id).order_by(col(SeatRow.id))))


def take_over(it: LetterContext) -> Values:
    """Say which seat is vacant in which game, how a spectator sees its standing, and its clock."""
    invitation = it.session.get_one(Invitation, it.row.invitation_id)
    game = it.session.get_one(Game, invitation.game_id)
    by = it.session.get_one(Person, invitation.by_id).name
    seat = vacancy(it.session, game, invitation.seat or 0, it.reader.language)
    return about(it, game) | seat | answers(it, invitation, game) | {
        "by": "" if invitation.offered else by,
        "until": invitation.created + invitations.TO_ANSWER if invitation.offered else None,
    }


def vacancy(session: Session, game: Game, seat: int, language: str) -> Values:
    """Return a vacant seat, and the round and points as a spectator sees them."""
    table = positions.table(session, game)
    names = [words.called(name, language) for name in narration.names(session, game)]
    tallies = progress.tallies_at(session, game, game.last_entry, None)
    number = table.rules.chapter(table.state)[0]
    return {
        "was": names[seat],
        "vacant": seat,
        "round": words.round_name(table.rules, language, number) if number else "",
        "points": [(name, sum(tally.points.values()))
                   for name, tally in zip(names, tallies, strict=True)],
        "entries": game.last_entry,
    }


INVITED = LetterKind(
    "invited", msgid("Invitation"), is_wanted, invited, invited_reader, takes_orders=True)
TAKE_OVER = LetterKind(
    "take_over", msgid("A seat to take over"), is_wanted, take_over, invited_reader,
    takes_orders=True)
