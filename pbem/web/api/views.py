"""Converts games, tables, entries and orders to API messages for one person."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import starmap
from typing import Any

from sqlmodel import Session

from engine.api import Viewer
from pbem.archive import steps
from pbem.clocks import terms
from pbem.i18n import words
from pbem.models import Game, GameState, Person, SeatRow, stored_id
from pbem.models import Submission as SubmissionRow
from pbem.play import (
    advance,
    dry_runs,
    narration,
    orders_ahead,
    positions,
    refusals,
    results,
    submit,
)
from pbem.tables import clock_view, lists, players
from pbem.web.api import types


def seat(row: SeatRow, name: str, dial: clock_view.Dial | None = None) -> types.SeatShown:
    """Return a seat and its player; before the start a seat has no number."""
    dial = dial or clock_view.UNTIMED
    left = None if dial.left is None else dial.left // timedelta(seconds=1)
    return types.SeatShown(row.number, name, row.asked_since is not None,
                               row.resigned is not None, row.place, row.points, dial.due, left,
                               row.operator)


def clocks_of(
    session: Session, row: Game, seats: Sequence[SeatRow], viewer: Viewer, now: datetime
) -> dict[int, clock_view.Dial]:
    """Return the seats' clocks as this viewer may see them, by seat."""
    people = advance.people_of(session, list(seats))
    return clock_view.seen_by(clock_view.of(session, row, seats, people, now), viewer)


def listed(
    session: Session, one: lists.ListedGame, person: Person, site: str, now: datetime
) -> types.GameShown:
    """Return a game of a person's own list."""
    row, own = one.game, one.own
    names = [each.name or who.name for each, who in one.seated]
    question = ""
    if one.is_asked and own is not None:
        at = positions.table(session, row)
        question = words.prompt(at.rules, at.state.awaiting, viewer=own.number, names=names,
                                language=person.language)
    viewer = None if own is None else own.number
    timed = clocks_of(session, row, [each for each, _ in one.seated], viewer, now)
    return types.GameShown(
        stored_id(row), row.game, row.title, row.state, row.last_entry,
        [seat(each, name, timed.get(each.number or 0))
         for (each, _), name in zip(one.seated, names, strict=True)],
        viewer, one.is_asked, question,
        f"{site}/games/{row.id}", clock(row, person.language),
    )  # fmt: skip


def clock(row: Game, language: str) -> types.ClockShown:
    """Return a game's clock."""
    agreed = terms.of(row)
    its = agreed.clock
    return types.ClockShown(
        its.kind, its.hours, its.increment, its.cap, its.counts, agreed.at_zero,
        list(agreed.reminders), terms.in_words(agreed, language),
    )  # fmt: skip


def table(
    session: Session, row: Game, number: int, person: Person, now: datetime
) -> types.TableShown:
    """Return a game after an entry, as this person may see it."""
    if row.last_entry == 0:
        one = lists.one(session, row, person.id)
        seats = [seat(each, who.name) for each, who in one.seated]
        return shown(row, 0, seats, None, language=person.language)
    sitting = players.seating(session, row, person)
    at = positions.table(session, row, number)
    viewer = None if sitting.own is None else sitting.own.number
    view = results.seen(session, row, at.rules.observation(at.state, viewer))
    timed = clocks_of(session, row, sitting.seats, viewer, now)
    seats = [seat(each, each.name, timed.get(each.number or 0)) for each in sitting.seats]
    question = "" if view.question is None else words.prompt(
        at.rules, view.question, viewer=viewer, names=sitting.names, language=person.language)
    return shown(row, number, seats, viewer, language=person.language, view=view,
                 question=question)


def shown(
    row: Game,
    number: int,
    seats: list[types.SeatShown],
    viewer: Viewer,
    *,
    language: str,
    view: Any = None,
    question: str = "",
) -> types.TableShown:
    """Return a table message with the fields that every state has."""
    asked = [] if view is None or row.state == GameState.CANCELLED else list(view.asked)
    return types.TableShown(
        stored_id(row), row.game, row.title, row.state, number, row.last_entry, seats, viewer,
        asked, viewer in asked, question,
        getattr(None if view is None else view.question, "rule", ""), view, clock(row, language),
    )  # fmt: skip


