"""Tells the log in words, compares two positions, and finds where rounds begin."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlmodel import Session, col, select

from engine.api import Event, GameRules, Viewer
from engine.forms import Change
from pbem.i18n import words
from pbem.i18n.words import msgid
from pbem.models import Chapter, Game
from pbem.models.causes import BACK, MOVED_ON
from pbem.play import positions, seat_history

MOST_ENTRIES = 60  # of the log on one page or in one letter
MOST_TOLD = 8192  # memoized entries in words, about 1 KB each
ONE_TAKEN_BACK = msgid("%(name)s has taken entry %(first)s back.")
ONE_AGREED = msgid("All have agreed to take entry %(first)s back.")
MOVES_NOTHING = {
    # No range of entries: notes after the first one stay in force.
    "undo": msgid("%(name)s has taken back entry %(first)s and the moves behind it."),
    "agreed": msgid("All have agreed to take back entry %(first)s and the moves behind it."),
    "resign": msgid("%(name)s has resigned: this seat is played for now."),
    "dropped": msgid("%(name)s did not answer in time: this seat is played for now."),
    "handover": msgid("%(name)s has given this seat away: it is played for until it is taken."),
    "seated": msgid("%(name)s has taken this seat over."),
    "overtime": msgid("The time of %(name)s is over."),
    "outage": msgid("The service was out of order: all clocks got %(minutes)s minutes back."),
    "pause": msgid("The clocks stand."),
    "resume": msgid("The clocks go on."),
    MOVED_ON: msgid("All have agreed: the game goes on by newer rules (%(to)s, before: %(from)s)."),
}


@dataclass(frozen=True)
class LogEntry:
    """One entry in words; `lines` is empty where nothing is worth a line.

    `back_by`: the number of the entry that took it back.
    """

    number: int
    seat: int | None
    cause: str
    at: datetime
    lines: list[words.LogLine]
    round: int
    phase: int
    back_by: int | None = None


@dataclass(frozen=True)
class NewsLine:
    """One thing that happened, with its entry and its rule."""

    number: int
    text: str
    rule: str


@dataclass(frozen=True)
class PositionDiff:
    """How two positions differ for one viewer: a seat's holdings, and places on the table."""

    changes: Sequence[Change] = ()
    places: frozenset[str] = frozenset()


@dataclass(frozen=True)
class ChapterSpan:
    """The first and last entry of one phase of a round."""

    round: int
    phase: int
    first: int
    last: int


def names(session: Session, row: Game) -> list[str]:
    """The players' names in seat order."""
    return [seat.name for seat in session.exec(positions.seats_of(row))]


def in_words(
    rules: GameRules, events: Sequence[Event], *, viewer: Viewer, names: Sequence[str],
    language: str,
) -> list[words.LogLine]:
    """Events in words, as this viewer may read them."""
    told = (
        words.event_line(rules, event, names=names, viewer=viewer, language=language)
        for event in events
    )
    return [line for line in told if line is not None]


def told(
    rules: GameRules,
    entry: positions.LoggedEntry,
    events: Sequence[Event],
    *,
    viewer: Viewer,
    names: Sequence[str],
    language: str,
) -> list[words.LogLine]:
    """An entry in words: its events, or a sentence about an entry that moves nothing."""
    if entry.cause not in MOVES_NOTHING:
        return in_words(rules, events, viewer=viewer, names=names, language=language)
    note = entry.note or {}
    by_one = entry.cause == "undo" or "alone" in note  # nobody else had to agree
    said = MOVES_NOTHING["undo" if by_one else entry.cause]
    if entry.cause in BACK and entry.base + 2 == entry.number:
        said = ONE_TAKEN_BACK if by_one else ONE_AGREED
    text = words.gettext(said, language)
    name = note.get("name") or ("" if entry.seat is None else names[entry.seat])
    figures = {
        "name": words.called(str(name), language),
        "first": entry.base + 1,
        "minutes": int(note.get("seconds", 0)) // 60,
        "from": note.get("from", ""),
        "to": note.get("to", ""),
    }
    return [words.LogLine(text % figures, "")]


