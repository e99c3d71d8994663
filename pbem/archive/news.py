"""Collects what is new to a player since their own last move, for pages, letters and feeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import Any

from sqlmodel import Session

from engine.api import Event
from engine.forms import Change
from pbem.i18n import words
from pbem.i18n.words import msgid
from pbem.models import Game, SeatRow
from pbem.play import dry_runs, orders_ahead, positions, seat_history
from pbem.play.narration import (
    MOST_ENTRIES,
    NewsLine,
    differs,
    names,
    told,
    told_whole,
)
from pbem.tables import chat

AHEAD = msgid("You had ordered ahead: %(line)s. %(what)s")


@dataclass(frozen=True)
class News:
    """The news of entries `first` to `last`.

    `skipped` counts older entries, which only the log shows.

    `chat` is what the others have said.
    """

    first: int
    last: int
    lines: list[NewsLine]
    skipped: int = 0
    changes: Sequence[Change] = ()  # in the player's own holdings
    places: frozenset[str] = frozenset()  # on the table, that look different
    chat: Sequence[chat.ChatLine] = ()


def since_last_moved(
    session: Session, table: positions.GamePosition, seat: SeatRow, language: str, *,
    everyone: Sequence[str] = (),
) -> News:
    """Return what is new to a player: after what their own last entry told them, until now.

    `everyone` is the players' names, if the caller has them.
    """
    row, rules = table.row, table.rules
    first = max(1, seat.moved_at, row.last_entry - MOST_ENTRIES + 1)
    everyone = everyone or names(session, row)
    marks = positions.marks(session, row)
    back = positions.taken_back(marks)
    gone = seat_history.past_holders_by_marks(session, row, marks)
    lines = []
    for entry in positions.entries(session, row, first, row.last_entry):
        if entry.number in back:
            continue
        called = seat_history.names_at(entry, everyone, gone)
        said: dict[str, Any] = {"viewer": seat.number, "names": called, "language": language}
        for line in (
            told(rules, entry, behind_reveal(entry.events), **said)
            if entry.number == seat.moved_at else told_whole(entry, **said)
        ):
            lines.append(NewsLine(entry.number, line.text, line.rule))
    lines = sorted([*lines, *settled_ahead(session, row, seat, everyone, language)],
                   key=lambda line: line.number)
    skipped = first - max(1, seat.moved_at)
    numbers = [line.number for line in lines] or [row.last_entry]
    found = differs(session, table, max(1, seat.moved_at), seat.number)
    return News(min(numbers), row.last_entry, lines, skipped, found.changes, found.places,
                chat.lines_since_own_move(session, row, seat))


def settled_ahead(
    session: Session, row: Game, seat: SeatRow, everyone: Sequence[str], language: str
) -> list[NewsLine]:
    """Return what became of a player's own orders ahead since they last acted."""
    return [
        NewsLine(dry_run.entry or 0, words.gettext(AHEAD, language) % {
            "line": dry_run.line,
            "what": dry_runs.said(row.game, dry_run, language, everyone),
        }, "")
        for dry_run in starmap(dry_runs.of_settled, orders_ahead.news(session, seat))
    ]  # fmt: skip


def behind_reveal(events: Sequence[Event]) -> Sequence[Event]:
    """Return the events that followed from the player's move and could not be foreseen."""
    for place, event in enumerate(events):
        if event.reveals:
            return events[place:]
    return ()
