"""Tables of blocks, reports, account recoveries and operators' acts."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index, text
from sqlmodel import Field, SQLModel

from pbem.models import instant, serial

OPEN = "stopped is null and done is null"  # recoveries that may still be carried out


class Block(SQLModel, table=True):
    """`blocked_id` cannot invite `person_id` or sit down at their table, and their chat is folded.

    Nobody is told that they are blocked.
    """

    person_id: int = Field(primary_key=True, foreign_key="person.id")
    blocked_id: int = Field(primary_key=True, foreign_key="person.id", index=True)
    since: datetime = instant()


class Report(SQLModel, table=True):
    """A player's report to the operators about another one, or about one of their chat lines.

    `said` is a copy of the line.
    """

    id: int | None = serial()
    by_id: int = Field(foreign_key="person.id", index=True)
    about_id: int = Field(foreign_key="person.id", index=True)
    game_id: int | None = None
    chat_id: int | None = None
    said: str | None = Field(default=None, max_length=2000)
    text: str = Field(max_length=1000)
    at: datetime = instant()
    settled: datetime | None = instant(nullable=True)
    settled_by: int | None = None  # the operator
    outcome: str | None = Field(default=None, max_length=300)  # as its reporter reads it


class Recovery(SQLModel, table=True):
    """A change of an account's address after its mailbox was lost; carried out at `due`.

    The letter to the new address has a link that confirms it, the one to the old address a link
    that stops it. Both are signed, and not stored.
    """

    id: int | None = serial()
    person_id: int = Field(foreign_key="person.id", index=True)
    address: str = Field(max_length=254)
    by_id: int | None = None  # the operator; None: the command line
    created: datetime = instant()
    due: datetime = instant()
    confirmed: datetime | None = instant(nullable=True)
    stopped: datetime | None = instant(nullable=True)
    done: datetime | None = instant(nullable=True)

    __table_args__ = (
        Index("ix_recovery_open", "due", sqlite_where=text(OPEN), postgresql_where=text(OPEN)),
    )


class OperatorAct(SQLModel, table=True):
    """An operator's act, never changed or deleted. `operator_id` None: by the command line."""

    id: int | None = serial()
    at: datetime = instant()
    operator_id: int | None = Field(default=None, foreign_key="person.id", index=True)
    what: str = Field(max_length=30)  # one of pbem.operators.acts.ACTS
    about: str = Field(default="", max_length=40)  # "g42" a game, "p12" a person, "c7" of the talk
    why: str = Field(default="", max_length=300)
    days: int | None = None  # how long it lasts, if it does