def told_whole(
    entry: positions.LoggedEntry, *, viewer: Viewer, names: Sequence[str], language: str
) -> Sequence[words.LogLine]:
    """The same for all events of an entry; memoized by its body."""
    if entry.cause in MOVES_NOTHING:
        return told(entry.rules, entry, (), viewer=viewer, names=names, language=language)
    told_of: Any = entry.rules  # mypy: protocols may be unhashable, games are not
    return _told(told_of, entry.body, viewer, tuple(names), language)


@lru_cache(MOST_TOLD)
def _told(
    rules: GameRules, body: str, viewer: Viewer, names: tuple[str, ...], language: str
) -> tuple[words.LogLine, ...]:
    events = positions.read_body(rules, body).events
    return tuple(in_words(rules, events, viewer=viewer, names=names, language=language))


def log(
    session: Session,
    row: Game,
    *,
    upto: int,
    viewer: Viewer,
    names: Sequence[str],
    language: str,
    limit: int = MOST_ENTRIES,
) -> list[LogEntry]:
    """The last `limit` entries up to entry `upto`, oldest first."""
    first = max(1, upto - limit + 1)
    marks = positions.marks(session, row)
    phases, back = phases_of(session, row), positions.taken_back(marks)
    gone = seat_history.past_holders_by_marks(session, row, marks)
    found = []
    for entry in positions.entries(session, row, first, upto):
        called = seat_history.names_at(entry, names, gone)
        lines = told_whole(entry, viewer=viewer, names=called, language=language)
        round_, phase = chapter_at(phases, entry.number)
        found.append(
            LogEntry(entry.number, entry.seat, entry.cause, entry.at, [*lines], round_, phase,
                     back.get(entry.number))
        )
    return found


def differs(
    session: Session, now: positions.GamePosition, earlier: int, viewer: Viewer
) -> PositionDiff:
    """How the present position differs from that of an earlier entry, for one viewer."""
    if earlier == now.number:
        return PositionDiff()
    rules = now.rules
    states = (positions.position(session, now.row, earlier), now.state)
    changes = () if viewer is None else rules.changes(
        *(rules.seat_view(state, viewer, viewer) for state in states))
    return PositionDiff(changes, changed(
        *(rules.places(rules.observation(state, viewer)) for state in states)))


def changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> frozenset[str]:
    """The places that hold something else than before."""
    return frozenset(
        place for place, lies in after.items() if place not in before or before[place] != lies
    )


# ---- rounds -----------------------------------------------------------------------------------


def phases_of(session: Session, row: Game) -> list[Chapter]:
    """The beginnings of all phases, in order."""
    return list(session.exec(
        select(Chapter).where(Chapter.game_id == row.id).order_by(col(Chapter.first_entry))))


def chapter_at(phases: Sequence[Chapter], number: int) -> tuple[int, int]:
    """The round and phase of an entry; (0, 0) before the first phase."""
    place = bisect_right(phases, number, key=lambda phase: phase.first_entry)
    return (phases[place - 1].round, phases[place - 1].phase) if place else (0, 0)


def chapters(session: Session, row: Game) -> list[ChapterSpan]:
    """Every phase that has entries, with its first and last entry."""
    return spans(phases_of(session, row), row.last_entry)


def spans(phases: Sequence[Chapter], last_entry: int) -> list[ChapterSpan]:
    """Phases with their last entries: the one before the next phase, or the newest."""
    ends = [phase.first_entry - 1 for phase in phases[1:]] + [last_entry]
    return [
        ChapterSpan(phase.round, phase.phase, phase.first_entry, end)
        for phase, end in zip(phases, ends, strict=True)
        if phase.first_entry <= end
    ]


def rounds(session: Session, row: Game) -> list[tuple[int, int, int]]:
    """Round, first and last entry of each round that has entries."""
    found: dict[int, tuple[int, int, int]] = {}
    for phase in chapters(session, row):
        number, first, _ = found.get(phase.round, (phase.round, phase.first, phase.last))
        found[phase.round] = (number, first, phase.last)
    return list(found.values())
