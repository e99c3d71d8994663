"""Who somebody is: proving an address by letter, browsers that are signed in. No passwords.

Knows nothing of pages: callers give cookies and take them back. Only hashes are stored.
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

LETTER_LIFE = timedelta(minutes=20)  # of a link and its code, from the building of the letter
PROOF_LIFE = timedelta(hours=1)  # from proving a new address to giving a name
SESSION_LIFE = timedelta(days=180)  # of disuse
TOUCH_EVERY = timedelta(days=1)
SIGN_IN, SECOND_ADDRESS, CONFIRM = "sign_in", "second_address", "confirm"


class NotProved(Exception):
    """A link or code that proves nothing: wrong, used, too old, or of another browser."""


class CodesOver(Exception):
    """A code that is not looked at, after too many wrong ones; the letter's link still works."""


class AddressTaken(Exception):
    """An address that belongs to somebody else here; told only to who has proved it."""


class KnownBrowser(NamedTuple):
    """A browser that was signed in before, and as whom."""

    person_id: int
    browser: str  # a secret of its own


def hashed(secret: str) -> str:
    """What is stored of a long random secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def new_secret() -> str:
    """32 random bytes for a cookie or link."""
    return secrets.token_urlsafe(32)


# ---- people -------------------------------------------------------------------------------------


def person_with(session: Session, address: str) -> Person | None:
    """Whose normalised address this is, first or second; bots have none."""
    return session.exec(
        select(Person).where(
            or_(col(Person.address) == address, col(Person.second_address) == address),
            col(Person.bot).is_(None),
        )
    ).first()


def may_enter(session: Session, address: str, registration: str) -> bool:
    """Whether this address is known, or may become known (CARREIRA_REGISTRATION)."""
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
    """A sign-in to prove; the letter leaves only if the address may enter, its row is made always.

    So whoever asks cannot tell the two apart: page, limit, code form and the work done are alike.
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
    is_invited = _has_invitation(session, address)  # looked up whether or not it matters
    enters = person is not None or registration == "open" or (
        registration == "invited" and is_invited)
    by_id = person is not None and person.address == address
    reader = person if by_id else None
    _letter_due(session, asked, reader, now, unwanted=not enters)
    return asked


def ask_for_second_address(
    session: Session, *, person: Person, address: str, browser: str, now: datetime
) -> SignIn:
    """A second address to confirm. Whether it is somebody else's is told only once proved."""
    asked = _asked_by(session, person, SECOND_ADDRESS, address, browser=browser, now=now)
    _letter_due(session, asked, None, now)
    return asked


def ask_to_confirm(session: Session, *, person: Person, browser: str, now: datetime) -> SignIn:
    """The first address to prove again, since letters came back from it."""
    asked = _asked_by(session, person, CONFIRM, person.address, browser=browser, now=now)
    _letter_due(session, asked, person, now)
    return asked


def _asked_by(
    session: Session, person: Person, purpose: str, address: str, *, browser: str, now: datetime
) -> SignIn:
    """Somebody who is signed in has an address to prove; their own counts for itself."""
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
    """The link's token and the six-digit code, drawn while the letter is built.

    A rebuild draws anew and voids the former; the 20 minutes run from here.
    """
    link, code = new_secret(), f"{secrets.randbelow(1_000_000):06d}"
    sign_in.link_hash = hashed(link)
    sign_in.code_hash = _code_hash(sign_in, code)
    sign_in.expires = now + LETTER_LIFE
    session.add(sign_in)
    session.flush()
    return link, code


def _code_hash(sign_in: SignIn, code: str) -> str:
    """Slow on purpose: a million codes outlast the 20 minutes for a reader of the database."""
    salt = f"{sign_in.id}|{sign_in.browser}".encode()
    return hashlib.scrypt(code.encode(), salt=salt, n=2**14, r=8, p=1, dklen=32).hex()


# ---- proving ------------------------------------------------------------------------------------


