"""The tables of games: games and seats, orders, logs, votes, invitations."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Index,
    LargeBinary,
    Text,
    UniqueConstraint,
    literal_column,
    text,
)
from sqlalchemy.orm import Mapped, relationship
from sqlmodel import Field, Relationship, SQLModel

from pbem.models.columns import EPOCH, Instant, instant, serial

# Entries that move nothing (causes.NOTES), as their index and its queries name them.
MARKED = (
    "cause in ('undo', 'agreed', 'resign', 'dropped', 'handover', 'seated', 'overtime', 'outage',"
    " 'pause', 'resume', 'ruleset')"
)



class GameState(StrEnum):
    """The state of a game."""

    OPEN = "open"
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


class SubmissionState(StrEnum):
    """The state of a player's orders."""

    PENDING = "pending"
    PLAYED = "played"
    REFUSED = "refused"


class InvitationState(StrEnum):
    """The state of an invitation."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"


class ComponentSet(SQLModel, table=True):
    """A component set, by the digest of its canonical form."""

    digest: str = Field(primary_key=True, max_length=64)
    game: str = Field(max_length=30)
    name: str = Field(max_length=60)
    toml: str


class Game(SQLModel, table=True):
    """A game, from its opening on; `last_entry` is 0 before the start.

    `server_part` is the secret half of the committed randomness, `commitment` its SHA-256, which is
    published before anybody joins.
    """

    id: int | None = serial()
    game: str = Field(max_length=30)
    title: str = Field(default="", max_length=60)
    state: str = Field(default=GameState.OPEN, max_length=10, index=True)
    host_id: int = Field(foreign_key="person.id", index=True)
    seats: int
    chosen_order: bool = False  # True: seats in the order of joining; False: at random
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
    clock: str = Field(default="none", max_length=40)  # see pbem.clocks.rules.Clock
    at_zero: str = Field(default="default", max_length=8)  # or "bot", "vote"
    reminders: str = Field(default="50 10", max_length=20)  # per cent of the time left
    paused: datetime | None = instant(nullable=True)  # since when its clocks are paused
    rematch_of: int | None = Field(default=None, index=True)
    series_id: int | None = None
    series_place: int | None = None  # its number in the series, from 1
    tutorial: bool = False
    outage: datetime | None = instant(nullable=True)  # the end of the newest one noted in its log
    ruleset: str | None = Field(default=None, max_length=24)  # None: the newest
    failed: datetime | None = instant(nullable=True)  # when advancing it last failed
    failure: str | None = Field(default=None, max_length=60)  # the class of that failure
    retry: datetime | None = instant(nullable=True)  # when the sweep tries it again
    # What the sweeps look for, so that finished games cost them nothing.
    index_release: int = Field(default=0, sa_column_kwargs={"server_default": text("0")})
    verify_at: datetime = Field(  # when it is to be verified again
        default=EPOCH, sa_column=Column(Instant, nullable=False, server_default=text("0")))
    seat_rows: Mapped[list[SeatRow]] = Relationship(sa_relationship=relationship(
        "SeatRow", viewonly=True, order_by="SeatRow.number"))

    @property
    def mark(self) -> str:
        """Tell this game from one that gets its number after a restore; everybody may read it."""
        return f"{self.id}-{self.commitment[:8]}"

    __table_args__ = (
        CheckConstraint("seats between 2 and 4"), CheckConstraint("last_entry >= 0"),
        Index("ix_game_series", "series_id", "series_place", unique=True),
        Index("ix_game_unindexed", "state", "index_release", "ended"),
        Index("ix_game_verify_at", "state", "verify_at"),
        Index("ix_game_failed", "failed", sqlite_where=text("failed is not null"),
              postgresql_where=text("failed is not null")),
    )


class Series(SQLModel, table=True):
    """Several games of one table in a row; the first seat moves on by one each time."""

    id: int | None = serial()
    host_id: int = Field(foreign_key="person.id", index=True)
    game: str = Field(max_length=30)
    title: str = Field(default="", max_length=60)
    games: int  # planned
    created: datetime = instant()
    ended: datetime | None = instant(nullable=True)  # when the last game ended or was called off


class SeatRow(SQLModel, table=True):
    """A person's seat in a game; `number` (the engine's seat) is None until the start.

    `asked_since`: the entry that asked the seat's open question, None if it is not asked.
    `moved_at`: the newest entry that its player made. `left`, `resigned`: how and since when the
    seat is vacated; until somebody takes it `played_by` plays. `clock_left`: milliseconds that the
    clock had at `clock_from` (None: it is stopped), of the decision's `clock_all`; `due`: when they
    are used up. `operator`: a player of this seat could read the database.
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
    looked_at: datetime | None = instant(nullable=True)  # when its player last opened the table
    resigned: datetime | None = instant(nullable=True)  # since when it is played for
    left: str | None = Field(default=None, max_length=8)  # resign, dropped, handover
    played_by: str | None = Field(default=None, max_length=20)  # "steady", ..; None: default moves
    holds_from: int = 0  # the entry with which its player took it over; 0: from the start
    clock_left: int | None = Field(default=None, sa_column=Column(BigInteger, nullable=True))
    clock_from: datetime | None = instant(nullable=True)
    clock_for: int | None = None  # the entry whose question it counts, or counted last
    clock_all: int | None = Field(default=None, sa_column=Column(BigInteger, nullable=True))
    due: datetime | None = instant(nullable=True)
    due_set: datetime | None = instant(nullable=True)  # when `due` was computed
    due_moves: int = 0  # how often `due` has moved during this question
    reminded: int = 0  # reminders of this decision that were queued
    remind_at: datetime | None = instant(nullable=True)  # when the next one is due
    misses: int = 0  # missed deadlines in a row
    ahead: str | None = None  # answers said ahead that outlive their submission; secret until used
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
    """A former player of a seat: they held it up to entry `until`."""

    id: int | None = serial()
    game_id: int = Field(foreign_key="game.id", index=True)
    seat: int
    person_id: int = Field(foreign_key="person.id", index=True)
    name: str = Field(max_length=40)
    until: int
    left: str = Field(max_length=8)  # resign, dropped, handover


