"""Tables of the archive: search index, ratings, notes, API tokens, feeds and web hooks.

All but notes, tokens, feed addresses and hooks are derived from the games' logs and can be rebuilt.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, Column, Index, Text, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from pbem.models import Instant, instant, serial


class FoundGame(SQLModel, table=True):
    """A finished game in the search index, filled by the worker.

    `newness` sorts games by their end and number (pbem.archive.index). The words of chats are in
    the table `foundtext`, which each database keeps in its own form. `pictures` is JSON of
    pbem.archive.pictures; None if the log could not be read.
    """

    game_id: int = Field(primary_key=True, foreign_key="game.id", sa_column_kwargs={
        "autoincrement": False})
    game: str = Field(max_length=30)
    seats: int
    components: str = Field(max_length=64)
    options: str = "{}"
    private: bool = False
    ended: datetime = instant()
    days: int  # from start to end of the game
    entries: int
    winner_points: int
    margin: int  # points between the first and the second
    newness: int = Field(sa_column=Column(BigInteger, nullable=False, unique=True))
    indexed: datetime = instant()
    release: str = Field(max_length=24)  # of the index; rows of an older one are rebuilt
    pictures: str | None = Field(default=None, sa_column=Column(Text, nullable=True))  # JSON

    __table_args__ = (Index("ix_foundgame_kind", "game", "newness"),)


class FoundName(SQLModel, table=True):
    """A name that somebody has played under, without case and accents."""

    name: str = Field(primary_key=True, max_length=80)
    person_id: int = Field(primary_key=True, foreign_key="person.id")

    __table_args__ = ({"sqlite_with_rowid": False},)


class Pace(SQLModel, table=True):
    """How long a player's moves in a finished game took.

    `waits` is JSON {bucket: moves}; see pbem.archive.pace.
    """

    game_id: int = Field(primary_key=True, foreign_key="game.id")
    person_id: int = Field(primary_key=True, foreign_key="person.id", index=True)
    moves: int
    waits: str


class Happening(SQLModel, table=True):
    """A memorable event of a finished game: who did what in which round, at which entry."""

    game_id: int = Field(primary_key=True, foreign_key="game.id")
    number: int = Field(primary_key=True)  # numbered from 0 within the game
    key: str = Field(max_length=60)  # "founded:calicut"; the game's words say it
    seat: int
    round: int
    entry: int

    __table_args__ = (Index("ix_happening_key", "key", "game_id", "seat", "round"),)


class GameShare(SQLModel, table=True):
    """What one finished public game adds to the statistics.

    `sums` is JSON [[group, item, side, number, total], ...]; see pbem.archive.statistics.
    """

    game_id: int = Field(primary_key=True, foreign_key="game.id", sa_column_kwargs={
        "autoincrement": False})
    game: str = Field(max_length=30)
    seats: int
    year: int
    rated: bool
    sums: str


class StatisticSum(SQLModel, table=True):
    """A sum over the finished public games of one kind, number of seats, and year."""

    game: str = Field(primary_key=True, max_length=30)
    seats: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    year: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    rated: bool = Field(primary_key=True)
    group: str = Field(primary_key=True, max_length=20)
    item: str = Field(primary_key=True, max_length=40)
    side: str = Field(primary_key=True, max_length=8)  # "winners", "others" or ""
    number: int = 0  # of measurements
    total: int = 0  # of their values


class Rating(SQLModel, table=True):
    """A person's rating in one game: openskill's mu and sigma after `games` rated games."""

    person_id: int = Field(primary_key=True, foreign_key="person.id")
    game: str = Field(primary_key=True, max_length=30)
    mu: float
    sigma: float
    games: int = 0
    wins: int = 0


class RatedSeat(SQLModel, table=True):
    """The change that one finished game made to one player's rating."""

    game_id: int = Field(primary_key=True, foreign_key="game.id")
    person_id: int = Field(primary_key=True, foreign_key="person.id", index=True)
    mu_before: float
    mu_after: float
    sigma_after: float


class Verification(SQLModel, table=True):
    """The last verification of a finished game: when, by which release, first broken entry."""

    game_id: int = Field(primary_key=True, foreign_key="game.id", sa_column_kwargs={
        "autoincrement": False})
    at: datetime = Field(sa_column=Column(Instant, nullable=False, index=True))
    release: str = Field(max_length=24)
    broken_at: int | None = None
    fault: str | None = Field(default=None, max_length=300)


class ImportedGame(SQLModel, table=True):
    """The origin of a game that was played on another installation.

    `toml`: the component set as its record has it, if the stored set is another text.
    """

    game_id: int = Field(primary_key=True, foreign_key="game.id", sa_column_kwargs={
        "autoincrement": False})
    source: str = Field(max_length=60)
    at: datetime = instant()
    toml: str | None = None


class Note(SQLModel, table=True):
    """A player's private note at an entry of a game."""

    id: int | None = serial()
    game_id: int = Field(foreign_key="game.id")
    person_id: int = Field(foreign_key="person.id")
    entry: int
    text: str = Field(max_length=4000)
    at: datetime = instant()

    __table_args__ = (Index("ix_note_own", "person_id", "game_id"),)


class ApiToken(SQLModel, table=True):
    """A personal token of the JSON API; only its hash is stored. `scopes`: "read", "read play"."""

    id: int | None = serial()
    person_id: int = Field(foreign_key="person.id", index=True)
    hash: str = Field(max_length=64, unique=True)
    name: str = Field(max_length=60)
    scopes: str = Field(max_length=60)
    created: datetime = instant()
    used: datetime | None = instant(nullable=True)
    expires: datetime | None = instant(nullable=True)


class FeedAddress(SQLModel, table=True):
    """The nonce that a person's secret feed addresses are derived from."""

    person_id: int = Field(primary_key=True, foreign_key="person.id", sa_column_kwargs={
        "autoincrement": False})
    nonce: str = Field(max_length=32)


class WebHook(SQLModel, table=True):
    """A URL of a person's that is called about their turns, once it has confirmed."""

    id: int | None = serial()
    person_id: int = Field(foreign_key="person.id", index=True)
    url: str = Field(max_length=500, index=True)
    secret: str = Field(max_length=64)  # signs what is sent
    created: datetime = instant()
    confirmed: datetime | None = instant(nullable=True)
    failures: int = 0  # in a row
    off: datetime | None = instant(nullable=True)
    why: str | None = Field(default=None, max_length=300)

    __table_args__ = (UniqueConstraint("person_id", "url"),)


class HookCall(SQLModel, table=True):
    """A due call to a web hook. Without a game it asks the hook to confirm."""

    id: int | None = serial()
    hook_id: int = Field(foreign_key="webhook.id")
    game_id: int | None = Field(default=None, foreign_key="game.id")
    occasion: str = Field(max_length=24)
    not_before: datetime = instant()
    attempts: int = 0
    lease_until: datetime | None = instant(nullable=True)
    settled: datetime | None = instant(nullable=True)
    last_code: int | None = None
    last_text: str | None = Field(default=None, max_length=300)

    __table_args__ = (
        UniqueConstraint("hook_id", "game_id", "occasion"),
        Index("ix_hookcall_due", "not_before", sqlite_where=text("settled is null"),
              postgresql_where=text("settled is null")),
    )
