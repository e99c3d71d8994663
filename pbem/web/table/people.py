"""Builds what the game page shows about people: talk, clocks, absences, proposals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlmodel import Session

from pbem.archive import players
from pbem.models import Game, GameState, SeatRow
from pbem.play import advance, positions, undo
from pbem.tables import chat, clock_view, consent, lobby, rulesets, series, solo, vacation
from pbem.tables.lobby import stored_id
from pbem.web import context, filters
from pbem.web.lobby import seats as seat_changes
from pbem.web.lobby.quick_start import series_of
from pbem.web.table.desk import Desk


def values(desk: Desk, *, may_order: bool) -> dict[str, Any]:
    """Return the template values of everything beside the game itself."""
    session, row, own = context.reading(), desk.row, desk.sitting.own
    is_running = row.state == GameState.RUNNING
    seats, now = desk.sitting.seats, context.service().clock.now()
    undoable = undo.can_undo(session, row, own) if may_order and own is not None else None
    dials = clocks(desk)
    return {
        "undoable": undoable, **by_consent(desk, undoable, may_order=may_order),
        "back_by": positions.taken_back(positions.marks(session, row)).get(desk.number),
        "talk": talk(desk) if desk.is_present else [],
        "away": vacation.away(session, seats, now) if is_running else {},
        "away_later": vacation.coming(session, seats, now) if is_running else [],
        "people": players.with_pages(session, row, seats),
        "dials": clocks_in_words(desk, dials), "time_left": time_left(desk, dials),
        "stands_still": is_running and not positions.is_playable(session, row),
        "newer_rules": newer_rules(desk),
        "alone": own is not None and row.private and solo.is_alone(session, row),
        **next_game(session, row, own),
        **seat_changes.values(desk),
    }


def talk(desk: Desk) -> list[chat.ChatLine]:
    """Return the chat lines that the reader may see."""
    person = context.person()
    return chat.visible_lines(context.reading(), desk.row, desk.sitting.own,
                     reader=None if person is None else person.id)


def newer_rules(desk: Desk) -> dict[str, Any] | None:
    """Return an offer of newer rules for a player's page; None if there is none."""
    own, session, row = desk.sitting.own, context.reading(), desk.row
    if own is None or own.resigned or not desk.is_present:
        return None
    found = rulesets.offer(session, row)
    if found is None:
        return None
    return {"before": found.before, "to": found.to, "agreed": found.names(desk.sitting.seats),
            "agrees": own.person_id in found.agreed}


def by_consent(
    desk: Desk, undoable: undo.Undoable | None, *, may_order: bool
) -> dict[str, Any]:
    """Return the state of taking entries back by consent, for a player's page."""
    own, session, row = desk.sitting.own, context.reading(), desk.row
    if own is None or own.resigned or row.state != GameState.RUNNING or not desk.is_present:
        return {"proposal": None, "proposed": None, "proposed_lines": [], "proposed_more": 0,
                "may_propose": False, "back_alone": False}
    found = consent.latest(session, row)
    if found is not None and not consent.is_possible(session, row, found,
                                                     context.service().clock.now()):
        found = None
    can = may_order and next(consent.offered(session, row, undoable), None) is not None
    lines = [] if found is None or found.refused_by is not None else consent.lines(
        session, desk.table, found, viewer=own.number, names=desk.reader.names,
        language=context.language())
    return {
        "proposal": found,
        "proposed": None if found is None else consent.view_of(session, row, found),
        "proposed_lines": lines[:consent.MOST_LISTED],
        "proposed_more": len(lines[consent.MOST_LISTED:]),
        "back_alone": can and consent.asks_nobody(session, desk.sitting.seats, own),
        "may_propose": can and (found is None or found.refused_by is not None),
    }


def clocks(desk: Desk) -> dict[int, clock_view.Dial]:
    """Return the clocks of the asked seats and all time banks as the reader may see them."""
    if not desk.is_present or desk.row.state != GameState.RUNNING:
        return {}
    session, row, seats = context.reading(), desk.row, desk.sitting.seats
    people = advance.people_of(session, list(seats))
    found = clock_view.of(session, row, seats, people, context.service().clock.now())
    return clock_view.seen_by(found, desk.reader.seat)


def clocks_in_words(desk: Desk, found: Mapping[int, clock_view.Dial]) -> dict[int, str]:
    """Word the clocks in full, by seat."""
    now, zone = context.service().clock.now(), filters.zone_of(context.person()).key
    words = {seat: clock_view.in_words(dial, now, zone, desk.reader.language)
            for seat, dial in found.items()}
    return {seat: text for seat, text in words.items() if text}


def time_left(desk: Desk, found: Mapping[int, clock_view.Dial]) -> dict[int, str]:
    """Word what is left of the clocks that run, for the page's head, by seat."""
    now = context.service().clock.now()
    return {seat: clock_view.length(dial.due - now, desk.reader.language)
            for seat, dial in found.items() if dial.due is not None and dial.due > now}


def next_game(session: Session, row: Game, own: SeatRow | None) -> dict[str, Any]:
    """Return the template values of the rematch and the series."""
    return {
        "may_have_rematch": (
            series.may_have_rematch(row, own) and not series.has_next_game(session, row)),
        "rematch": rematch_seen(session, row),
        "series": series_of(row),
    }


def rematch_seen(session: Session, row: Game) -> Game | None:
    """Return the rematch of a finished game if the reader may see it, else None."""
    if row.state != GameState.FINISHED or context.person() is None:
        return None
    game = series.rematch_of(session, stored_id(row))
    if game is None or not lobby.may_see(session, game, context.person()):
        return None
    return game
