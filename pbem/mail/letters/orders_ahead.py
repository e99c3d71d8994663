"""Describes the reader's orders ahead in a letter: pending ones, what they would do, examples."""

from __future__ import annotations

from itertools import islice

from engine import orders_ahead as ahead
from engine.ahead_lines import LATER
from engine.errors import MoveRefused
from pbem.i18n import words
from pbem.mail.letters.asked import Ready, address_of, mailto, turn_subject
from pbem.mail.letters.context import Occasion, Values
from pbem.models import GameState, Outbox, SeatRow
from pbem.play import dry_runs, orders_ahead, positions

MOST_READY = 2


def ahead_in(
    it: Occasion, row: Outbox, table: positions.GamePosition, seat: SeatRow, names: list[str]
) -> Values:
    """Return the reader's orders ahead with a dry run, and some that they could add by an answer.
    """
    if table.row.state != GameState.RUNNING or seat.resigned is not None:
        return {"ahead": (), "ahead_ready": ()}
    language = it.reader.language
    kept = dry_runs.of_kept(it.session, table.row, seat)
    return {
        "ahead": [(each.line, dry_runs.said(table.row.game, each, language, names))
                  for each in kept],
        "ahead_ready": ready(it, row, table, seat) if len(kept) < orders_ahead.MOST else (),
    }  # fmt: skip


def ready(it: Occasion, row: Outbox, table: positions.GamePosition, seat: SeatRow) -> list[Ready]:
    """Return examples that fit now and are not yet given, as answers that hold them."""
    rules, number, language = table.rules, seat.number or 0, it.reader.language
    say = words.Say(words.game_words(table.row.game, language), ())
    stands = {each.line for each in orders_ahead.of(it.session, seat)}
    address, subject = address_of(it.settings, row), turn_subject(table.row, language)
    examples = rules.orders_ahead.examples(rules.observation(table.state, number), number)
    fitting = (each for each in examples  # those that could all be given as they are
               if not stands or canonical(table, number, each.line) not in {None, *stands})
    return [
        Ready(line, mailto(address, subject, line), say.value(each.meaning))
        for each in islice(fitting, MOST_READY)
        for line in [f"{LATER}: {each.line}"]
    ]


def canonical(table: positions.GamePosition, seat: int, line: str) -> str | None:
    """Return an example in its stored form, or None if it could not be given."""
    try:
        return ahead.text(table.rules, ahead.read(table.rules, line, table.state, seat, {}))
    except MoveRefused:
        return None
