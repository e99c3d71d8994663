"""Decides about a letter that came in: who wrote it, whether it is authentic, what it does.

Judging is idempotent: a decided letter stays decided. Answers go to the stored address of the
reader of our letter, whatever address the sender gives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import assert_never

from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from pbem.config import Settings
from pbem.mail import unsubscribe
from pbem.mail.incoming.invitations import answer_invitation
from pbem.mail.incoming.orders import play_or_answer
from pbem.mail.incoming.parse.read import read
from pbem.mail.incoming.parse.reading import (
    Envelope,
    Mail,
    Ours,
    Reading,
    Report,
    Robot,
    Unreadable,
)
from pbem.mail.incoming.reply_address import bound
from pbem.mail.incoming.unplayable import not_read, of_server, sender_of, to_lost_address
from pbem.mail.incoming.verdict import Case, begun_again, decide, is_certain, locked
from pbem.mail.letters.receipts import CONFIRMED_WITHIN
from pbem.models import Inbound, InboundState
from pbem.play import receipts
from pbem.play.receipts import RECEIPTS_A_DAY, ReceiptNotes
from pbem.service import Service

Enqueue = Callable[[int], None]

# The sender is the reader as far as we check, and no program is involved.
ASKED_EACH_TIME = ("always", "below_quote")


def judge(service: Service, inbound_id: int, *, enqueue: Enqueue) -> InboundState:
    """Decide about a stored letter and commit. `enqueue` has a worker play the game's orders."""
    with service.reading() as session:
        stored = session.get_one(Inbound, inbound_id)
    if stored.state != InboundState.STORED:
        return InboundState(stored.state)
    reading = read_again(service.settings, stored)
    with service.writing() as session:
        row = locked(session, inbound_id)
        if row.state == InboundState.STORED:
            weigh(service, session, row, reading, enqueue)
            session.commit()
        return InboundState(row.state)


def read_again(settings: Settings, row: Inbound) -> Reading:
    """Parse the letter's bytes. Decides nothing."""
    if row.raw is None:
        return Robot("no_longer_kept")
    ours = Ours(settings.reply_domain, settings.mail_domain, settings.authserv_id)
    envelope = Envelope(row.sender, row.recipient, row.source)  # type: ignore[arg-type]
    return read(row.raw, envelope, ours)


def weigh(
    service: Service, session: Session, row: Inbound, reading: Reading, enqueue: Enqueue
) -> None:
    """Decide about a letter whose row is locked. The caller commits."""
    now, keys = service.clock.now(), service.settings.keys
    if isinstance(reading, Robot):
        decide(row, InboundState.IGNORED, now, reason=reading.reason)
        return
    if isinstance(reading, Report):
        of_server(session, row, reading, keys, now)
        return
    found = bound(session, keys, reading.to, now)
    if found is None or found.purpose == "bounce":
        to_lost_address(
            session, row, reading, keys, now=now,
            sender=reading.sender if isinstance(reading, Mail) else sender_of(row, reading),
            is_sure=is_certain(service.settings, reading.authentic),
        )  # fmt: skip
        return
    whose = {
        "letter_id": found.letter.id,
        "person_id": None if found.person is None else found.person.id,
        "game_id": None if found.seat is None or found.games > 1 else found.seat.game_id,
    }
    if isinstance(reading, Unreadable):
        row.letter_id, row.person_id = whose["letter_id"], whose["person_id"]
        row.game_id = whose["game_id"]
        not_read(service.settings, session, row, reading, found, now=now)
    elif isinstance(reading, Mail):
        case = Case(service, session, row, found, reading, now, enqueue)
        case.note(**whose)
        of_person(case)
    else:
        assert_never(reading)


# ---- letters of people --------------------------------------------------------------------------


def of_person(case: Case) -> None:
    """Handle a person's letter: unsubscribing, an answer to an invitation, or orders and commands.
    """
    if case.bound.purpose == "unsub":
        unsubscribe.stop(case.session, case.bound.letter, case.now)
        decide(case.row, InboundState.PLAYED, case.now, reason="unsubscribed")
        return
    objection = why_held(case)
    if not claimed(case, is_trusted=objection is None):
        return
    if case.bound.invitation is not None and (objection is None or case.bound.person is None):
        answer_invitation(case, objection)
    elif objection is not None:
        hold(case, objection)
    else:
        address_works(case)
        play_or_answer(case)
        address_works(case)  # again: a refusal rolls the first call back


def address_works(case: Case) -> None:
    """Lift the suppression of an address that its owner writes from."""
    person = case.bound.person
    if person is None or case.mail.sender != person.address or person.suppressed is None:
        return
    person.suppressed = None
    case.session.add(person)
    case.session.flush()


