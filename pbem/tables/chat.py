"""Talk at a table. Players talk among themselves while they play, spectators among themselves."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, select

from engine.notation import stream_safe
from pbem.models import Chat, Game, GameState, Person, SeatRow, stored_id
from pbem.play.refusals import TableRefused
from pbem.tables import blocks, chat_index

LONGEST = 2_000  # characters
AN_HOUR = 20  # lines of one person, in all games
SHOWN = 100
DOUBLE_CLICK = timedelta(minutes=1)
JOINERS = "\u200c\u200d"  # hold emoji and some scripts together; turn and hide nothing


@dataclass(frozen=True)
class ChatLine:
    """A line of talk as one reader hears it.

    `is_removed`: by an operator, its text is gone; `is_folded`: the reader has blocked its speaker.
    """

    id: int
    entry: int
    seat: int | None
    person_id: int
    name: str
    text: str
    at: datetime
    is_removed: bool
    is_folded: bool


def say(session: Session, game_id: int, person: Person, text: str, now: datetime) -> Chat:
    """Keep what somebody says; the same once more within a minute is a double click.

    The caller commits. Raises TableRefused.
    """
    row = session.get_one(Game, game_id)
    if row.state not in (GameState.RUNNING, GameState.FINISHED):
        raise TableRefused("not_running")
    said_text = cleaned(text)
    if not said_text:
        raise TableRefused("chat_empty")
    if len(said_text) > LONGEST:
        raise TableRefused("chat_long", most=LONGEST)
    if person.mute_until is not None and now < person.mute_until:
        raise TableRefused("mute", until=person.mute_until.date().isoformat())
    lately = said_since(session, person, now - timedelta(hours=1))
    for line in lately:
        if line.game_id == game_id and line.text == said_text and now - line.at < DOUBLE_CLICK:
            return line
    if len(lately) >= AN_HOUR:
        raise TableRefused("chat_often", most=AN_HOUR)
    seat = session.exec(select(SeatRow).where(
        SeatRow.game_id == game_id, SeatRow.person_id == person.id,
        col(SeatRow.resigned).is_(None))).first()
    line = Chat(
        game_id=game_id, person_id=person.id or 0, seat=None if seat is None else seat.number,
        name=person.name if seat is None else seat.name, entry=row.last_entry, text=said_text,
        at=now,
    )
    session.add(line)
    session.flush()
    if row.state == GameState.FINISHED:
        chat_index.hear(session, [game_id])
    return line


def cleaned(text: str) -> str:
    """The text in NFC, its lines kept, without characters that hide or turn others."""
    lines = unicodedata.normalize("NFC", stream_safe(text)).splitlines()
    told = [" ".join("".join(map(visible, line)).split()) for line in lines]
    kept = [line for place, line in enumerate(told) if line or (place and told[place - 1])]
    return "\n".join(kept).strip()


def visible(character: str) -> str:
    """The character, a space for a tab, nothing for one that nobody sees."""
    if character == "\t" or character in JOINERS:
        return " " if character == "\t" else character
    hidden = unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    return "" if hidden else character


def said_since(session: Session, person: Person, instant: datetime) -> Sequence[Chat]:
    """What a person has said since then, in all games."""
    return session.exec(
        select(Chat).where(Chat.person_id == person.id, col(Chat.at) > instant)
    ).all()


def said(
    session: Session, row: Game, viewer: SeatRow | None, *, reader: int | None = None,
    most: int = SHOWN,
) -> list[ChatLine]:
    """The newest lines that a player, or a spectator (None), may read, oldest first.

    Once the game is over everybody reads everything. `reader`: who that is, where it is known.
    """
    lines = select(Chat).where(*readable(row, viewer))
    newest = session.exec(lines.order_by(col(Chat.id).desc()).limit(most)).all()
    folded = blocks.blocked_by(session, reader)
    return [heard_line(line, is_folded=line.person_id in folded) for line in reversed(newest)]


def heard_line(row: Chat, *, is_folded: bool) -> ChatLine:
    """A line as it is stored, for one reader."""
    return ChatLine(stored_id(row), row.entry, row.seat, row.person_id, row.name, row.text, row.at,
                row.removed is not None, is_folded)


def readable(row: Game, viewer: SeatRow | None) -> list[ColumnElement[bool]]:
    """What holds for the lines that a player, or a spectator (None), may read."""
    if row.state != GameState.RUNNING:
        return [col(Chat.game_id) == row.id]
    spectators = col(Chat.seat).is_(None)
    return [col(Chat.game_id) == row.id, spectators if viewer is None else ~spectators]


def since(session: Session, row: Game, seat: SeatRow) -> list[ChatLine]:
    """What the others have said to a player since his own last move, oldest first."""
    lines = said(session, row, seat, reader=seat.person_id)
    return [
        line for line in lines if line.entry >= seat.moved_at and line.person_id != seat.person_id
    ]
