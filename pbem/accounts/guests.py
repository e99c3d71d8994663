"""Guests: visitors who play a lesson before they have an account.

A guest has a row and a signed-in browser, no address that a letter could go to, and may do nothing
but lessons (`pbem.web.context`). `pbem.privacy.guests` erases who has stayed away.
"""

from __future__ import annotations

import secrets
from datetime import datetime

from sqlmodel import Session

from pbem.i18n import words
from pbem.i18n.words import msgid
from pbem.models import GUEST, Person

NAME = msgid("Guest")
NO_LETTERS = "guest"  # why no letters go to them


def new_guest(session: Session, language: str, now: datetime) -> Person:
    """Create a guest who reads this language. The caller commits."""
    person = Person(
        name=words.gettext(NAME, language), address=f"{secrets.token_hex(16)}{GUEST}",
        language=language, created=now, suppressed=NO_LETTERS)
    session.add(person)
    session.flush()
    return person
