"""Chat at a table. While a game runs, players and spectators chat separately."""

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
JOINERS = "\u200c\u200d"  # emoji and some scripts need them; they hide nothing


@dataclass(frozen=True)
class ChatLine:
    """A chat line as one reader sees it.

    `is_removed`: an operator has removed its text. `is_folded`: the reader has blocked its writer.
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


def post(session: Session, game_id: int, person: Person, text: str, now: datetime) -> Chat:
    """Store a chat line; the caller commits. Raises TableRefused.

    The same line within a minute is taken as a double click.
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
        chat_index.index_chats(session, [game_id])
    return line


def cleaned(text: str) -> str:
    """The text in NFC with its line breaks, without characters that hide or reorder others."""
    lines = unicodedata.normalize("NFC", stream_safe(text)).splitlines()
    told = [" ".join("".join(map(visible, line)).split()) for line in lines]
    kept = [line for place, line in enumerate(told) if line or (place and told[place - 1])]
    return "\n".join(kept).strip()


def visible(character: str) -> str:
    """The character; a space for a tab, "" for an invisible character."""
    if character == "\t" or character in JOINERS:
        return " " if character == "\t" else character
    hidden = unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    return "" if hidden else character


def said_since(session: Session, person: Person, instant: datetime) -> Sequence[Chat]:
    """The lines that a person has written since then, in all games."""
    return session.exec(
        select(Chat).where(Chat.person_id == person.id, col(Chat.at) > instant)
    ).all()


def visible_lines(
    session: Session, row: Game, viewer: SeatRow | None, *, reader: int | None = None,
    most: int = SHOWN,
) -> list[ChatLine]:
    """The newest lines that a player, or a spectator (None), may read, oldest first.

    After the game everybody reads all lines. `reader`: the reader's person id, if they are known.
    """
    lines = select(Chat).where(*readable(row, viewer))
    newest = session.exec(lines.order_by(col(Chat.id).desc()).limit(most)).all()
    folded = blocks.blocked_by(session, reader) if newest else frozenset()
    return [line_for_reader(line, is_folded=line.person_id in folded) for line in reversed(newest)]


def line_for_reader(row: Chat, *, is_folded: bool) -> ChatLine:
    """A stored line as one reader sees it."""
    return ChatLine(stored_id(row), row.entry, row.seat, row.person_id, row.name, row.text, row.at,
                row.removed is not None, is_folded)


def readable(row: Game, viewer: SeatRow | None) -> list[ColumnElement[bool]]:
    """The conditions for lines that a player, or a spectator (None), may read."""
    if row.state != GameState.RUNNING:
        return [col(Chat.game_id) == row.id]
    spectators = col(Chat.seat).is_(None)
    return [col(Chat.game_id) == row.id, spectators if viewer is None else ~spectators]


def lines_since_own_move(session: Session, row: Game, seat: SeatRow) -> list[ChatLine]:
    """What the other players have written since this player's last move, oldest first."""
    lines = visible_lines(session, row, seat, reader=seat.person_id)
    return [
        line for line in lines if line.entry >= seat.moved_at and line.person_id != seat.person_id
    ]
