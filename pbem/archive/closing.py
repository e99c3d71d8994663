"""When a game is over: what it is found by, what it did to ratings, how long its moves took.

All of it is made of the game's log and can be made anew; nothing of it runs while orders are
played.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from msgspec import MsgspecError
from sqlalchemy import delete, insert, text
from sqlmodel import Session, SQLModel, col, select

from pbem.archive import happenings, pace, ratings
from pbem.archive.index import LENGTHS, MARGINS, MOST_TIMES, newness
from pbem.models import ComponentSet, Game, GameState, Person, SeatRow, stored_id
from pbem.models.archive import FoundGame, FoundTerm, Happening, Pace
from pbem.play import positions
from pbem.play.component_sets import STANDARD
from pbem.record.replay import NONSENSE
from pbem.tables import chat_index, full_text, solo
from pbem.tables.options import value_text

INDEX_RELEASE = 1  # whatever changes what is indexed counts it up
AT_ONCE = 20  # games a sweep
LOCK = 20032  # of those who rate, on PostgreSQL
DAY = 24 * 60 * 60
DAMAGED = (*NONSENSE, MsgspecError)

log = logging.getLogger("carreira.closing")


def unclosed(session: Session, limit: int = AT_ONCE) -> list[int]:
    """Finished games that the archive does not know as this release does, oldest first."""
    found = session.exec(
        select(Game.id)
        .where(Game.state == GameState.FINISHED, col(Game.index_release) < INDEX_RELEASE)
        .order_by(col(Game.ended), col(Game.id)).limit(limit)
    )
    return [game_id for game_id in found if game_id is not None]


def close_game(session: Session, game_id: int, now: datetime) -> None:
    """Index and rate a finished game, and commit; doing it twice changes nothing."""
    if session.get_bind().dialect.name == "postgresql":
        session.connection().execute(text(f"select pg_advisory_xact_lock({LOCK})"))
    row = session.get(Game, game_id)
    if row is None or row.state != GameState.FINISHED:
        session.rollback()
        return
    row.index_release = INDEX_RELEASE
    if row.tutorial:  # nobody looks for them
        session.commit()
        return
    seats = list(session.exec(positions.seats_of(row)))
    entries = readable(session, row)
    found = put_game(session, row, seats, now)
    happened = put_happenings(session, row, entries)
    put_terms(session, row, found, seats, happened)
    put_names(session, seats)
    full_text.index_text(session, found.newness, chat_index.searchable_text(session, row))
    put_paces(session, game_id, seats, entries)
    ratings.rate(session, found)
    session.commit()


def readable(session: Session, row: Game) -> list[positions.LoggedEntry]:
    """The game's entries; none where the log is damaged, which verification says."""
    try:
        return positions.entries(session, row, 1, row.last_entry)
    except DAMAGED as nonsense:
        log.warning("The log of game %s cannot be read: %r", row.id, nonsense)
        return []


# ---- rows ---------------------------------------------------------------------------------------


def put_game(
    session: Session, row: Game, seats: Sequence[SeatRow], now: datetime
) -> FoundGame:
    """The game's own row."""
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
    ))
    session.flush()
    return found


def put_happenings(
    session: Session, row: Game, entries: Sequence[positions.LoggedEntry]
) -> list[Happening]:
    """What was memorable; nothing where the log makes no sense."""
    try:
        found = happenings.happenings_of(session, row, entries)
    except DAMAGED as nonsense:
        log.warning("The log of game %s makes no sense: %r", row.id, nonsense)
        found = []
    put(session, Happening, col(Happening.game_id) == row.id, found)
    return found


def put_terms(
    session: Session, row: Game, found: FoundGame, seats: Sequence[SeatRow],
    happened: Sequence[Happening],
) -> None:
    """The lists in which the game stands."""
    standard = session.get_one(ComponentSet, row.components).name == STANDARD
    terms = {
        *terms_of(found, is_standard=standard),
        *(f"p:{seat.person_id}" for seat in seats),
        *(f"won:{seat.person_id}" for seat in seats if seat.place == 1),
        *(f"option:{row.game}:{name}={value_text(value)}"
          for name, value in options_of(session, row).items()),
        *terms_of_happenings(row.game, happened),
    }
    put(session, FoundTerm, col(FoundTerm.newness) == found.newness,
        [FoundTerm(term=term, newness=found.newness) for term in sorted(terms)])


def terms_of(found: FoundGame, *, is_standard: bool) -> Iterator[str]:
    """The lists that the game's own figures put it into."""
    yield f"game:{found.game}"
    yield f"seats:{found.seats}"
    yield f"set:{found.components}"
    yield f"set:{'no' if is_standard else 'yes'}"
    yield from (f"margin:{step}" for step in MARGINS if found.margin >= step)
    yield from (f"long:{step}" for step in LENGTHS if found.entries >= step)
    yield from (f"short:{step}" for step in LENGTHS if found.entries <= step)


def terms_of_happenings(game: str, happened: Sequence[Happening]) -> set[str]:
    """The lists of what happened: at all, in a round, and so often by one player."""
    counted = Counter(
        (key, one.seat) for one in happened for key in (one.key, f"{one.key}@{one.round}"))
    terms = {f"happened:{game}:{key}" for key, _seat in counted}
    for (key, _seat), number in counted.items():
        terms |= {f"happened:{game}:{key}*{times}"
                  for times in range(2, min(number, MOST_TIMES) + 1)}
    return terms


def options_of(session: Session, row: Game) -> dict[str, object]:
    """What the game was played with; the usual values where nothing was chosen."""
    usual = positions.rules_of(session, row).options
    chosen = json.loads(row.options)
    return {name: chosen.get(name, values[0]) for name, values in usual.items()}


def put_names(session: Session, seats: Sequence[SeatRow]) -> None:
    """What the players were called, and are now."""
    for seat in seats:
        person = session.get_one(Person, seat.person_id)
        chat_index.index_names(session, seat.person_id, seat.name, person.name)


def put_paces(
    session: Session, game_id: int, seats: Sequence[SeatRow],
    entries: Sequence[positions.LoggedEntry],
) -> None:
    """How long everybody's moves took; those against bots alone say nothing of that."""
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


def put(session: Session, table: Any, earlier: Any, rows: Sequence[SQLModel]) -> None:
    """Rows in place of earlier ones."""
    connection = session.connection()
    connection.execute(delete(table).where(earlier))
    if rows:
        connection.execute(insert(table), [row.model_dump() for row in rows])
