"""How a search is cheap in a large archive: every finished game stands in lists, newest first.

There is a list for each player, winner, option, happening and so on (FoundTerm), and one for each
word (full text). All are in the same order, so a page is found by walking the sparsest list
and looking each game up in the others. A page walks so far and no further; where lists hardly ever
meet, the next page goes on from there. So what a page costs does not grow with the archive.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, exists, func, literal, or_, select, true
from sqlalchemy.orm import aliased
from sqlmodel import Session, col

from pbem.models import SeatRow
from pbem.models.archive import FoundGame, FoundName, FoundTerm, Happening
from pbem.tables import full_text

NUMBER_BITS = 30  # of a game's number within `newness`; addresses know no longer ones
LOOKED_THROUGH = 400  # rows of a list, to see which is the sparsest
WALKED = 2_000  # rows of it for one page
MOST_NAMESAKES = 100
MARGINS = (1, 2, 3, 5, 8, 12, 20, 30, 50, 80)
LENGTHS = (50, 100, 150, 200, 250, 300, 350, 400, 500, 600, 800)
LONGEST_NUMBER = 9  # digits
MOST_TIMES = 9  # that lists tell apart


def newness(ended: datetime, game_id: int) -> int:
    """Sorts games by their end, and by their number within a second."""
    return int(ended.timestamp()) << NUMBER_BITS | game_id


@dataclass(frozen=True)
class Wanted:
    """What the search is narrowed to; empty values narrow nothing. Names are as people type them.

    `own`: "no" or "yes" (figures of a host's own), or a component set's digest.
    """

    player: str = ""
    other: str = ""  # who sat there as well
    winner: str = ""
    game: str = ""
    seats: int | None = None
    own: str = ""
    option: str = ""  # "<game>:quick_start=yes"
    since: datetime | None = None
    until: datetime | None = None
    margin: int | None = None  # at least
    longer: int | None = None  # entries, at least
    shorter: int | None = None  # at most
    words: str = ""
    happened: str = ""  # "<game>:founded:calicut"
    times: int | None = None  # by one player, at least
    round: int | None = None
    by: str = ""
    before: int | None = None  # only games with a smaller `newness`


@dataclass(frozen=True)
class OfTerms:
    """The games that stand under one of these terms; nobody's list has none."""

    terms: Sequence[str]

    def rows(self, table: Any) -> Any:
        """The rows of FoundTerm that are meant."""
        if len(self.terms) == 1:
            return table.term == self.terms[0]
        return table.term.in_(self.terms)

    def alone(self) -> tuple[Any, Any]:
        """The key of the list's rows, and the keys by themselves."""
        key = col(FoundTerm.newness)
        return key, select(key).where(self.rows(FoundTerm))

    def walk(self) -> tuple[Any, Any]:
        """The key of the list's rows, and the games behind them."""
        listed = aliased(FoundTerm)
        query = select(FoundGame).join_from(
            listed, FoundGame, col(FoundGame.newness) == listed.newness)
        query = query.where(self.rows(listed))
        if len(self.terms) == 1:
            return listed.newness, query
        return FoundGame.newness, query.distinct()

    def holds(self) -> ColumnElement[bool]:
        """Whether a game stands in the list."""
        other = aliased(FoundTerm)
        return exists().where(self.rows(other), col(other.newness) == FoundGame.newness)


class OfWords:
    """The games in whose chat all that is asked for was said."""

    def __init__(self, session: Session, asked: list[full_text.SearchPhrase]) -> None:
        self._table = full_text.table_of(session)
        self._said = full_text.matches(session, self._table, asked)
        self._says = full_text.row_matches(session, self._table, asked)

    def alone(self) -> tuple[Any, Any]:
        """The key of the list's rows, and the keys by themselves."""
        key = self._table.c.newness
        return key, select(key).where(self._said)

    def walk(self) -> tuple[Any, Any]:
        """The key of the list's rows, and the games behind them."""
        key = self._table.c.newness
        query = select(FoundGame).join_from(self._table, FoundGame, col(FoundGame.newness) == key)
        return key, query.where(self._said)

    def holds(self) -> ColumnElement[bool]:
        """Whether a game stands in the list."""
        return exists().where(self._table.c.newness == FoundGame.newness, self._says)


class OfAll:
    """All games."""

    def alone(self) -> tuple[Any, Any]:
        """The key of the list's rows, and the keys by themselves."""
        key = col(FoundGame.newness)
        return key, select(key)

    def walk(self) -> tuple[Any, Any]:
        """The key of the list's rows, and the games behind them."""
        return col(FoundGame.newness), select(FoundGame)

    def holds(self) -> ColumnElement[bool]:
        """Every game stands in it."""
        return true()


Listed = OfTerms | OfWords | OfAll


# ---- which lists --------------------------------------------------------------------------------


def needed(session: Session, wanted: Wanted) -> list[Listed] | None:
    """The lists in which a game must stand, in each of them; None if there can be no such game."""
    if wanted.longer and wanted.shorter and wanted.longer > wanted.shorter:
        return None
    named = [(wanted.player, "p"), (wanted.other, "p"), (wanted.winner, "won")]
    if wanted.happened:
        named.append((wanted.by, "p"))
    found: list[Listed] = []
    for name, kind in named:
        if name:
            people = people_called(session, name)
            if not people:
                return None
            found.append(OfTerms([f"{kind}:{person}" for person in people]))
    plain: list[tuple[str, Any]] = [
        ("game", wanted.game), ("seats", wanted.seats), ("set", wanted.own),
        ("option", wanted.option), ("margin", reached(MARGINS, wanted.margin)),
        ("happened", happening_key(wanted) if wanted.happened else ""),
        ("long", reached(LENGTHS, wanted.longer)), ("short", kept_under(LENGTHS, wanted.shorter)),
    ]
    found += [OfTerms([f"{kind}:{value}"]) for kind, value in plain if value]
    asked = full_text.parse_query(wanted.words)
    return [*found, OfWords(session, asked)] if asked else found


def happening_key(wanted: Wanted) -> str:
    """The list of what happened: at all, in a round, so often by one player."""
    key = f"{wanted.happened}@{wanted.round}" if wanted.round else wanted.happened
    times = min(wanted.times or 1, MOST_TIMES)
    return f"{key}*{times}" if times > 1 else key


def reached(steps: Sequence[int], least: int | None) -> int | None:
    """The highest step that whatever is at least that much has reached."""
    return None if least is None else max((step for step in steps if step <= least), default=None)


def kept_under(steps: Sequence[int], most: int | None) -> int | None:
    """The lowest step that whatever is at most that much does not exceed."""
    return None if most is None else min((step for step in steps if step >= most), default=None)


def people_called(session: Session, name: str) -> list[int]:
    """Who has played under this name, without case and accents; "#12" is a person's number."""
    number = name.removeprefix("#")
    if number != name and number.isdecimal():
        return [int(number)] if len(number) <= LONGEST_NUMBER else []
    query = select(col(FoundName.person_id)).where(col(FoundName.name) == full_text.plain(name))
    return list(session.execute(query.limit(MOST_NAMESAKES)).scalars())


# ---- the statement ------------------------------------------------------------------------------


class Walk(NamedTuple):
    """The games that fit, newest first, and the key at which the walk ends, if it has to end."""

    query: Any
    floor: int | None


def walk(session: Session, wanted: Wanted, reader_id: int | None) -> Walk | None:
    """How to find the games that fit; None if there can be none. The caller limits it."""
    lists = needed(session, wanted)
    if lists is None:
        return None
    walked = min(lists or [OfAll()], key=lambda one: sparseness(session, wanted, one))
    floor = floor_of(session, wanted, walked)
    key, query = walked.walk()
    conditions = [one.holds() for one in lists if one is not walked]
    conditions += [*bounds(wanted, key), *compared(wanted), may_see(reader_id)]
    if floor is not None:
        conditions.append(key > floor)
    if wanted.happened and (wanted.by or (wanted.times or 0) > MOST_TIMES):
        conditions.append(happened_so(session, wanted))
    return Walk(query.where(*conditions).order_by(key.desc()), floor)


def sparseness(session: Session, wanted: Wanted, listed: Listed) -> tuple[int, int]:
    """Sorts lists: short ones by their length, others by how far back so many of their games go."""
    key, rows = listed.alone()
    few = rows.where(*bounds(wanted, key)).order_by(key.desc()).limit(LOOKED_THROUGH).subquery()
    number, last = session.execute(
        select(func.count(), func.min(few.c[0])).select_from(few)).one()
    return (0, number) if number < LOOKED_THROUGH else (1, last)


def floor_of(session: Session, wanted: Wanted, listed: Listed) -> int | None:
    """The key of the first game that one page does not walk to; None if it walks to the end."""
    key, rows = listed.alone()
    query = rows.where(*bounds(wanted, key)).order_by(key.desc()).offset(WALKED).limit(1)
    return session.execute(query).scalar()


def bounds(wanted: Wanted, key: Any) -> list[ColumnElement[bool]]:
    """The part of the list that is walked: dates, and where the page begins."""
    tops = [wanted.before] if wanted.before is not None else []
    if wanted.until is not None:
        tops.append(newness(wanted.until, 0))
    found = [key < min(tops)] if tops else []
    if wanted.since is not None:
        found.append(key >= newness(wanted.since, 0))
    return found


def compared(wanted: Wanted) -> list[ColumnElement[bool]]:
    """The figures of the game itself, exactly: lists know steps of them."""
    found: list[ColumnElement[bool]] = []
    if wanted.margin is not None:
        found.append(col(FoundGame.margin) >= wanted.margin)
    if wanted.longer is not None:
        found.append(col(FoundGame.entries) >= wanted.longer)
    if wanted.shorter is not None:
        found.append(col(FoundGame.entries) <= wanted.shorter)
    return found


def may_see(reader_id: int | None) -> ColumnElement[bool]:
    """Private games are for their players alone."""
    public = col(FoundGame.private).is_(False)
    return public if reader_id is None else or_(public, OfTerms([f"p:{reader_id}"]).holds())


def happened_so(session: Session, wanted: Wanted) -> ColumnElement[bool]:
    """Whether one player did it in that round, that often, or is the one who was named."""
    query = happenings(session, select(literal(1)).select_from(Happening), wanted)
    often = (
        query.where(col(Happening.game_id) == FoundGame.game_id)
        .group_by(col(Happening.seat)).having(func.count() >= (wanted.times or 1))
    )
    return often.correlate(FoundGame).exists()


def happenings(session: Session, query: Any, wanted: Wanted) -> Any:
    """The query narrowed to what is looked for: of that kind, in that round, by who was named."""
    query = query.where(col(Happening.key) == wanted.happened.partition(":")[2])
    if wanted.round is not None:
        query = query.where(col(Happening.round) == wanted.round)
    if wanted.by:
        query = query.join(
            SeatRow, (col(SeatRow.game_id) == col(Happening.game_id))
            & (col(SeatRow.number) == col(Happening.seat)),
        ).where(col(SeatRow.person_id).in_(people_called(session, wanted.by)))
    return query
