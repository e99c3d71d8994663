"""Sign-in without passwords: proves addresses by letters, keeps signed-in browsers.

It knows nothing of pages: callers set and read the cookies. Only hashes of secrets are stored.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import delete, or_
from sqlmodel import Session, col, select

from pbem.accounts.sign_in_limits import check_letters, takes_codes
from pbem.mail import queue
from pbem.models import (
    Bounce,
    Invitation,
    InvitationState,
    LetterState,
    Outbox,
    Person,
    SignIn,
    WebSession,
)

LETTER_LIFE = timedelta(minutes=20)  # of a link and its code, from when the letter is built
PROOF_LIFE = timedelta(hours=1)  # from proving a new address to giving a name
SESSION_LIFE = timedelta(days=180)  # without use
TOUCH_EVERY = timedelta(days=1)
SIGN_IN, SECOND_ADDRESS, CONFIRM = "sign_in", "second_address", "confirm"


class NotProved(Exception):
    """A link or code that is wrong, used, too old, or of another browser."""


class CodesOver(Exception):
    """No code is accepted after too many wrong ones; the letter's link still works."""


class AddressTaken(Exception):
    """The address belongs to another account; told only to people who have proved it."""


class KnownBrowser(NamedTuple):
    """A browser that was signed in before, and the person who was."""

    person_id: int
    browser: str  # its cookie for this purpose


def hashed(secret: str) -> str:
    """The stored form of a long random secret: SHA-256, hex."""
    return hashlib.sha256(secret.encode()).hexdigest()


def new_secret() -> str:
    """32 random bytes for a cookie or link, in URL-safe base64."""
    return secrets.token_urlsafe(32)


# ---- people -------------------------------------------------------------------------------------


def person_with(session: Session, address: str) -> Person | None:
    """The person with this normalised address, first or second; bots have none."""
    return session.exec(
        select(Person).where(
            or_(col(Person.address) == address, col(Person.second_address) == address),
            col(Person.bot).is_(None),
        )
    ).first()


def may_enter(session: Session, address: str, registration: str) -> bool:
    """Whether this address has an account or may register (CARREIRA_REGISTRATION)."""
    if person_with(session, address) is not None or registration == "open":
        return True
    return registration == "invited" and _has_invitation(session, address)


def _has_invitation(session: Session, address: str) -> bool:
    pending = select(Invitation.id).where(
        Invitation.address == address, Invitation.state == InvitationState.PENDING
    )
    return session.exec(pending).first() is not None


# ---- asking for a letter ------------------------------------------------------------------------


def ask_to_sign_in(
    session: Session,
    *,
    address: str,
    browser: str,
    registration: str,
    language: str,
    then: str | None,
    now: datetime,
    known: KnownBrowser | None = None,
) -> SignIn:
    """Begin a sign-in; its letter is sent only if the address may enter.

    Everything else is the same for all addresses: page, limits, code form and time taken. So nobody
    learns which addresses have accounts. Raises TooManyLetters.
    """
    person = person_with(session, address)
    by_owner = known is not None and person is not None and known.person_id == person.id
    counts_for = hashed(known.browser) if known is not None and by_owner else None
    check_letters(session, address, counts_for, now)
    asked = SignIn(
        purpose=SIGN_IN, address=address, person_id=person.id if person else None,
        browser=hashed(browser), known=counts_for, next=then,
        language=person.language if person else language, created=now, expires=now + LETTER_LIFE,
    )
    session.add(asked)
    session.flush()
    # Always looked up, so that the time taken is the same.
    is_invited = _has_invitation(session, address)
    enters = person is not None or registration == "open" or (
        registration == "invited" and is_invited)
    by_id = person is not None and person.address == address
    reader = person if by_id else None
    _letter_due(session, asked, reader, now, unwanted=not enters)
    return asked


def ask_for_second_address(
    session: Session, *, person: Person, address: str, browser: str, now: datetime
) -> SignIn:
    """Begin to prove a second address.

    Whether it belongs to another account is told only after the proof. Raises TooManyLetters.
    """
    asked = _asked_by(session, person, SECOND_ADDRESS, address, browser=browser, now=now)
    _letter_due(session, asked, None, now)
    return asked


def ask_to_confirm(session: Session, *, person: Person, browser: str, now: datetime) -> SignIn:
    """Begin to prove the first address again after letters bounced. Raises TooManyLetters."""
    asked = _asked_by(session, person, CONFIRM, person.address, browser=browser, now=now)
    _letter_due(session, asked, person, now)
    return asked


