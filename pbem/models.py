"""The tables. Rows are not validated when constructed: edges validate, constraints hold."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Index,
    Integer,
    LargeBinary,
    UniqueConstraint,
    literal_column,
    text,
)
from sqlalchemy.types import TypeDecorator
from sqlmodel import Field, SQLModel

from pbem.packing import Packed

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Entries that move nothing (pbem.games.record.NOTES), as their index and its queries name them.
MARKED = (
    "cause in ('undo', 'agreed', 'resign', 'dropped', 'handover', 'seated', 'overtime', 'outage',"
    " 'pause', 'resume', 'ruleset')"
)


class Instant(TypeDecorator[datetime]):
    """A UTC instant, stored as whole milliseconds since 1970: small, sortable, alike everywhere."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Any) -> int | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("an instant needs a time zone")
        return int((value - EPOCH) // timedelta(milliseconds=1))

    def process_result_value(self, value: Any, dialect: Any) -> datetime | None:
        return None if value is None else EPOCH + timedelta(milliseconds=value)


def instant(*, nullable: bool = False, index: bool = False) -> Any:
    """A column that holds an instant."""
    return Field(default=None, sa_column=Column(Instant, nullable=nullable, index=index))


def serial() -> Any:
    """A row id (SQLite numbers only INTEGER keys by itself)."""
    kind = BigInteger().with_variant(Integer, "sqlite")
    return Field(default=None, sa_column=Column(kind, primary_key=True, autoincrement=True))


class GameState(StrEnum):
    """Where a game stands."""

    OPEN = "open"
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


class SubmissionState(StrEnum):
    """Where a player's orders stand."""

    PENDING = "pending"
    PLAYED = "played"
    REFUSED = "refused"


class LetterState(StrEnum):
    """Where a due letter stands."""

    PENDING = "pending"
    SENDING = "sending"
    SENT = "sent"
    SUPERSEDED = "superseded"
    MERGED = "merged"  # into the letter `merged_into`
    UNWANTED = "unwanted"  # its reader wants no such letters
    DEAD = "dead"


class InboundState(StrEnum):
    """What became of a letter that came in."""

    STORED = "stored"  # not judged yet
    PLAYED = "played"  # its orders went into the game, or its words were answered
    REFUSED = "refused"
    HELD = "held"  # its player has to confirm it on a page
    IGNORED = "ignored"  # a robot's, a repeat, or nobody's: no answer
    BOUNCE = "bounce"  # about a letter of ours


class Bounce(StrEnum):
    """What came back about a letter of ours."""

    HARD = "hard"
    SOFT = "soft"
    COMPLAINT = "complaint"


class InvitationState(StrEnum):
    """Where an invitation stands."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"


# ---- people -------------------------------------------------------------------------------------


GONE = "@gone.invalid"  # the end of the address of who has left for good


class Person(SQLModel, table=True):
    """Somebody who plays. Addresses are stored normalised (see pbem.mail.address)."""

    id: int | None = serial()
    name: str = Field(max_length=40)
    address: str = Field(max_length=254, unique=True)
    second_address: str | None = Field(default=None, max_length=254, unique=True)
    language: str = Field(default="en", max_length=5)
    zone: str = Field(default="UTC", max_length=64)
    created: datetime = instant()
    bot: str | None = Field(default=None, max_length=20)  # "steady", "random": a player of our own
    suppressed: str | None = Field(default=None, max_length=200)  # why no letters go to `address`
    letters: str | None = Field(default=None, max_length=12)  # see pbem.mail.wishes; None: usual
    awake: str | None = Field(default=None, max_length=20)  # "8-22 12345"; None: always
    holidays: str | None = Field(default=None, max_length=700)  # "2026-12-24 2026-12-25"
    operator: datetime | None = instant(nullable=True)  # since then one of who run the site
    mute_until: datetime | None = instant(nullable=True)  # till then no table hears from him
    name_stays_until: datetime | None = instant(nullable=True)  # an operator has given him this one


class SignIn(SQLModel, table=True):
    """One attempt to prove an address: a link and a code, both hashed, one-time.

    `purpose` is "sign_in" or "second_address" (then `person_id` is whose). The secrets are drawn
    when the letter is built, so nothing but their hashes is ever stored.
    """

    id: int | None = serial()
    purpose: str = Field(max_length=20)
    address: str = Field(max_length=254, index=True)
    person_id: int | None = Field(default=None, foreign_key="person.id")
    browser: str = Field(max_length=64)  # hash of the cookie of the browser that asked
    link_hash: str | None = Field(default=None, max_length=64, unique=True)
    code_hash: str | None = Field(default=None, max_length=64)
    wrong_codes: int = 0
    next: str | None = Field(default=None, max_length=200)
    language: str = Field(default="en", max_length=5)
    created: datetime = instant()
    expires: datetime = instant()
    used: datetime | None = instant(nullable=True)


class WebSession(SQLModel, table=True):
    """A signed-in browser; `id` is the hash of its cookie. Lasts 180 days of use."""

    id: str = Field(primary_key=True, max_length=64)
    person_id: int = Field(foreign_key="person.id", index=True)
    created: datetime = instant()
    used: datetime = instant()
    agent: str = Field(default="", max_length=120)


class Vacation(SQLModel, table=True):
    """Somebody away, from `begins` until `ends`; ended early, `ends` is when he came back."""

    id: int | None = serial()
    person_id: int = Field(foreign_key="person.id", index=True)
    begins: datetime = instant()
    ends: datetime = instant()
    announced: datetime = instant()


class Substitute(SQLModel, table=True):
    """Somebody who would take over a seat in a game of this kind; asked in the order of `since`."""

    person_id: int = Field(primary_key=True, foreign_key="person.id")
    game: str = Field(primary_key=True, max_length=30)
    since: datetime = instant()


class NeverInvite(SQLModel, table=True):
    """An address (hashed) that asked never to be invited again."""

    address_hash: str = Field(primary_key=True, max_length=64)
    created: datetime = instant()


# ---- games --------------------------------------------------------------------------------------


class ComponentSet(SQLModel, table=True):
    """Figures that games are played with, by the digest of their canonical form."""

    digest: str = Field(primary_key=True, max_length=64)
    game: str = Field(max_length=30)
    name: str = Field(max_length=60)
    toml: str


class Game(SQLModel, table=True):
    """A game from its opening on. `last_entry` is the newest entry's number, 0 before the start.

    `server_part` is the secret half of the committed randomness; `commitment` its SHA-256, shown
    before anybody joins.
    """

    id: int | None = serial()
    game: str = Field(max_length=30)
    title: str = Field(default="", max_length=60)
    state: str = Field(default=GameState.OPEN, max_length=10, index=True)
    host_id: int = Field(foreign_key="person.id", index=True)
    seats: int
    chosen_order: bool = False  # True: seats in the order of joining; False: chance decides
    private: bool = False
    options: str = "{}"
    components: str = Field(foreign_key="componentset.digest", max_length=64)
    server_part: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    commitment: str = Field(max_length=64)
    join_nonce: str = Field(max_length=32)  # the link to join is derived from it
    last_entry: int = 0
    created: datetime = instant()
    expires: datetime | None = instant(nullable=True)  # while open
    started: datetime | None = instant(nullable=True)
    ended: datetime | None = instant(nullable=True)
    clock: str = Field(default="none", max_length=40)  # see pbem.games.clocks.Clock
    at_zero: str = Field(default="default", max_length=8)  # or "bot", "vote"
    reminders: str = Field(default="50 10", max_length=20)  # per cent of the time left
    paused: datetime | None = instant(nullable=True)  # since then its clocks stand
    rematch_of: int | None = Field(default=None, index=True)
    series_id: int | None = None
    series_place: int | None = None  # its number in the series, from 1
    tutorial: bool = False
    outage: datetime | None = instant(nullable=True)  # the end of the last one it was told of
    ruleset: str | None = Field(default=None, max_length=24)  # by which it goes on; None: newest
    failed: datetime | None = instant(nullable=True)  # when it last could not be advanced
    failure: str | None = Field(default=None, max_length=60)  # the class of what was wrong then
    retry: datetime | None = instant(nullable=True)  # before then no sweep tries it again

    __table_args__ = (
        CheckConstraint("seats between 2 and 4"), CheckConstraint("last_entry >= 0"),
        Index("ix_game_series", "series_id", "series_place", unique=True),
        Index("ix_game_failed", "failed", sqlite_where=text("failed is not null"),
              postgresql_where=text("failed is not null")),
    )


class Series(SQLModel, table=True):
    """Several games of one table, one after the other, the first seat going round."""

    id: int | None = serial()
    host_id: int = Field(foreign_key="person.id", index=True)
    game: str = Field(max_length=30)
    title: str = Field(default="", max_length=60)
    games: int  # how many there shall be
    created: datetime = instant()
    ended: datetime | None = instant(nullable=True)  # since then no other game follows


class SeatRow(SQLModel, table=True):
    """A person in a game; `number` (the engine's seat) is None until the start.

    `asked_since` is the entry that put the question now open to this seat, None if it is not asked.
    `moved_at` is the last entry that its player made himself, for "since you last moved". A seat
    that its player left (`left` says how, `resigned` since when) is played for (`played_by`) until
    somebody takes it. `clock_left` is what its clock had, in milliseconds that count, at
    `clock_from` (None: it stands), of `clock_all` that the decision began with; `due` is when that
    is used up. `operator`: it was played by somebody who could read the database.
    """

    __tablename__ = "seat"

    id: int | None = serial()
    game_id: int = Field(foreign_key="game.id")
    person_id: int = Field(foreign_key="person.id", index=True)
    number: int | None = None
    name: str = Field(default="", max_length=40)  # as it was at the start
    phrase: str | None = Field(default=None, max_length=200)
    joined: datetime = instant()
    agrees_to_cancel: bool = False
    asked_since: int | None = None
    moved_at: int = 0
    letters: str | None = Field(default=None, max_length=12)  # this game's; None: the person's
    looked_at: datetime | None = instant(nullable=True)  # when its player last saw the table
    resigned: datetime | None = instant(nullable=True)  # since then it is played for
    left: str | None = Field(default=None, max_length=8)  # resign, dropped, handover
    played_by: str | None = Field(default=None, max_length=20)  # "steady", ..; None: mildest moves
    holds_from: int = 0  # the entry with which its present player took it over; 0: from the start
    clock_left: int | None = Field(default=None, sa_column=Column(BigInteger, nullable=True))
    clock_from: datetime | None = instant(nullable=True)
    clock_for: int | None = None  # the entry that put the question which it counts, or counted
    clock_all: int | None = Field(default=None, sa_column=Column(BigInteger, nullable=True))
    due: datetime | None = instant(nullable=True)
    due_set: datetime | None = instant(nullable=True)  # when it was
    due_moves: int = 0  # how often it was set anew for the same question
    reminded: int = 0  # reminders of the present decision that were made due
    remind_at: datetime | None = instant(nullable=True)  # when the next one is due
    misses: int = 0  # decisions in a row that the clock has answered
    ahead: str | None = None  # what was said ahead and outlives its letter; secret until used
    place: int | None = None
    points: int | None = None
    operator: bool = Field(default=False, sa_column_kwargs={"server_default": text("false")})

    __table_args__ = (
        UniqueConstraint("game_id", "person_id"),
        UniqueConstraint("game_id", "number"),
        Index("ix_seat_due", "due", sqlite_where=text("due is not null"),
              postgresql_where=text("due is not null")),
        Index("ix_seat_remind_at", "remind_at", sqlite_where=text("remind_at is not null"),
              postgresql_where=text("remind_at is not null")),
    )


class PastHolder(SQLModel, table=True):
    """Who held a seat before its present player: up to entry `until`, and how he left."""

    id: int | None = serial()
    game_id: int = Field(foreign_key="game.id", index=True)
    seat: int
    person_id: int = Field(foreign_key="person.id", index=True)
    name: str = Field(max_length=40)
    until: int
    left: str = Field(max_length=8)  # resign, dropped, handover


class Vote(SQLModel, table=True):
    """What a player says to a proposal.

    `about`: "undo 17/3" (take back from that entry on, the third such proposal of its game),
    "absent 2 57" (seat 2, whose clock ran out with entry 57).

    The first row of a proposal is its proposer's.
    """

    id: int | None = serial()
    game_id: int = Field(foreign_key="game.id")
    person_id: int = Field(foreign_key="person.id")
    about: str = Field(max_length=20)
    answer: str = Field(max_length=8)  # yes, no; of an absent seat: wait, replace, cancel
    at: datetime = instant()

    __table_args__ = (UniqueConstraint("game_id", "about", "person_id"),)


class StandingState(StrEnum):
    """Where a standing order stands."""

    STANDING = "standing"
    USED = "used"
    ASKED = "asked"  # its moment came and it could play nothing, so its owner was asked
    EXPIRED = "expired"  # its moment cannot come any more
    WITHDRAWN = "withdrawn"  # by its owner, or because the seat changed hands


class StandingOrder(SQLModel, table=True):
    """An order ahead, its owner's secret until it is used. `line` is canonical, without `later:`.

    Tried in the order of their ids, at questions put behind `given`, the entry that its owner had
    before him, or that he was last left to answer himself.
    """

    id: int | None = serial()
    game_id: int = Field(foreign_key="game.id")
    seat: int
    person_id: int = Field(foreign_key="person.id")
    submission_id: int | None = None  # the letter of orders that said it
    line: str = Field(max_length=400)
    state: str = Field(default=StandingState.STANDING, max_length=10)
    given: int
    created: datetime = instant()
    settled: datetime | None = instant(nullable=True)
    entry: int | None = None  # where it was (last) used, or by which it had gone
    why: str | None = None  # JSON of the refusal by which it came to nothing

    __table_args__ = (Index("ix_standing_of", "game_id", "seat"),)


class Invitation(SQLModel, table=True):
    """An invitation to one address. `token` is in the letter's link (view and answer only).

    With `seat` it is to take over a seat of a running game; `offered`: to who waits for one, by the
    service itself.
    """

    id: int | None = serial()
    game_id: int = Field(foreign_key="game.id")
    by_id: int = Field(foreign_key="person.id", index=True)
    seat: int | None = None
    offered: bool = False
    address: str = Field(max_length=254)
    language: str = Field(default="en", max_length=5)
    state: str = Field(default=InvitationState.PENDING, max_length=10)
    nonce: str = Field(max_length=32)
    created: datetime = instant()

    __table_args__ = (UniqueConstraint("game_id", "address"),)


class Submission(SQLModel, table=True):
    """Orders as a player sent them, and what became of them.

    `key` is the form token, Message-ID or Idempotency-Key. `draft` holds the lines that came back.
    """

    id: int | None = serial()
    game_id: int = Field(foreign_key="game.id")
    person_id: int = Field(foreign_key="person.id")
    seat: int
    source: str = Field(max_length=8)  # page, mail, api, bot
    key: str = Field(max_length=80)
    orders: str
    seen: int  # the entry that the player had before him
    state: str = Field(default=SubmissionState.PENDING, max_length=8)
    refusal: str | None = None  # JSON: key, rule, numbers, choices
    draft: str | None = None
    created: datetime = instant()
    decided: datetime | None = instant(nullable=True)
    first_entry: int | None = None
    last_entry: int | None = None

    __table_args__ = (
        UniqueConstraint("person_id", "game_id", "source", "key"),
        Index("ix_submission_pending", "game_id", sqlite_where=text("state = 'pending'"),
              postgresql_where=text("state = 'pending'")),
    )


# As queries should say it: for a parameter's value SQLite plans anew each time, whether or not the
# index holds it, and PostgreSQL may do without the index.
PENDING: Any = literal_column("'pending'")


class Entry(SQLModel, table=True):
    """One entry of a game's log: the move (cause) and its events (facts); never changed or deleted.

    `body` is the canonical JSON of {move, events} (and a note's {note}), packed in the table;
    `hash` chains: SHA-256 over game, number, base, seat, cause, ruleset, body, previous hash, state
    hash (pbem.games.record).
    """

    game_id: int = Field(primary_key=True, foreign_key="game.id")
    number: int = Field(primary_key=True)
    base: int
    seat: int | None = None
    cause: str = Field(max_length=10)  # one of pbem.games.record.CAUSES
    submission_id: int | None = None
    ruleset: str = Field(max_length=24)
    body: bytes = Field(sa_column=Column(Packed, nullable=False))
    state_hash: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    hash: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    at: datetime = instant()

    __table_args__ = (
        Index("ix_entry_marks", "game_id", "number",
              sqlite_where=text(MARKED), postgresql_where=text(MARKED)),
    )


class Position(SQLModel, table=True):
    """The state after an entry, deflated against a keyframe's. A cache: it may be deleted."""

    game_id: int = Field(primary_key=True, foreign_key="game.id")
    number: int = Field(primary_key=True)
    keyframe: int  # == number: this one stands alone
    data: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class Chapter(SQLModel, table=True):
    """Where a round and phase of a game begin, so that no page has to read the whole log."""

    game_id: int = Field(primary_key=True, foreign_key="game.id")
    first_entry: int = Field(primary_key=True)
    round: int
    phase: int

    __table_args__ = ({"sqlite_with_rowid": False},)


# ---- letters ------------------------------------------------------------------------------------


class Outbox(SQLModel, table=True):
    """A due letter: the outbox and, afterwards, the delivery ledger.

    Unique by (recipient, kind, subject, occasion). `subject` names what it is about:
    "g42" (a game), "s7" (a sign-in), "i3" (an invitation). `occasion` is an entry's number, a
    reminder's step, a resend ("17/2"). `raw` are the bytes, built at the first attempt, dropped
    once sent; `shown` is the entry that they show. `why` is the key of why it waits or stayed.
    """

    id: int | None = serial()
    recipient: str = Field(max_length=260)  # "p12", or "a:" and the address of somebody unknown
    kind: str = Field(max_length=20)
    subject: str = Field(max_length=24)
    occasion: str = Field(max_length=24)
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

    __table_args__ = (
        UniqueConstraint("subject", "kind", "occasion", "recipient"),
        Index("ix_outbox_due", "not_before", sqlite_where=text("settled is null"),
              postgresql_where=text("settled is null")),
        Index("ix_outbox_waiting", "recipient", sqlite_where=text("settled is null"),
              postgresql_where=text("settled is null")),
        Index("ix_outbox_recipient", "recipient", "id"),  # for its reader's own list
        Index("ix_outbox_merged", "merged_into", sqlite_where=text("merged_into is not null"),
              postgresql_where=text("merged_into is not null")),
    )


class MailPause(SQLModel, table=True):
    """A domain that refuses us for a fault of ours ("": our own server): an alarm, and no tries."""

    domain: str = Field(primary_key=True, max_length=190)
    until: datetime = instant()
    since: datetime = instant()
    why: str = Field(max_length=300)


class Inbound(SQLModel, table=True):
    """A letter that came in, stored before the server says 250; `raw` is kept for 30 days.

    `key` is its person and Message-ID (or digest): a second copy is ignored. `told` is JSON: what
    was read, for the receipt.
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
    """What somebody said at a table. `seat` None: a spectator, whom the players do not hear."""

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
    """When something periodic was last seen."""

    name: str = Field(primary_key=True, max_length=30)
    at: datetime = instant()


class Outage(SQLModel, table=True):
    """A time in which clocks do not count: the sweep was away, or letters could not leave.

    One that goes on has `ends` moved by each sweep until it is `over`.
    """

    id: int | None = serial()
    kind: str = Field(max_length=5)  # sweep, mail
    begins: datetime = instant()
    ends: datetime = instant(index=True)
    over: bool = True


def stored_id(row: Any) -> int:
    """The id of a row that is in the database."""
    if row.id is None:
        raise ValueError(f"{type(row).__name__} is not stored yet")
    return int(row.id)
