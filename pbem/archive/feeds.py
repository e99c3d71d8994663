"""Collects the content of feeds and calendars: a game's entries, own turns, own deadlines.

A person's secret URLs derive from a nonce that they can renew. A holder of the URLs reads what that
person may see of their games, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session

from pbem.archive import steps
from pbem.i18n import words
from pbem.models import Game, GameState, Person, stored_id
from pbem.play import narration, positions
from pbem.tables import clock_view, lists, players

OF_A_GAME = 40  # entries in the feed of one game
OF_EACH = 10  # entries of each game in the combined feed
MOST = 100  # entries in the combined feed


# ---- feeds --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Item:
    """One entry of a feed. `key` changes only if its content does."""

    row: Game
    key: str
    number: int
    title: str
    lines: Sequence[str]
    at: datetime


def of_game(
    session: Session, row: Game, person: Person | None, language: str, *, most: int = OF_A_GAME
) -> list[Item]:
    """Return the newest entries as this person, or a spectator, may read them, newest first."""
    if row.last_entry == 0:
        return []
    sitting = players.seating(session, row, person)
    viewer = None if sitting.own is None else sitting.own.number
    told = narration.log(session, row, upto=row.last_entry, viewer=viewer, names=sitting.names,
                       language=language, limit=most)
    made = steps.made_from(session, row, told[0].number, told[-1].number, viewer)
    items = [
        Item(row, f"entry-{entry.number}", entry.number, entry.lines[0].text,
             [line.text for line in entry.lines],
             moment(made[entry.number], entry.number))
        for entry in told if entry.lines
    ]
    return items[::-1]


def moment(entry: steps.Made, number: int) -> datetime:
    """Return when an entry was made.

    If only the day may be known, the seconds keep the entries' order.
    """
    if entry.is_exact:
        return entry.at
    day = entry.at.replace(hour=0, minute=0, second=0, microsecond=0)
    return day + timedelta(milliseconds=number)


def of_person(session: Session, person: Person) -> list[Item]:
    """Return a person's turns and the news of their games, newest first."""
    items: list[Item] = []
    for one in own_games(session, person):
        items += turns(session, one, person.language, person.zone)
        items += of_game(session, one.game, person, person.language, most=OF_EACH)
    return sorted(items, key=lambda item: item.at, reverse=True)[:MOST]


def own_games(session: Session, person: Person) -> list[lists.ListedGame]:
    """Return a person's running and recently finished games."""
    number = stored_id(person)
    found = [*lists.mine(session, number), *lists.lately_ended(session, number)]
    return [one for one in found if one.game.last_entry]


def turns(session: Session, one: lists.ListedGame, language: str, zone: str) -> Iterator[Item]:
    """Yield that it is the person's turn, and what is asked."""
    if not one.is_asked or one.own is None or one.own.asked_since is None or one.own.resigned:
        return
    row, names = one.game, [seat.name for seat, _ in one.seated]
    table = positions.table(session, row)
    prompt = words.prompt(table.rules, table.state.awaiting, viewer=one.own.number, names=names,
                          language=language)
    since = one.own.asked_since
    at = moment(steps.made(session, row, since, one.own.number), since)
    title = words.gettext("It is your turn", language)
    by_when = clock_view.deadline_in_words(row, one.own.due, zone, language)
    yield Item(row, f"turn-{since}", since, title, [prompt, by_when], at)


# ---- deadlines ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Deadline:
    """The deadline of a game's open question. `changes` counts how often it moved."""

    row: Game
    question: int  # the entry that asked it
    until: datetime
    changes: int
    changed: datetime


def deadlines_of(session: Session, person: Person) -> list[Deadline]:
    """Return a person's deadlines in order. A paused clock has none."""
    found = [
        Deadline(one.game, one.own.asked_since, one.own.due, one.own.due_moves,
                 one.own.due_set or one.own.due)
        for one in lists.mine(session, stored_id(person))
        if one.is_asked and one.own is not None
        and one.own.asked_since is not None and one.own.due is not None
    ]
    return sorted(found, key=lambda each: (each.until, each.row.id))


def may_follow(row: Game) -> bool:
    """Return whether a game's feed is public."""
    return not row.private and row.state in (GameState.RUNNING, GameState.FINISHED)


def title_of(row: Game, language: str) -> str:
    """Return a game's name in feeds."""
    name = words.term(row.game, "game_name", language)
    number = words.gettext("game %(number)s", language) % {"number": row.id}
    return f"{name}, {number}: {row.title}" if row.title else f"{name}, {number}"