def why_held(case: Case) -> str | None:
    """Return why a letter has to be confirmed on a page, or None if it is certainly its reader's.
    """
    settings, mail = case.service.settings, case.mail
    if mail.sender is None:
        return "several_senders"
    if mail.sender not in case.bound.addresses:
        return "other_sender"
    if not is_certain(settings, mail.authentic):
        return "not_authentic"
    if mail.doubts:
        return mail.doubts[0]
    return "always" if settings.mail_trust == "hold" else None


def hold(case: Case, objection: str) -> None:
    """Hold a letter for a day until its reader confirms it.

    They are asked about each such letter.
    """
    told = ReceiptNotes(lines=list(case.mail.lines), why=objection, sender=case.mail.sender)
    decide(case.row, InboundState.HELD, case.now, reason=objection, told=told)
    receipts.rejection_due(
        case.session, case.row, case.now, kind="held",
        most=RECEIPTS_A_DAY if objection in ASKED_EACH_TIME else 1,
    )  # fmt: skip


def claimed(case: Case, *, is_trusted: bool) -> bool:
    """Return whether this is the first copy of the letter. Later copies are ignored.

    A letter that is not trusted gets a key of its own, so it cannot displace another one.
    """
    row, session, now = case.row, case.session, case.now
    key = key_of(case, is_trusted=is_trusted)
    there = select(Inbound.id).where(Inbound.key == key, Inbound.id != row.id)
    if session.exec(there).first() is None:
        case.note(key=key)
        try:
            session.flush()
        except IntegrityError:  # PostgreSQL: another worker has just judged the other copy
            del case.noted["key"]
            if not begun_again(case):
                return False
        else:
            return True
    decide(row, InboundState.IGNORED, now, reason="duplicate")
    return False


def key_of(case: Case, *, is_trusted: bool) -> str:
    """Build the deduplication key: sender, subject and letter."""
    letter = case.bound.letter
    about = f"g{letter.game_id}" if letter.game_id else \
        f"i{letter.invitation_id}" if letter.invitation_id else f"l{letter.id}"
    whose = f"{case.row.person_id or case.bound.address}/{about}"
    return f"{whose}{':' if is_trusted else '?'}{case.identity}"[:300]


# ---- held letters -------------------------------------------------------------------------------


def held_for(session: Session, inbound_id: int, person_id: int, now: datetime) -> Inbound | None:
    """Return a held letter that waits for this person, or None if there is none (any more)."""
    row = session.get(Inbound, inbound_id)
    if row is None or row.person_id != person_id or row.state != InboundState.HELD:
        return None
    return row if now - row.received < CONFIRMED_WITHIN else None


def held_besides(
    session: Session, inbound_id: int, person_id: int, now: datetime
) -> Sequence[Inbound]:
    """Return the other held letters that wait for this person. Not each of them was announced."""
    waits = select(Inbound).where(
        Inbound.person_id == person_id, Inbound.state == InboundState.HELD,
        Inbound.id != inbound_id, col(Inbound.received) > now - CONFIRMED_WITHIN,
        col(Inbound.letter_id).is_not(None),
    )  # fmt: skip
    return session.exec(waits.order_by(col(Inbound.id)).limit(RECEIPTS_A_DAY)).all()


def confirm(service: Service, inbound_id: int, person_id: int, *, enqueue: Enqueue) -> InboundState:
    """Confirm a held letter for its reader. It is then played like a trusted one."""
    now = service.clock.now()
    with service.writing() as session:
        row = locked(session, inbound_id)
        if held_for(session, inbound_id, person_id, now) is None:
            return InboundState(row.state)
        reading = read_again(service.settings, row)
        if not isinstance(reading, Mail):
            decide(row, InboundState.IGNORED, now, reason="no_longer_kept")
        elif (found := bound(session, service.settings.keys, reading.to, now)) is None:
            decide(row, InboundState.IGNORED, now, reason="unknown_address")
        else:
            row.reason = None
            case = Case(service, session, row, found, reading, now, enqueue)
            if found.invitation is not None:
                answer_invitation(case, None)
            else:
                play_or_answer(case)
        session.commit()
        return InboundState(row.state)


def throw_away(service: Service, inbound_id: int, person_id: int) -> None:
    """Discard a held letter for its reader."""
    now = service.clock.now()
    with service.writing() as session:
        row = locked(session, inbound_id)
        if held_for(session, inbound_id, person_id, now) is not None:
            decide(row, InboundState.IGNORED, now, reason="thrown_away")
            session.commit()
