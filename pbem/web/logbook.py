"""The game page's history: log, news, and the bar that leads to any entry."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from flask import request
from markupsafe import Markup, escape

from pbem.games import archive
from pbem.web import current, forms
from pbem.web.forms import Reader

if TYPE_CHECKING:
    from pbem.web.table import Desk

WIDEST = 12  # weights of rounds in the history bar, as classes f1 to f12


@dataclass(frozen=True)
class Tick:
    """A round in the history bar. `knob`: tenths of its width where the reader stands."""

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
    entries: list[archive.LogEntry]


@dataclass(frozen=True)
class Piece:
    """A piece of news: one entry, or several of a kind in a row."""

    first: int
    last: int
    lines: list[archive.NewsLine]

    @property
    def is_folded(self) -> bool:
        """Whether several entries share it."""
        return self.first != self.last


def context(desk: Desk) -> dict[str, Any]:
    """What the log, the news and the history bar show."""
    session, row, reader = current.reading(), desk.row, desk.reader
    newest = forms.whole_number(request.args.get("log"), least=1, most=desk.number) or desk.number
    entries = archive.log(session, row, upto=newest, viewer=reader.seat, names=reader.names,
                          language=reader.language)
    own = desk.sitting.own
    news = None
    if own is not None and desk.is_present:
        news = archive.since_last_moved(session, row, own, reader.language)
    ticks = ticks_of(archive.rounds(session, row), desk.number, row.last_entry)
    return {
        "log_parts": parts_of(entries),
        "log_newest": newest,
        "log_older": entries[0].number - 1 if entries else 0,
        "news": news if news is not None and news.lines else None,
        "news_lines": folded(news) if news is not None else [],
        "ticks": ticks,
        "rounds_to_come": list(range(max((t.round for t in ticks), default=0) + 1,
                                     desk.view.rounds + 1)) if desk.view.question else [],
        "named": Names(reader),
    }


def parts_of(entries: Sequence[archive.LogEntry]) -> list[LogPart]:
    """The log by phase, newest first."""
    newest_first = reversed(entries)
    return [
        LogPart(round_, phase, list(part))
        for (round_, phase), part in groupby(newest_first, key=lambda e: (e.round, e.phase))
    ]


def folded(news: archive.News) -> list[Piece]:
    """The news, oldest first; entries that say one thing of a kind each (placings) share a line."""
    pieces: list[Piece] = []
    for number, group in groupby(news.lines, key=lambda line: line.number):
        lines = list(group)
        before = pieces[-1] if pieces else None
        if before is not None and is_alike(before.lines, lines):
            pieces[-1] = Piece(before.first, number, [*before.lines, *lines])
        else:
            pieces.append(Piece(number, number, lines))
    return pieces


def is_alike(before: Sequence[archive.NewsLine], lines: Sequence[archive.NewsLine]) -> bool:
    """Whether one more single line of the same rule follows."""
    return len(lines) == 1 and {line.rule for line in before} == {lines[0].rule}


def ticks_of(rounds: Sequence[tuple[int, int, int]], number: int, last: int) -> list[Tick]:
    """The rounds that have entries, wide as they are long."""
    ticks = []
    for round_, first, end in rounds:
        entries = end - first + 1
        weight = max(1, min(WIDEST, round(entries * WIDEST / max(last, 1))))
        knob = round((number - first + 1) * 10 / entries) if first <= number <= end else None
        ticks.append(Tick(round_, first, end, weight, knob))
    return ticks


class Names:
    """Marks the players' names in a line with their colours."""

    def __init__(self, reader: Reader) -> None:
        self.seats = {name: seat for seat, name in enumerate(reader.names)}
        longest_first = sorted(map(re.escape, self.seats), key=len, reverse=True)
        self.pattern = re.compile(rf"(?<!\w)({'|'.join(longest_first)})(?!\w)")

    def __call__(self, text: str) -> Markup:
        """The line as HTML."""
        # Split before escaping: a name may read as a part of an escaped sign ("39", "lt").
        parts = self.pattern.split(text)
        return Markup("").join(self._mark(p) if i % 2 else escape(p) for i, p in enumerate(parts))

    def _mark(self, name: str) -> Markup:
        seat = self.seats[name]
        return Markup('<span class="s-{}"><span class="name">{}</span></span>').format(seat, name)
