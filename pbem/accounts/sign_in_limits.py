"""Limits sign-in letters and guessed codes per address, for strangers and owners separately.

A browser that was signed in as the owner before is counted apart, so that strangers cannot use up
the owner's limit.
"""

from __future__ import annotations

import zlib
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, func, text
from sqlmodel import Session, col, select

from pbem.models import SignIn

LETTERS_AN_HOUR = 5
WRONG_CODES = 5  # of one letter
GUESSES = 50  # wrong codes for all letters of an address
GUESSES_COUNT = timedelta(days=7)


class TooManyLetters(Exception):
    """An address has been sent too many sign-in letters within an hour."""


def check_letters(session: Session, address: str, known: str | None, now: datetime) -> None:
    """Raise TooManyLetters if these requests reached the hourly limit; locks the address."""
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
    """Whether another code may be tried; the letter's link works regardless."""
    guessed = session.exec(
        select(func.coalesce(func.sum(SignIn.wrong_codes), 0)).where(
            *_of(asked.address, asked.known), col(SignIn.created) > now - GUESSES_COUNT)
    ).one()
    return asked.wrong_codes < WRONG_CODES and guessed < GUESSES


def _of(address: str, known: str | None) -> tuple[ColumnElement[bool], ...]:
    """The conditions for sign-ins that count together."""
    return col(SignIn.address) == address, col(SignIn.known).is_not_distinct_from(known)
