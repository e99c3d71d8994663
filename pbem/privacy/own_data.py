"""Exports everything that is stored about a person."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import inspect
from sqlmodel import Session, col, select

from pbem.models import (
    Chat,
    Game,
    Inbound,
    Invitation,
    Outbox,
    PastHolder,
    Person,
    SeatRow,
    Series,
    SignIn,
    StandingOrder,
    Submission,
    Substitute,
    Vacation,
    Vote,
    WebSession,
)
from pbem.models.archive import ApiToken, FeedAddress, Note, WebHook
from pbem.models.operators import Block, Report
from pbem.tables.invitations import called
from pbem.tables.lobby import addresses_of

FORMAT = "carreira/own-data/1"

ACCOUNT = ("id", "name", "address", "second_address", "language", "zone", "created", "letters",
           "awake", "holidays", "suppressed", "operator", "mute_until",
           "name_stays_until", "unnamed")  # fmt: skip
HELD = ("game_id", "seat", "name", "until", "left")
WAITS = ("game", "since")
VOTED = ("game_id", "about", "answer", "at")
AWAY = ("begins", "ends", "announced")
SEAT = ("game_id", "number", "name", "phrase", "joined", "letters", "looked_at", "resigned",
        "ahead", "place", "points")  # fmt: skip
ORDERS = ("game_id", "source", "orders", "state", "draft", "created", "decided", "first_entry",
          "last_entry")  # fmt: skip
AHEAD = ("game_id", "line", "state", "created", "settled", "entry")
SENT = ("id", "address", "kind", "game_id", "entry", "state", "created", "not_before", "settled",
        "why", "last_code", "last_text", "bounced", "bounce")  # fmt: skip
CAME = ("id", "received", "source", "sender", "message_id", "state", "reason", "game_id", "told",
        "decided")  # fmt: skip
CHAT = ("game_id", "entry", "text", "at", "removed")
NOTE = ("game_id", "entry", "text", "at")
INVITED = ("game_id", "address", "state", "created")
TOKEN = ("name", "scopes", "created", "used", "expires")
HOOK = ("url", "created", "confirmed", "failures", "off", "why")
BROWSER = ("created", "used", "agent")
BLOCKED = ("blocked_id", "since")
REPORTED = ("about_id", "game_id", "text", "at", "settled", "outcome")
SERIES = ("id", "game", "title", "games", "created", "ended")
PROOF = ("purpose", "address", "created", "expires", "used")


def own_data(session: Session, person: Person, now: datetime) -> dict[str, Any]:
    """A person's data; without hashes and other people's texts."""
    number, addresses = person.id, addresses_of(person)
    to_them = (col(Outbox.person_id) == number) | col(Outbox.address).in_(addresses)
    games = (
        select(Game).join(SeatRow, col(SeatRow.game_id) == col(Game.id))
        .where(SeatRow.person_id == number).order_by(col(Game.id))
    )  # fmt: skip
    return {
        "format": FORMAT,
        "at": now.isoformat(),
        "account": values(person, ACCOUNT),
        "vacations": rows(session, Vacation, col(Vacation.person_id) == number, AWAY),
        "browsers": rows(session, WebSession, col(WebSession.person_id) == number, BROWSER),
        "sign_ins": rows(session, SignIn, col(SignIn.address).in_(addresses), PROOF),
        "games": [
            values(game, ("id", "game", "title", "state", "created", "started", "ended",
                          "clock", "at_zero", "reminders"))
            for game in session.exec(games)
        ],
        "seats": rows(session, SeatRow, col(SeatRow.person_id) == number, SEAT),
        "seats_left": rows(session, PastHolder, col(PastHolder.person_id) == number, HELD),
        "waits_for_seats_in": rows(session, Substitute, col(Substitute.person_id) == number,
                                   WAITS),
        "series": rows(session, Series, col(Series.host_id) == number, SERIES),
        "votes": rows(session, Vote, col(Vote.person_id) == number, VOTED),
        "orders": rows(session, Submission, col(Submission.person_id) == number, ORDERS),
        "orders_ahead": rows(
            session, StandingOrder, col(StandingOrder.person_id) == number, AHEAD),
        "letters_to_you": rows(session, Outbox, to_them, SENT),
        "letters_from_you": [
            values(row, CAME) | {"letter": (row.raw or b"").decode("utf-8", "replace") or None}
            for row in session.exec(
                select(Inbound).where(Inbound.person_id == number).order_by(col(Inbound.id)))
        ],
        "chat": rows(session, Chat, col(Chat.person_id) == number, CHAT),
        "notes": rows(session, Note, col(Note.person_id) == number, NOTE),
        "tokens": rows(session, ApiToken, col(ApiToken.person_id) == number, TOKEN),
        "has_feed_addresses": session.get(FeedAddress, number) is not None,
        "web_hooks": rows(session, WebHook, col(WebHook.person_id) == number, HOOK),
        "blocked": rows(session, Block, col(Block.person_id) == number, BLOCKED),
        "reports_by_you": rows(session, Report, col(Report.by_id) == number, REPORTED),
        "invitations_by_you": invited_by(session, person),
        "invitations_to_you": rows(
            session, Invitation, col(Invitation.address).in_(addresses),
            ("game_id", "state", "created")),
    }  # fmt: skip


def invited_by(session: Session, person: Person) -> list[dict[str, Any]]:
    """The invitations that a person has made, without addresses that they were never told."""
    found = session.exec(
        select(Invitation, Game)
        .where(Invitation.by_id == person.id, Invitation.game_id == Game.id,
               col(Invitation.offered).is_(False))
        .order_by(col(Invitation.id)))
    return [
        values(one, INVITED) | {"address": called(session, game, [one]).get(one.address)
                                or one.address}
        for one, game in found
    ]


def rows(session: Session, table: Any, whose: Any, names: Iterable[str]) -> list[dict[str, Any]]:
    """The named columns of a person's rows, in order."""
    names = tuple(names)
    found = session.exec(select(table).where(whose).order_by(*inspect(table).primary_key))
    return [values(row, names) for row in found]


def values(row: Any, names: Iterable[str]) -> dict[str, Any]:
    """The named fields of a row, as JSON has them."""
    return {name: plain(getattr(row, name)) for name in names}


def plain(value: Any) -> Any:
    """An instant in ISO 8601; other values as they are."""
    return value.isoformat() if isinstance(value, datetime) else value
