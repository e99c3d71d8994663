"""Finds the reader of a due letter, and decides whether what it says is still true."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from pbem.mail.delivery.rows import merged_into
from pbem.mail.letter import Reader
from pbem.models import (
    Entry,
    Game,
    GameState,
    Inbound,
    InboundState,
    Invitation,
    InvitationState,
    Outbox,
    Person,
    SeatRow,
    SignIn,
    Submission,
    Vacation,
    Vote,
)
from pbem.models.archive import WebHook
from pbem.models.operators import Recovery, Report
from pbem.tables import blocks

# Answers to somebody's own letter, and test letters.
ALWAYS_TRUE = frozenset({"receipt", "test"})

# About the present, to players of a running game.
AT_TABLE = frozenset({"undone", "proposal", "vote"})

CONFIRMED_WITHIN = timedelta(hours=24)  # a held letter waits so long, then it is dropped


def reader_of(session: Session, row: Outbox) -> Reader | None:
    """Return who gets this letter, or None if there is nobody: a closed account or a bot."""
    if row.kind in ("sign_in", "second_address", "confirm"):
        sign_in = session.get(SignIn, row.about_id)
        return stranger(session, sign_in.address, sign_in.language) if sign_in else None
    if row.invitation_id is not None:
        invitation = session.get(Invitation, row.invitation_id)
        return stranger(session, invitation.address, invitation.language) if invitation else None
    if row.kind in ("recover", "recovery", "recovered"):
        return of_account(session, row)
    if row.person_id is None:
        return None  # releases before 0.4 answered people of whom only an address is known
    person = session.get(Person, row.person_id)
    return None if person is None or person.bot else known(person, person.address)


def of_account(session: Session, row: Outbox) -> Reader | None:
    """Return who reads at an address of an account that changes its address.

    It need not be the account's owner.
    """
    recovery = session.get(Recovery, row.about_id)
    person = session.get(Person, recovery.person_id) if recovery else None
    if person is None:
        return None
    return Reader(row.address or "", "", person.language, person.zone)


def stranger(session: Session, address: str, language: str) -> Reader:
    """Return the reader at an address: a player if it is one's address."""
    at = (col(Person.address) == address) | (col(Person.second_address) == address)
    person = session.exec(select(Person).where(at)).first()
    if person is None:
        return Reader(address, "", language, "UTC")
    return known(person, address)


def known(person: Person, address: str) -> Reader:
    """Return a person as a reader. Only the first address can be suppressed."""
    suppressed = person.suppressed if address == person.address else None
    return Reader(address, person.name, person.language, person.zone, person.id, suppressed)


def still_true(session: Session, row: Outbox, now: datetime) -> bool:  # noqa: PLR0911
    """Return whether a letter is still true.

    Checked before every attempt, so that no outdated letter is sent.
    """
    if row.kind in ALWAYS_TRUE:
        return True
    if row.invitation_id is not None:
        return invitation_is_wanted(session, session.get(Invitation, row.invitation_id))
    if row.kind in ("sign_in", "second_address", "confirm"):
        return proof_is_wanted(session.get(SignIn, row.about_id), now)
    if row.kind in ("recover", "recovery", "recovered"):
        return recovery_is_so(row.kind, session.get(Recovery, row.about_id))
    if row.kind == "hook_off":
        return hook_is_off(session.get(WebHook, row.about_id))
    if row.kind == "report":
        return report_is_settled(session.get(Report, row.about_id))
    if row.kind == "vacation_over":
        vacation = session.get(Vacation, row.about_id)
        return vacation is not None and vacation.ends <= now
    if row.kind == "held":
        return is_held_back(session.get(Inbound, row.about_id), now)
    if stands(session, row):
        return True
    # An earlier attempt may already cover merged games.
    return row.attempts > 0 and any(stands(session, each) for each in merged_into(session, row))


def is_held_back(inbound: Inbound | None, now: datetime) -> bool:
    """Return whether a letter that came in still waits for its player's confirmation."""
    if inbound is None or inbound.state != InboundState.HELD:
        return False
    return now - inbound.received < CONFIRMED_WITHIN


def stands(session: Session, row: Outbox) -> bool:
    """Return whether what a game's letter says is true."""
    if row.game_id is None:
        return False
    game = session.get(Game, row.game_id)
    if game is None:
        return False
    seat = seat_at(session, row)
    if row.kind in ("overtime", "dropped"):
        return is_news(session, row, seat)
    if seat is None and row.kind not in ("cancelled", "expired"):
        return False
    return game_letter_is_true(session, row, game, seat)


def proof_is_wanted(sign_in: SignIn | None, now: datetime) -> bool:
    """Return whether the secrets of a proof can still be used."""
    return sign_in is not None and sign_in.used is None and now < sign_in.expires


def recovery_is_so(kind: str, recovery: Recovery | None) -> bool:
    """Return whether a recovery is in the state that its letter reports."""
    if recovery is None or recovery.stopped is not None:
        return False
    return (recovery.done is not None) == (kind == "recovered")


