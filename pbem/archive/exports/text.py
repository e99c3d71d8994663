"""Exports a finished game as plain text: the log by rounds, the final table, the result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlmodel import Session

from engine.api import Standing
from pbem.i18n import words
from pbem.i18n.instants import say_instant
from pbem.i18n.render import columns, environment, folded, seats_drawn
from pbem.i18n.words import gettext, msgid
from pbem.models import Game
from pbem.play import narration, positions, results

BACK = msgid("taken back by entry %(number)s")
PLACE, PLAYER, TOTAL = msgid("Place"), msgid("Player"), msgid("Total")
GAME, LOG, AT_THE_END = msgid("Game %(id)s"), msgid("Log"), msgid("The table at the end")
RESULT, FROM_TO = msgid("Result"), msgid("From %(started)s to %(ended)s")


def text_of(session: Session, row: Game, language: str, zone: str = "UTC") -> Iterator[str]:
    """Yield the text in pieces. Times are in this zone."""
    table = positions.table(session, row)
    names = [words.called(name, language) for name in narration.names(session, row)]
    standings = results.standings(session, table)
    yield from head(row, names, language, zone)
    yield from titled(gettext(RESULT, language), result(row, standings, names, language))
    yield from titled(gettext(LOG, language), "")
    yield from log(session, row, names, language)
    yield from titled(gettext(AT_THE_END, language), last_table(table, names, language))


def head(row: Game, names: Sequence[str], language: str, zone: str) -> Iterator[str]:
    """Yield which game it is, who played it, and when."""
    name = words.term(row.game, "game_name", language)
    yield f"{name}. {gettext(GAME, language) % {'id': row.id}}\n"
    if row.title:
        yield f"{row.title}\n"
    yield ", ".join(names) + "\n"
    if row.started and row.ended:
        started, ended = (say_instant(at, zone, language) for at in (row.started, row.ended))
        yield folded(gettext(FROM_TO, language) % {"started": started, "ended": ended})


def titled(title: str, text: str) -> Iterator[str]:
    """Yield a section with its title."""
    yield f"\n{title}\n{'=' * len(title)}\n"
    if text:
        yield f"{text}\n"


def result(
    row: Game, standings: Sequence[Standing], names: Sequence[str], language: str
) -> str:
    """Format places and points by source, the winner first."""
    term = words.game_words(row.game, language).term
    rows: list[list[Any]] = [[
        gettext(PLACE, language), gettext(PLAYER, language), gettext(TOTAL, language),
        *(term(f"source_{source}") for source in standings[0].by_source),
    ]]  # fmt: skip
    for each in sorted(standings, key=lambda each: (each.place, each.seat)):
        rows.append([each.place, names[each.seat], each.points, *each.by_source.values()])
    # Sources are rows and seats are columns, so that the table fits a narrow page.
    turned = [list(column) for column in zip(*rows, strict=True)]
    return columns(turned, right=tuple(range(1, len(rows))))


def log(session: Session, row: Game, names: Sequence[str], language: str) -> Iterator[str]:
    """Yield every entry that deserves a line, under its round and phase."""
    term, rules = words.game_words(row.game, language).term, positions.rules_of(session, row)
    entries = narration.log(session, row, upto=row.last_entry, viewer=None, names=names,
                          language=language, limit=row.last_entry)
    chapter = None
    for entry in entries:
        if not entry.lines:
            continue
        if (entry.round, entry.phase) != chapter:
            chapter = (entry.round, entry.phase)
            beginning = f"{words.round_name(rules, language, entry.round)}. " if entry.round else ""
            yield f"\n{beginning}{term(f'phase_{entry.phase}')}\n\n"
        said = " ".join(line.text for line in entry.lines)
        back = f" ({gettext(BACK, language) % {'number': entry.back_by}})" if entry.back_by else ""
        yield folded(f"{entry.number:>5}  {said}{back}")


def last_table(table: positions.GamePosition, names: Sequence[str], language: str) -> str:
    """Describe the table as letters do, for a visitor."""
    rules = table.rules
    view = rules.observation(table.state, None)
    values = {
        "game": table.row, "view": view, "shown": rules.page(view, None), "names": names,
        "letters": words.seat_letters(names), "mine": None,
        "term": words.game_words(rules.key, language).term,
        "say": words.Say(words.game_words(rules.key, language), names).value,
        "SEATS": seats_drawn(rules.seat_colours), "marked": frozenset(),
        "first_upper": words.first_upper,
    }  # fmt: skip
    return folded(environment(language).get_template("exports/table.txt").render(values)).strip()
