"""The tables of letters in and out, chat, heartbeats and outages."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    UniqueConstraint,
    literal_column,
    text,
)
from sqlalchemy.orm import Mapped, relationship
from sqlmodel import Field, Relationship, SQLModel

from pbem.models.columns import instant, serial
from pbem.models.games import Game, GameState, SeatRow
from pbem.models.people import Person


class LetterState(StrEnum):
    """The state of an outgoing letter."""

    PENDING = "pending"
    SENDING = "sending"
    SENT = "sent"
    SUPERSEDED = "superseded"
    MERGED = "merged"  # into the letter `merged_into`
    UNWANTED = "unwanted"  # its reader wants no such letters
    DEAD = "dead"


class InboundState(StrEnum):
    """The state of an incoming letter."""

    STORED = "stored"  # not judged yet
    PLAYED = "played"  # its orders were played, or its commands answered
    REFUSED = "refused"
    HELD = "held"  # its player has to confirm it on a page first
    IGNORED = "ignored"  # automatic, a copy, or from nobody known: no answer
    BOUNCE = "bounce"  # a report about one of our letters


class Outbox(SQLModel, table=True):
    """A due letter: the outbox and, afterwards, the delivery ledger.

    `about_id` is a row of the table that the kind's module names. It has no foreign key, as such a
    row may go before its letters do. `dedup_key` is written by `pbem.mail.queue`, and read by
    nobody. `raw` are the bytes, built at the first attempt, dropped once sent; `shown` is the
    entry that they show. `why` is the key of why it waits or stayed.
    """

    id: int | None = serial()
    kind: str = Field(max_length=20)
    person_id: int | None = Field(default=None, foreign_key="person.id")  # who reads it
    address: str | None = Field(default=None, max_length=260)  # of a reader who is no person
    game_id: int | None = Field(default=None, foreign_key="game.id")
    entry: int | None = None  # of its game
    invitation_id: int | None = Field(default=None, sa_column=Column(
        BigInteger().with_variant(Integer, "sqlite"), ForeignKey("invitation.id"), nullable=True))
    about_id: int | None = Field(default=None, sa_column=Column(BigInteger, nullable=True))
    repeat_of: int | None = Field(default=None, sa_column=Column(BigInteger, nullable=True))
    dedup_key: str = Field(max_length=340)
    state: str = Field(default=LetterState.PENDING, max_length=10)
    not_before: datetime = instant()
    attempts: int = 0
    lease_until: datetime | None = instant(nullable=True)
    message_id: str | None = Field(default=None, max_length=120)
    raw: bytes | None = Field(default=None, sa_column=Column(LargeBinary, nullable=True))
    last_code: int | None = None
    last_text: str | None = Field(default=None, max_length=300)
    created: datetime = instant()
    settled: datetime | None = instant(nullable=True)  # sent, superseded, merged, unwanted or dead
    why: str | None = Field(default=None, max_length=30)
    merged_into: int | None = None
    shown: int | None = None
    bounced: datetime | None = instant(nullable=True)
    bounce: str | None = Field(default=None, max_length=10)

    person: Mapped[Person | None] = Relationship(
        sa_relationship=relationship(Person, viewonly=True))
    game: Mapped[Game | None] = Relationship(sa_relationship=relationship(Game, viewonly=True))

    @property
    def seat(self) -> SeatRow | None:
        """The reader's seat in its game."""
        seats = [] if self.game is None else self.game.seat_rows
        return next((seat for seat in seats if seat.person_id == self.person_id), None)

    @property
    def seat_in_play(self) -> SeatRow | None:
        """The reader's seat, if its game runs and they have not left it."""
        runs = self.game is not None and self.game.state == GameState.RUNNING
        seat = self.seat if runs else None
        return None if seat is None or seat.resigned is not None else seat

    __table_args__ = (
        UniqueConstraint("dedup_key", "kind"),
        Index("ix_outbox_due", "not_before", sqlite_where=text("settled is null"),
              postgresql_where=text("settled is null")),
        Index("ix_outbox_waiting", "person_id", sqlite_where=text("settled is null"),
              postgresql_where=text("settled is null")),
        Index("ix_outbox_person", "person_id", "id"),  # for its reader's own list
        Index("ix_outbox_address", "address", sqlite_where=text("address is not null"),
              postgresql_where=text("address is not null")),
        Index("ix_outbox_game", "game_id", "kind", "person_id",
              sqlite_where=text("game_id is not null"),
              postgresql_where=text("game_id is not null")),
        Index("ix_outbox_invitation", "invitation_id",
              sqlite_where=text("invitation_id is not null"),
              postgresql_where=text("invitation_id is not null")),
        Index("ix_outbox_about", "about_id", sqlite_where=text("about_id is not null"),
              postgresql_where=text("about_id is not null")),
        Index("ix_outbox_repeats", "repeat_of", sqlite_where=text("repeat_of is not null"),
              postgresql_where=text("repeat_of is not null")),
        Index("ix_outbox_merged", "merged_into", sqlite_where=text("merged_into is not null"),
              postgresql_where=text("merged_into is not null")),
    )