def _asked_by(
    session: Session, person: Person, purpose: str, address: str, *, browser: str, now: datetime
) -> SignIn:
    """Store a signed-in person's request; confirmations count apart from sign-ins."""
    known = f"p{person.id}" if purpose == CONFIRM else None
    check_letters(session, address, known, now)
    asked = SignIn(
        purpose=purpose, address=address, person_id=person.id, browser=hashed(browser), known=known,
        next="/account", language=person.language, created=now, expires=now + LETTER_LIFE,
    )
    session.add(asked)
    session.flush()
    return asked


def _letter_due(
    session: Session, asked: SignIn, reader: Person | None, now: datetime, *, unwanted: bool = False
) -> None:
    queue.due(
        session, kind=asked.purpose, person_id=None if reader is None else reader.id,
        address=asked.address if reader is None else None, about_id=asked.id, now=now,
        unwanted=unwanted,
    )


# ---- the letter's secrets -----------------------------------------------------------------------


def issue_secrets(session: Session, sign_in: SignIn, now: datetime) -> tuple[str, str]:
    """Draw the link's token and the six-digit code while the letter is built.

    Building it again replaces them. They are valid for LETTER_LIFE from here.
    """
    link, code = new_secret(), f"{secrets.randbelow(1_000_000):06d}"
    sign_in.link_hash = hashed(link)
    sign_in.code_hash = _code_hash(sign_in, code)
    sign_in.expires = now + LETTER_LIFE
    session.add(sign_in)
    session.flush()
    return link, code


def _code_hash(sign_in: SignIn, code: str) -> str:
    """The code's hash by scrypt: trying all codes takes longer than they are valid."""
    salt = f"{sign_in.id}|{sign_in.browser}".encode()
    return hashlib.scrypt(code.encode(), salt=salt, n=2**14, r=8, p=1, dklen=32).hex()


# ---- proving ------------------------------------------------------------------------------------


def by_link(session: Session, link: str, now: datetime) -> SignIn | None:
    """The open sign-in of this link; it is not used up."""
    asked = session.exec(select(SignIn).where(SignIn.link_hash == hashed(link))).first()
    return asked if asked is not None and _is_open(asked, now) else None


def by_browser(session: Session, browser: str, now: datetime) -> SignIn | None:
    """The newest open sign-in that this browser asked for."""
    newest = select(SignIn).where(SignIn.browser == hashed(browser)).order_by(col(SignIn.id).desc())
    asked = session.exec(newest).first()
    return asked if asked is not None and _is_open(asked, now) else None


def refused(session: Session, asked: SignIn) -> str | None:
    """The mail server's answer if it refused the letter; None while it may still arrive."""
    letter = session.exec(
        select(Outbox).where(Outbox.kind == asked.purpose, Outbox.about_id == asked.id)).first()
    if letter is None or not (letter.state == LetterState.DEAD or letter.bounce == Bounce.HARD):
        return None
    return letter.last_text or ""


def _is_open(asked: SignIn, now: datetime) -> bool:
    return asked.used is None and now < asked.expires


def prove_by_link(session: Session, link: str, now: datetime) -> SignIn:
    """Use the link, once. Raises NotProved."""
    found = by_link(session, link, now)
    asked = _locked(session, found.id, now) if found else None
    if asked is None:
        raise NotProved
    return _used(session, asked, now)


def prove_by_code(session: Session, browser: str, code: str, now: datetime) -> SignIn | None:
    """Use the code in the browser that asked for it; None for a wrong one.

    A wrong code is counted: the caller commits. Raises NotProved, CodesOver.
    """
    found = by_browser(session, browser, now)
    asked = _locked(session, found.id, now) if found else None
    if asked is None:
        raise NotProved
    if not takes_codes(session, asked, now):
        raise CodesOver
    digits = "".join(character for character in code if character.isdecimal())
    right = hmac.compare_digest(_code_hash(asked, digits), asked.code_hash or "-" * 64)
    if right:
        return _used(session, asked, now)
    asked.wrong_codes += 1
    session.add(asked)
    session.flush()
    return None


def _locked(session: Session, sign_in_id: int | None, now: datetime) -> SignIn | None:
    """Lock an open sign-in and read it afresh; None if it is not open any more."""
    asked = session.exec(
        select(SignIn).where(SignIn.id == sign_in_id).with_for_update(),
        execution_options={"populate_existing": True},
    ).first()
    return asked if asked is not None and _is_open(asked, now) else None


