"""Processes a finished game: indexes it, updates ratings, and records how long its moves took.

All of it derives from the game's log and can be rebuilt. Nothing here runs while orders are played.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime

from msgspec import MsgspecError
from sqlalchemy import ColumnElement, delete, insert, text
from sqlmodel import Session, SQLModel, col, select

from engine import codec
from pbem.archive import pace, pictures, ratings, statistics
from pbem.archive.index import newness
from pbem.models import Game, GameState, Person, SeatRow, stored_id
from pbem.models.archive import FoundGame, Happening, Pace
from pbem.models.causes import NOTES
from pbem.play import positions
from pbem.record.replay import NONSENSE
from pbem.tables import chat_index, full_text, solo

INDEX_RELEASE = 2  # incremented whenever what is indexed changes
AT_ONCE = 20  # games per sweep
LOCK = 20032  # PostgreSQL's advisory lock for rating
DAY = 24 * 60 * 60
DAMAGED = (*NONSENSE, MsgspecError)

log = logging.getLogger("carreira.closing")


def unclosed(session: Session, limit: int = AT_ONCE) -> list[int]:
    """Return finished games that are not indexed by this release, oldest first."""
    found = session.exec(
        select(Game.id)
        .where(Game.state == GameState.FINISHED, col(Game.index_release) < INDEX_RELEASE)
        .order_by(col(Game.ended), col(Game.id)).limit(limit)
    )
    return [game_id for game_id in found if game_id is not None]


def close_game(session: Session, game_id: int, now: datetime) -> None:
    """Index and rate a finished game, and commit. Idempotent."""
    if session.get_bind().dialect.name == "postgresql":
        session.connection().execute(text(f"select pg_advisory_xact_lock({LOCK})"))
    row = session.get(Game, game_id)
    if row is None or row.state != GameState.FINISHED:
        session.rollback()
        return
    row.index_release = INDEX_RELEASE
    if row.tutorial:  # nobody searches for tutorials
        session.commit()
        return
    seats = list(session.exec(positions.seats_of(row)))
    entries = readable(session, row)
    found = put_game(session, row, seats, now)
    put_happenings(session, row, entries)
    put_statistics(session, row, found, seats, entries)
    put_names(session, seats)
    full_text.index_text(session, found.newness, chat_index.searchable_text(session, row))
    put_paces(session, game_id, seats, entries)
    ratings.rate(session, found)
    session.commit()


def readable(session: Session, row: Game) -> list[positions.LoggedEntry]:
    """Return the game's entries, or none if the log is damaged, which verification reports."""
    try:
        return positions.entries(session, row, 1, row.last_entry)
    except DAMAGED as nonsense:
        log.warning("The log of game %s cannot be read: %r", row.id, nonsense)
        return []


# ---- rows ---------------------------------------------------------------------------------------


def put_game(
    session: Session, row: Game, seats: Sequence[SeatRow], now: datetime
) -> FoundGame:
    """Store the game's index row."""
    ended = row.ended or row.started or row.created
    began = row.started or row.created
    points = [seat.points or 0 for seat in sorted(seats, key=lambda seat: seat.place or len(seats))]
    found = session.merge(FoundGame(
        game_id=stored_id(row), game=row.game, seats=row.seats, components=row.components,
        options=row.options, private=row.private, ended=ended,
        days=max(0, int((ended - began).total_seconds()) // DAY), entries=row.last_entry,
        winner_points=points[0] if points else 0,
        margin=max(0, points[0] - points[1]) if len(points) > 1 else 0,
        newness=newness(ended, stored_id(row)), indexed=now, release=str(INDEX_RELEASE),
        pictures=pictures_of(session, row),
    ))
    session.flush()
    return found


def pictures_of(session: Session, row: Game) -> str | None:
    """Return the game's pictures as JSON; None if the log is not valid."""
    try:
        return pictures.stored(pictures.drawn(session, row))
    except (*DAMAGED, LookupError) as nonsense:
        log.warning("The positions of game %s make no sense: %r", row.id, nonsense)
        return None


def put_happenings(
    session: Session, row: Game, entries: Sequence[positions.LoggedEntry]
) -> None:
    """Store the memorable events. Stores none if the log is not valid."""
    try:
        found = happenings_of(session, row, entries)
    except DAMAGED as nonsense:
        log.warning("The log of game %s makes no sense: %r", row.id, nonsense)
        found = []
    put(session, Happening, col(Happening.game_id) == row.id, found)


def happenings_of(
    session: Session, row: Game, entries: Sequence[positions.LoggedEntry]
) -> list[Happening]:
    """Return the rows of a game's memorable events, numbered from 0, not added to a session."""
    standing = standing_of(session, row, entries)
    told = positions.rules_of(session, row).happenings(
        row.seats, codec.decode(row.options.encode(), dict), [entry.events for entry in standing])
    return [
        Happening(game_id=stored_id(row), number=number, key=one.key, seat=one.seat,
                  round=one.round, entry=standing[one.step].number)
        for number, one in enumerate(told)
    ]


def standing_of(
    session: Session, row: Game, entries: Sequence[positions.LoggedEntry]
) -> list[positions.LoggedEntry]:
    """Return the entries that changed something and were not undone.

    Each continues the one before.
    """
    back = positions.taken_back(positions.marks(session, row))
    return [
        entry for entry in entries if entry.number not in back and entry.cause not in NOTES
    ]


def put_statistics(
    session: Session, row: Game, found: FoundGame, seats: Sequence[SeatRow],
    entries: Sequence[positions.LoggedEntry],
) -> None:  # fmt: skip
    """Add the game to the statistics. A game with a damaged log adds nothing."""
    if not entries:
        return
    options = codec.decode(row.options.encode(), dict)
    try:
        history = [entry.events for entry in standing_of(session, row, entries)]
        measured = list(positions.rules_of(session, row).measurements(row.seats, options, history))
    except DAMAGED as nonsense:
        log.warning("The log of game %s makes no sense: %r", row.id, nonsense)
        return
    statistics.add(session, found, seats, measured,
                   is_rated=ratings.is_rated(session, row, seats))


def put_names(session: Session, seats: Sequence[SeatRow]) -> None:
    """Store the players' names, those of the time and current ones."""
    for seat in seats:
        person = session.get_one(Person, seat.person_id)
        chat_index.index_names(session, seat.person_id, seat.name, person.name)


def put_paces(
    session: Session, game_id: int, seats: Sequence[SeatRow],
    entries: Sequence[positions.LoggedEntry],
) -> None:
    """Store how long each player's moves took, except in games against bots only."""
    found: list[Pace] = []
    people = select(Game.id).where(Game.id == game_id, solo.between_people())
    if session.exec(people).first() is None:
        seats = ()
    for seat in seats:
        waits = pace.waits_of(entries, seat.number or 0)
        if waits:
            found.append(Pace(game_id=game_id, person_id=seat.person_id, moves=waits.total(),
                              waits=pace.written(waits)))
    put(session, Pace, col(Pace.game_id) == game_id, found)


def put(
    session: Session, table: type[SQLModel], earlier: ColumnElement[bool],
    rows: Sequence[SQLModel],
) -> None:
    """Replace a game's earlier rows."""
    connection = session.connection()
    connection.execute(delete(table).where(earlier))
    if rows:
        connection.execute(insert(table), [row.model_dump() for row in rows])