def by_link(session: Session, link: str, now: datetime) -> SignIn | None:
    """The sign-in that this link would prove; looking uses nothing up."""
    asked = session.exec(select(SignIn).where(SignIn.link_hash == hashed(link))).first()
    return asked if asked is not None and _is_open(asked, now) else None


def by_browser(session: Session, browser: str, now: datetime) -> SignIn | None:
    """The newest sign-in that this browser asked for and that may still be proved."""
    newest = select(SignIn).where(SignIn.browser == hashed(browser)).order_by(col(SignIn.id).desc())
    asked = session.exec(newest).first()
    return asked if asked is not None and _is_open(asked, now) else None


def refused(session: Session, asked: SignIn) -> str | None:
    """What the mail server said that does not take the letter; None while it may still arrive."""
    letter = session.exec(
        select(Outbox).where(Outbox.kind == asked.purpose, Outbox.about_id == asked.id)).first()
    if letter is None or not (letter.state == LetterState.DEAD or letter.bounce == Bounce.HARD):
        return None
    return letter.last_text or ""


def _is_open(asked: SignIn, now: datetime) -> bool:
    return asked.used is None and now < asked.expires


def prove_by_link(session: Session, link: str, now: datetime) -> SignIn:
    """Use the link up, once."""
    found = by_link(session, link, now)
    asked = _locked(session, found.id, now) if found else None
    if asked is None:
        raise NotProved
    return _used(session, asked, now)


def prove_by_code(session: Session, browser: str, code: str, now: datetime) -> SignIn | None:
    """Use the code up, in the browser that asked; None: wrong, counted, the caller commits that.

    Raises NotProved, CodesOver.
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
    """The row as nobody else can change it now: two presses of one button use it once."""
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
    """A letter has arrived at an address that had refused one: letters go there again."""
    person = person_with(session, address)
    if person is not None and person.address == address and person.suppressed:
        person.suppressed = None
        session.add(person)


def register(
    session: Session, *, sign_in_id: int, registration: str, name: str, language: str, zone: str,
    now: datetime,
) -> Person:
    """A new person over an address proved within the last hour; the known one if there is one."""
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
    """A new person who wrote from an address that is believed; they choose a name later on.

    Raises NotProved where this site takes nobody in.
    """
    if not may_enter(session, address, registration):
        raise NotProved
    person = Person(name=name, address=address, language=language, created=now, unnamed=True)
    session.add(person)
    session.flush()
    return person


def confirm_second_address(session: Session, proved: SignIn, person: Person) -> None:
    """The proved address becomes this person's second one, unless it is somebody's already."""
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
    """Sign a browser in; the cookie to give it."""
    cookie = new_secret()
    session.add(WebSession(
        id=hashed(cookie), person_id=person_id, created=now, used=now, agent=agent[:120]
    ))
    session.flush()
    return cookie


def signed_in(
    session: Session, cookie: str | None, now: datetime
) -> tuple[WebSession, Person] | None:
    """The browser that shows this cookie and whose it is, unless it was unused for 180 days."""
    if not cookie:
        return None
    browser = select(WebSession, Person).where(
        WebSession.id == hashed(cookie), WebSession.person_id == Person.id)
    found = session.exec(browser).first()
    return found if found is not None and now < found[0].used + SESSION_LIFE else None


def person_of(session: Session, cookie: str | None, now: datetime) -> Person | None:
    """Who shows this cookie."""
    found = signed_in(session, cookie, now)
    return found[1] if found else None


def needs_touch(found: WebSession, now: datetime) -> bool:
    """Whether the day of last use has to be written: at most once a day."""
    return now >= found.used + TOUCH_EVERY


def touch(session: Session, session_id: str, now: datetime) -> None:
    """Note that this browser was used."""
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
    """Sign one of this person's browsers out."""
    session.connection().execute(delete(WebSession).where(
        col(WebSession.id) == session_id, col(WebSession.person_id) == person_id))


def end_other_sessions(session: Session, person_id: int, *, kept: str) -> None:
    """Sign all of a person's browsers out but one."""
    session.connection().execute(delete(WebSession).where(
        col(WebSession.person_id) == person_id, col(WebSession.id) != kept))
