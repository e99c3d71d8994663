"""How often letters may be asked and codes guessed for an address, by strangers and its owner.

A browser that was signed in as an address' owner is known here. It has a count of its own, so that
nothing that strangers ask for can use up what the owner asks.
"""

from __future__ import annotations

import zlib
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, func, text
from sqlmodel import Session, col, select

from pbem.models import SignIn

LETTERS_AN_HOUR = 5
WRONG_CODES = 5  # of one letter
GUESSES = 50  # wrong codes of one address' letters in all
GUESSES_COUNT = timedelta(days=7)


class TooManyLetters(Exception):
    """An address that was written to often enough this hour."""


def check_letters(session: Session, address: str, known: str | None, now: datetime) -> None:
    """TooManyLetters where this browser, or all strangers, asked 5 times in an hour; locks."""
    if session.get_bind().dialect.name == "postgresql":  # SQLite has one writer anyway
        key = zlib.crc32(address.encode())
        session.connection().execute(text("select pg_advisory_xact_lock(77, :key)"),
                                     {"key": key - 2**31})
    sent = session.exec(
        select(func.count()).select_from(SignIn).where(
            *_of(address, known), col(SignIn.created) > now - timedelta(hours=1))
    ).one()
    if sent >= LETTERS_AN_HOUR:
        raise TooManyLetters


def takes_codes(session: Session, asked: SignIn, now: datetime) -> bool:
    """Whether one more code may be tried; the link of the letter works whatever was typed."""
    guessed = session.exec(
        select(func.coalesce(func.sum(SignIn.wrong_codes), 0)).where(
            *_of(asked.address, asked.known), col(SignIn.created) > now - GUESSES_COUNT)
    ).one()
    return asked.wrong_codes < WRONG_CODES and guessed < GUESSES


def _of(address: str, known: str | None) -> tuple[ColumnElement[bool], ...]:
    """The sign-ins that count together."""
    return col(SignIn.address) == address, col(SignIn.known).is_not_distinct_from(known)
