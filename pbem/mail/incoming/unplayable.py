"""Handles letters without orders: server reports, unreadable letters, addresses that are lost."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime

from sqlmodel import Session

from pbem.accounts import auth
from pbem.accounts.keys import Keys
from pbem.config import Settings
from pbem.mail import bounces
from pbem.mail.address import BadAddress, normalise
from pbem.mail.incoming.parse.reading import Addressed, Mail, Report, Unreadable
from pbem.mail.incoming.reply_address import DAYS_AFTER_THE_END, Bound, is_long_over, letter_at
from pbem.mail.incoming.verdict import decide, is_certain
from pbem.mail.letters import own_letters
from pbem.mail.letters.kinds import KINDS
from pbem.mail.preferences_changed import seats_of, turn_of
from pbem.mail.tokens import is_ours
from pbem.models import Game, GameState, Inbound, InboundState, Outbox, Person
from pbem.play import receipts
from pbem.play.receipts import RECEIPTS_A_DAY, ReceiptNotes

# Programs do not write such letters.
OF_PEOPLE = ("too_many_lines", "line_too_long", "encrypted", "winmail", "only_attached")


def of_server(session: Session, row: Inbound, report: Report, keys: Keys, now: datetime) -> None:
    """Handle a server's report about one of our letters."""
    letter = letter_at(session, keys, report.to)
    if letter is None:
        decide(row, InboundState.IGNORED, now, reason="unknown_address")
        return
    row.letter_id = letter.id
    reader = KINDS[letter.kind].reader(session, letter)
    address = None if reader is None else reader.address
    said = f"{report.status} {report.text}".strip()
    bounces.bounced(session, letter, address, what=report.what, said=said, now=now)
    decide(row, InboundState.BOUNCE, now, reason=report.what)


def not_read(
    settings: Settings, session: Session, row: Inbound, reading: Unreadable, found: Bound, *,
    now: datetime,
) -> None:  # fmt: skip
    """Answer a letter that exceeds a limit, if it seems to come from its reader.

    At most one answer a day, unless the letter is certainly theirs and only its lines are too many
    or too long.
    """
    decide(row, InboundState.REFUSED, now, reason=reading.reason,
           told=ReceiptNotes(why=reading.reason, most=reading.most))  # fmt: skip
    sender = sender_of(row, reading)
    if found.person is None or sender not in found.addresses or reading.authentic == "fail":
        return
    is_theirs = reading.sender is not None and is_certain(settings, reading.authentic)
    receipts.rejection_due(
        session, row, now, kind="receipt",
        most=RECEIPTS_A_DAY if is_theirs and reading.reason in OF_PEOPLE else 1,
    )  # fmt: skip


def sender_of(row: Inbound, reading: Unreadable) -> str | None:
    """Return the apparent sender of an unread letter: From, else the envelope's sender."""
    if reading.sender is not None:
        return reading.sender
    try:
        return normalise(row.sender)
    except BadAddress:
        return None


# ---- addresses that are no longer valid ---------------------------------------------------------


def to_lost_address(
    session: Session, row: Inbound, reading: Mail | Unreadable, keys: Keys, *,
    sender: str | None, is_sure: bool, now: datetime,
) -> None:  # fmt: skip
    """Decide about a letter whose address is not valid (any more). The caller commits.

    It is answered if it seems to come from a player. If a restored backup has lost our letters, the
    player gets the pending ones again, since they may have no other link to us.
    """
    person = writer(session, reading, sender) if is_for_people(reading.to, keys) else None
    letter = letter_at(session, keys, reading.to)
    if person is None or (letter is not None and letter.person_id != person.id):
        decide(row, InboundState.IGNORED, now, reason="unknown_address")
        return
    why = reason(session, letter, now)
    row.person_id = person.id
    row.letter_id = None if letter is None else letter.id
    if letter is not None:
        row.game_id = letter.game_id
    notes = ReceiptNotes(why=why, most=DAYS_AFTER_THE_END)
    decide(row, InboundState.REFUSED, now, reason=why, told=notes)
    answer = receipts.rejection_due(
        session, row, now, kind="receipt",
        most=RECEIPTS_A_DAY if is_sure else 1,
    )  # fmt: skip
    if answer is not None and letter is None:
        ask_again(session, person, now)


def writer(session: Session, reading: Mail | Unreadable, sender: str | None) -> Person | None:
    """Return the player who seems to have written, or None if an answer would reach nobody."""
    if sender is None or reading.authentic == "fail":
        return None
    return auth.person_with(session, sender)


def is_for_people(to: Addressed | None, keys: Keys) -> bool:
    """Return whether people may write to this address of ours."""
    return to is not None and to.purpose != "bounce" and is_ours(keys, to.purpose, to.token)


def reason(session: Session, letter: Outbox | None, now: datetime) -> str:
    """Return the key that says why an address is not valid."""
    if letter is None:
        return "letter_lost"
    game = session.get(Game, letter.game_id)
    return "game_over" if game is not None and is_long_over(game, now) else "seat_left"


def ask_again(session: Session, person: Person, now: datetime) -> None:
    """Send somebody's open questions again, in letters with valid addresses."""
    for seat, game in seats_of(session, person):
        turn = turn_of(session, person, seat) if game.state == GameState.RUNNING else None
        if turn is not None and turn.settled is not None:
            with suppress(own_letters.NotAgain):
                own_letters.again(session, person, turn.id or 0, now)
