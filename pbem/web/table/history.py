"""Builds the game page's history: log, news, and the bar of links to entries."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any

from flask import request
from markupsafe import Markup, escape

from pbem.archive import steps
from pbem.archive.news import News, since_last_moved
from pbem.play import narration
from pbem.tables import notes
from pbem.web import context
from pbem.web.table import forms
from pbem.web.table.desk import Desk
from pbem.web.table.forms import GameReader

MOST_ALIKE = 3  # lines of the same kind shown together before the rest is folded
MOST_TABLES = 64  # tables whose lines are cached with the names marked
MOST_LINES = 512  # lines cached per table
WIDEST = 12  # weights of rounds in the history bar, classes f1 to f12


@dataclass(frozen=True)
class Tick:
    """A round in the history bar. `knob`: the reader's place in it, in tenths of its width."""

    round: int
    first: int
    last: int
    weight: int
    knob: int | None


@dataclass(frozen=True)
class LogPart:
    """The entries of one phase, newest first."""

    round: int
    phase: int
    entries: list[narration.LogEntry]


@dataclass(frozen=True)
class NewsItem:
    """A piece of news: one entry, or several of the same kind in a row."""

    first: int
    last: int
    lines: list[narration.NewsLine]

    @property
    def is_folded(self) -> bool:
        """Tell whether several entries share this item."""
        return self.first != self.last

    @property
    def shown(self) -> list[narration.NewsLine]:
        """The lines that are shown at once."""
        return self.lines if len(self.lines) <= MOST_ALIKE else self.lines[:1]

    @property
    def more(self) -> list[narration.NewsLine]:
        """The lines of the same kind that are folded away."""
        return self.lines[len(self.shown):]


def values(desk: Desk) -> dict[str, Any]:
    """Return the template values of the log, the news, the history bar and the notes."""
    session, row, reader, rules = context.reading(), desk.row, desk.reader, desk.table.rules
    newest = forms.whole_number(request.args.get("log"), least=1, most=desk.number) or desk.number
    entries = narration.log(session, row, upto=newest, viewer=reader.seat, names=reader.names,
                          language=reader.language)
    news = news_of(desk)
    ticks = ticks_of(narration.rounds(session, row), desk.number, row.last_entry)
    own, person = desk.sitting.own, context.person()
    turns = (None, None) if own is None or own.number is None else steps.own_turns(
        session, row, own.number, desk.number)
    return {
        "log_parts": parts_of(entries),
        "log_newest": newest,
        "log_older": entries[0].number - 1 if entries else 0,
        "news": news,
        "news_lines": folded(news) if news is not None else [],
        "news_count": len({line.number for line in news.lines}) if news is not None else 0,
        "marked": marked(desk, news),
        "made": steps.made(session, row, desk.number, reader.seat),
        "how_said": steps.HOW,
        "own_turns": turns,
        "ticks": ticks,
        "round_now": rules.chapter(desk.table.state)[0],
        "rounds_to_come": list(range(max((t.round for t in ticks), default=0) + 1,
                                     len(rules.rounds()) + 1)) if desk.view.question else [],
        "named": Names(reader),
        "notes": notes.own(session, row, person) if person is not None else [],
        "longest_note": notes.LONGEST,
    }


def news_of(desk: Desk) -> News | None:
    """Return what is new to a player at the newest entry; None if nothing is."""
    own = desk.sitting.own
    if own is None or not desk.is_present:
        return None
    news = since_last_moved(context.reading(), desk.table, own, desk.reader.language,
                                    everyone=desk.reader.names)
    return news if news.lines or news.chat else None


def marked(desk: Desk, news: News | None) -> frozenset[str]:
    """Return the places to mark: the reader's news, else what this entry changed."""
    if news is not None and news.lines:
        return news.places
    earlier = desk.number - 1 or 1
    return narration.differs(context.reading(), desk.table, earlier, desk.reader.seat).places


def parts_of(entries: Sequence[narration.LogEntry]) -> list[LogPart]:
    """Group the log by phase, newest first."""
    newest_first = reversed(entries)
    return [
        LogPart(round_, phase, list(part))
        for (round_, phase), part in groupby(newest_first, key=lambda e: (e.round, e.phase))
    ]


def folded(news: News) -> list[NewsItem]:
    """Fold the news, oldest first: single lines of the same kind (placings) share one item."""
    pieces: list[NewsItem] = []
    for number, group in groupby(news.lines, key=lambda line: line.number):
        lines = list(group)
        before = pieces[-1] if pieces else None
        if before is not None and is_alike(before.lines, lines):
            pieces[-1] = NewsItem(before.first, number, [*before.lines, *lines])
        else:
            pieces.append(NewsItem(number, number, lines))
    return pieces


def is_alike(before: Sequence[narration.NewsLine], lines: Sequence[narration.NewsLine]) -> bool:
    """Tell whether `lines` is one more single line of the same rule."""
    return len(lines) == 1 and {line.rule for line in before} == {lines[0].rule}


def ticks_of(rounds: Sequence[tuple[int, int, int]], number: int, last: int) -> list[Tick]:
    """Return the ticks of the rounds that have entries, with widths by the number of entries."""
    ticks = []
    for round_, first, end in rounds:
        entries = end - first + 1
        weight = max(1, min(WIDEST, round(entries * WIDEST / max(last, 1))))
        knob = round((number - first + 1) * 10 / entries) if first <= number <= end else None
        ticks.append(Tick(round_, first, end, weight, knob))
    return ticks


class Names:
    """Marks players' names in a line with their colours."""

    def __init__(self, reader: GameReader) -> None:
        self.mark = marking(tuple(reader.names))

    def __call__(self, text: str) -> Markup:
        """Return the line as HTML."""
        return self.mark(text)


@lru_cache(MOST_TABLES)
def marking(names: tuple[str, ...]) -> Callable[[str], Markup]:
    """Return the function that marks the names of one table's players; cached per table."""
    seats = {name: Markup('<span class="name s-{}">{}</span>').format(seat, name)
             for seat, name in enumerate(names)}
    longest_first = sorted(map(re.escape, seats), key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)({'|'.join(longest_first)})(?!\w)")

    @lru_cache(MOST_LINES)
    def mark(text: str) -> Markup:
        # Split before escaping: a name may look like part of an escaped character ("39", "lt").
        parts = pattern.split(text)
        return Markup("").join(seats[part] if place % 2 else escape(part)
                               for place, part in enumerate(parts))

    return mark
