"""Builds the conditions of the archive's search on finished games."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, func, literal, or_, select
from sqlmodel import Session, col

from engine import registry
from pbem.models import ComponentSet, SeatRow
from pbem.models.archive import FoundGame, FoundName, Happening
from pbem.play.component_sets import STANDARD
from pbem.tables import full_text
from pbem.tables.options import value_of_text

NUMBER_BITS = 30  # of a game's id in `newness`; URLs allow no longer ids
MOST_NAMESAKES = 100
LONGEST_NUMBER = 9  # digits


def newness(ended: datetime, game_id: int) -> int:
    """Return a key that sorts games by their end, and by id within a second."""
    return int(ended.timestamp()) << NUMBER_BITS | game_id


@dataclass(frozen=True)
class Wanted:
    """The filters of a search. Empty values filter nothing. Names are as people type them.

    `own` is "no" or "yes" (a host's own figures), or a component set's digest.
    """

    player: str = ""
    other: str = ""  # another player of the game
    winner: str = ""
    game: str = ""
    seats: int | None = None
    own: str = ""
    option: str = ""  # such as "<game>:quick_start=yes"
    since: datetime | None = None
    until: datetime | None = None
    margin: int | None = None  # at least
    longer: int | None = None  # entries, at least
    shorter: int | None = None  # at most
    words: str = ""
    happened: str = ""  # such as "<game>:founded:calicut"
    times: int | None = None  # by one player, at least
    round: int | None = None
    by: str = ""
    before: int | None = None  # only games with a smaller `newness`


def matching(session: Session, wanted: Wanted, reader_id: int | None) -> Any:
    """Return the query of matching games, newest first. The caller limits it."""
    seated = list(with_players(session, wanted))
    query, key = select(FoundGame), col(FoundGame.newness)
    asked = full_text.parse_query(wanted.words)
    if asked:
        table = full_text.table_of(session)
        query = query.join(table, table.c.newness == key)
        if seated:  # there are fewer of them than games in which a word was said
            query = query.where(full_text.row_matches(session, table, asked))
        else:
            query, key = query.where(full_text.matches(session, table, asked)), table.c.newness
    query = query.where(*seated, *with_figures(wanted), *within(wanted, key), may_see(reader_id))
    if wanted.happened:
        query = query.where(happened_so(session, wanted))
    return query.order_by(key.desc())


# ---- people -------------------------------------------------------------------------------------


def with_players(session: Session, wanted: Wanted) -> Iterator[ColumnElement[bool]]:
    """Yield the conditions on players and winners."""
    by = wanted.by if wanted.happened else ""
    for name in filter(None, (wanted.player, wanted.other, by)):
        yield seats_one_of(people_called(session, name))
    if wanted.winner:
        yield seats_one_of(people_called(session, wanted.winner), col(SeatRow.place) == 1)


def seats_one_of(people: Sequence[int], *more: ColumnElement[bool]) -> ColumnElement[bool]:
    """Return the condition that one of these people had a seat. It is false for nobody."""
    theirs = select(col(SeatRow.game_id)).where(col(SeatRow.person_id).in_(people), *more)
    return col(FoundGame.game_id).in_(theirs)


def people_called(session: Session, name: str) -> list[int]:
    """Return the ids of people who played under this name, ignoring case and accents.

    "#12" is an id.
    """
    number = name.removeprefix("#")
    if number != name and number.isdecimal():
        return [int(number)] if len(number) <= LONGEST_NUMBER else []
    query = select(col(FoundName.person_id)).where(col(FoundName.name) == full_text.plain(name))
    return list(session.execute(query.limit(MOST_NAMESAKES)).scalars())


def may_see(reader_id: int | None) -> ColumnElement[bool]:
    """Return the condition that the reader may see the game. Only players see private games."""
    public = col(FoundGame.private).is_(False)
    return public if reader_id is None else or_(public, seats_one_of([reader_id]))


# ---- figures ------------------------------------------------------------------------------------


def with_figures(wanted: Wanted) -> Iterator[ColumnElement[bool]]:
    """Yield the conditions on the game's own row."""
    if wanted.game:
        yield col(FoundGame.game) == wanted.game
    if wanted.seats is not None:
        yield col(FoundGame.seats) == wanted.seats
    if wanted.own:
        yield with_components(wanted.own)
    if wanted.option:
        yield from with_option(wanted.option)
    if wanted.margin is not None:
        yield col(FoundGame.margin) >= wanted.margin
    if wanted.longer is not None:
        yield col(FoundGame.entries) >= wanted.longer
    if wanted.shorter is not None:
        yield col(FoundGame.entries) <= wanted.shorter


def with_components(own: str) -> ColumnElement[bool]:
    """Return the condition for standard figures, a host's own ones, or those with this digest."""
    standard = select(col(ComponentSet.digest)).where(col(ComponentSet.name) == STANDARD)
    if own == "no":
        return col(FoundGame.components).in_(standard)
    if own == "yes":
        return col(FoundGame.components).not_in(standard)
    return col(FoundGame.components) == own


def with_option(option: str) -> Iterator[ColumnElement[bool]]:
    """Yield the conditions for the option's value, chosen or default."""
    key, _, choice = option.partition(":")
    name, _, text = choice.partition("=")
    rules = registry.game(key)
    value, (usual, *others) = value_of_text(rules, name, text), rules.options[name]
    yield col(FoundGame.game) == key
    if value == usual:
        yield from (~chose(name, other) for other in others)
    else:
        yield chose(name, value)


def chose(name: str, value: Any) -> ColumnElement[bool]:
    """Return the condition that the host chose this value. Options are stored as canonical JSON."""
    pair = json.dumps({name: value}, separators=(",", ":"))[1:-1]
    return col(FoundGame.options).contains(pair, autoescape=True)


def within(wanted: Wanted, key: Any) -> Iterator[ColumnElement[bool]]:
    """Yield the conditions on dates, and on the start of the page."""
    if wanted.before is not None:
        yield key < wanted.before
    if wanted.until is not None:
        yield key < newness(wanted.until, 0)
    if wanted.since is not None:
        yield key >= newness(wanted.since, 0)


# ---- happenings ---------------------------------------------------------------------------------


def happened_so(session: Session, wanted: Wanted) -> ColumnElement[bool]:
    """Return the condition that one player, or the named one, did it in that round, that often."""
    game = col(FoundGame.game) == wanted.happened.partition(":")[0]
    query = happenings(session, select(literal(1)).select_from(Happening), wanted)
    query = query.where(col(Happening.game_id) == FoundGame.game_id)
    if (wanted.times or 1) > 1:
        query = query.group_by(col(Happening.seat)).having(func.count() >= wanted.times)
    return game & query.correlate(FoundGame).exists()


def happenings(session: Session, query: Any, wanted: Wanted) -> Any:
    """Filter the query by kind of event, round and named player."""
    query = query.where(col(Happening.key) == wanted.happened.partition(":")[2])
    if wanted.round is not None:
        query = query.where(col(Happening.round) == wanted.round)
    if wanted.by:
        query = query.join(
            SeatRow, (col(SeatRow.game_id) == col(Happening.game_id))
            & (col(SeatRow.number) == col(Happening.seat)),
        ).where(col(SeatRow.person_id).in_(people_called(session, wanted.by)))
    return query
