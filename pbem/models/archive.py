"""The tables behind the archive: what is found, rated, noted down, fed to other programs.

All of them but notes, tokens and hooks are made of the games' logs and can be made anew.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, Column, Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from pbem.models import Instant, instant, serial


class FoundGame(SQLModel, table=True):
    """A finished game as the search knows it; filled by the worker. Its people are its seats'.

    `newness` sorts games by their end and number (pbem.archive.search); pages go on behind it.
    """

    game_id: int = Field(primary_key=True, foreign_key="game.id", sa_column_kwargs={
        "autoincrement": False})
    game: str = Field(max_length=30)
    seats: int
    components: str = Field(max_length=64)
    options: str = "{}"
    private: bool = False
    ended: datetime = instant()
    days: int  # from start to end
    entries: int
    winner_points: int
    margin: int  # points between the first and the second
    newness: int = Field(sa_column=Column(BigInteger, nullable=False, unique=True))
    indexed: datetime = instant()
    release: str = Field(max_length=24)  # of the index: an older one is made anew

    __table_args__ = (Index("ix_foundgame_kind", "game", "newness"),)


class FoundTerm(SQLModel, table=True):
    """What a finished game can be found by: "won:12", "seats:4", "happened:<game>:<key>".

    Beside it, in a table of each database's own kind, `foundtext`: the words of its chat.
    """

    term: str = Field(primary_key=True, max_length=120)
    newness: int = Field(sa_column=Column(BigInteger, primary_key=True, autoincrement=False))

    __table_args__ = (Index("ix_foundterm_game", "newness"), {"sqlite_with_rowid": False})


class FoundName(SQLModel, table=True):
    """A name, without case and accents, that somebody played under."""

    name: str = Field(primary_key=True, max_length=80)
    person_id: int = Field(primary_key=True, foreign_key="person.id")

    __table_args__ = ({"sqlite_with_rowid": False},)


class Pace(SQLModel, table=True):
    """How long a player's moves in a finished game took: `waits` counts them by their length.

    JSON {bucket: moves}; see pbem.archive.pace.
    """

    game_id: int = Field(primary_key=True, foreign_key="game.id")
    person_id: int = Field(primary_key=True, foreign_key="person.id", index=True)
    moves: int
    waits: str


class Happening(SQLModel, table=True):
    """Something memorable in a finished game: who did what in which round, at which entry."""

    game_id: int = Field(primary_key=True, foreign_key="game.id")
    number: int = Field(primary_key=True)  # counted from 0 within the game
    key: str = Field(max_length=60)  # "founded:calicut"; the game's words say it
    seat: int
    round: int
    entry: int


class Rating(SQLModel, table=True):
    """How strong a person is at one game: openskill's mu and sigma after `games` rated games."""

    person_id: int = Field(primary_key=True, foreign_key="person.id")
    game: str = Field(primary_key=True, max_length=30)
    mu: float
    sigma: float
    games: int = 0
    wins: int = 0


class RatedSeat(SQLModel, table=True):
    """What one finished game did to one player's rating."""

    game_id: int = Field(primary_key=True, foreign_key="game.id")
    person_id: int = Field(primary_key=True, foreign_key="person.id", index=True)
    mu_before: float
    mu_after: float
    sigma_after: float


class Verification(SQLModel, table=True):
    """When a finished game was last re-run, by which release, and the first entry that broke."""

    game_id: int = Field(primary_key=True, foreign_key="game.id", sa_column_kwargs={
        "autoincrement": False})
    at: datetime = Field(sa_column=Column(Instant, nullable=False, index=True))
    release: str = Field(max_length=24)
    broken_at: int | None = None
    fault: str | None = Field(default=None, max_length=300)


class ImportedGame(SQLModel, table=True):
    """Where a finished game comes from that was played on another installation.

    `toml`: the component set as its record has it, where the stored one is another text.
    """

    game_id: int = Field(primary_key=True, foreign_key="game.id", sa_column_kwargs={
        "autoincrement": False})
    source: str = Field(max_length=60)
    at: datetime = instant()
    toml: str | None = None


class Note(SQLModel, table=True):
    """A player's own note at an entry of a game; nobody else ever sees it."""

    id: int | None = serial()
    game_id: int = Field(foreign_key="game.id")
    person_id: int = Field(foreign_key="person.id")
    entry: int
    text: str = Field(max_length=4000)
    at: datetime = instant()

    __table_args__ = (Index("ix_note_own", "person_id", "game_id"),)


class ApiToken(SQLModel, table=True):
    """A personal token of the JSON API; only its hash is kept. `scopes`: "read", "read play"."""

    id: int | None = serial()
    person_id: int = Field(foreign_key="person.id", index=True)
    hash: str = Field(max_length=64, unique=True)
    name: str = Field(max_length=60)
    scopes: str = Field(max_length=60)
    created: datetime = instant()
    used: datetime | None = instant(nullable=True)
    expires: datetime | None = instant(nullable=True)


class FeedAddress(SQLModel, table=True):
    """What a person's secret feed addresses are derived from; a new nonce renews them all."""

    person_id: int = Field(primary_key=True, foreign_key="person.id", sa_column_kwargs={
        "autoincrement": False})
    nonce: str = Field(max_length=32)


class WebHook(SQLModel, table=True):
    """An address of a person's that is told of his turns, once it has confirmed that it wants."""

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
    """A call that is due to a web hook: an outbox of its own. No game: it asks to be confirmed."""

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