def hook_is_off(hook: WebHook | None) -> bool:
    """Return whether a web hook is still switched off."""
    return hook is not None and hook.off is not None


def report_is_settled(report: Report | None) -> bool:
    """Return whether a report has an outcome to tell."""
    return report is not None and report.settled is not None


def invitation_is_open(session: Session, invitation: Invitation | None) -> bool:
    if invitation is None or invitation.state != InvitationState.PENDING:
        return False
    if blocks.refuses_invitations(session, invitation.address):
        return False
    game = session.get(Game, invitation.game_id)
    if game is None or invitation.seat is None:
        return game is not None and game.state == GameState.OPEN
    at = (SeatRow.game_id == game.id, SeatRow.number == invitation.seat)
    seat = session.exec(select(SeatRow).where(*at)).first()
    return game.state == GameState.RUNNING and seat is not None and seat.resigned is not None


def invitation_is_wanted(session: Session, invitation: Invitation | None) -> bool:
    """Return whether the invitation's letter may leave: not if its reader has blocked the sender.
    """
    if invitation is None or not invitation_is_open(session, invitation):
        return False
    reader = stranger(session, invitation.address, "")
    return invitation.by_id not in blocks.blocked_by(session, reader.person_id)


def seats_at(session: Session, row: Outbox) -> list[SeatRow]:
    """Return all seats of the letter's game, in order of their numbers."""
    seats = select(SeatRow).where(SeatRow.game_id == row.game_id).order_by(col(SeatRow.number))
    return list(session.exec(seats))


def seat_at(session: Session, row: Outbox) -> SeatRow | None:
    """Return the reader's seat in the letter's game, or None."""
    own = select(SeatRow).where(
        SeatRow.game_id == row.game_id, SeatRow.person_id == row.person_id)
    return session.exec(own).first()


def is_proposed(session: Session, seat: SeatRow, row: Outbox) -> bool:
    """Return whether a proposal waits for this player's answer, or their own one was declined.

    Whether it can still be carried out is checked when the letter is built.
    """
    made = session.get(Vote, row.about_id)
    if made is None or seat.resigned is not None:
        return False
    votes = select(Vote).where(Vote.game_id == made.game_id, Vote.about == made.about)
    answers = {vote.person_id: vote.answer for vote in session.exec(votes)}
    is_refused = "no" in answers.values()
    if made.person_id == seat.person_id:
        return is_refused and answers[made.person_id] == "yes"
    return not is_refused and seat.person_id not in answers


def is_news(session: Session, row: Outbox, seat: SeatRow | None) -> bool:
    """Return whether expired time is still news to the reader.

    It is news to the seat's own player, and to those not asked since. A dropped player is always
    told.
    """
    entry = session.get(Entry, (row.game_id, row.entry))
    if entry is None:
        return False
    if seat is None or seat.resigned is not None or seat.number == entry.seat:
        return row.kind == "dropped" or (seat is not None and seat.resigned is None)
    return (seat.asked_since or 0) <= entry.number


def is_stopped_by(session: Session, game: Game, row: Outbox) -> bool:
    """Return whether the clocks are still paused by the entry that a letter is about."""
    newest = session.exec(
        select(Entry.number).where(
            Entry.game_id == game.id, col(Entry.cause).in_(("pause", "resume")))
        .order_by(col(Entry.number).desc())).first()
    return game.paused is not None and newest == row.entry


def concerns(session: Session, row: Outbox, game: Game, seat: SeatRow) -> bool:
    """Return whether a letter of AT_TABLE is still relevant to its player."""
    if row.kind == "proposal":
        return is_proposed(session, seat, row)
    if row.kind == "vote":
        return is_stopped_by(session, game, row)
    # Orders were undone. Players who have been asked since read about it in that letter.
    return (seat.asked_since or 0) < (row.entry or 0)


def game_letter_is_true(
    session: Session, row: Outbox, game: Game, seat: SeatRow | None
) -> bool:
    """Return whether the game's state matches the letter's kind."""
    if row.kind in ("turn", "reminder"):
        asked = seat is not None and seat.resigned is None and seat.asked_since == row.entry
        timed = row.kind == "turn" or (seat is not None and seat.due is not None)
        return asked and timed and game.state == GameState.RUNNING
    if row.kind in AT_TABLE:
        holds = seat is not None and seat.resigned is None and game.state == GameState.RUNNING
        return seat is not None and holds and concerns(session, row, game, seat)
    if row.kind == "refused":
        submission = session.get(Submission, row.about_id)
        # Refused as a whole, or played up to a reveal with the rest returned.
        return submission is not None and submission.refusal is not None
    if row.kind == "started" and seat is not None and seat.resigned is not None:
        return False  # it shows what the seat may see
    stands = {
        "started": GameState.RUNNING,
        "finished": GameState.FINISHED,
        "cancelled": GameState.CANCELLED,
        "expired": GameState.EXPIRED,
    }
    return game.state == stands.get(row.kind)
