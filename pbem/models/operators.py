"""The tables of those who run the site, and of players who want to be left alone by others."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index, text
from sqlmodel import Field, SQLModel

from pbem.models import instant, serial

OPEN = "stopped is null and done is null"  # recoveries that may still come


class Block(SQLModel, table=True):
    """`blocked_id` can neither invite `person_id` nor sit down where he sits, nor is heard by him.

    Whom it blocks is not told of it.
    """

    person_id: int = Field(primary_key=True, foreign_key="person.id")
    blocked_id: int = Field(primary_key=True, foreign_key="person.id", index=True)
    since: datetime = instant()


class Report(SQLModel, table=True):
    """What a player tells the operators of another one; `chat_id`: of this line of his.

    `said` is the line as it was said then, whatever becomes of it.
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
    outcome: str | None = Field(default=None, max_length=300)  # what its reporter is told


class Recovery(SQLModel, table=True):
    """An account whose mailbox is lost gets another address, `due` unless it is stopped before.

    The letter to the new address carries the link that confirms it, the one to the old address the
    link that stops it; both are proofs by the service's key, and nothing of them is stored.
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
    """Something that an operator did; never changed or deleted. `operator_id` None: by command."""

    id: int | None = serial()
    at: datetime = instant()
    operator_id: int | None = Field(default=None, foreign_key="person.id", index=True)
    what: str = Field(max_length=30)  # one of pbem.operators.acts.ACTS
    about: str = Field(default="", max_length=40)  # "g42" a game, "p12" a person, "c7" of the talk
    why: str = Field(default="", max_length=300)
    days: int | None = None  # for so many, where an act lasts