class Vote(SQLModel, table=True):
    """A person's answer in a vote or to a proposal.

    `about`: "undo 17/3" (undo from entry 17 on, the game's third proposal), "absent 2 57" (seat 2,
    whose clock ran out with entry 57), "ruleset 2". The first row of a proposal is its proposer's.
    """

    id: int | None = serial()
    game_id: int = Field(foreign_key="game.id")
    person_id: int = Field(foreign_key="person.id")
    about: str = Field(max_length=20)
    answer: str = Field(max_length=8)  # yes, no; of an absent seat: wait, replace, cancel
    at: datetime = instant()

    __table_args__ = (UniqueConstraint("game_id", "about", "person_id"),)


class StandingState(StrEnum):
    """The state of an order ahead."""

    STANDING = "standing"
    USED = "used"
    ASKED = "asked"  # its moment came, but it could not be played: its owner was asked
    EXPIRED = "expired"  # its moment has passed
    WITHDRAWN = "withdrawn"  # by its owner, or by a change of players


class StandingOrder(SQLModel, table=True):
    """An order ahead, secret until it is used. `line` is canonical, without `later:`.

    Orders are tried in the order of their ids, at questions asked after entry `given`: the newest
    that their owner had seen, or the last question left to them.
    """

    id: int | None = serial()
    game_id: int = Field(foreign_key="game.id")
    seat: int
    person_id: int = Field(foreign_key="person.id")
    submission_id: int | None = None  # the submission that contained it
    line: str = Field(max_length=400)
    state: str = Field(default=StandingState.STANDING, max_length=10)
    given: int
    created: datetime = instant()
    settled: datetime | None = instant(nullable=True)
    entry: int | None = None  # where it was last used, or by which it was over
    why: str | None = None  # JSON of the refusal that ended it

    __table_args__ = (Index("ix_standing_of", "game_id", "seat"),)


class Invitation(SQLModel, table=True):
    """An invitation to one address; its link shows and answers it.

    With `seat` it is to take a vacated seat; `offered`: by the service, to a substitute.
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
    """Orders as a player sent them, and their outcome.

    `key` is the form token, Message-ID or Idempotency-Key. `draft` has the lines that came back.
    """

    id: int | None = serial()
    game_id: int = Field(foreign_key="game.id")
    person_id: int = Field(foreign_key="person.id")
    seat: int
    source: str = Field(max_length=8)  # page, mail, api, bot
    key: str = Field(max_length=80)
    orders: str
    moves: str | None = None  # JSON: the moves of `orders` that a form has built
    seen: int  # the newest entry that the player had seen
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
    """An entry of a game's log: its move and events. It is never changed or deleted.

    `body` is the canonical JSON of {move, events} or {move, events, note}. `hash` is SHA-256 over
    game, number, base, seat, cause, ruleset, body, previous hash and state hash (docs/record.md).
    """

    game_id: int = Field(primary_key=True, foreign_key="game.id")
    number: int = Field(primary_key=True)
    base: int
    seat: int | None = None
    cause: str = Field(max_length=10)  # one of pbem.models.causes.CAUSES
    submission_id: int | None = None
    ruleset: str = Field(max_length=24)
    body: str = Field(sa_column=Column(Text, nullable=False))
    state_hash: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    hash: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    at: datetime = instant()

    __table_args__ = (
        Index("ix_entry_marks", "game_id", "number",
              sqlite_where=text(MARKED), postgresql_where=text(MARKED)),
    )


class Snapshot(SQLModel, table=True):
    """The state after an entry as canonical JSON. A cache: it may be deleted.

    Every 25th entry has one, and each that continues an older position; the states between are
    folded from the events.
    """

    game_id: int = Field(primary_key=True, foreign_key="game.id")
    number: int = Field(primary_key=True)
    state: str = Field(sa_column=Column(Text, nullable=False))


class Chapter(SQLModel, table=True):
    """The entry at which a round and phase begin, so that no page has to read the whole log."""

    game_id: int = Field(primary_key=True, foreign_key="game.id")
    first_entry: int = Field(primary_key=True)
    round: int
    phase: int

    __table_args__ = ({"sqlite_with_rowid": False},)