EVERYWHERE = ""
"""The domain of a pause for all letters: our own server refuses us."""


class MailPause(SQLModel, table=True):
    """A pause of mail to a domain that refuses us ("": our own mail server refuses us)."""

    domain: str = Field(primary_key=True, max_length=190)
    until: datetime = instant()
    since: datetime = instant()
    why: str = Field(max_length=300)


class Inbound(SQLModel, table=True):
    """An incoming letter, stored before the server answers 250; `raw` is kept for 30 days.

    `key` is its person and Message-ID (or digest): a second copy is ignored. `told` is JSON: the
    notes for its receipt (pbem.play.receipts).
    """

    id: int | None = serial()
    received: datetime = instant()
    source: str = Field(max_length=6)  # smtp, lmtp, imap, pipe
    sender: str = Field(default="", max_length=254)  # of the envelope; "" is a server's own
    recipient: str = Field(max_length=254)  # of the envelope
    message_id: str | None = Field(default=None, max_length=250)
    digest: str = Field(max_length=64, index=True)
    raw: bytes | None = Field(default=None, sa_column=Column(LargeBinary, nullable=True))
    tries: int = 0  # at judging it
    lease_until: datetime | None = instant(nullable=True)  # while somebody judges it
    state: str = Field(default=InboundState.STORED, max_length=8)
    reason: str | None = Field(default=None, max_length=40)
    key: str | None = Field(default=None, max_length=300, unique=True)
    letter_id: int | None = None  # the letter of ours that it answers
    person_id: int | None = None
    game_id: int | None = None
    submission_id: int | None = Field(default=None, index=True)
    told: str | None = None
    decided: datetime | None = instant(nullable=True)

    __table_args__ = (
        Index("ix_inbound_stored", "received", sqlite_where=text("state = 'stored'"),
              postgresql_where=text("state = 'stored'")),
        Index("ix_inbound_answered", "person_id", "decided"),
        Index("ix_inbound_letter", "letter_id"),
    )


STORED: Any = literal_column("'stored'")  # for the index, as PENDING is


class Chat(SQLModel, table=True):
    """A chat line. `seat` None: a spectator's, which players see only after the game."""

    id: int | None = serial()
    game_id: int = Field(foreign_key="game.id", index=True)
    person_id: int = Field(foreign_key="person.id")
    seat: int | None = None
    name: str = Field(max_length=40)
    entry: int  # the newest one when it was said
    text: str = Field(max_length=2000)
    at: datetime = instant()
    removed: datetime | None = instant(nullable=True)  # by an operator; its text is gone

    __table_args__ = (Index("ix_chat_said", "person_id", "at"),)


class Count(SQLModel, table=True):
    """How often something has happened since the site was set up, for whoever watches over it."""

    name: str = Field(primary_key=True, max_length=30)
    number: int = Field(default=0, sa_column=Column(BigInteger, nullable=False))


class Heartbeat(SQLModel, table=True):
    """When a periodic task last ran."""

    name: str = Field(primary_key=True, max_length=30)
    at: datetime = instant()


class Outage(SQLModel, table=True):
    """A time in which clocks do not count: the sweep did not run, or mail could not be sent.

    While it lasts, each sweep moves `ends`; then `over` is set.
    """

    id: int | None = serial()
    kind: str = Field(max_length=5)  # sweep, mail
    begins: datetime = instant()
    ends: datetime = instant(index=True)
    over: bool = True