def _used(session: Session, asked: SignIn, now: datetime) -> SignIn:
    asked.used = now
    session.add(asked)
    _letters_reach(session, asked.address)
    session.flush()
    return asked


def _letters_reach(session: Session, address: str) -> None:
    """Lift the suppression of an address at which a letter has arrived."""
    person = person_with(session, address)
    if person is not None and person.address == address and person.suppressed:
        person.suppressed = None
        session.add(person)


def register(
    session: Session, *, sign_in_id: int, registration: str, name: str, language: str, zone: str,
    now: datetime,
) -> Person:
    """Create the account of an address proved within the last hour.

    Raises NotProved, AddressTaken.
    """
    proved = session.exec(select(SignIn).where(SignIn.id == sign_in_id).with_for_update()).first()
    if (proved is None or proved.purpose != SIGN_IN or proved.used is None
            or proved.person_id is not None or now > proved.used + PROOF_LIFE):
        raise NotProved
    if person_with(session, proved.address) is not None:
        raise AddressTaken
    if not may_enter(session, proved.address, registration):
        raise NotProved
    person = Person(name=name, address=proved.address, language=language, zone=zone, created=now)
    session.add(person)
    session.flush()
    proved.person_id = person.id
    session.add(proved)
    return person


def register_by_letter(
    session: Session, *, address: str, registration: str, name: str, language: str, now: datetime
) -> Person:
    """Create the account of a believed letter's writer; they choose a name later.

    Raises NotProved if this site takes nobody in.
    """
    if not may_enter(session, address, registration):
        raise NotProved
    person = Person(name=name, address=address, language=language, created=now, unnamed=True)
    session.add(person)
    session.flush()
    return person


def confirm_second_address(session: Session, proved: SignIn, person: Person) -> None:
    """Store a proved second address. Raises NotProved, AddressTaken."""
    if proved.purpose != SECOND_ADDRESS or proved.person_id != person.id:
        raise NotProved
    owner = person_with(session, proved.address)
    if owner is not None and (owner.id != person.id or owner.address == proved.address):
        raise AddressTaken
    person.second_address = proved.address
    session.add(person)
    session.flush()


# ---- signed-in browsers -------------------------------------------------------------------------


def open_session(session: Session, person_id: int, *, agent: str, now: datetime) -> str:
    """Sign a browser in; its cookie."""
    cookie = new_secret()
    session.add(WebSession(
        id=hashed(cookie), person_id=person_id, created=now, used=now, agent=agent[:120]
    ))
    session.flush()
    return cookie


def signed_in(
    session: Session, cookie: str | None, now: datetime
) -> tuple[WebSession, Person] | None:
    """The session and person of this cookie; None if it is unknown or unused for 180 days."""
    if not cookie:
        return None
    browser = select(WebSession, Person).where(
        WebSession.id == hashed(cookie), WebSession.person_id == Person.id)
    found = session.exec(browser).first()
    return found if found is not None and now < found[0].used + SESSION_LIFE else None


def needs_touch(found: WebSession, now: datetime) -> bool:
    """Whether the day of last use is due to be stored."""
    return now >= found.used + TOUCH_EVERY


def touch(session: Session, session_id: str, now: datetime) -> None:
    """Store that this browser was used."""
    found = session.get(WebSession, session_id)
    if found is not None and needs_touch(found, now):
        found.used = now
        session.add(found)
        session.flush()


def browsers_of(session: Session, person_id: int, now: datetime) -> list[WebSession]:
    """A person's signed-in browsers, last used first."""
    return list(session.exec(
        select(WebSession)
        .where(WebSession.person_id == person_id, col(WebSession.used) > now - SESSION_LIFE)
        .order_by(col(WebSession.used).desc(), col(WebSession.id))
    ))


def end_session(session: Session, session_id: str, *, person_id: int) -> None:
    """Sign one of a person's browsers out."""
    session.connection().execute(delete(WebSession).where(
        col(WebSession.id) == session_id, col(WebSession.person_id) == person_id))


def end_other_sessions(session: Session, person_id: int, *, kept: str) -> None:
    """Sign all of a person's browsers out but one."""
    session.connection().execute(delete(WebSession).where(
        col(WebSession.person_id) == person_id, col(WebSession.id) != kept))
