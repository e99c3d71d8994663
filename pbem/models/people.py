"""The tables of people: accounts, sign-ins, vacations, substitutes, refused invitations."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from sqlalchemy import text
from sqlmodel import Field, SQLModel

from pbem.models.columns import instant, serial


class Bounce(StrEnum):
    """A report that came back about a letter."""

    HARD = "hard"
    SOFT = "soft"
    COMPLAINT = "complaint"


GONE = "@gone.invalid"  # the end of a closed account's address
GUEST = "@guest.invalid"  # of a visitor who plays a lesson without an account


class Person(SQLModel, table=True):
    """A player or bot. Addresses are stored normalised (see pbem.mail.address)."""

    id: int | None = serial()
    name: str = Field(max_length=40)
    address: str = Field(max_length=254, unique=True)
    second_address: str | None = Field(default=None, max_length=254, unique=True)
    language: str = Field(default="en", max_length=5)
    zone: str = Field(default="UTC", max_length=64)
    created: datetime = instant()
    bot: str | None = Field(default=None, max_length=20)  # "steady", "random"; None: a person
    suppressed: str | None = Field(default=None, max_length=200)  # why no letters go to `address`
    letters: str | None = Field(default=None, max_length=12)  # mail.preferences; None: usual
    awake: str | None = Field(default=None, max_length=20)  # "8-22 12345"; None: always
    holidays: str | None = Field(default=None, max_length=700)  # "2026-12-24 2026-12-25"
    operator: datetime | None = instant(nullable=True)  # since when they are an operator
    mute_until: datetime | None = instant(nullable=True)  # until then they cannot chat
    name_stays_until: datetime | None = instant(nullable=True)  # an operator chose the name
    # They registered by a letter and choose a name when they first sign in.
    unnamed: bool = Field(default=False, sa_column_kwargs={"server_default": text("false")})

    @property
    def is_guest(self) -> bool:
        """Whether they have no account: they can play lessons and nothing else."""
        return self.address.endswith(GUEST)


class SignIn(SQLModel, table=True):
    """An attempt to prove an address by a one-time link or code; only their hashes are stored.

    `purpose`: "sign_in", "second_address" or "confirm"; the last two have `person_id`. Link and
    code are drawn when the letter is built.
    """

    id: int | None = serial()
    purpose: str = Field(max_length=20)
    address: str = Field(max_length=254, index=True)
    person_id: int | None = Field(default=None, foreign_key="person.id")
    browser: str = Field(max_length=64)  # hash of the cookie of the browser that asked
    # What counts for itself: a browser that was signed in as the owner before; None: strangers.
    known: str | None = Field(default=None, max_length=64)
    link_hash: str | None = Field(default=None, max_length=64, unique=True)
    code_hash: str | None = Field(default=None, max_length=64)
    wrong_codes: int = 0
    next: str | None = Field(default=None, max_length=200)
    language: str = Field(default="en", max_length=5)
    created: datetime = instant()
    expires: datetime = instant()
    used: datetime | None = instant(nullable=True)


class WebSession(SQLModel, table=True):
    """A signed-in browser; `id` is the hash of its cookie. It ends after 180 days without use."""

    id: str = Field(primary_key=True, max_length=64)
    person_id: int = Field(foreign_key="person.id", index=True)
    created: datetime = instant()
    used: datetime = instant()
    agent: str = Field(default="", max_length=120)


class Vacation(SQLModel, table=True):
    """A person's vacation; one that was ended early has that instant in `ends`."""

    id: int | None = serial()
    person_id: int = Field(foreign_key="person.id", index=True)
    begins: datetime = instant()
    ends: datetime = instant()
    announced: datetime = instant()


class Substitute(SQLModel, table=True):
    """A person who would take over a seat in games of this kind; asked in the order of `since`."""

    person_id: int = Field(primary_key=True, foreign_key="person.id")
    game: str = Field(primary_key=True, max_length=30)
    since: datetime = instant()


class NeverInvite(SQLModel, table=True):
    """An address (hashed) that refuses all invitations."""

    address_hash: str = Field(primary_key=True, max_length=64)
    created: datetime = instant()