def history(
    session: Session, row: Game, first: int, last: int, person: Person
) -> list[types.EntryShown]:
    """Return entries in words and as facts, as this person may read them."""
    sitting = players.seating(session, row, person)
    viewer = None if sitting.own is None else sitting.own.number
    in_words = narration.log(session, row, upto=last, viewer=viewer, names=sitting.names,
                           language=person.language, limit=last - first + 1)
    logged = positions.entries(session, row, first, last)
    made = steps.made_from(session, row, first, last, viewer)
    return [
        entry(said, each, made[each.number], viewer)
        for said, each in zip(in_words, logged, strict=True)
    ]


def entry(
    said: narration.LogEntry, logged: positions.LoggedEntry, made: steps.Made, viewer: Viewer
) -> types.EntryShown:
    """Return one entry."""
    at = made.at.isoformat(timespec="milliseconds") if made.is_exact else made.at.date().isoformat()
    return types.EntryShown(
        said.number, made.seat, said.round, said.phase, at, made.is_exact, made.how, said.back_by,
        lines(said.lines), [event.seen_by(viewer) for event in logged.events],
    )  # fmt: skip


def lines(said: Sequence[words.LogLine]) -> list[types.LineShown]:
    """Return log lines with their rules."""
    return [types.LineShown(line.text, line.rule) for line in said]


def preview(
    session: Session, row: Game, own: SeatRow, found: submit.OrderPreview, person: Person
) -> types.PreviewShown:
    """Return what orders would do for their sender."""
    names, language, viewer = narration.names(session, row), person.language, own.number or 0
    now = positions.table(session, row)
    before = now.rules.seat_view(now.state, viewer, viewer)
    after = now.rules.observation(found.state, viewer)
    say = words.Say(words.game_words(row.game, language), names)
    events = [event for turn in found.turns for event in turn.events]
    told = narration.in_words(now.rules, events, viewer=viewer, names=names, language=language)
    return types.PreviewShown(
        list(found.orders),
        lines(told),
        [types.ChangeShown(say.value(each.what), each.before, each.after)
         for each in now.rules.changes(before, after.players[viewer])],
        [types.LineShown(say.value(each.what), each.rule) for each in found.lapses],
        found.stopped,
        list(found.untried),
        [ahead_shown(row, each, names, language) for each in found.later],
        after,
    )  # fmt: skip


def ahead(session: Session, row: Game, own: SeatRow, person: Person) -> types.OrdersAheadShown:
    """Try a player's orders ahead on a copy; return the results and those that were settled."""
    names, language = narration.names(session, row), person.language
    runs = row.state == GameState.RUNNING and own.resigned is None
    kept = dry_runs.of_kept(session, row, own) if runs else []
    settled = starmap(dry_runs.of_settled, orders_ahead.news(session, own))
    return types.OrdersAheadShown(
        row.last_entry,
        [ahead_shown(row, each, names, language) for each in kept],
        [ahead_shown(row, each, names, language) for each in settled],
    )


def ahead_shown(
    row: Game, dry_run: dry_runs.DryRun, names: Sequence[str], language: str
) -> types.AheadShown:
    """Return one order ahead."""
    text = dry_runs.said(row.game, dry_run, language, names)
    return types.AheadShown(dry_run.number, dry_run.line, dry_run.does, text, dry_run.plays,
                                dry_run.entry)


def submission(
    row: Game, sent: SubmissionRow, names: Sequence[str], person: Person
) -> types.SubmissionShown:
    """Return recorded orders and what became of them."""
    refusal = None
    if sent.refusal is not None:
        why = refusals.read(sent.refusal)
        text = words.refusal(row.game, why.key, why.rule, why.numbers, person.language,
                             names=names)
        refusal = types.RefusalShown(text, why.key, why.rule, why.numbers, why.choices,
                                         why.line)
    return types.SubmissionShown(
        stored_id(sent), sent.state, sent.orders, sent.created, sent.first_entry, sent.last_entry,
        sent.draft, refusal,
    )  # fmt: skip
